/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the hash table around rows 0 to 5.
 *
 * A word is 48 bits of pointer and 16 of hash, so that a probe reads no entry but the right one (another: once in 65,536). Words are
 * eight to a cache line and probed in a row: at three quarters full, two and a half of them for a hit, nearly always in one line. A table in
 * powers of two would take 9 to 18 bytes an entry depending on N; this one takes 10.7 for every N.
 * A shard is the hash's top six bits, the place in it comes from those below, the tag from the lowest. */
#include "base/alloc.h"
#include "base/must.h"
#include "layout.h"

enum { TAG_SHIFT = 48, SHARD_BITS = 6, SLACK = 64 };
_Static_assert(1 << SHARD_BITS == SHARDS, "the top bits choose the shard");

bool table_init(struct table *t, uint64_t entries)
{
	/* Shards are filled unevenly: a third of free words covers that in large ones, SLACK in small ones. */
	size_t each = (size_t)(entries / SHARDS + entries / SHARDS / 3 + SLACK);
	t->n = each * SHARDS;
	t->words = mem_calloc(t->n, sizeof *t->words);
	for (unsigned i = 0; i < SHARDS && t->words; i++) {
		struct shard *s = &t->shards[i];
		pthread_mutex_init(&s->lock, NULL);
		s->words = t->words + i * each;
		s->n = each;
		s->newest = s->oldest = NULL;
	}
	return t->words != NULL;
}

void table_free(struct table *t)
{
	for (unsigned i = 0; i < SHARDS; i++)
		pthread_mutex_destroy(&t->shards[i].lock);
	mem_free(t->words);
}

static struct shard *shard_of(struct table *t, uint64_t hash)
{
	return &t->shards[hash >> (64 - SHARD_BITS)];
}

static struct item *item_of(uint64_t word)
{
	return (struct item *)(uintptr_t)(word & (((uint64_t)1 << TAG_SHIFT) - 1));
}

/* The word of that key, or the empty one at which it would stand; NULL: the shard is full. */
static uint64_t *probe(const struct shard *s, const struct layout *l, const struct item_key *key)
{
	uint64_t tag = key->hash << TAG_SHIFT;
	size_t i = (size_t)((__uint128_t)(key->hash << SHARD_BITS) * s->n >> 64);
	for (size_t seen = 0; seen < s->n; seen++) {
		uint64_t word = s->words[i];
		if (!word || ((word ^ tag) >> TAG_SHIFT == 0 && l->has_key(item_of(word), key)))
			return &s->words[i];
		if (++i == s->n)
			i = 0;
	}
	return NULL;
}

struct item *table_hold(struct table *t, const struct layout *l, const struct item_key *key, uint32_t now_s)
{
	struct shard *s = shard_of(t, key->hash);
	pthread_mutex_lock(&s->lock);
	const uint64_t *w = probe(s, l, key);
	struct item *e = w && *w ? item_of(*w) : NULL;
	if (e && e->expires.tv_sec <= (time_t)now_s)
		e = NULL;
	if (e) {
		atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
		e->hits++;
		e->last_used.tv_sec = now_s;
	}
	pthread_mutex_unlock(&s->lock);
	return e;
}

static void list_add(struct shard *s, struct item *e)
{
	e->older = s->newest;
	e->newer = NULL;
	*(s->newest ? &s->newest->newer : &s->oldest) = e;
	s->newest = e;
}

static void list_take(struct shard *s, struct item *e)
{
	*(e->newer ? &e->newer->older : &s->newest) = e->older;
	*(e->older ? &e->older->newer : &s->oldest) = e->newer;
}

struct item *table_link(struct table *t, const struct layout *l, const struct item_key *key, struct item *e)
{
	struct shard *s = shard_of(t, key->hash);
	must((uintptr_t)e >> TAG_SHIFT == 0);
	pthread_mutex_lock(&s->lock);
	uint64_t *w = probe(s, l, key);
	must(w != NULL);
	struct item *old = *w ? item_of(*w) : NULL;
	*w = (uintptr_t)e | key->hash << TAG_SHIFT;
	if (old)
		list_take(s, old);
	list_add(s, e);
	pthread_mutex_unlock(&s->lock);
	return old;
}

struct item *table_take_oldest(struct table *t)
{
	for (unsigned i = 0; i < SHARDS; i++) {
		struct item *e = t->shards[i].oldest;
		if (e) {
			list_take(&t->shards[i], e);
			return e;
		}
	}
	return NULL;
}
