/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the query room share: struct worker, and the steps of the road that do not stand in query.c. */
#ifndef PITH_QUERY_INTERNAL_H
#define PITH_QUERY_INTERNAL_H

#include <stdatomic.h>

#include "base/random.h"
#include "policy/policy.h"
#include "query/answer.h"
#include "query/coalesce.h"
#include "query/ecs.h"
#include "query/query.h"
#include "query/stale.h"
#include "upstream/upstream.h"

struct worker {
	/* fixed at birth */
	struct loop *loop;
	struct cache *cache;
	struct stats_thread *stats;
	struct feed *feed;         /* the cache's */
	struct upstream *upstream;

	/* any thread */
	atomic_uint forget;        /* counts up: query_forget */

	/* replaced whole by a new configuration */
	const struct conf *conf;
	struct policy *policy;
	struct ecs_policy ecs;
	struct answer_options answer;

	/* the batch under way */
	uint32_t now_s;
	uint32_t rotation;         /* counts answers: where the next rotated RRset starts */
	struct prng random;        /* for popularity counters, where guessing gains nothing */
	unsigned n_asked;
	struct query *asked[CACHE_BATCH];
	struct cache_key keys[CACHE_BATCH];
	const struct entry *found[CACHE_BATCH];

	/* what waits for upstream */
	unsigned forgot;           /* `forget` as upstream was last told of it */
	struct flights flights;
	struct failures failures;
	struct entry_scratch scratch;
	uint8_t out[DNS_MSG_MAX];
};

/* What a flight or a refusal comes to, for every client that waits for it. */
struct outcome {
	const struct entry *entry; /* answer from it; NULL: rcode without records */
	bool stale;
	unsigned rcode;
	int ede;
	const char *why;           /* EDE's text or NULL */
};

/* ---- query.c: the two ends of the road, for those who answer late ---- */

/* Writes the answer to q as it arrived by `via`; counts it. Returns its length, never 0. */
size_t query_answer(struct worker *w, const struct question *q, const struct transport *via, const struct outcome *o, uint8_t *out);

/* ---- flight.c: from a miss to the stored answer ---- */

/* Boards the flight for the key, or starts one. Sets q->pending, or q->out_len when the answer is known at once: the limits are
 * reached, or there is nothing left but stale data. */
void flight_board(struct worker *w, struct query *q, const struct cache_key *k);
/* Starts a flight without clients, if none is under way for the key and there is room. */
void flight_refresh(struct worker *w, const struct cache_key *k);
/* Ends all of them without answers. */
void flights_end(struct worker *w);

/* ---- local.c: answers of our own making ---- */

/* Class CH: who we are, if the configuration tells; else REFUSED. Returns the answer's length. */
size_t local_chaos(struct worker *w, const struct question *q, const struct transport *via, uint8_t *out);
/* ANY, over every transport alike (RFC 8482 §4.2). */
size_t local_any(struct worker *w, const struct question *q, uint8_t *out);

/* ---- siblings.c ---- */

/* After the entry in the scratch was stored under k: removes entries of its name that it contradicts. */
void siblings_sweep(struct worker *w, const struct cache_key *k);

/* ---- watch.c ---- */

/* Tells those who watch of an answer to a client; only when somebody does. kind: FEED_ANSWER or FEED_SLOW; how: FEED_HIT,
 * FEED_FETCHED, FEED_HOW_STALE. */
void watch_answer(struct worker *w, enum feed_kind kind, const struct question *q, const struct reply_to *to, const uint8_t *msg, size_t len,
		  unsigned how, uint64_t took_us);

/* ---- prefetch.c ---- */

/* Is this live entry, just served, worth a refresh before it expires? */
bool prefetch_is_due(const struct worker *w, const struct cache_key *k, const struct entry_view *v, int64_t left_s);

#endif
