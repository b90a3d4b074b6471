/* SPDX-License-Identifier: BSD-3-Clause */
/* When expired data may answer (RFC 8767), and which questions failed a moment ago.
 *
 * Thread: the worker's own. */
#ifndef PITH_QUERY_STALE_H
#define PITH_QUERY_STALE_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/cache.h"
#include "config/config.h"

enum {
	FAILURE_RECHECK_S = 30, /* RFC 8767 §5: how long a failed refresh is not tried again */
	FAILURES_N = 4096,
};

/* Failed questions by hash; a later one may push out an earlier one, which then is only retried sooner. */
struct failures {
	struct {
		uint64_t hash;
		uint32_t until_s;
	} at[FAILURES_N];
};

void failure_note(struct failures *f, const struct cache_key *k, uint32_t now_s);
bool failure_is_recent(const struct failures *f, const struct cache_key *k, uint32_t now_s);
/* After a success: the next failure counts anew. */
void failure_forget(struct failures *f, const struct cache_key *k);

/* May this entry, left_s seconds from its expiry (0 or less: past it), still answer when nothing better is to be had? Live entries
 * that hold data may too; failures never. */
bool stale_is_usable(const struct conf *c, const struct entry_view *v, int64_t left_s);
/* What stands in the cache for the key and stale_is_usable, or NULL; *stale when it is expired. For CD=1 also what was fetched for
 * CD=0. Inside of a read section. */
const struct entry *stale_find(const struct cache *cache, const struct conf *c, const struct cache_key *k, uint32_t now_s, bool *stale);

#endif
