/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the query room: from a client's packet to its answer, the whole road.
 *
 * A front hands in a batch of packets and gets the answers that the cache has at once; what has to wait for upstream is detached
 * from the batch, copied as far as it is needed, and answered later through the transport's reply function. A worker is
 * one DNS thread's state: its configuration, policy, flights, upstream. A query never leaves its worker.
 * Thread: the worker's own, unless a function says otherwise. */
#ifndef PITH_QUERY_QUERY_H
#define PITH_QUERY_QUERY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cache/cache.h"
#include "config/config.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "wire/wire.h"

struct upstream_server; /* of upstream/upstream.h */
struct worker;

/* ---- who asks, and how the answer gets back -------------------------------------------------------------------------- */

struct reply_to;

/* A way in and out. Static storage. */
struct transport {
	const char *name;
	int queries;   /* enum counter of the queries it brings, or -1 */
	bool stream;   /* answers up to 65,535 bytes, never TC */
	bool trusted;  /* the operator's own questions: allow-query does not apply */
	/* The late answer to a query that was pending; len 0: there will be none (msg is NULL). Exactly once, never inside
	 * query_batch. msg is valid during the call only. May not call back into the worker. */
	void (*reply)(const struct reply_to *to, const uint8_t *msg, size_t len);
};

/* All that is needed to answer later. Copied by value; the owner must outlive every pending query or be told by handle. */
struct reply_to {
	const struct transport *via;
	void *owner;      /* the transport's */
	uint64_t handle;  /* the transport's: a connection's place and generation */
	union {
		struct sockaddr any;
		struct sockaddr_in in4;
		struct sockaddr_in6 in6;
	} client;
	uint8_t local[16];   /* the address that was asked, where the socket is bound to more than one */
	uint32_t local_if;
};

/* ---- the road ---------------------------------------------------------------------------------------------------------- */

struct query {
	/* set by the front */
	const uint8_t *msg;
	size_t len;
	const struct reply_to *to;
	uint8_t *out;        /* room for the answer: edns-udp-size's maximum 4096, or 65,535 for a stream */
	/* set by query_batch */
	size_t out_len;      /* of the answer in out; 0: none now */
	bool pending;        /* the transport's reply comes later */
	/* the road's own */
	bool stale;          /* an expired entry stands by */
	uint8_t how;         /* FEED_HIT, FEED_HOW_STALE: for those who watch */
	bool refresh;        /* answered, and worth a fetch in the background */
	struct question q;
};

/* Answers what can be answered at once: n ≤ CACHE_BATCH. On the way of a hit: no allocation, no lock, no system call, the clock read
 * once for the batch. */
void query_batch(struct worker *w, struct query *queries, unsigned n);

/* ---- workers -------------------------------------------------------------------------------------------------------------- */

struct worker_options {
	struct loop *loop;
	struct cache *cache;
	struct stats_thread *stats;
	const struct conf *conf; /* the worker takes a reference of its own */
};
/* NULL and a sentence in err. Thread: any, before its loop runs. */
struct worker *worker_new(const struct worker_options *o, char *err, size_t cap);
/* Forgets what is under way: transports are told that no answer comes. Thread: any, after its loop has ended and before its fronts
 * are closed. */
void worker_free(struct worker *w);
struct loop *worker_loop(const struct worker *w);
struct stats_thread *worker_stats(const struct worker *w);
/* The present configuration; valid until control returns to the loop. */
const struct conf *worker_conf(const struct worker *w);

/* Hands a new configuration to every worker; each takes it up between two batches, and lets go of its old one. 0 or ERR_NOMEM (some
 * may have got it). Thread: admin. */
int query_set_conf(struct worker *const *workers, unsigned n, const struct conf *c);

/* After a removal from the cache: what upstream itself remembers is not to answer any more, from each worker's next miss on. Called
 * before the removal, so that no miss falls in between. Thread: any. */
void query_forget(struct worker *const *workers, unsigned n);

/* The figures of the i-th server that questions are forwarded to, summed over the workers. False: there are not that many. Thread: any. */
bool query_upstream(struct worker *const *workers, unsigned n, unsigned i, struct upstream_server *out);

/* How a question from inside ended: reply is valid during the call; NULL (len 0) when there is none, why then says so. */
typedef void query_resolved(void *arg, const uint8_t *reply, size_t len, const char *why);
/* Puts a DNS query (a whole message, copied, at most QUERY_RESOLVE_MAX bytes) to a worker as if a client had sent it over TCP, but past
 * allow-query. fn runs in the loop `home`, exactly once, never inside this call; a worker that ends still tells it, so that
 * `home` must be run once more after worker_free. 0; ERR_NOMEM, ERR_RANGE: fn never runs. Thread: any. */
enum { QUERY_RESOLVE_MAX = 512 };
int query_resolve(struct worker *w, struct loop *home, const uint8_t *msg, size_t len, query_resolved *fn, void *arg);

#endif
