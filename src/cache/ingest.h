/* SPDX-License-Identifier: BSD-3-Clause */
/* What ingest.c and its short way share. */
#ifndef PITH_CACHE_INGEST_H
#define PITH_CACHE_INGEST_H

#include "cache/cache.h"

/* The entry, when the response is plain; INGEST_BAD: it is not, judge it the long way. */
enum ingest ingest_plain(struct entry_scratch *s, const struct cache_key *k, const uint8_t *msg, size_t len, const struct entry_meta *m);

static inline uint32_t ingest_clamp_ttl(uint32_t ttl, uint32_t lo, uint32_t hi)
{
	ttl = ttl < lo ? lo : ttl > hi ? hi : ttl;
	return ttl > ENTRY_TTL_MAX ? ENTRY_TTL_MAX : ttl;
}

#endif
