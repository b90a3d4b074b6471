/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns a cache as a whole: directory, finding, linking and unlinking of entries.
 *
 * Finding takes no lock and writes nothing. A batch goes in three passes, so that the memory of all its keys is on the way before the
 * first is looked at: buckets, then entries, then comparison. Lock order: a stripe's lock, then the segment pool's;
 * doubling the directory takes all stripes in ascending order, holding none before. */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "cache/ecs.h"
#include "cache/evict.h"
#include "cache/impl.h"

enum { PREFETCH_MAX = 1024 };

static struct dir *dir_new(unsigned depth)
{
	struct dir *d = mem_alloc(sizeof *d + sizeof d->words[0] * ((size_t)1 << depth));
	if (d)
		d->depth = depth;
	return d;
}

struct cache *cache_new(const struct cache_options *o)
{
	struct cache *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	struct dir *d = dir_new(DIR_DEPTH_MIN);
	c->pool = segment_pool_new();
	if (!d || !c->pool) {
		segment_pool_free(c->pool);
		mem_free(d);
		free(c);
		return NULL;
	}
	for (size_t i = 0; i < STRIPES; i++) {
		atomic_init(&d->words[i], shard_empty_word(DIR_DEPTH_MIN));
	}
	atomic_init(&c->dir, d);
	if (o->hash_seed)
		hash_secret_fixed(&c->secret, o->hash_seed);
	else
		hash_secret_init(&c->secret);
	atomic_init(&c->maxmemory, o->maxmemory);
	atomic_init(&c->stale_for_s, o->stale_for_s);
	atomic_init(&c->evict, evicts[EVICT_VALUE]);
	return c;
}

/* Calls shard_destroy once per shard. */
static void destroy_all(struct cache *c, struct dir *d)
{
	for (size_t i = 0; i < (size_t)1 << d->depth;) {
		uint64_t w = atomic_load(&d->words[i]);
		i += (size_t)1 << (d->depth - word_depth(w));
		shard_destroy(c, w);
	}
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	reclaim_flush_all();
	destroy_all(c, atomic_load(&c->dir));
	mem_free(atomic_load(&c->dir));
	segment_pool_free(c->pool);
	ecs_free(atomic_load(&c->ecs));

	feed_free(&c->feed);
	free(c);
}

void cache_thread_begin(struct cache *c)
{
	(void)c;
	reclaim_thread_begin();
}

void cache_thread_end(struct cache *c)
{
	(void)c;
	reclaim_thread_end();
}

void cache_read_begin(void)
{
	reclaim_read_begin();
}

void cache_read_end(void)
{
	reclaim_read_end();
}

struct feed *cache_feed(struct cache *c)
{
	return &c->feed;
}

void cache_tell(struct cache *c, enum feed_kind kind, const struct cache_key *k)
{
	if (!feed_wants(&c->feed, kind))
		return;
	struct feed_event e = { .kind = (uint8_t)kind, .how = k->cd ? FEED_CD : 0, .type = k->type, .family = k->ecs.family, .bits = k->ecs.bits,
				.name_len = k->name_len };
	memcpy(e.addr, k->ecs.addr, sizeof e.addr);
	memcpy(e.name, k->name, k->name_len);
	feed_tell(&c->feed, (unsigned)(k->hash_name >> 32), &e); /* by name: what happens to one stays in order */
}

void tell_entry(struct cache *c, enum feed_kind kind, const struct entry *e)
{
	struct cache_key k;
	if (feed_wants(&c->feed, kind) && cache_key_of(c, e, &k))
		cache_tell(c, kind, &k);
}

void cache_set_maxmemory(struct cache *c, uint64_t bytes)
{
	atomic_store(&c->maxmemory, bytes);
}

void cache_set_policy(struct cache *c, enum cache_policy p)
{
	must((unsigned)p < N_EVICTS);
	atomic_store_explicit(&c->evict, evicts[p], memory_order_relaxed);
}

void cache_set_stale_for(struct cache *c, uint32_t seconds)
{
	atomic_store(&c->stale_for_s, seconds);
}

/* ---- finding ---- */

static const struct entry *find(const struct dir *d, uint64_t h, const struct cache_key *k, bool by_name)
{
	uint64_t w = dir_word(d, h);
	const struct entry *e;
	shard_find(w, h, k, by_name, &e);
	return e;
}

/* What answers when the exact key has nothing fresh: a live denial of the name, else the expired one at hand, else an expired denial. */
static const struct entry *or_denial(const struct dir *d, const struct cache_key *k, const struct entry *exact, uint32_t now_s)
{
	if (exact && entry_ttl_left(exact, now_s) > 0)
		return exact;
	const struct entry *nx = find(d, k->hash_name, k, true);
	return nx && (!exact || entry_ttl_left(nx, now_s) > 0) ? nx : exact;
}

const struct entry *cache_lookup(const struct cache *c, const struct cache_key *k, uint32_t now_s)
{
	const struct dir *d = cache_dir(c);
	return or_denial(d, k, find(d, k->hash, k, false), now_s);
}

void cache_lookup_batch(const struct cache *c, const struct cache_key *keys, unsigned n, uint32_t now_s, const struct entry **out)
{
	const struct dir *d = cache_dir(c);
	uint64_t words[CACHE_BATCH];
	must(n <= CACHE_BATCH);
	for (unsigned i = 0; i < n; i++)
		__builtin_prefetch(&d->words[dir_index(d, keys[i].hash)]);
	for (unsigned i = 0; i < n; i++) {
		uint64_t h = keys[i].hash, w = words[i] = dir_word(d, h);
		__builtin_prefetch(table_bucket(word_base(w), hash_bucket1(h, word_nbuckets(w))));
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t h = keys[i].hash, w = words[i];
		uint8_t *base = word_base(w);
		const uint32_t *b = table_bucket(base, hash_bucket1(h, word_nbuckets(w)));
		unsigned m = bucket_match(b, hash_fp(h, word_depth(w)));
		if (!m) {
			__builtin_prefetch(table_bucket(base, hash_bucket2(h, word_nbuckets(w))));
			continue;
		}
		/* An entry begins anywhere in a line: head and name usually reach into the next. */
		const uint8_t *e = base + (slot_load(b + __builtin_ctz(m)) & OFFSET_MASK);
		__builtin_prefetch(e);
		__builtin_prefetch(e + 64);
	}
	for (unsigned i = 0; i < n; i++) {
		const struct entry *exact;
		shard_find(words[i], keys[i].hash, &keys[i], false, &exact);
		out[i] = or_denial(d, &keys[i], exact, now_s);
		/* The answer copies all of it: what lies beyond the two lines is fetched while the other keys are compared. */
		for (size_t at = 128, size = out[i] ? entry_size(out[i]) : 0; at < size && at < PREFETCH_MAX; at += 64)
			__builtin_prefetch(out[i]->b + at);
	}
}

/* The entry with the exact key, among them an NXDOMAIN whose question had the key's type; *h is where it is filed. */
static const struct entry *find_named(const struct dir *d, const struct cache_key *k, uint64_t *h)
{
	const struct entry *e = find(d, *h = k->hash, k, false);
	if (e || k->ecs.family)
		return e;
	e = find(d, *h = k->hash_name, k, true);
	return e && entry_type(e) == k->type ? e : NULL;
}

const struct entry *cache_find(const struct cache *c, const struct cache_key *k)
{
	uint64_t h;
	return find_named(cache_dir(c), k, &h);
}

/* ---- linking ---- */

static void free_dir(void *d)
{
	RECLAIM_GRACE_OVER();
	mem_free(d);
}

/* Twice as many words; what they lead to stays. False: no memory. */
static bool double_dir(struct cache *c, unsigned from_depth)
{
	bool ok = true;
	struct dir *old = NULL;
	for (size_t i = 0; i < STRIPES; i++)
		spin_lock(&c->stripes[i].lock);
	struct dir *d = atomic_load(&c->dir);
	if (d->depth == from_depth) {
		struct dir *twice = dir_new(from_depth + 1);
		ok = twice != NULL;
		if (ok) {
			for (size_t i = 0; i < (size_t)1 << from_depth; i++) {
				uint64_t w = atomic_load_explicit(&d->words[i], memory_order_relaxed);
				atomic_init(&twice->words[2 * i], w);
				atomic_init(&twice->words[2 * i + 1], w);
			}
			atomic_store_explicit(&c->dir, twice, memory_order_release);
			old = d;
		}
	}
	for (size_t i = STRIPES; i-- > 0;)
		spin_unlock(&c->stripes[i].lock);
	if (old)
		reclaim_defer(free_dir, old, false);
	return ok;
}

/* Writes the entry (or the stub of one that lies outside) behind the shard's last and lets the slot lead to it. */
static void append(struct stripe *t, uint64_t word, uint64_t h, uint32_t *slot, const uint8_t *bytes, size_t len, void *external)
{
	struct segment *s = (struct segment *)(void *)word_base(word);
	uint8_t *to = word_base(word) + s->used;
	uint32_t off = s->used;
	if (external) {
		memset(to, 0, E_STUB_LEN);
		to[E_F1] = F1_EXTERNAL;
		memcpy(to + E_STUB_PTR, &external, sizeof external);
		len = E_STUB_LEN;
		size_t cost = mem_usable(external);
		s->external_bytes += (uint32_t)cost;
		t->external_bytes += cost;
		t->entry_bytes += cost;
	} else {
		memcpy(to, bytes, len);
	}
	s->used += (uint32_t)len;
	if (s->used > s->touched) {
		uint32_t pages = (uint32_t)segment_pages(s->used);
		t->segment_bytes += pages - s->touched;
		s->touched = pages;
	}
	s->live_bytes += (uint32_t)len;
	s->n_live++;
	t->entry_bytes += len;
	t->entries++;
	__atomic_store_n(slot, hash_fp(h, word_depth(word)) << OFFSET_BITS | off, __ATOMIC_RELEASE);
}

/* The entry to come takes the popularity of the one it replaces. The question that led to it counts. */
static void inherit(struct segment *s, const struct entry *was, const uint32_t *old, uint8_t *head)
{
	uint8_t hits = entry_hits(was);
	bool asked = head[E_HITS] == 0;
	head[E_HITS] = hits < 16 && asked ? (uint8_t)(hits + 1) : hits;
	s->worth.known += (slot_load(old) & OFFSET_MASK) < s->fresh_from;
}

/* It was here before, and was driven out: this is its second question at the least. */
static void remember(struct segment *s, uint8_t *head)
{
	if (head[E_HITS] == 0)
		head[E_HITS] = 1;
	s->worth.known++;
}

/* An entry on its way in. */
struct storing {
	const struct cache_key *key;
	uint64_t hash;     /* where it is filed */
	uint8_t *bytes;
	size_t len;
	void *external;    /* its block outside of segments, or NULL */
	bool by_name;      /* it denies the name */
	bool only_absent;
	bool shorter;      /* the same as what is there, but for its life */
};

/* One try under the lock. */
static enum shard_room try_store(struct cache *c, struct stripe *t, const struct storing *in, struct retired *r)
{
	uint64_t h = in->hash;
	uint8_t *bytes = in->bytes;
	size_t len = in->len;
	void *external = in->external;
	size_t span = external ? E_STUB_LEN : len, outside = external ? mem_usable(external) : 0;
	for (int tries = 0; tries < 8; tries++) {
		uint64_t word = dir_word(cache_dir(c), h);
		struct segment *s = (struct segment *)(void *)word_base(word);
		size_t limit = shard_limit(c, h, word_depth(word));
		__builtin_prefetch(word_base(word) + s->used, 1); /* where the entry will go */
		__builtin_prefetch(word_base(word) + s->used + 64, 1);
		const struct entry *was;
		uint32_t *old = shard_find(word, h, in->key, in->by_name, &was);
		if (old && in->only_absent)
			return ROOM_TAKEN;
		bool fits = (size_t)s->used + span <= SEGMENT_SPAN && segment_cost(s, span) + outside <= limit;
		uint32_t *slot = fits ? old ? old : shard_free_slot(c, word, h) : NULL;
		if (slot) {
			if (old) {
				inherit(s, was, old, external ? external : bytes);
				shard_unlink(t, word, old, true);
				t->replaced++;
			} else if (ghost_take(segment_ghost(s), s->worth.ghost, h)) {
				remember(s, external ? external : bytes);
			}
			append(t, word, h, slot, bytes, len, external);
			cache_tell(c, in->shorter ? FEED_EXPIRE : old ? FEED_SET : FEED_NEW, in->key);
			return ROOM_MADE;
		}
		enum shard_room room = shard_make_room(c, t, h, span, outside, tries > 0, r);
		if (room != ROOM_MADE || r->n > 2)
			return room == ROOM_MADE ? ROOM_NEEDS_DOUBLING : room;
	}
	return ROOM_NO_MEMORY;
}

void cache_prefetch(const struct cache *c, const struct cache_key *k)
{
	/* In a section: the directory may be doubled and the old one freed. */
	reclaim_read_begin();
	const struct dir *d = cache_dir(c);
	uint64_t w = dir_word(d, k->hash), by_name = dir_word(d, k->hash_name);
	reclaim_read_end();
	__builtin_prefetch(word_base(w), 1);
	__builtin_prefetch(table_bucket(word_base(w), hash_bucket1(k->hash, word_nbuckets(w))), 1);
	__builtin_prefetch(table_bucket(word_base(by_name), hash_bucket1(k->hash_name, word_nbuckets(by_name))));
}

/* Unlinks what is filed for k under its own hash, or (by_name) the denial of its name; only_type: if that was asked for with
 * k's type. Counted as replaced or as removed. */
static bool unlink_filed(struct cache *c, const struct cache_key *k, bool by_name, bool only_type, bool replaced)
{
	uint64_t h = by_name ? k->hash_name : k->hash;
	struct stripe *t = cache_stripe(c, h);
	spin_lock(&t->lock);
	uint64_t word = dir_word(cache_dir(c), h);
	const struct entry *e;
	uint32_t *slot = shard_find(word, h, k, by_name, &e);
	if (slot && by_name && only_type && entry_type(e) != k->type)
		slot = NULL;
	if (slot) {
		tell_entry(c, FEED_DEL, e);
		shard_unlink(t, word, slot, false);
		*(replaced ? &t->replaced : &t->removed) += 1;
	}
	spin_unlock(&t->lock);
	return slot != NULL;
}

/* Is there what the entry would end, were it newer? */
static bool opposite_is_there(struct cache *c, const struct cache_key *k, bool denies)
{
	if (k->ecs.family)
		return false;
	reclaim_read_begin();
	bool there = find(cache_dir(c), denies ? k->hash : k->hash_name, k, !denies) != NULL;
	reclaim_read_end();
	return there;
}

/* Denials are filed by name alone, all else by the whole key, so one does not simply take the other's slot. A denial ends what its
 * own key had; an answer ends the denial of its name, whatever type that was asked for; a failure says nothing of the name, and
 * ends its own key's only. What is for one prefix says nothing of the others. */
static void unlink_opposite(struct cache *c, const struct cache_key *k, bool denies, bool failure)
{
	if (opposite_is_there(c, k, denies))
		unlink_filed(c, k, !denies, failure, true);
}

/* Links a copy of the entry in place of what is filed where it goes; only_absent: unless there is something;
 * shorter: which is the same but for its life. 1, 0 or ERR_NOMEM. */
static int link_bytes(struct cache *c, const struct cache_key *k, uint8_t *bytes, size_t len, bool only_absent,
		      bool shorter)
{
	if (len > ENTRY_MAX || len < ENTRY_MIN)
		return ERR_NOMEM;
	struct storing in = { .key = k, .bytes = bytes, .len = len, .by_name = bytes[E_F1] & F1_NXNAME, .only_absent = only_absent,
			      .shorter = shorter };
	in.hash = in.by_name ? k->hash_name : k->hash;
	if (len > ENTRY_INLINE_MAX) {
		in.external = mem_alloc(len);
		if (!in.external)
			return ERR_NOMEM;
		memcpy(in.external, bytes, len);
	}
	struct stripe *t = cache_stripe(c, in.hash);
	enum shard_room room;
	/* A second round after the directory was doubled, or segments handed back; more only under races with other writers. */
	for (int round = 0;; round++) {
		struct retired r = { .n = 0 };
		spin_lock(&t->lock);
		room = try_store(c, t, &in, &r);
		unsigned depth = cache_dir(c)->depth;
		bool doubling = room == ROOM_NEEDS_DOUBLING && word_depth(dir_word(cache_dir(c), in.hash)) == depth;
		spin_unlock(&t->lock);
		shard_retire(c, &r);
		if (room != ROOM_NEEDS_DOUBLING)
			break;
		if (round == 16 || (doubling && !double_dir(c, depth))) {
			room = ROOM_NO_MEMORY;
			break;
		}
	}
	if (room == ROOM_MADE)
		return 1;
	mem_free(in.external);
	return room == ROOM_TAKEN ? 0 : ERR_NOMEM;
}

static int link_entry(struct cache *c, const struct cache_key *k, const struct entry_scratch *scratch, bool shorter)
{
	int rc = link_bytes(c, k, (uint8_t *)(uintptr_t)scratch->buf, scratch->len, false, shorter);
	return rc < 0 ? rc : 0;
}

int cache_store_absent(struct cache *c, const struct cache_key *k, uint8_t *bytes, size_t len)
{
	bool denies = bytes[E_F1] & F1_NXNAME;
	if (opposite_is_there(c, k, denies))
		return 0;
	int rc = link_bytes(c, k, bytes, len, true, false);
	/* It came between the two: it is the newer one. At worst both go, and the next question asks upstream. */
	if (rc == 1 && opposite_is_there(c, k, denies)) {
		unlink_filed(c, k, denies, true, true);
		rc = 0;
	}
	return rc;
}

int cache_store(struct cache *c, const struct cache_key *k, const struct entry_scratch *scratch)
{
	bool denies = scratch->buf[E_F1] & F1_NXNAME;
	if (k->ecs.family)
		ecs_note(c, k);
	int rc = link_entry(c, k, scratch, false);
	if (rc == 0)
		unlink_opposite(c, k, denies, (scratch->buf[E_F0] & F0_RCODE) == RCODE_SERVFAIL);
	return rc;
}

bool cache_remove(struct cache *c, const struct cache_key *k)
{
	bool removed = unlink_filed(c, k, false, true, false);
	/* A denial is for everybody: a key with a prefix does not name it. */
	if (!k->ecs.family)
		removed |= unlink_filed(c, k, true, true, false);
	return removed;
}

int cache_shorten(struct cache *c, const struct cache_key *k, uint32_t now_s, uint32_t ttl_s)
{
	uint64_t h;
	int rc = ERR_UNKNOWN;
	struct entry_scratch *copy = mem_alloc(sizeof *copy);
	if (!copy)
		return ERR_NOMEM;
	reclaim_read_begin();
	const struct entry *e = find_named(cache_dir(c), k, &h);
	if (e) {
		int64_t left = entry_ttl_left(e, now_s);
		rc = left > (int64_t)ttl_s ? 1 : 0;
		copy->len = entry_size(e);
		copy->buf[0] = entry_hits(e);
		memcpy(copy->buf + 1, e->b + 1, copy->len - 1);
		store_le24(copy->buf + E_TTL, (uint32_t)(now_s - entry_stored_s(e) + ttl_s) & ENTRY_TTL_MAX);
	}
	reclaim_read_end();
	if (rc == 1) {
		if (ttl_s == 0)
			rc = cache_remove(c, k) ? 1 : ERR_UNKNOWN;
		else if (link_entry(c, k, copy, true) != 0) /* no news, so it ends no denial */
			rc = ERR_NOMEM;
	}
	mem_free(copy);
	return rc;
}

uint64_t cache_flush_step(struct cache *c, uint64_t place)
{
	struct stripe *t = cache_stripe(c, place);
	struct retired r = { .n = 0 };
	spin_lock(&t->lock);
	uint64_t before = t->entries;
	unsigned depth = shard_clear(c, t, place, &r);
	t->removed += before - t->entries;
	spin_unlock(&t->lock);
	shard_retire(c, &r);
	/* Wraps to 0 behind the last shard. */
	return ((place >> (64 - depth)) + 1) << (64 - depth);
}

uint64_t cache_flush(struct cache *c)
{
	uint64_t n = cache_count(c);
	for (uint64_t place = 0; (place = cache_flush_step(c, place));)
		;
	return n;
}

/* ---- figures ---- */

size_t cache_entry_cost(const struct cache *c, const struct entry *e)
{
	(void)c;
	size_t size = entry_size(e);
	return sizeof(uint32_t) + (size > ENTRY_INLINE_MAX ? E_STUB_LEN + mem_usable(e) : size);
}

uint64_t cache_count(struct cache *c)
{
	uint64_t n = 0;
	for (size_t i = 0; i < STRIPES; i++)
		n += __atomic_load_n(&c->stripes[i].entries, __ATOMIC_RELAXED);
	return n;
}

void cache_info(struct cache *c, uint32_t now_s, struct cache_info *info)
{
	*info = (struct cache_info){ .maxmemory = atomic_load(&c->maxmemory) };
	for (size_t i = 0; i < STRIPES; i++) {
		struct stripe *t = &c->stripes[i];
		spin_lock(&t->lock);
		info->entries += t->entries;
		info->entry_bytes += t->entry_bytes;
		info->external_bytes += t->external_bytes;
		info->segment_bytes += t->segment_bytes;
		info->evicted += t->evicted;
		info->expired += t->expired;
		info->replaced += t->replaced;
		info->removed += t->removed;
		info->rebuilds += t->rebuilds;
		info->splits += t->splits;
		spin_unlock(&t->lock);
	}
	info->slot_bytes = info->entries * sizeof(uint32_t);
	cache_info_sample(c, now_s, info);
	uint64_t inside = info->entry_bytes - info->external_bytes + info->slot_bytes;
	info->overhead_bytes = (info->segment_bytes > inside ? info->segment_bytes - inside : 0) +
			       sizeof(uint64_t) * ((uint64_t)1 << cache_dir(c)->depth) + sizeof *c;
}
