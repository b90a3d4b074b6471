/* SPDX-License-Identifier: BSD-3-Clause */
/* The road of a query, and the only file that knows all of it:
 *
 *     front ─▶ receive: parse, policy ─▶ cache_lookup_batch ─ hit ─▶ answer ─▶ front
 *                                                   │ miss
 *                                                   ▼
 *                                             flight_board ─▶ upstream ─▶ cache_store ─▶ answer ─▶ transport's reply
 *
 * A batch goes through each step as a whole, so that the cache can fetch the memory of all its keys before it needs any; one read
 * section covers lookups and answers, and has ended before anything that may write, wait or allocate.
 * Invariant: when query_batch returns, each query has an answer in out, or is pending, or was dropped and counted. */
#include "base/bytes.h"
#include "base/clock.h"
#include "query/internal.h"

static const enum counter rcode_counters[16] = {
	[RCODE_NOERROR] = STAT_ANSWER_NOERROR, [RCODE_FORMERR] = STAT_ANSWER_FORMERR, [RCODE_SERVFAIL] = STAT_ANSWER_SERVFAIL,
	[RCODE_NXDOMAIN] = STAT_ANSWER_NXDOMAIN, [RCODE_NOTIMP] = STAT_ANSWER_NOTIMP, [RCODE_REFUSED] = STAT_ANSWER_REFUSED,
};

/* Row 0 of the counters is none of the rcodes', so that the table's gaps can be told. */
_Static_assert(STAT_QUERIES_UDP == 0 && STAT_ANSWER_NOERROR != 0, "rcode_counters marks its gaps with 0");

static void count_answer(struct worker *w, unsigned rcode)
{
	enum counter c = rcode < 16 ? rcode_counters[rcode] : 0;
	stat_inc(w->stats, c ? c : STAT_ANSWER_OTHER);
}

static void count_question(struct worker *w, uint16_t qtype)
{
	enum counter c = STAT_QTYPE_OTHER;
	switch (qtype) {
	case RRTYPE_A: c = STAT_QTYPE_A; break;
	case RRTYPE_AAAA: c = STAT_QTYPE_AAAA; break;
	case RRTYPE_HTTPS: c = STAT_QTYPE_HTTPS; break;
	case RRTYPE_TXT: c = STAT_QTYPE_TXT; break;
	case RRTYPE_MX: c = STAT_QTYPE_MX; break;
	case RRTYPE_NS: c = STAT_QTYPE_NS; break;
	case RRTYPE_PTR: c = STAT_QTYPE_PTR; break;
	case RRTYPE_SRV: c = STAT_QTYPE_SRV; break;
	}
	stat_inc(w->stats, c);
}

/* ---- answers ---- */

static struct answer_ask answer_ask(struct worker *w, const struct question *q, const struct transport *via)
{
	return (struct answer_ask){
		.q = q,
		.limit = via->stream ? DNS_MSG_MAX : answer_udp_limit(q, &w->answer),
		.now_s = w->now_s,
		.rotation = w->rotation++,
		.tcp = via->stream,
		.keepalive_100ms = (uint16_t)(w->conf->tcp_idle_timeout / 100 < UINT16_MAX ? w->conf->tcp_idle_timeout / 100 : UINT16_MAX),
		.o = &w->answer,
	};
}

/* From an entry; 0 when its bytes are damaged. */
static size_t answer_entry(struct worker *w, const struct question *q, const struct transport *via, const struct entry *e,
			   bool stale, uint8_t *out)
{
	struct answer_ask a = answer_ask(w, q, via);
	bool truncated = false;
	a.stale = stale;
	int len = answer_from_entry(out, &a, e, &truncated);
	if (len <= 0)
		return 0;
	if (truncated)
		stat_inc(w->stats, STAT_TRUNCATED);
	if (stale)
		stat_inc(w->stats, STAT_STALE);
	count_answer(w, load_be16(out + 2) & FLAG_RCODE_MASK);
	return (size_t)len;
}

static size_t answer_rcode(struct worker *w, const struct question *q, const struct transport *via, unsigned rcode, int ede,
			   const char *why, uint8_t *out)
{
	struct answer_ask a = answer_ask(w, q, via);
	int len = answer_error(out, &a, rcode, ede, why);
	count_answer(w, rcode);
	return len > 0 ? (size_t)len : 0;
}

size_t query_answer(struct worker *w, const struct question *q, const struct transport *via, const struct outcome *o, uint8_t *out)
{
	size_t len = o->entry ? answer_entry(w, q, via, o->entry, o->stale, out) : 0;
	if (len)
		return len;
	return answer_rcode(w, q, via, o->entry ? RCODE_SERVFAIL : o->rcode, o->ede, o->why, out);
}

/* ---- step 1: from the packet to a question for the cache ---- */

static bool refuse(struct worker *w, struct query *q, unsigned rcode, int ede)
{
	q->out_len = answer_rcode(w, &q->q, q->to->via, rcode, ede, NULL, q->out);
	return false;
}

/* False when the query is done with: answered or dropped. Policy comes before everything that tells what we know. */
static bool query_receive(struct worker *w, struct query *q)
{
	unsigned rcode = RCODE_FORMERR;
	const struct transport *via = q->to->via;
	q->out_len = 0;
	q->pending = q->stale = q->refresh = false;
	q->how = 0;
	if (via->queries >= 0)
		stat_inc(w->stats, (enum counter)via->queries);
	enum question_verdict parsed = question_parse(q->msg, q->len, &q->q, &rcode);
	if (parsed == QUESTION_DROP) {
		stat_inc(w->stats, q->len < DNS_HEADER_LEN ? STAT_DROP_SHORT : STAT_DROP_RESPONSE);
		return false;
	}
	if (!via->trusted && policy_verdict(w->policy, &q->to->client.any) != VERDICT_PASS) {
		stat_inc(w->stats, STAT_REFUSED_ACL);
		return refuse(w, q, RCODE_REFUSED, EDE_PROHIBITED);
	}
	if (parsed == QUESTION_REPLY)
		return refuse(w, q, rcode, EDE_NONE);
	count_question(w, q->q.qtype);
	if (q->q.qclass != CLASS_IN) {
		q->out_len = local_chaos(w, &q->q, via, q->out);
		return false;
	}
	if (q->q.qtype == RRTYPE_ANY) {
		q->out_len = local_any(w, &q->q, q->out);
		return false;
	}
	if (q->q.qtype == 0 || rrtype_is_meta(q->q.qtype))
		return refuse(w, q, RCODE_REFUSED, EDE_NOT_SUPPORTED);
	if (!(q->q.flags & FLAG_RD) && w->conf->answer_rd0 == CONF_RD0_REFUSE)
		return refuse(w, q, RCODE_REFUSED, EDE_NOT_AUTHORITATIVE);
	return true;
}

/* The key for the client's subnet, where subnets are told upstream for this name. */
static bool query_key_for_subnet(struct worker *w, const struct query *q, bool cd, struct cache_key *k)
{
	const struct question *in = &q->q;
	struct ecs_prefix p;
	if (!ecs_policy_covers(&w->ecs, in->name, in->name_len) || !upstream_takes_ecs(w->upstream, in->name, in->name_len, in->qtype))
		return false;
	ecs_policy_prefix(&w->ecs, &q->to->client.any, q->to->via->trusted, in->edns.ecs, in->edns.ecs_len, &p);
	cache_key_init_ecs(w->cache, k, in->name, in->name_len, in->qtype, cd, &p);
	return true;
}

/* The key to look for. A question with CD=1 asks first for what CD=0 has fetched: what passed validation, or is unsigned, is as good to it
 * as to others (RFC 4035 §4.7), and one entry serves both. The reverse never holds. */
static void query_key(struct worker *w, const struct query *q, bool cd, struct cache_key *k)
{
	if (__builtin_expect(w->ecs.on, 0) && query_key_for_subnet(w, q, cd, k))
		return;
	cache_key_init(w->cache, k, q->q.name, q->q.name_len, q->q.qtype, cd);
}

/* One key alone. */
static const struct entry *query_look(struct worker *w, const struct cache_key *k)
{
	return k->ecs.family ? cache_lookup_subnet(w->cache, k, w->now_s) : cache_lookup(w->cache, k, w->now_s);
}

/* ---- step 2: from what the cache found to an answer; inside of the read section ---- */

/* Serves a live entry; or a dead one when its refresh is known to fail, or the client should not wait for it. */
static bool query_serve(struct worker *w, struct query *q, struct cache_key *k, const struct entry *e)
{
	struct entry_view v;
	if (!e || !entry_open(e, &v))
		return false;
	int64_t left_s = entry_ttl_left(e, w->now_s);
	if (left_s <= 0) {
		q->stale = (q->q.flags & FLAG_RD) && stale_is_usable(w->conf, &v, left_s);
		bool known_bad = q->stale && failure_is_recent(&w->failures, k, w->now_s);
		if (!known_bad && !(q->stale && w->conf->serve_stale_client_timeout == 0))
			return false;
		q->refresh = !known_bad;
	}
	q->out_len = answer_entry(w, &q->q, q->to->via, e, left_s <= 0, q->out);
	if (!q->out_len)
		return false;
	entry_touch(e, (uint32_t)prng_next(&w->random));
	q->how = left_s > 0 ? FEED_HIT : FEED_HIT | FEED_HOW_STALE;
	if (left_s <= 0)
		cache_tell(w->cache, FEED_STALE, k);
	if (left_s > 0)
		q->refresh = prefetch_is_due(w, k, &v, left_s);
	/* What is refreshed is this entry, for its own subnet and not for the client's. */
	if (q->refresh && k->ecs.family)
		cache_key_init_ecs(w->cache, k, k->name, k->name_len, k->type, k->cd, &v.ecs);
	return true;
}

static bool query_try_cache(struct worker *w, struct query *q, struct cache_key *k, const struct entry *e)
{
	if (!(q->q.flags & FLAG_CD))
		return query_serve(w, q, k, e);
	struct entry_view v;
	bool usable = e && entry_open(e, &v) && stale_is_usable(w->conf, &v, entry_ttl_left(e, w->now_s));
	if (usable && entry_ttl_left(e, w->now_s) > 0 && query_serve(w, q, k, e))
		return true;
	query_key(w, q, true, k);
	if (query_serve(w, q, k, query_look(w, k)))
		return true;
	q->stale |= usable && (q->q.flags & FLAG_RD);
	return false;
}

/* ---- step 3: what the cache did not have ---- */

static void query_miss(struct worker *w, struct query *q, const struct cache_key *k)
{
	stat_inc(w->stats, STAT_MISSES);
	cache_tell(w->cache, FEED_MISS, k);
	if (q->q.flags & FLAG_RD)
		flight_board(w, q, k);
	else
		refuse(w, q, RCODE_REFUSED, EDE_NOT_AUTHORITATIVE); /* answer-rd0 cache: from the cache only */
}

/* ---- the whole ---- */

static void query_watch(struct worker *w, const struct query *queries, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (queries[i].out_len)
			watch_answer(w, FEED_ANSWER, &queries[i].q, queries[i].to, queries[i].out, queries[i].out_len, queries[i].how, 0);
}

void query_batch(struct worker *w, struct query *queries, unsigned n)
{
	w->now_s = clock_s();
	w->n_asked = 0;
	for (unsigned i = 0; i < n; i++) {
		if (query_receive(w, &queries[i])) {
			query_key(w, &queries[i], false, &w->keys[w->n_asked]);
			w->asked[w->n_asked++] = &queries[i];
		}
	}
	if (w->n_asked == 0) {
		if (feed_wants(w->feed, FEED_ANSWER))
			query_watch(w, queries, n);
		return;
	}
	cache_read_begin();
	cache_lookup_batch(w->cache, w->keys, w->n_asked, w->now_s, w->found);
	unsigned hits = 0;
	for (unsigned i = 0; i < w->n_asked; i++)
		hits += query_try_cache(w, w->asked[i], &w->keys[i],
					__builtin_expect(w->keys[i].ecs.family, 0) ? query_look(w, &w->keys[i]) : w->found[i]);
	cache_read_end();
	stat_add(w->stats, STAT_HITS, hits);
	for (unsigned i = 0; i < w->n_asked; i++) {
		struct query *q = w->asked[i];
		if (!q->out_len)
			query_miss(w, q, &w->keys[i]);
		else if (q->refresh)
			flight_refresh(w, &w->keys[i]);
	}
	if (feed_wants(w->feed, FEED_ANSWER))
		query_watch(w, queries, n);
}
