/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the decision to refresh an entry before it expires.
 *
 * Only what is asked for again and again is worth an upstream query that no client waits for: an entry with PREFETCH_HITS in its
 * popularity counter, served in the last `prefetch` per cent of its life. The flight table sees to it that this happens once; a
 * failed refresh is remembered like a failed stale one, so that hits do not try again at their own rate. What an operator put there
 * by hand lives as long as he said, and is left alone. */
#include "query/internal.h"

enum { PREFETCH_HITS = 2 };

bool prefetch_is_due(const struct worker *w, const struct cache_key *k, const struct entry_view *v, int64_t left_s)
{
	return v->hits >= PREFETCH_HITS && !v->failure && v->source != SOURCE_OPERATOR &&
	       left_s * 100 <= (int64_t)v->ttl_s * w->conf->prefetch &&
	       w->conf->prefetch > 0 && !failure_is_recent(&w->failures, k, w->now_s);
}
