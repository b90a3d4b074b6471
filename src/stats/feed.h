/* SPDX-License-Identifier: BSD-3-Clause */
/* A feed: what happens in the threads that serve, told to the one that watches, without anybody waiting.
 *
 * Off, which is nearly always, it costs who serves one relaxed load (feed_wants). On, an event is copied into a ring of bounded
 * size; when the ring is full it is dropped and counted. There are FEED_LANES rings, so that threads meet seldom, and those that
 * do meet take their place by one compare-and-swap (D. Vyukov's bounded queue), never a lock. The rings are made when the feed is first
 * switched on, and stay.
 * Thread: any may tell; one alone switches, takes and frees. */
#ifndef PITH_STATS_FEED_H
#define PITH_STATS_FEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum feed_kind {
	FEED_NEW,      /* an entry was stored under a key that had none */
	FEED_SET,      /* an entry took the place of an older one */
	FEED_EXPIRED,  /* removed: past its life, and past its stale time */
	FEED_EVICTED,  /* removed to make room */
	FEED_DEL,      /* removed because somebody said so, or news ended it */
	FEED_EXPIRE,   /* its life was shortened */
	FEED_MISS,     /* a question that the cache could not answer */
	FEED_STALE,    /* a client got an entry past its life */
	FEED_ANSWER,   /* a client got an answer */
	FEED_SLOW,     /* and it took longer than dns-slowlog-log-slower-than */
	FEED_KINDS
};

enum { FEED_LANES = 8, FEED_NAME_MAX = 255 };
enum feed_how { FEED_HIT = 1, FEED_FETCHED = 2, FEED_HOW_STALE = 4, FEED_STREAM = 8, FEED_CD = 16 };

struct feed_event {
	uint64_t wall_us;    /* FEED_ANSWER and FEED_SLOW only; as what follows to port */
	uint32_t took_us;
	uint16_t rcode, port;
	uint16_t type;
	uint8_t kind, how;   /* enum feed_how bits; FEED_CD of a key too */
	uint8_t family, bits; /* 1 IPv4, 2 IPv6: the client, or the key's subnet; 0 none */
	uint8_t name_len;
	uint8_t addr[16];
	uint8_t name[FEED_NAME_MAX]; /* wire form, lower case */
};

struct feed {
	_Atomic uint32_t wanted;     /* bits 1 << enum feed_kind */
	_Atomic uint64_t dropped;
	_Atomic(struct feed_lane *) lanes;
	unsigned next_lane;          /* the taker's */
};

static inline bool feed_wants(const struct feed *f, enum feed_kind kind)
{
	return __builtin_expect(atomic_load_explicit(&((struct feed *)(uintptr_t)f)->wanted, memory_order_relaxed) >> kind & 1, 0);
}

/* f is zeroed memory. Switches on exactly the kinds of these bits; slots: events that a lane holds, from the first time on. 0, or
 * ERR_NOMEM: then it stays off. */
int feed_want(struct feed *f, uint32_t bits, unsigned slots);
/* Nobody tells any more. */
void feed_free(struct feed *f);
/* Copies the event into a lane; which: any number, best the same for one thread. False: dropped and counted. */
bool feed_tell(struct feed *f, unsigned which, const struct feed_event *e);
/* The next event of any lane into *e; false when there is none. Of one lane in the order of telling. */
bool feed_take(struct feed *f, struct feed_event *e);
uint64_t feed_dropped(const struct feed *f);

#endif
