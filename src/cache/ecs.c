/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the search for the entry that is scoped to a client's subnet (RFC 7871 §7.3.1).
 *
 * A scoped entry's prefix is part of its key, so one probe finds one prefix length, and nobody wants 32 of them, or 64. What lengths a
 * question's entries have stands in a table beside the cache: a bit for each, per family, under a tag of the question's hash. A
 * question that is not there has no scoped entries; the others cost one probe per length in use that is not longer than the
 * client's, the longest first. The table is made with the first scoped entry, sized by maxmemory (a place for each 1,024 bytes of it:
 * 1.6 %), and is a cache of its own: where eight questions have taken a set, a ninth takes the place of one of them, whose entries then
 * are not found and are asked for anew. Bits are never taken back: a length no entry has any more costs a probe.
 *
 * No lock: tag and bits may belong to two questions for a moment, as any entry found is compared with the whole key.
 * Invariant: a bit is set before the entry is linked, so whoever could find the entry knows where to look. */
#include "cache/ecs.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "cache/impl.h"

enum { WAYS = 8, PLACE_PER_BYTES = 1024, SETS_MIN = 256, BITS_V6_MAX = 64 };

struct place {
	_Atomic uint32_t tag; /* 0: free */
	_Atomic uint32_t v4;  /* bit n-1: length n */
	_Atomic uint64_t v6;
};
struct ecs_index {
	uint64_t mask;        /* sets are a power of two */
	struct place *places; /* behind this, at a cache line's beginning */
};
_Static_assert(sizeof(struct place) * WAYS == 128, "a set is two cache lines");

static struct ecs_index *index_new(uint64_t maxmemory)
{
	uint64_t sets = SETS_MIN;
	struct ecs_index *x;
	while (sets * WAYS * PLACE_PER_BYTES < maxmemory)
		sets *= 2;
	/* Not touched before it is used: calloc's pages come when they are written. */
	if (!(x = mem_calloc(1, sizeof *x + 64 + sets * WAYS * sizeof(struct place))))
		return NULL;
	x->mask = sets - 1;
	x->places = (struct place *)(((uintptr_t)(x + 1) + 63) & ~(uintptr_t)63);
	return x;
}

void ecs_free(struct ecs_index *x)
{
	mem_free(x);
}

/* The one of the cache, made if need be; NULL: no memory. */
static struct ecs_index *index_of(struct cache *c)
{
	struct ecs_index *x = atomic_load_explicit(&c->ecs, memory_order_acquire), *none = NULL;
	if (x || !(x = index_new(atomic_load(&c->maxmemory))))
		return x;
	if (atomic_compare_exchange_strong(&c->ecs, &none, x))
		return x;
	ecs_free(x);
	return none;
}

static uint32_t tag_of(uint64_t h)
{
	return (uint32_t)(h >> 32) | 1;
}

/* The question's place, or NULL. */
static struct place *place_find(const struct ecs_index *x, uint64_t h)
{
	struct place *set = &x->places[(h & x->mask) * WAYS];
	for (unsigned i = 0; i < WAYS; i++)
		if (atomic_load_explicit(&set[i].tag, memory_order_relaxed) == tag_of(h))
			return &set[i];
	return NULL;
}

/* A free place of the set, else one by chance of the hash. Two threads at once for one question may take two: the bits of one
 * of them are then overlooked, which costs a fetch. */
static struct place *place_take(struct ecs_index *x, uint64_t h)
{
	struct place *set = &x->places[(h & x->mask) * WAYS], *at = &set[h >> 30 & (WAYS - 1)];
	for (unsigned i = 0; i < WAYS; i++) {
		if (atomic_load_explicit(&set[i].tag, memory_order_relaxed) == 0) {
			at = &set[i];
			break;
		}
	}
	atomic_store_explicit(&at->v4, 0, memory_order_relaxed);
	atomic_store_explicit(&at->v6, 0, memory_order_relaxed);
	atomic_store_explicit(&at->tag, tag_of(h), memory_order_relaxed);
	return at;
}

void ecs_note(struct cache *c, const struct cache_key *k)
{
	struct cache_key plain;
	struct ecs_index *x;
	unsigned bits = k->ecs.bits;
	/* Opted out: looked for by name, not by length. */
	if (bits == 0 || bits > BITS_V6_MAX || !(x = index_of(c)))
		return;
	cache_key_init(c, &plain, k->name, k->name_len, k->type, k->cd);
	struct place *p = place_find(x, plain.hash);
	if (!p)
		p = place_take(x, plain.hash);
	if (k->ecs.family == 1)
		atomic_fetch_or_explicit(&p->v4, 1u << (bits - 1), memory_order_release);
	else
		atomic_fetch_or_explicit(&p->v6, 1ull << (bits - 1), memory_order_release);
}

/* Bit n-1: the question has entries of length n, and n is not over the client's. */
static uint64_t lengths(const struct cache *c, const struct cache_key *k, uint64_t hash)
{
	const struct ecs_index *x = atomic_load_explicit(&c->ecs, memory_order_acquire);
	const struct place *p = x && k->ecs.bits ? place_find(x, hash) : NULL;
	uint64_t bits;
	if (!p)
		return 0;
	bits = k->ecs.family == 1 ? atomic_load_explicit(&p->v4, memory_order_acquire) : atomic_load_explicit(&p->v6, memory_order_acquire);
	return k->ecs.bits >= 64 ? bits : bits & ((1ull << k->ecs.bits) - 1);
}

void ecs_prefix_cut(struct ecs_prefix *p, unsigned bits)
{
	if (bits < p->bits)
		p->bits = (uint8_t)bits;
	for (unsigned i = p->bits; i < 8 * sizeof p->addr; i = (i / 8 + 1) * 8)
		p->addr[i / 8] &= (uint8_t)(i % 8 ? 0xff << (8 - i % 8) : 0);
}

/* Takes e when it is better than *best: anything before nothing, live before expired, what came first otherwise. True: it is live. */
static bool take(const struct entry *e, const struct entry **best, uint32_t now_s)
{
	bool live = e && entry_ttl_left(e, now_s) > 0;
	if (e && (live || !*best))
		*best = e;
	return live;
}

const struct entry *cache_lookup_subnet(const struct cache *c, const struct cache_key *k, uint32_t now_s)
{
	const struct entry *best = NULL;
	struct cache_key plain, scoped;
	cache_key_init(c, &plain, k->name, k->name_len, k->type, k->cd);
	for (uint64_t left = lengths(c, k, plain.hash); left; ) {
		unsigned bits = 64 - (unsigned)__builtin_clzll(left);
		struct ecs_prefix p = k->ecs;
		left &= ~(1ull << (bits - 1));
		ecs_prefix_cut(&p, bits);
		cache_key_init_ecs(c, &scoped, k->name, k->name_len, k->type, k->cd, &p);
		if (take(cache_find(c, &scoped), &best, now_s))
			return best;
	}
	/* Scope 0: for everybody. */
	if (take(cache_lookup(c, &plain, now_s), &best, now_s) || k->ecs.bits)
		return best;
	take(cache_find(c, k), &best, now_s);
	return best;
}
