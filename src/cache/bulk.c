/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns entries in bulk: the copy of whole shards out of the cache, and the way back in.
 *
 * Out: a shard is at most 256 KB, so one read section is one shard, some tens of microseconds, and what was copied is consistent
 * without a lock or a fork. Slots lead into the segment in no order: the entry eight slots ahead is asked for early.
 * In: the cost is not the copying but the way to memory, as every entry goes to another place; so all entries of a batch are
 * checked and hashed first, which brings their places near. */
#include <string.h>

#include "base/must.h"
#include "cache/impl.h"

enum { AHEAD = 8, IMPORT_BATCH = 32 };
_Static_assert(CACHE_EXPORT_MAX >= SEGMENT_SPAN + SHARD_MAX, "a shard's entries fit: a segment, and its share of blocks outside");

/* ---- out ---- */

struct out {
	uint8_t *at, *end;
	uint32_t now_s, stale_s;
	unsigned n;
};

static void copy_out(struct out *o, const struct entry *e)
{
	size_t size = entry_size(e);
	if ((e->b[E_F0] & F0_RCODE) == RCODE_SERVFAIL || entry_gone_s(e, o->stale_s) <= o->now_s)
		return;
	if (!should((size_t)(o->end - o->at) >= size))
		return;
	o->at[0] = entry_hits(e);
	memcpy(o->at + 1, e->b + 1, size - 1);
	o->at += size;
	o->n++;
}

static void shard_export(uint64_t word, struct out *o)
{
	uint8_t *base = word_base(word);
	const uint32_t *slots = table_bucket(base, 0);
	size_t n = (size_t)word_nbuckets(word) * BUCKET_SLOTS;
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n) {
			const uint8_t *ahead = base + (slot_load(slots + i + AHEAD) & OFFSET_MASK);
			__builtin_prefetch(ahead);
			__builtin_prefetch(ahead + 64);
		}
		const struct entry *e = slot_entry(word, slots + i);
		if (e)
			copy_out(o, e);
	}
}

size_t cache_export(struct cache *c, uint64_t *place, uint32_t now_s, void *buf, size_t cap, unsigned *n)
{
	struct out o = { .at = buf, .end = (uint8_t *)buf + cap, .now_s = now_s,
			 .stale_s = atomic_load_explicit(&c->stale_for_s, memory_order_relaxed) };
	uint64_t h = *place;
	must(cap >= CACHE_EXPORT_MAX);
	do {
		reclaim_read_begin();
		uint64_t word = dir_word(cache_dir(c), h);
		shard_export(word, &o);
		reclaim_read_end();
		/* Wraps to 0 behind the last shard. */
		unsigned depth = word_depth(word);
		h = ((h >> (64 - depth)) + 1) << (64 - depth);
	} while (h && o.end - o.at >= CACHE_EXPORT_MAX);
	*place = h;
	*n = o.n;
	return (size_t)(o.at - (uint8_t *)buf);
}

/* ---- in ---- */

struct arrival {
	uint8_t *bytes;
	size_t len;
	struct cache_key key;
};

/* Gives the entry the time at which it would have been stored in this process. False: it serves nobody any more. */
static bool shift_time(uint8_t *bytes, const struct cache_import *sum, uint32_t stale_s)
{
	const struct entry *e = (const struct entry *)bytes;
	uint32_t stored = entry_stored_s(e);
	/* Never from the future, by whichever clock: an age below zero would lengthen its life. */
	uint64_t age = (stored < sum->then_s ? sum->then_s - stored : 0) + (uint64_t)sum->elapsed_s;
	if (age > sum->now_s)
		return false; /* stored before this clock's zero, months ago */
	store_le32(bytes + E_STORED, (uint32_t)(sum->now_s - age));
	return entry_gone_s(e, stale_s) > sum->now_s;
}

/* Checks what lies at p, up to end. Its length, or 0 when it has none and the rest is lost with it. */
static size_t arrive(struct cache *c, uint8_t *p, size_t left, uint32_t stale_s, struct cache_import *sum, struct arrival *a, bool *ok)
{
	const struct entry *e = (const struct entry *)p;
	size_t len = left >= ENTRY_MIN ? entry_size(e) : 0;
	*ok = false;
	if (len < ENTRY_MIN || len > left) {
		sum->bad++;
		return 0;
	}
	if (!entry_whole(e, len)) {
		sum->bad++;
	} else if (!shift_time(p, sum, stale_s)) {
		sum->gone++;
	} else if (should(cache_key_of(c, e, &a->key))) {
		a->bytes = p;
		a->len = len;
		*ok = true;
	}
	return len;
}

void cache_import(struct cache *c, void *bytes, size_t len, struct cache_import *sum)
{
	uint8_t *p = bytes, *end = p + len;
	uint32_t stale_s = atomic_load_explicit(&c->stale_for_s, memory_order_relaxed);
	struct arrival batch[IMPORT_BATCH];
	while (p < end) {
		unsigned n = 0;
		bool ok;
		while (n < IMPORT_BATCH && p < end) {
			size_t step = arrive(c, p, (size_t)(end - p), stale_s, sum, &batch[n], &ok);
			if (ok)
				cache_prefetch(c, &batch[n++].key);
			p = step ? p + step : end;
		}
		for (unsigned i = 0; i < n; i++) {
			int rc = cache_store_absent(c, &batch[i].key, batch[i].bytes, batch[i].len);
			*(rc > 0 ? &sum->stored : rc == 0 ? &sum->there : &sum->left_out) += 1;
		}
	}
}
