/* SPDX-License-Identifier: BSD-3-Clause */
/* One flight per key: the table of what a worker is asking upstream, and who waits for each.
 *
 * The flight's key is the cache's key: name without case, type, CD, ECS scope. ID, case, EDNS, DO and transport of a client do not
 * matter to it, as each gets its own answer from the one entry that comes back.
 * Thread: the worker's own. */
#ifndef PITH_QUERY_COALESCE_H
#define PITH_QUERY_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/cache.h"
#include "loop/loop.h"
#include "query/query.h"

struct upstream_job;

/* A client's query that waits: its question packed as the shortest query with the same meaning, and the way back. */
struct pending {
	struct pending *next;
	uint64_t since_ns;  /* clock_real_mono_ns() */
	struct reply_to to;
	uint16_t len;
	uint8_t msg[];
};

struct flight {
	struct flight *next;         /* in its bucket */
	struct worker *worker;
	struct upstream_job *job;
	struct pending *first, **last;
	bool impatient;              /* serve-stale-client-timeout has passed: who comes now gets stale data at once */
	struct timer patience;       /* runs while clients wait though stale data stands by */
	struct cache_key key;        /* key.name is name */
	uint8_t name[];
};

struct flights {
	struct flight **buckets;
	uint32_t mask;               /* buckets are a power of two, at least as many as flights */
	uint32_t n;
	uint32_t n_waiting;          /* clients over all flights */
};

/* 0 or ERR_NOMEM. */
int flights_init(struct flights *f);
/* All flights must be gone. */
void flights_free(struct flights *f);
struct flight *flight_find(const struct flights *f, const struct cache_key *k);
/* A new flight without clients, in the table; the key is copied. NULL: no memory. There must be none for the key. */
struct flight *flight_add(struct flights *f, const struct cache_key *k);
/* Takes it out of the table, so that the next question starts another. */
void flight_unlink(struct flights *f, struct flight *fl);

/* Packs q. NULL: no memory. */
struct pending *pending_new(const struct query *q, uint64_t now_ns);
void pending_free(struct pending *p);
/* Puts p last. */
void flight_append(struct flights *f, struct flight *fl, struct pending *p);
/* Takes the first waiting client, NULL when none is left. */
struct pending *flight_take(struct flights *f, struct flight *fl);

/* The shortest query with the meaning of q: name in its case, flags, EDNS with the options that an answer may depend on. Returns its
 * length in out (PENDING_MAX bytes). */
enum { PENDING_MAX = 640 };
int pending_pack(const struct question *q, uint8_t out[PENDING_MAX]);

#endif
