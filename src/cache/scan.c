/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the ways through the whole cache: SCAN's cursor, a random entry, the background visits.
 *
 * A cursor is a place in the order of hashes: the top CURSOR_BITS bits. Shards are ranges of that order and fingerprints its
 * next bits, so neither splitting, growing nor copying a shard moves an entry past a cursor. One step takes the entries of
 * as many neighbouring fingerprints as should hold `count`. */
#include "base/random.h"
#include "cache/impl.h"

enum { CURSOR_BITS = 44, EMPTY_STEPS = 4096, SAMPLE_ENTRIES = 512, RANDOM_TRIES = 64 };
#define CURSOR_END ((uint64_t)1 << CURSOR_BITS)

/* Calls fn for all entries of the shard with fingerprints from `from` to before `to`; returns how many. */
static unsigned visit_range(uint64_t word, uint32_t from, uint32_t to, void (*fn)(void *, const struct entry *), void *arg)
{
	unsigned n = 0;
	const uint32_t *slots = table_bucket(word_base(word), 0);
	for (size_t i = 0; i < (size_t)word_nbuckets(word) * BUCKET_SLOTS; i++) {
		uint32_t v = slot_load(slots + i), fp = v >> OFFSET_BITS;
		if ((v & OFFSET_MASK) <= SLOT_DEAD || fp < from || fp >= to)
			continue;
		fn(arg, entry_behind(word_base(word) + (v & OFFSET_MASK)));
		n++;
	}
	return n;
}

uint64_t cache_scan(struct cache *c, uint64_t cursor, unsigned count, void (*fn)(void *arg, const struct entry *e), void *arg)
{
	unsigned seen = 0, empty = 0;
	cursor &= CURSOR_END - 1;
	if (!count)
		count = 1;
	reclaim_read_begin();
	const struct dir *d = cache_dir(c);
	do {
		uint64_t word = dir_word(d, cursor << (64 - CURSOR_BITS));
		unsigned depth = word_depth(word), shift = CURSOR_BITS - depth - FP_BITS;
		uint64_t shard = cursor >> (CURSOR_BITS - depth) << (CURSOR_BITS - depth);
		uint32_t from = (uint32_t)((cursor - shard) >> shift), end = 1u << FP_BITS;
		/* Slots in use are about LOAD of all: enough to choose a step by. */
		uint64_t slots = (uint64_t)word_nbuckets(word) * BUCKET_SLOTS;
		uint64_t step = slots <= 2u * count ? end : (uint64_t)(count - seen) * end / slots + 1;
		uint32_t to = from + step < end ? (uint32_t)(from + step) : end;
		unsigned n = visit_range(word, from, to, fn, arg);
		seen += n;
		empty += !n;
		cursor = to == end ? shard + ((uint64_t)1 << (CURSOR_BITS - depth)) : shard + ((uint64_t)to << shift);
	} while (seen < count && cursor < CURSOR_END && empty < EMPTY_STEPS);
	reclaim_read_end();
	return cursor & (CURSOR_END - 1);
}

const struct entry *cache_random(struct cache *c)
{
	const struct dir *d = cache_dir(c);
	for (int i = 0; i < RANDOM_TRIES; i++) {
		uint64_t word = dir_word(d, (uint64_t)random_u32() << 32 | random_u32());
		size_t n = (size_t)word_nbuckets(word) * BUCKET_SLOTS;
		const struct entry *e = slot_entry(word, table_bucket(word_base(word), 0) + random_below((uint32_t)n));
		if (e)
			return e;
	}
	/* Nearly empty: the first one there is, from a random place on. */
	size_t words = (size_t)1 << d->depth, at = random_below((uint32_t)words);
	for (size_t i = 0; i < words; i++) {
		uint64_t word = atomic_load_explicit(&((struct dir *)(uintptr_t)d)->words[(at + i) % words], memory_order_acquire);
		for (size_t j = 0; j < (size_t)word_nbuckets(word) * BUCKET_SLOTS; j++) {
			const struct entry *e = slot_entry(word, table_bucket(word_base(word), 0) + j);
			if (e)
				return e;
		}
	}
	return NULL;
}

void cache_tick(struct cache *c, uint32_t now_s, unsigned shards)
{
	while (shards--) {
		uint64_t h = c->tick_pos;
		struct stripe *t = cache_stripe(c, h);
		struct retired r = { .n = 0 };
		spin_lock(&t->lock);
		shard_visit(c, t, h, now_s, &r);
		unsigned depth = word_depth(dir_word(cache_dir(c), h));
		spin_unlock(&t->lock);
		shard_retire(c, &r);
		/* Wraps to 0 behind the last shard. */
		c->tick_pos = ((h >> (64 - depth)) + 1) << (64 - depth);
	}
}

struct sample {
	uint32_t now_s;
	struct cache_info *info;
};

static void sample_one(void *arg, const struct entry *e)
{
	struct sample *s = arg;
	int64_t left = entry_ttl_left(e, s->now_s);
	s->info->ttl_sum_s += left > 0 ? (uint64_t)left : 0;
	s->info->ttl_n++;
}

void cache_info_sample(struct cache *c, uint32_t now_s, struct cache_info *info)
{
	struct sample s = { now_s, info };
	/* Whole rounds of a few entries from random places, so that no shard speaks for all; everything when there is little. */
	if (info->entries <= SAMPLE_ENTRIES) {
		uint64_t cursor = 0;
		do
			cursor = cache_scan(c, cursor, SAMPLE_ENTRIES, sample_one, &s);
		while (cursor);
	} else {
		for (int i = 0; i < 16; i++)
			cache_scan(c, ((uint64_t)random_u32() << 32 | random_u32()) >> (64 - CURSOR_BITS), SAMPLE_ENTRIES / 16,
				   sample_one, &s);
	}
	reclaim_read_begin();
	const struct dir *d = cache_dir(c);
	for (size_t i = 0; i < (size_t)1 << d->depth; info->shards++) {
		uint64_t word = atomic_load_explicit(&((struct dir *)(uintptr_t)d)->words[i], memory_order_acquire);
		i += (size_t)1 << (d->depth - word_depth(word));
		info->table_bytes += (uint64_t)word_nbuckets(word) * BUCKET_BYTES;
	}
	reclaim_read_end();
}
