/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the rules of serving stale data and the memory of failed refreshes.
 *
 * The order is RFC 8767 §5's: upstream first, stale data only when it fails or keeps the client waiting; and a question whose
 * refresh failed is answered stale at once for FAILURE_RECHECK_S. That memory is a table of fixed size, one place per hash: a list
 * that grows would be a gift to whoever asks random names, and forgetting early costs one upstream query. */
#include "query/stale.h"

#include <stddef.h>

void failure_note(struct failures *f, const struct cache_key *k, uint32_t now_s)
{
	f->at[k->hash % FAILURES_N].hash = k->hash;
	f->at[k->hash % FAILURES_N].until_s = now_s + FAILURE_RECHECK_S;
}

bool failure_is_recent(const struct failures *f, const struct cache_key *k, uint32_t now_s)
{
	return f->at[k->hash % FAILURES_N].hash == k->hash && now_s < f->at[k->hash % FAILURES_N].until_s;
}

void failure_forget(struct failures *f, const struct cache_key *k)
{
	if (f->at[k->hash % FAILURES_N].hash == k->hash)
		f->at[k->hash % FAILURES_N].until_s = 0;
}

bool stale_is_usable(const struct conf *c, const struct entry_view *v, int64_t left_s)
{
	if (v->failure)
		return false;
	return left_s > 0 || (c->serve_stale && -left_s < (int64_t)c->serve_stale_for);
}

static const struct entry *find_usable(const struct cache *cache, const struct conf *c, const struct cache_key *k, uint32_t now_s,
				       bool *stale)
{
	const struct entry *e = k->ecs.family ? cache_lookup_subnet(cache, k, now_s) : cache_lookup(cache, k, now_s);
	struct entry_view v;
	if (!e || !entry_open(e, &v) || !stale_is_usable(c, &v, entry_ttl_left(e, now_s)))
		return NULL;
	*stale = entry_ttl_left(e, now_s) <= 0;
	return e;
}

const struct entry *stale_find(const struct cache *cache, const struct conf *c, const struct cache_key *k, uint32_t now_s, bool *stale)
{
	const struct entry *e = find_usable(cache, c, k, now_s, stale);
	if (!e && k->cd) {
		struct cache_key validated;
		cache_key_init_ecs(cache, &validated, k->name, k->name_len, k->type, false, &k->ecs);
		e = find_usable(cache, c, &validated, now_s, stale);
	}
	return e;
}
