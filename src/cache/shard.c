/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the life of a shard: rebuilding it without what is dead, growing it, splitting it, choosing victims.
 *
 * All of that is one operation: list what lives, drop what must go, give each survivor a slot in a fresh table, copy the bytes, publish
 * the new segment. Readers go on in the old one until their section ends. A rebuild moves at most SHARD_MAX bytes, some
 * tens of microseconds, under one of 256 locks. It frees a twelfth of the shard, so each stored byte is copied about twelve
 * times in a full cache's steady state; against that stands that nothing is lost to size classes or fragmentation.
 * Invariant: a word in the directory always leads to a whole segment; sums in the stripe change with the word, under the lock. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "cache/evict.h"
#include "cache/impl.h"

enum {
	FREE_SHARE = 12,      /* eviction frees this fraction of the limit */
	LOAD_PERCENT = 86,    /* slots in use of a table when the shard reaches the size it is laid out for */
	COMPACT_SHARE = 8,    /* compact when more than this fraction of the used bytes is dead */
};

static const struct {
	struct segment head;
	uint32_t bucket[BUCKET_SLOTS];
} __attribute__((aligned(SEGMENT_PAGE))) empty_segment = { .head = { .used = SEGMENT_SPAN, .nbuckets = 1 } };

uint64_t shard_empty_word(unsigned depth)
{
	return word_make(&empty_segment.head, 1, depth);
}

static struct segment *word_segment(uint64_t w)
{
	return (struct segment *)(void *)word_base(w);
}

static bool is_empty_segment(const struct segment *s)
{
	return s == &empty_segment.head;
}

/* What all shards together may use. A sixty-fourth is kept back for segments that wait for their readers. */
static uint64_t usable(const struct cache *c)
{
	uint64_t all = atomic_load_explicit(&c->maxmemory, memory_order_relaxed);
	return all - all / 64;
}

size_t shard_limit(const struct cache *c, uint64_t h, unsigned depth)
{
	/* In pages, and by the shard's place in the order, so that the parts add up to the whole. */
	uint64_t pages = usable(c) / SEGMENT_PAGE, i = h >> (64 - depth);
	uint64_t mine = (((__uint128_t)(i + 1) * pages) >> depth) - (((__uint128_t)i * pages) >> depth);
	return mine > SHARD_MAX / SEGMENT_PAGE ? SHARD_MAX : (size_t)mine * SEGMENT_PAGE;
}

/* May the shard still be cut in two, or is the whole cache at its limit? */
static bool may_split(const struct cache *c, unsigned depth)
{
	return usable(c) >> depth > SHARD_MAX && depth < DIR_DEPTH_MAX;
}

/* ---- sums ---- */

static size_t external_cost(const uint8_t *p)
{
	return p[E_F1] & F1_EXTERNAL ? mem_usable(entry_behind(p)) : 0;
}

static void sums_add(struct stripe *t, const struct segment *s, int sign)
{
	if (is_empty_segment(s))
		return;
	t->entries += (uint64_t)((int64_t)s->n_live * sign);
	t->entry_bytes += (uint64_t)(((int64_t)s->live_bytes + s->external_bytes) * sign);
	t->external_bytes += (uint64_t)((int64_t)s->external_bytes * sign);
	t->segment_bytes += (uint64_t)((int64_t)s->touched * sign);
}

static void free_external(void *p)
{
	RECLAIM_GRACE_OVER();
	mem_free(p);
}

static void defer_external(const uint8_t *p)
{
	if (p[E_F1] & F1_EXTERNAL)
		reclaim_defer(free_external, (void *)(uintptr_t)entry_behind(p), false);
}

static void give_segment(void *p)
{
	RECLAIM_GRACE_OVER();
	segment_give(segment_pool_of(p), p);
}

void shard_retire(struct cache *c, struct retired *r)
{
	(void)c;
	for (unsigned i = 0; i < r->n; i++)
		reclaim_defer(give_segment, r->seg[i], true);
	r->n = 0;
}

static void retire(struct retired *r, struct segment *s)
{
	if (is_empty_segment(s))
		return;
	must(r->n < sizeof r->seg / sizeof r->seg[0]);
	r->seg[r->n++] = s;
}

void shard_destroy(struct cache *c, uint64_t word)
{
	struct segment *s = word_segment(word);
	if (is_empty_segment(s))
		return;
	uint32_t *slots = table_bucket(word_base(word), 0);
	for (size_t i = 0; i < (size_t)s->nbuckets * BUCKET_SLOTS; i++)
		if ((slots[i] & OFFSET_MASK) > SLOT_DEAD) {
			const uint8_t *p = word_base(word) + (slots[i] & OFFSET_MASK);
			if (p[E_F1] & F1_EXTERNAL)
				mem_free((void *)(uintptr_t)entry_behind(p));
		}
	segment_give(c->pool, s);
}

/* ---- slots ---- */

/* A free place in bucket i, or NULL. */
static uint32_t *bucket_place(uint32_t *table, uint32_t i)
{
	uint32_t *b = table + (size_t)i * BUCKET_SLOTS;
	unsigned m = bucket_free(b);
	return m ? b + __builtin_ctz(m) : NULL;
}

static uint32_t *table_place(uint32_t *table, unsigned nbuckets, uint64_t h)
{
	uint32_t *slot = bucket_place(table, hash_bucket1(h, nbuckets));
	return slot ? slot : bucket_place(table, hash_bucket2(h, nbuckets));
}

/* A slot that can be had by moving its entry from its first bucket to its second. The copy is published before the caller
 * overwrites the slot, so a reader finds the entry in one or the other; the first bucket stays full. */
static uint32_t *displace(const struct cache *c, uint64_t word, uint64_t h)
{
	unsigned n = word_nbuckets(word);
	uint32_t *table = table_bucket(word_base(word), 0);
	for (int second = 0; second < 2; second++) {
		uint32_t i = second ? hash_bucket2(h, n) : hash_bucket1(h, n);
		for (unsigned j = 0; j < BUCKET_SLOTS; j++) {
			uint32_t *slot = table + (size_t)i * BUCKET_SLOTS + j;
			uint64_t hx = entry_hash(c, slot_entry(word, slot));
			uint32_t *to = hash_bucket1(hx, n) == i ? bucket_place(table, hash_bucket2(hx, n)) : NULL;
			if (!to)
				continue;
			__atomic_store_n(to, *slot, __ATOMIC_RELEASE);
			return slot;
		}
	}
	return NULL;
}

uint32_t *shard_free_slot(const struct cache *c, uint64_t word, uint64_t h)
{
	uint32_t *slot = table_place(table_bucket(word_base(word), 0), word_nbuckets(word), h);
	return slot ? slot : displace(c, word, h);
}

void shard_unlink(struct stripe *t, uint64_t word, uint32_t *slot, bool replacing)
{
	struct segment *s = word_segment(word);
	const uint8_t *p = word_base(word) + (*slot & OFFSET_MASK);
	size_t span = entry_span(p), ext = external_cost(p);
	sums_add(t, s, -1);
	s->live_bytes -= (uint32_t)span;
	s->external_bytes -= (uint32_t)ext;
	s->n_live--;
	sums_add(t, s, 1);
	if (!replacing)
		__atomic_store_n(slot, SLOT_DEAD, __ATOMIC_RELEASE);
	defer_external(p);
}

/* ---- rebuilding ---- */

struct item {
	uint64_t hash;
	uint32_t off, span;
	uint32_t external;
	uint8_t value;
	bool drop, evicted;
};

struct list {
	struct item *items;
	uint32_t *who;            /* per slot of the table under construction: its item */
	uint64_t coming;          /* hash of the entry that room is made for, 0: none */
	size_t coming_external;   /* and its bytes outside */
	struct worth worth;       /* the next segment's; ghost 0: without */
	bool evicting;
	size_t n;
	size_t bytes, external; /* of what is not dropped */
};

/* A bit for each 8 bytes of a segment: no two entries begin in the same 8. */
struct starts {
	uint64_t bits[SEGMENT_SPAN / 8 / 64];
};
_Static_assert(E_STUB_LEN >= 8 && ENTRY_MIN >= 8, "an entry is longer than what a bit stands for");

static void mark_starts(struct starts *m, uint8_t *base, size_t n_slots)
{
	const uint32_t *slots = table_bucket(base, 0);
	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < n_slots; i++) {
		uint32_t off = slots[i] & OFFSET_MASK;
		if (off > SLOT_DEAD)
			m->bits[off / 8 / 64] |= 1ull << (off / 8 % 64);
	}
}

/* All live entries, oldest first as they lie in the segment (so that a walk through memory finds them, and so that no hash is
 * favoured where values tie); those gone by now_s are marked as dropped and counted. */
static bool list_live(struct cache *c, struct stripe *t, uint64_t word, uint32_t now_s, struct list *l)
{
	struct segment *s = word_segment(word);
	uint8_t *base = word_base(word);
	uint32_t stale_s = atomic_load_explicit(&c->stale_for_s, memory_order_relaxed);
	struct starts live;
	/* One block: the items, then a word per slot of the largest table. */
	size_t items = (s->n_live + 1u) * sizeof *l->items;
	*l = (struct list){ .items = mem_alloc(items + (size_t)NBUCKETS_MAX * BUCKET_BYTES) };
	if (!l->items)
		return false;
	l->who = (uint32_t *)(void *)((uint8_t *)l->items + items);
	l->worth = s->worth;
	l->worth.known = 0;
	if (is_empty_segment(s))
		return true;
	mark_starts(&live, base, (size_t)s->nbuckets * BUCKET_SLOTS);
	size_t span;
	for (size_t off = segment_first(s); off < s->used; off += span) {
		span = entry_span(base + off);
		if (!(live.bits[off / 8 / 64] >> (off / 8 % 64) & 1))
			continue;
		must(l->n < s->n_live);
		struct item *it = &l->items[l->n++];
		const struct entry *e = entry_behind(base + off);
		*it = (struct item){ .off = (uint32_t)off, .span = (uint32_t)span, .external = (uint32_t)external_cost(base + off) };
		if (entry_gone_s(e, stale_s) <= now_s) {
			tell_entry(c, FEED_EXPIRED, e);
			it->drop = true;
			t->expired++;
		} else {
			it->hash = entry_hash(c, e);
			l->bytes += it->span;
			l->external += it->external;
		}
	}
	return true;
}

/* Lets the shard's worth know what came since the last rebuild. */
static void count_fresh(struct list *l, const struct segment *s, uint32_t now_s)
{
	uint32_t n = 0, never_again = 0;
	for (size_t i = l->n; i-- > 0 && l->items[i].off >= s->fresh_from;) {
		n++;
		never_again += entry_hits(entry_behind((const uint8_t *)s + l->items[i].off)) == 0;
	}
	l->worth.known = s->worth.known;
	worth_turn(&l->worth, now_s, n, never_again);
}

/* Marks the least valued as dropped until at most `keep` bytes are left. */
static void choose_victims(struct cache *c, struct stripe *t, uint64_t word, uint32_t now_s, struct list *l, size_t keep)
{
	uint32_t by_value[256] = { 0 };
	uint8_t *base = word_base(word);
	const struct segment *s = word_segment(word);
	const struct evict *policy = atomic_load_explicit(&c->evict, memory_order_relaxed);
	size_t all = l->bytes + l->external;
	if (all <= keep)
		return;
	l->evicting = true;
	count_fresh(l, s, now_s);
	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->items[i];
		if (it->drop)
			continue;
		const struct entry *e = entry_behind(base + it->off);
		struct evict_item ei = {
			.size = it->span + it->external,
			.left_s = entry_ttl_left(e, now_s),
			.age_s = now_s - entry_stored_s(e),
			.hits = entry_hits(e),
		};
		it->value = policy->value(&ei, &l->worth);
		by_value[it->value] += ei.size;
	}
	size_t excess = all - keep, sum = 0;
	int limit = 0;
	while (limit < 255 && sum + by_value[limit] < excess)
		sum += by_value[limit++];
	/* All below the limit go; of those at it, only as many as needed, the oldest places in the segment first. */
	size_t at_limit = excess - sum;
	for (size_t i = 0; i < l->n; i++) {
		struct item *it = &l->items[i];
		if (it->drop || it->value > limit || (it->value == limit && !at_limit))
			continue;
		size_t size = it->span + it->external;
		if (it->value == limit)
			at_limit -= size < at_limit ? size : at_limit;
		it->drop = it->evicted = true;
		tell_entry(c, FEED_EVICTED, entry_behind(base + it->off));
		l->bytes -= it->span;
		l->external -= it->external;
		t->evicted++;
	}
}

/* Is the hash in the given half of a shard that is split at depth (-1: not split)? */
static bool in_half(uint64_t h, unsigned depth, int half)
{
	return half < 0 || (int)(h >> (64 - depth) & 1) == half;
}

/* As displace, in a table under construction. */
static uint32_t *place_moving(const struct list *l, uint32_t *table, unsigned nbuckets, uint64_t h)
{
	uint32_t *slot = table_place(table, nbuckets, h);
	for (int second = 0; second < 2 && !slot; second++) {
		uint32_t i = second ? hash_bucket2(h, nbuckets) : hash_bucket1(h, nbuckets);
		for (unsigned j = 0; j < BUCKET_SLOTS && !slot; j++) {
			size_t from = (size_t)i * BUCKET_SLOTS + j;
			uint64_t hx = l->items[l->who[from]].hash;
			uint32_t *to = hash_bucket1(hx, nbuckets) == i ? bucket_place(table, hash_bucket2(hx, nbuckets)) : NULL;
			if (!to)
				continue;
			*to = table[from];
			l->who[to - table] = l->who[from];
			slot = table + from;
		}
	}
	return slot;
}

/* Gives each survivor of the half a slot; false when one, or the entry to come, finds no place. */
static bool place(const struct list *l, uint32_t *table, unsigned nbuckets, unsigned depth, int half, uint32_t *at)
{
	uint32_t off = *at;
	memset(table, 0, (size_t)nbuckets * BUCKET_BYTES);
	for (size_t i = 0; i < l->n; i++) {
		const struct item *it = &l->items[i];
		if (it->drop || !in_half(it->hash, depth, half))
			continue;
		uint32_t *slot = place_moving(l, table, nbuckets, it->hash);
		if (!slot)
			return false;
		*slot = hash_fp(it->hash, depth) << OFFSET_BITS | off;
		l->who[slot - table] = (uint32_t)i;
		off += it->span;
	}
	*at = off;
	if (!l->coming || !in_half(l->coming, depth, half))
		return true;
	uint32_t *slot = place_moving(l, table, nbuckets, l->coming);
	/* One with a past: what lies in second buckets was placed when this one was taken. */
	if (slot && *slot)
		*slot = SLOT_DEAD;
	return slot != NULL;
}

/* ev: lets the counter fade; NULL: no eviction. */
static void copy_entry(uint8_t *to, const uint8_t *from, size_t span, const struct evict *ev, uint8_t r)
{
	uint8_t hits = __atomic_load_n(from, __ATOMIC_RELAXED);
	to[0] = ev ? ev->age(hits, r) : hits;
	memcpy(to + 1, from + 1, span - 1);
}

/* Buckets for a table of n entries when they take `bytes`, laid out for the shard's growth to `full` bytes. */
static unsigned table_size(size_t n, size_t bytes, size_t full)
{
	size_t room = full > SEGMENT_HEAD ? full - SEGMENT_HEAD : 0;
	/* n entries at bytes each, plus slots: how many fit into room? */
	size_t per = (bytes + n / 2) / (n ? n : 1) + BUCKET_BYTES * 100 / (BUCKET_SLOTS * LOAD_PERCENT);
	size_t expect = n ? room / (per ? per : 1) : room / 128;
	if (expect < n)
		expect = n;
	size_t buckets = (expect * 100 / LOAD_PERCENT + BUCKET_SLOTS - 1) / BUCKET_SLOTS;
	return buckets < 1 ? 1 : buckets > NBUCKETS_MAX ? NBUCKETS_MAX : (unsigned)buckets;
}

/* Bytes outside of the segment that the survivors of a half and the entry to come have. */
static size_t external_of(const struct list *l, unsigned depth, int half)
{
	size_t sum = l->coming && in_half(l->coming, depth, half) ? l->coming_external : 0;
	if (half < 0)
		return sum + l->external;
	for (size_t i = 0; i < l->n; i++)
		if (!l->items[i].drop && in_half(l->items[i].hash, depth, half))
			sum += l->items[i].external;
	return sum;
}

/* The old one's memory of the evicted, while it keeps its size, and what goes now. */
static void fill_ghost(struct segment *s, struct segment *old, const struct list *l)
{
	uint32_t size = s->worth.ghost;
	if (size && size == old->worth.ghost)
		memcpy(segment_ghost(s), segment_ghost(old), size);
	else
		memset(segment_ghost(s), 0, size);
	for (size_t i = 0; size && i < l->n; i++)
		if (l->items[i].evicted)
			ghost_add(segment_ghost(s), size, l->items[i].hash);
}

/* A new segment with the list's survivors of a half (-1: all), laid out to grow to `full` bytes, external ones included. NULL: no
 * memory or no place. */
static struct segment *build(struct cache *c, uint64_t word, const struct list *l, size_t n, size_t bytes, unsigned depth, int half,
			     size_t full)
{
	size_t external = external_of(l, depth, half);
	struct segment *s = segment_take(c->pool, full > external ? (full - external) & ~(size_t)(SEGMENT_PAGE - 1) : 0);
	if (!s)
		return NULL;
	uint8_t *base = (uint8_t *)s;
	uint32_t touched = s->touched, used;
	unsigned nbuckets = table_size(n, bytes + external, full > l->worth.ghost ? full - l->worth.ghost : 0);
	for (;; nbuckets += nbuckets / 8 + 1) {
		used = SEGMENT_HEAD + nbuckets * BUCKET_BYTES + l->worth.ghost;
		if (nbuckets > NBUCKETS_MAX || used + bytes > SEGMENT_SPAN) {
			s->touched = touched;
			segment_give(c->pool, s);
			return NULL;
		}
		if (place(l, table_bucket(base, 0), nbuckets, depth, half, &used))
			break;
	}
	*s = (struct segment){ .used = used, .nbuckets = nbuckets, .depth = depth, .fresh_from = used, .worth = l->worth };
	fill_ghost(s, word_segment(word), l);
	const struct evict *ev = l->evicting ? atomic_load_explicit(&c->evict, memory_order_relaxed) : NULL;
	uint64_t salt = (uint64_t)clock_s() * 0x9e3779b97f4a7c15ull;
	uint32_t off = segment_first(s);
	for (size_t i = 0; i < l->n; i++) {
		const struct item *it = &l->items[i];
		if (it->drop || !in_half(it->hash, depth, half))
			continue;
		copy_entry(base + off, word_base(word) + it->off, it->span, ev, (uint8_t)((it->hash ^ salt) * 0xd6e8feb86659fd93ull >> 56));
		off += it->span;
		s->n_live++;
		s->live_bytes += it->span;
		s->external_bytes += it->external;
	}
	uint32_t pages = (uint32_t)segment_pages(used);
	s->touched = touched > pages ? touched : pages;
	return s;
}

static void set_words(struct dir *d, uint64_t h, unsigned depth, uint64_t word)
{
	size_t n = (size_t)1 << (d->depth - depth), first = dir_index(d, h) & ~(n - 1);
	for (size_t i = 0; i < n; i++)
		atomic_store_explicit(&d->words[first + i], word, memory_order_release);
}

static void drop_externals(uint64_t word, const struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].drop && l->items[i].external)
			defer_external(word_base(word) + l->items[i].off);
}

/* Rebuilds the shard at word for h, keeping at most keep bytes, with room to grow to full. */
static enum shard_room rebuild(struct cache *c, struct stripe *t, uint64_t h, uint64_t word, struct list *l, size_t full,
			       struct retired *r)
{
	struct segment *old = word_segment(word);
	unsigned depth = word_depth(word);
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		n += !l->items[i].drop;
	struct dir *d = (struct dir *)(uintptr_t)cache_dir(c);
	uint64_t fresh;
	if (n == 0 && full == 0) {
		fresh = shard_empty_word(depth);
	} else {
		struct segment *s = build(c, word, l, n, l->bytes, depth, -1, full);
		if (!s)
			return ROOM_NO_MEMORY;
		fresh = word_make(s, s->nbuckets, depth);
	}
	sums_add(t, old, -1);
	sums_add(t, word_segment(fresh), 1);
	set_words(d, h, depth, fresh);
	t->rebuilds++;
	drop_externals(word, l);
	retire(r, old);
	return ROOM_MADE;
}

static enum shard_room split(struct cache *c, struct stripe *t, uint64_t h, uint64_t word, struct list *l, struct retired *r)
{
	struct dir *d = (struct dir *)(uintptr_t)cache_dir(c);
	unsigned depth = word_depth(word) + 1;
	if (depth > d->depth)
		return ROOM_NEEDS_DOUBLING;
	struct segment *old = word_segment(word), *half[2] = { NULL, NULL };
	uint64_t bit = 1ull << (64 - depth);
	l->worth.ghost = 0;
	for (int i = 0; i < 2; i++) {
		size_t n = 0, bytes = 0;
		for (size_t j = 0; j < l->n; j++)
			if (!l->items[j].drop && in_half(l->items[j].hash, depth, i)) {
				n++;
				bytes += l->items[j].span;
			}
		size_t all = bytes + external_of(l, depth, i), full = all + all / 2 + SEGMENT_PAGE, limit = shard_limit(c, i ? h | bit : h & ~bit, depth);
		half[i] = build(c, word, l, n, bytes, depth, i, full < limit ? full : limit);
		if (!half[i]) {
			if (i)
				segment_give(c->pool, half[0]);
			return ROOM_NO_MEMORY;
		}
	}
	sums_add(t, old, -1);
	for (int i = 0; i < 2; i++) {
		sums_add(t, half[i], 1);
		set_words(d, i ? h | bit : h & ~bit, depth, word_make(half[i], half[i]->nbuckets, depth));
	}
	t->splits++;
	drop_externals(word, l);
	retire(r, old);
	return ROOM_MADE;
}

/* The size that a shard of `now` bytes is laid out for: twice as much, to the limit. */
static size_t next_size(size_t now, size_t limit)
{
	size_t full = (now * 2 + SEGMENT_PAGE) & ~(size_t)(SEGMENT_PAGE - 1);
	return full < limit - limit / 4 ? full : limit;
}

enum shard_room shard_make_room(struct cache *c, struct stripe *t, uint64_t h, size_t need, size_t external, bool again,
				struct retired *r)
{
	uint64_t word = dir_word(cache_dir(c), h);
	unsigned depth = word_depth(word);
	size_t limit = shard_limit(c, h, depth);
	struct list l;
	uint32_t now_s = clock_s();
	if (need + external + BUCKET_BYTES + SEGMENT_HEAD > limit / 2 || !list_live(c, t, word, now_s, &l))
		return ROOM_NO_MEMORY;
	l.coming = h;
	l.coming_external = external;
	size_t table = (l.n + 1) * 4 * 100 / LOAD_PERCENT + BUCKET_BYTES + SEGMENT_HEAD;
	/* With blocks outside, the segment's last page is one more than the parts of a limit in pages account for. */
	size_t pad = l.external + external ? SEGMENT_PAGE : 0;
	table += l.worth.ghost;
	size_t size = table + l.bytes + l.external + need + external + pad;
	enum shard_room room;
	if (size <= limit - limit / FREE_SHARE && !again) {
		room = rebuild(c, t, h, word, &l, next_size(size, limit), r);
	} else if (may_split(c, depth)) {
		room = split(c, t, h, word, &l, r);
	} else {
		table -= l.worth.ghost;
		l.worth.ghost = ghost_size(l.worth.ghost, (uint32_t)l.n);
		table += l.worth.ghost;
		size_t target = limit - limit / FREE_SHARE - need - external;
		target -= pad < target ? pad : target;
		/* Its hashes lie so badly that the table came out larger than reckoned: rare, so no need to be exact. */
		target -= again ? target / 4 : 0;
		/* Each victim takes its slot with it. */
		size_t payload = l.bytes + l.external;
		size_t keep = target > table ? target - table : 0;
		keep += payload > keep ? (payload - keep) / (payload / (l.n + 1) + 1) * 5 : 0;
		choose_victims(c, t, word, now_s, &l, keep);
		room = rebuild(c, t, h, word, &l, limit, r);
	}
	mem_free(l.items);
	return room;
}

void shard_visit(struct cache *c, struct stripe *t, uint64_t h, uint32_t now_s, struct retired *r)
{
	uint64_t word = dir_word(cache_dir(c), h);
	struct segment *s = word_segment(word);
	if (is_empty_segment(s))
		return;
	uint8_t *base = word_base(word);
	uint32_t *slots = table_bucket(base, 0), stale_s = atomic_load_explicit(&c->stale_for_s, memory_order_relaxed);
	size_t n_slots = (size_t)s->nbuckets * BUCKET_SLOTS;
	for (size_t i = 0; i < n_slots; i++) {
		if (i + 8 < n_slots)
			__builtin_prefetch(base + (slots[i + 8] & OFFSET_MASK));
		if ((slots[i] & OFFSET_MASK) <= SLOT_DEAD)
			continue;
		const struct entry *e = entry_behind(base + (slots[i] & OFFSET_MASK));
		if (entry_gone_s(e, stale_s) <= now_s) {
			tell_entry(c, FEED_EXPIRED, e);
			shard_unlink(t, word, slots + i, false);
			t->expired++;
		}
	}
	size_t limit = shard_limit(c, h, word_depth(word)), floor = segment_first(s);
	size_t dead = s->used - floor - s->live_bytes;
	bool over = segment_cost(s, 0) > limit;
	if (s->n_live && !over && dead < SEGMENT_PAGE + (s->used - floor) / COMPACT_SHARE)
		return;
	struct list l;
	if (!list_live(c, t, word, now_s, &l))
		return;
	/* The ghost goes where it is larger than what is left: the limit has come down. */
	l.worth.ghost = l.worth.ghost <= l.n + l.n / 2 && !over ? l.worth.ghost : 0;
	size_t table = l.n * 4 * 100 / LOAD_PERCENT + BUCKET_BYTES + SEGMENT_HEAD + l.worth.ghost;
	table += l.external ? SEGMENT_PAGE : 0; /* as in shard_make_room */
	bool evicting = table + l.bytes + l.external > limit;
	if (evicting)
		choose_victims(c, t, word, now_s, &l, limit - limit / FREE_SHARE > table ? limit - limit / FREE_SHARE - table : 0);
	rebuild(c, t, h, word, &l, l.bytes ? next_size(table + l.bytes + l.external, limit) : 0, r);
	mem_free(l.items);
}

unsigned shard_clear(struct cache *c, struct stripe *t, uint64_t h, struct retired *r)
{
	uint64_t word = dir_word(cache_dir(c), h);
	unsigned depth = word_depth(word);
	struct segment *s = word_segment(word);
	if (is_empty_segment(s))
		return depth;
	const uint32_t *slots = table_bucket(word_base(word), 0);
	for (size_t i = 0; s->external_bytes && i < (size_t)s->nbuckets * BUCKET_SLOTS; i++)
		if ((slots[i] & OFFSET_MASK) > SLOT_DEAD)
			defer_external(word_base(word) + (slots[i] & OFFSET_MASK));
	sums_add(t, s, -1);
	set_words((struct dir *)(uintptr_t)cache_dir(c), h, depth, shard_empty_word(depth));
	retire(r, s);
	return depth;
}
