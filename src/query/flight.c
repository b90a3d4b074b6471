/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the way of a miss: boarding, asking upstream, storing what comes back, answering everybody who waited.
 *
 * A flight ends exactly once: by upstream's callback or at the worker's end. Its clients are answered from the entry in the worker's
 * scratch, not from the cache, so that TTL 0 and a cache without room answer all the same. What fails is remembered for cache-servfail-ttl
 * (RFC 9520 §3), unless usable stale or live data stands under the key: then that is served, and the failure is remembered beside it
 * (RFC 8767 §5).
 * Invariant: a flight in the table has a job upstream; a client hangs from one flight or has been told. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "query/internal.h"

/* ---- answering ---- */

static void pending_answer(struct worker *w, struct pending *p, const struct outcome *o)
{
	struct question q;
	unsigned rcode;
	size_t len = 0;
	if (should(question_parse(p->msg, p->len, &q, &rcode) == QUESTION_OK))
		len = query_answer(w, &q, p->to.via, o, w->out);
	uint64_t took_us = (clock_real_mono_ns() - p->since_ns) / 1000;
	unsigned how = o->stale ? FEED_FETCHED | FEED_HOW_STALE : FEED_FETCHED;
	if (len && feed_wants(w->feed, FEED_ANSWER))
		watch_answer(w, FEED_ANSWER, &q, &p->to, w->out, len, how, took_us);
	if (len && feed_wants(w->feed, FEED_SLOW) && (int64_t)took_us >= w->conf->dns_slowlog_log_slower_than)
		watch_answer(w, FEED_SLOW, &q, &p->to, w->out, len, how, took_us);
	stat_time(w->stats, HIST_MISS, took_us);
	stat_add(w->stats, STAT_WAITING, -1);
	p->to.via->reply(&p->to, len ? w->out : NULL, len);
	pending_free(p);
}

static void flight_answer(struct flight *fl, const struct outcome *o)
{
	struct worker *w = fl->worker;
	struct pending *p;
	while ((p = flight_take(&w->flights, fl)))
		pending_answer(w, p, o);
}

/* Answers everybody from what stands in the cache; false when nothing usable does. */
static bool flight_answer_stale(struct flight *fl)
{
	struct worker *w = fl->worker;
	struct outcome o = { .rcode = RCODE_SERVFAIL, .ede = EDE_NONE };
	w->now_s = clock_s();
	cache_read_begin();
	o.entry = stale_find(w->cache, w->conf, &fl->key, w->now_s, &o.stale);
	if (o.entry && o.stale && fl->first)
		cache_tell(w->cache, FEED_STALE, &fl->key);
	if (o.entry)
		flight_answer(fl, &o);
	cache_read_end();
	return o.entry != NULL;
}

/* serve-stale-client-timeout has passed: clients have waited long enough, the flight goes on. */
static void flight_lose_patience(void *arg)
{
	struct flight *fl = arg;
	fl->impatient = true;
	flight_answer_stale(fl);
}

/* ---- landing ---- */

static void flight_free(struct flight *fl)
{
	must(!fl->first);
	timer_cancel(&fl->patience);
	stat_add(fl->worker->stats, STAT_FLIGHTS, -1);
	mem_free(fl);
}

static struct entry_meta entry_meta(const struct worker *w, const struct flight *fl, const struct upstream_reply *r)
{
	return (struct entry_meta){
		.now_s = w->now_s,
		.min_ttl_s = w->conf->cache_min_ttl,
		.max_ttl_s = w->conf->cache_max_ttl,
		.max_negative_ttl_s = w->conf->cache_max_negative_ttl,
		.secure = r->secure && !fl->key.cd,
		.source = (enum entry_source)r->source,
		.ede = EDE_NONE,
	};
}

static void store(struct worker *w, const struct cache_key *k)
{
	stat_inc(w->stats, cache_store(w->cache, k, &w->scratch) == 0 ? STAT_STORED : STAT_STORE_FAILED);
}

/* Upstream gave nothing that can be served as fresh. Upstream counts its own failures; what it took for an answer and we do not is counted
 * by reject. */
static void flight_fail(struct flight *fl, const struct upstream_reply *r, int ede, const char *why)
{
	struct worker *w = fl->worker;
	struct entry_meta m = entry_meta(w, fl, r);
	failure_note(&w->failures, &fl->key, w->now_s);
	if (flight_answer_stale(fl))
		return;
	m.secure = false;
	m.ede = ede;
	m.ede_text = why;
	entry_from_failure(&w->scratch, &fl->key, RCODE_SERVFAIL, w->conf->cache_servfail_ttl, &m);
	store(w, &fl->key);
	flight_answer(fl, &(struct outcome){ .entry = entry_in_scratch(&w->scratch), .rcode = RCODE_SERVFAIL, .ede = ede, .why = why });
}

/* Upstream was content with what we are not. */
static void reject(struct flight *fl, const struct upstream_reply *r, int ede, const char *why)
{
	stat_inc(fl->worker->stats, STAT_UPSTREAM_FAILED);
	flight_fail(fl, r, ede, why);
}

/* A whole message that is no answer to keep: a negative one without SOA is passed on (RFC 2308 §5: not cached); a referral and any other
 * rcode are failures of the server that sent them. */
static void flight_pass_on(struct flight *fl, const struct upstream_reply *r)
{
	struct msg_reader reader;
	struct wire_rr rr;
	char rcode_buf[16], why[64];
	bool referral = false;
	int more = msg_begin(&reader, r->msg, r->len);
	unsigned rcode = more == 0 ? reader.h.flags & FLAG_RCODE_MASK : RCODE_SERVFAIL;
	while (more >= 0 && (more = msg_next(&reader, &rr)) == 1)
		referral |= rr.section == SECTION_AUTHORITY && rr.type == RRTYPE_NS && !(reader.h.flags & FLAG_AA);
	if (more == 0 && (rcode == RCODE_NXDOMAIN || (rcode == RCODE_NOERROR && reader.h.ancount == 0 && !referral))) {
		stat_inc(fl->worker->stats, STAT_UNCACHEABLE);
		flight_answer(fl, &(struct outcome){ .rcode = rcode, .ede = EDE_NONE });
		return;
	}
	if (rcode == RCODE_NOERROR)
		snprintf(why, sizeof why, "%s", referral ? "upstream sent a referral" : "upstream sent another answer");
	else
		snprintf(why, sizeof why, "upstream answered %s", rcode_text(rcode, rcode_buf, sizeof rcode_buf));
	reject(fl, r, r->ede != EDE_NONE ? r->ede : EDE_NO_REACHABLE_AUTHORITY, why);
}

/* Under which key the answer belongs: asked for a subnet, it is for as much of that as upstream says, and for everybody when it says
 * nothing (RFC 7871 §7.3.1: never for more bits than were told). One message answers a whole chain, so its scope is the chain's. */
static void landing_key(const struct flight *fl, const struct upstream_reply *r, struct cache_key *k)
{
	struct ecs_prefix p = fl->key.ecs;
	*k = fl->key;
	if (p.bits == 0 || r->ecs_scope >= p.bits)
		return;
	ecs_prefix_cut(&p, r->ecs_scope);
	if (p.bits == 0)
		p.family = 0;
	cache_key_init_ecs(fl->worker->cache, k, k->name, k->name_len, k->type, k->cd, &p);
}

static void flight_land_message(struct flight *fl, const struct upstream_reply *r)
{
	struct worker *w = fl->worker;
	struct entry_meta m = entry_meta(w, fl, r);
	struct cache_key key;
	landing_key(fl, r, &key);
	cache_prefetch(w->cache, &key);
	enum ingest in = entry_from_message(&w->scratch, &key, r->msg, r->len, &m);
	if (in == INGEST_NO_ANSWER && w->scratch.len)
		in = INGEST_TTL0; /* a chain whose end nobody told: passed on, and not kept */
	switch (in) {
	case INGEST_OK:
	case INGEST_TTL0:
		failure_forget(&w->failures, &fl->key);
		if (in == INGEST_OK) {
			store(w, &key);
			siblings_sweep(w, &key);
		} else {
			stat_inc(w->stats, STAT_UNCACHEABLE);
		}
		flight_answer(fl, &(struct outcome){ .entry = entry_in_scratch(&w->scratch), .rcode = RCODE_SERVFAIL, .ede = EDE_NONE });
		break;
	case INGEST_NO_ANSWER:
		flight_pass_on(fl, r);
		break;
	case INGEST_BAD:
		reject(fl, r, EDE_INVALID_DATA, "upstream's answer is malformed");
		break;
	case INGEST_LOOP:
		reject(fl, r, EDE_OTHER, "CNAME loop, or chain too long");
		break;
	}
}

static void flight_land(void *arg, const struct upstream_reply *r)
{
	struct flight *fl = arg;
	struct worker *w = fl->worker;
	w->now_s = clock_s();
	flight_unlink(&w->flights, fl);
	switch (r->status) {
	case UPSTREAM_OK:
		flight_land_message(fl, r);
		break;
	case UPSTREAM_BOGUS:
		flight_fail(fl, r, r->ede != EDE_NONE ? r->ede : EDE_BOGUS, r->why);
		break;
	case UPSTREAM_TIMEOUT:
		flight_fail(fl, r, r->ede != EDE_NONE ? r->ede : EDE_NO_REACHABLE_AUTHORITY, r->why);
		break;
	case UPSTREAM_FAILED:
		flight_fail(fl, r, r->ede != EDE_NONE ? r->ede : EDE_NETWORK_ERROR, r->why);
		break;
	}
	flight_free(fl);
}

/* ---- taking off ---- */

/* NULL: no room, no memory, or upstream takes no more. limit: flights that may be under way with this one; fresh: for a refresh. */
static struct flight *flight_start(struct worker *w, const struct cache_key *k, int64_t limit, bool fresh)
{
	struct flight *fl = w->flights.n < limit ? flight_add(&w->flights, k) : NULL;
	if (!fl)
		return NULL;
	struct upstream_ask a = {
		.name = fl->name, .name_len = k->name_len, .cd = k->cd, .type = k->type, .rrclass = CLASS_IN,
		.timeout_ms = w->conf->resolve_timeout, .fresh = fresh,
	};
	unsigned forget = atomic_load_explicit(&w->forget, memory_order_acquire);
	if (forget != w->forgot) {
		w->forgot = forget;
		upstream_forget(w->upstream);
	}
	uint8_t ecs[ECS_OPTION_MAX];
	if ((a.ecs_len = ecs_option(&k->ecs, ecs)))
		a.ecs = ecs;
	fl->worker = w;
	timer_init(w->loop, &fl->patience, flight_lose_patience, fl);
	stat_inc(w->stats, STAT_FLIGHTS);
	if (upstream_start(w->upstream, &a, flight_land, fl, &fl->job) != STEP_PENDING) {
		flight_unlink(&w->flights, fl);
		flight_free(fl);
		return NULL;
	}
	return fl;
}

/* The query cannot wait: stale data, else SERVFAIL. */
static void give_up(struct worker *w, struct query *q, const struct cache_key *k, const char *why)
{
	struct outcome o = { .rcode = RCODE_SERVFAIL, .ede = EDE_OTHER, .why = why };
	cache_read_begin();
	if (q->stale)
		o.entry = stale_find(w->cache, w->conf, k, w->now_s, &o.stale);
	q->out_len = query_answer(w, &q->q, q->to->via, &o, q->out);
	cache_read_end();
}

void flight_board(struct worker *w, struct query *q, const struct cache_key *k)
{
	struct flight *fl = flight_find(&w->flights, k);
	if (fl && fl->impatient && q->stale) {
		give_up(w, q, k, "waiting for upstream");
		return;
	}
	if (w->flights.n_waiting >= w->conf->max_waiting) {
		stat_inc(w->stats, STAT_DROP_OVERLOAD);
		give_up(w, q, k, "too many queries are waiting");
		return;
	}
	struct pending *p = pending_new(q, clock_real_mono_ns());
	if (!p) {
		stat_inc(w->stats, STAT_DROP_NOMEM);
		give_up(w, q, k, "no memory");
		return;
	}
	if (fl)
		stat_inc(w->stats, STAT_MERGED);
	else
		fl = flight_start(w, k, w->conf->max_flights, false);
	if (!fl) {
		pending_free(p);
		stat_inc(w->stats, STAT_DROP_OVERLOAD);
		give_up(w, q, k, "too many questions are under way");
		return;
	}
	flight_append(&w->flights, fl, p);
	stat_inc(w->stats, STAT_WAITING);
	q->pending = true;
	if (q->stale && !timer_is_set(&fl->patience))
		timer_set(&fl->patience, w->conf->serve_stale_client_timeout);
}

/* Background work takes half of the flights at most: the other half is for clients. */
void flight_refresh(struct worker *w, const struct cache_key *k)
{
	if (!flight_find(&w->flights, k) && flight_start(w, k, w->conf->max_flights / 2, true))
		stat_inc(w->stats, STAT_PREFETCHES);
}

void flights_end(struct worker *w)
{
	for (uint32_t i = 0; i <= w->flights.mask; i++) {
		struct flight *fl;
		while ((fl = w->flights.buckets[i])) {
			struct pending *p;
			upstream_cancel(w->upstream, fl->job);
			flight_unlink(&w->flights, fl);
			while ((p = flight_take(&w->flights, fl))) {
				stat_add(w->stats, STAT_WAITING, -1);
				p->to.via->reply(&p->to, NULL, 0);
				pending_free(p);
			}
			flight_free(fl);
		}
	}
}
