/* SPDX-License-Identifier: BSD-3-Clause */
/* The servers of one forward zone: addresses, health, and whom to ask next.
 *
 * Thread: the worker's own. All times are clock_real_mono_ms() or durations. */
#ifndef PITH_UPSTREAM_SERVERS_H
#define PITH_UPSTREAM_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upstream/figures.h"
#include "upstream/ports.h"
#include "upstream/stream.h"

enum {
	SERVERS_MAX = 32,           /* of one zone: an errand keeps a bit for each */
	SERVER_DEAD_AFTER = 3,      /* timeouts in a row */
	SERVER_BACKOFF_MS = 1000,   /* doubled with each probe in vain, up to */
	SERVER_BACKOFF_MAX_MS = 60000,
	SERVER_QUIRK_MS = 900000,   /* how long "speaks no EDNS", "changes the case" is believed */
	SERVER_PROBE_EVERY = 64,    /* one query in so many is also put to another server, to know its speed */
};

struct server {
	unsigned index;             /* in its set */
	char text[80];              /* "9.9.9.9@53" */
	uint32_t srtt_us;           /* 0: not known yet */
	unsigned silent;            /* timeouts in a row; from SERVER_DEAD_AFTER on it is dead */
	uint32_t backoff_ms;
	uint64_t dead_until_ms;     /* then a probe is due */
	uint64_t answered_ms;       /* last answer of any kind, 0: never */
	bool probing;
	uint64_t no_edns_until_ms, no_case_until_ms;
	struct figures figures;     /* what others may see of all this */
	struct port_set ports;
	struct stream stream;
};

struct server_set {
	const char *zone;           /* its text; the maker's */
	unsigned n;
	struct server servers[];
};

/* n addresses as conf has them, of a zone whose text outlives the set; 0 makes a set in which nobody can be asked. NULL: no memory, or one that is no address (then *bad is its index, else n). */
struct server_set *server_set_new(const char *zone, unsigned n, char *const *addrs, unsigned *bad);
/* Its streams must have ended, its ports be closed. */
void server_set_free(struct server_set *set);

/* Who should be asked next: the quickest that is alive, whose bit is not in `not`, and that has fewer than limit queries open (0: no
 * limit); else, of the dead, the one that is due first. NULL when there is none. */
struct server *server_pick(struct server_set *set, uint32_t not, uint64_t limit);
/* A server besides `chosen` worth a question whose answer nobody waits for: a dead one that is due, or now and then a live one. NULL: none. */
struct server *server_pick_probe(struct server_set *set, const struct server *chosen, uint64_t now_ms);
bool server_is_dead(const struct server *s);
void server_answered(struct server *s, uint64_t rtt_us, uint64_t now_ms);
/* Another answered first, after this one had had waited_us for the same question. */
void server_overtaken(struct server *s, uint64_t waited_us);
/* A question sent at sent_ms got no answer in timeout_ms, or (timeout_ms 0) the network said that it cannot. */
void server_was_silent(struct server *s, uint64_t sent_ms, uint32_t timeout_ms, uint64_t now_ms);

#endif
