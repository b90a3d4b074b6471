/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the cache room share: struct cache, its locks, the directory and the probing of a table.
 *
 * A hash, from the top:   directory index (d bits) | fingerprint (14 bits) | …          the order in which SCAN goes
 *             low 32 bits:                                              first bucket
 * A directory word is a segment's address with its bucket count in the low 12 bits (segments lie on pages) and the shard's
 * depth in the top 6, so that one load gives a reader all it needs. A shard of depth s fills 2^(d-s) words.
 *
 * A slot is 0 (never used), SLOT_DEAD (used before: the search goes on), or fingerprint << 18 | offset. An entry lies in its
 * first bucket, or in its second when the first had no slot without a past; so the search goes to the second only when the
 * first is full. Slots are written under the shard's lock with one release store, read without. */
#ifndef PITH_CACHE_IMPL_H
#define PITH_CACHE_IMPL_H

#include <stdatomic.h>

#include "base/hash.h"
#include "base/spin.h"
#include "cache/cache.h"
#include "cache/layout.h"
#include "cache/reclaim.h"
#include "cache/segment.h"

#if defined(__SSE2__) && !defined(RECLAIM_TSAN)
#include <emmintrin.h>
#define PROBE_SSE2 1
#endif

enum {
	DIR_DEPTH_MIN = 8,  /* 256 shards at the least, one lock each */
	DIR_DEPTH_MAX = 28,
	STRIPES = 1 << DIR_DEPTH_MIN,
	BUCKET_SLOTS = 16,
	BUCKET_BYTES = 64,
	NBUCKETS_MAX = 1023,
	FP_BITS = 14,
	OFFSET_BITS = 18,
	SLOT_DEAD = 1,
	SHARD_MAX = 192 * 1024, /* a shard is split above this: copying one takes tens of microseconds */
};
#define OFFSET_MASK ((1u << OFFSET_BITS) - 1)
_Static_assert(SEGMENT_SPAN == 1 << OFFSET_BITS, "an offset reaches every byte of a segment");
_Static_assert(FP_BITS + OFFSET_BITS == 32, "a slot is fingerprint and offset");

struct dir {
	unsigned depth;
	_Atomic uint64_t words[];
};

/* One lock and its shards' sums; the lock of a hash is its top DIR_DEPTH_MIN bits. */
struct stripe {
	struct spin lock;
	uint64_t entries, entry_bytes, external_bytes, segment_bytes;
	uint64_t evicted, expired, replaced, removed, rebuilds, splits;
} __attribute__((aligned(64)));

struct evict;

struct cache {
	_Atomic(struct dir *) dir;
	_Atomic(struct ecs_index *) ecs; /* NULL: no entry has a prefix */
	struct hash_secret secret;
	struct segment_pool *pool;
	_Atomic uint64_t maxmemory;
	_Atomic uint32_t stale_for_s;
	_Atomic(const struct evict *) evict;
	struct feed feed;
	uint64_t tick_pos;              /* admin thread: where cache_tick goes on, a place in hash order */
	struct stripe stripes[STRIPES];
};

/* cache_tell of an entry. */
void tell_entry(struct cache *c, enum feed_kind kind, const struct entry *e);

static inline uint8_t *word_base(uint64_t w)
{
	return (uint8_t *)(uintptr_t)(w & 0x03fffffffffff000ull);
}
static inline unsigned word_nbuckets(uint64_t w)
{
	return (unsigned)(w & 0xfff);
}
static inline unsigned word_depth(uint64_t w)
{
	return (unsigned)(w >> 58);
}
static inline uint64_t word_make(const struct segment *s, unsigned nbuckets, unsigned depth)
{
	return (uint64_t)(uintptr_t)s | nbuckets | (uint64_t)depth << 58;
}

static inline const struct dir *cache_dir(const struct cache *c)
{
	return atomic_load_explicit(&((struct cache *)(uintptr_t)c)->dir, memory_order_acquire);
}
static inline size_t dir_index(const struct dir *d, uint64_t h)
{
	return (size_t)(h >> (64 - d->depth));
}
static inline uint64_t dir_word(const struct dir *d, uint64_t h)
{
	return atomic_load_explicit(&((struct dir *)(uintptr_t)d)->words[dir_index(d, h)], memory_order_acquire);
}
static inline struct stripe *cache_stripe(struct cache *c, uint64_t h)
{
	return &c->stripes[h >> (64 - DIR_DEPTH_MIN)];
}

static inline uint32_t hash_fp(uint64_t h, unsigned depth)
{
	return (uint32_t)(h >> (64 - FP_BITS - depth)) & ((1u << FP_BITS) - 1);
}
static inline uint32_t hash_bucket1(uint64_t h, unsigned nbuckets)
{
	return (uint32_t)((h & 0xffffffffu) * nbuckets >> 32);
}
static inline uint32_t hash_bucket2(uint64_t h, unsigned nbuckets)
{
	return (uint32_t)(((h * 0x9e3779b97f4a7c15ull) >> 32) * nbuckets >> 32);
}
static inline uint32_t *table_bucket(uint8_t *base, uint32_t i)
{
	return (uint32_t *)(void *)(base + SEGMENT_HEAD) + (size_t)i * BUCKET_SLOTS;
}

static inline uint32_t slot_load(const uint32_t *s)
{
	return __atomic_load_n(s, __ATOMIC_ACQUIRE);
}

/* Bit i set: slot i carries the fingerprint. */
static inline unsigned bucket_match(const uint32_t *b, uint32_t fp)
{
	unsigned m = 0;
#ifdef PROBE_SSE2
	__m128i want = _mm_set1_epi32((int)fp);
	_Pragma("GCC unroll 4")
	for (int i = 0; i < 4; i++) {
		__m128i v = _mm_load_si128((const __m128i *)(const void *)(b + i * 4));
		v = _mm_cmpeq_epi32(_mm_srli_epi32(v, OFFSET_BITS), want);
		m |= (unsigned)_mm_movemask_ps(_mm_castsi128_ps(v)) << (i * 4);
	}
#else
	for (unsigned i = 0; i < BUCKET_SLOTS; i++)
		m |= (unsigned)(slot_load(b + i) >> OFFSET_BITS == fp) << i;
#endif
	return m;
}

/* Bit i set: slot i is free, never used or dead. */
static inline unsigned bucket_free(const uint32_t *b)
{
	unsigned m = 0;
#ifdef PROBE_SSE2
	/* As signed numbers 0 and 1 are less than 2, and so is every slot with its top bit set: those are taken out again. */
	__m128i two = _mm_set1_epi32(SLOT_DEAD + 1);
	_Pragma("GCC unroll 4")
	for (int i = 0; i < 4; i++) {
		__m128i v = _mm_load_si128((const __m128i *)(const void *)(b + i * 4));
		__m128i less = _mm_cmplt_epi32(v, two);
		m |= (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_andnot_si128(v, less))) << (i * 4);
	}
#else
	for (unsigned i = 0; i < BUCKET_SLOTS; i++)
		m |= (unsigned)(slot_load(b + i) <= SLOT_DEAD) << i;
#endif
	return m;
}

/* No slot that was never used? */
static inline bool bucket_full(const uint32_t *b)
{
#ifdef PROBE_SSE2
	__m128i z = _mm_setzero_si128(), any = z;
	_Pragma("GCC unroll 4")
	for (int i = 0; i < 4; i++)
		any = _mm_or_si128(any, _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)(b + i * 4)), z));
	return _mm_movemask_epi8(any) == 0;
#else
	for (unsigned i = 0; i < BUCKET_SLOTS; i++)
		if (slot_load(b + i) == 0)
			return false;
	return true;
#endif
}

/* The slot of bucket b whose entry has key k (by_name: denies k's name), or NULL; *found is that entry. To a reader the slot is only a
 * place: by the time he looks there again a writer may have put another key's entry into it. */
static inline uint32_t *bucket_find(uint8_t *base, uint32_t *b, uint32_t fp, const struct cache_key *k, bool by_name,
				    const struct entry **found)
{
	for (unsigned m = bucket_match(b, fp); m; m &= m - 1) {
		uint32_t *s = b + __builtin_ctz(m), v = slot_load(s);
		if (v >> OFFSET_BITS != fp || (v & OFFSET_MASK) <= SLOT_DEAD)
			continue;
		const struct entry *e = entry_behind(base + (v & OFFSET_MASK));
		if (by_name ? entry_denies_name(e, k) : !(e->b[E_F1] & F1_NXNAME) && entry_has_key(e, k)) {
			*found = e;
			return s;
		}
	}
	*found = NULL;
	return NULL;
}

static inline uint32_t *shard_find(uint64_t word, uint64_t h, const struct cache_key *k, bool by_name, const struct entry **found)
{
	uint8_t *base = word_base(word);
	unsigned n = word_nbuckets(word);
	uint32_t fp = hash_fp(h, word_depth(word));
	uint32_t *b = table_bucket(base, hash_bucket1(h, n)), *s = bucket_find(base, b, fp, k, by_name, found);
	if (s || !bucket_full(b))
		return s;
	return bucket_find(base, table_bucket(base, hash_bucket2(h, n)), fp, k, by_name, found);
}

static inline const struct entry *slot_entry(uint64_t word, const uint32_t *s)
{
	uint32_t v = slot_load(s);
	return (v & OFFSET_MASK) > SLOT_DEAD ? entry_behind(word_base(word) + (v & OFFSET_MASK)) : NULL;
}

/* The hash under which the entry is filed; 0 when it is damaged. */
uint64_t entry_hash(const struct cache *c, const struct entry *e);
/* Checks every bound of an entry that came from outside: head, name, every RRset. */
bool entry_whole(const struct entry *e, size_t len);

/* Stores a copy of the entry at bytes (its popularity may be written to) unless there is one with its key, or one that speaks for its name and
 * is therefore newer. 1: stored, 0: not, ERR_NOMEM. Outside of read sections. */
int cache_store_absent(struct cache *c, const struct cache_key *k, uint8_t *bytes, size_t len);

/* Adds the number of shards and a sample of lives to info. */
void cache_info_sample(struct cache *c, uint32_t now_s, struct cache_info *info);

/* ---- shard.c: all under the stripe's lock ---- */

/* What a change left behind, to be handed to shard_retire after unlocking. */
struct retired {
	struct segment *seg[4];
	unsigned n;
};
void shard_retire(struct cache *c, struct retired *r);

/* ROOM_TAKEN: the key has an entry, and was only to be stored where there is none. */
enum shard_room { ROOM_MADE, ROOM_NEEDS_DOUBLING, ROOM_NO_MEMORY, ROOM_TAKEN };
/* Makes the shard of h able to take need bytes (external bytes beside them) and a slot: compacts, grows, splits or evicts; again:
 * a room just made did not do, so compacting is not tried any more. After
 * ROOM_MADE the directory's words have changed: look the shard up again. */
enum shard_room shard_make_room(struct cache *c, struct stripe *t, uint64_t h, size_t need, size_t external, bool again,
				struct retired *r);
/* A slot for h that is written next, with a release store, or NULL: the table has no place. May move another entry to its second
 * bucket. */
uint32_t *shard_free_slot(const struct cache *c, uint64_t word, uint64_t h);
/* Bytes (segment's and external) that the shard of h, at that depth, may use now: its share of maxmemory, in whole pages. */
size_t shard_limit(const struct cache *c, uint64_t h, unsigned depth);
/* Takes an entry out of the sums and defers its external block. The slot is dead, or left as it is when replacing: the caller
 * then writes it at once, so that no reader finds the key missing. */
void shard_unlink(struct stripe *t, uint64_t word, uint32_t *slot, bool replacing);
/* cache_tick's visit: drops what is gone, applies the limit, compacts when it pays. */
void shard_visit(struct cache *c, struct stripe *t, uint64_t h, uint32_t now_s, struct retired *r);
/* Makes the shard of h empty; returns its depth. Sums follow. */
unsigned shard_clear(struct cache *c, struct stripe *t, uint64_t h, struct retired *r);
/* The word of an empty shard. */
uint64_t shard_empty_word(unsigned depth);
/* Gives back the segment behind a word at once; no reader may be left. */
void shard_destroy(struct cache *c, uint64_t word);

#endif
