/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers, two writers and the admin's scanner at one cache: whatever is found is whole and of its key.
 *
 * An entry's contents follow from its key's number, so a reader can tell a right answer from any other. Bounded by operations:
 * writers do theirs, the others go on until they have.
 */
#include "cache/impl.h"
#include "cache_pool.h"

#ifdef __SANITIZE_THREAD__
enum { WRITES = 15000 };
#elif defined(__SANITIZE_ADDRESS__)
enum { WRITES = 30000 };
#else
enum { WRITES = 120000 };
#endif
enum { READERS = 2, WRITERS = 2, KEYS = 600 * POOL_OF_NAME };

struct crew {
	struct cache *c;
	atomic_uint writing; /* writers that are not done */
	atomic_ullong read, found, scanned;
	bool large; /* many long entries and much room: shards split, the directory doubles; else few and little */
};

struct hand {
	struct crew *crew;
	uint64_t state;
	struct entry_scratch scratch;
};

static uint64_t draw(struct hand *h, uint64_t n)
{
	h->state = h->state * 6364136223846793005u + 1442695040888963407u;
	return (h->state >> 33) % n;
}

static enum pool_kind kind_of(const struct crew *w, unsigned i)
{
	return w->large && i % 3 ? POOL_LARGE : i % 97 == 0 ? POOL_LARGE : POOL_RRSET;
}

static void build(const struct crew *w, struct entry_scratch *s, const struct cache_key *k, unsigned i, uint32_t now_s)
{
	pool_build(s, k, kind_of(w, i), 1000, now_s, i * 0x9e3779b97f4a7c15u);
}

/* e is, but for when it was stored, what belongs under its number. */
static void check_right(struct hand *h, const struct entry *e)
{
	unsigned i = pool_number(e);
	struct pool_key p;

	check(i < KEYS * 2);
	pool_key(h->crew->c, &p, i);
	build(h->crew, &h->scratch, &p.key, i, entry_stored_s(e));
	check_eq_mem(e->b + 1, entry_size(e) - 1, h->scratch.buf + 1, h->scratch.len - 1);
}

static unsigned draw_key(struct hand *h)
{
	unsigned i = (unsigned)draw(h, KEYS);
	return h->crew->large ? i - i % POOL_OF_NAME + 2 * POOL_VARIANTS + i % POOL_VARIANTS : i;
}

static void *writer(void *arg)
{
	struct hand *h = arg;
	struct crew *w = h->crew;
	unsigned n = w->large ? WRITES / 8 : WRITES;

	cache_thread_begin(w->c);
	while (n--) {
		unsigned i = draw_key(h);
		struct pool_key p;
		pool_key(w->c, &p, i);
		if (draw(h, 20) == 0) {
			cache_remove(w->c, &p.key);
			continue;
		}
		build(w, &h->scratch, &p.key, i, clock_s());
		cache_store(w->c, &p.key, &h->scratch);
	}
	cache_thread_end(w->c);
	atomic_fetch_sub(&w->writing, 1);
	return NULL;
}

static void *reader(void *arg)
{
	struct hand *h = arg;
	struct crew *w = h->crew;

	cache_thread_begin(w->c);
	while (atomic_load(&w->writing)) {
		struct pool_key p[CACHE_BATCH];
		struct cache_key k[CACHE_BATCH];
		const struct entry *e[CACHE_BATCH];
		unsigned n = 1 + (unsigned)draw(h, CACHE_BATCH), want[CACHE_BATCH];
		for (unsigned j = 0; j < n; j++) {
			want[j] = draw_key(h);
			pool_key(w->c, &p[j], want[j]);
			k[j] = p[j].key;
		}
		cache_read_begin();
		cache_lookup_batch(w->c, k, n, clock_s(), e);
		for (unsigned j = 0; j < n; j++)
			if (e[j]) {
				check_eq_int(pool_number(e[j]), want[j]);
				check_right(h, e[j]);
				entry_touch(e[j], (uint32_t)draw(h, UINT32_MAX));
				atomic_fetch_add(&w->found, 1);
			}
		cache_read_end();
		atomic_fetch_add(&w->read, n);
	}
	cache_thread_end(w->c);
	return NULL;
}

static void see(void *arg, const struct entry *e)
{
	struct hand *h = arg;

	check_right(h, e);
	atomic_fetch_add(&h->crew->scanned, 1);
}

/* What only the admin thread does. */
static void *admin(void *arg)
{
	struct hand *h = arg;
	struct crew *w = h->crew;
	uint64_t cursor = 0;

	cache_thread_begin(w->c);
	while (atomic_load(&w->writing)) {
		struct cache_info info;
		struct pool_key p;
		cursor = cache_scan(w->c, cursor, 1 + (unsigned)draw(h, 300), see, h);
		check(cursor < (uint64_t)1 << 53);
		cache_tick(w->c, clock_s(), 8);
		cache_info(w->c, clock_s(), &info);
		cache_read_begin();
		const struct entry *e = cache_random(w->c);
		if (e)
			check_right(h, e);
		cache_read_end();
		pool_key(w->c, &p, draw_key(h));
		cache_shorten(w->c, &p.key, clock_s(), 0);
		if (!w->large && draw(h, 50) == 0)
			cache_set_maxmemory(w->c, (1 << 20) + draw(h, 3 << 20));
		if (draw(h, 400) == 0)
			cache_flush(w->c);
	}
	cache_thread_end(w->c);
	return NULL;
}

static void run(bool large, uint64_t maxmemory)
{
	static void *(*const duty[])(void *) = { reader, reader, writer, writer, admin };
	enum { ALL = READERS + WRITERS + 1 };
	struct crew w = { .c = kit_cache(maxmemory, 10), .large = large };
	pthread_t t[ALL];
	struct hand *h[ALL];
	struct cache_info info;

	atomic_init(&w.writing, WRITERS);
	for (int i = 0; i < ALL; i++) {
		h[i] = calloc(1, sizeof *h[i]);
		h[i]->crew = &w;
		h[i]->state = unit_random();
		check_eq_int(pthread_create(&t[i], NULL, duty[i], h[i]), 0);
	}
	for (int i = 0; i < ALL; i++) {
		pthread_join(t[i], NULL);
		free(h[i]);
	}
	check(atomic_load(&w.read) > 0 && atomic_load(&w.found) > 0 && atomic_load(&w.scanned) > 0);
	/* At rest every sum is exact again. */
	cache_tick(w.c, clock_s(), 1 << 12);
	cache_info(w.c, clock_s(), &info);
	check(info.segment_bytes + info.external_bytes <= info.maxmemory);
	check(info.rebuilds > 0);
	check_eq_int(cache_flush(w.c), info.entries);
	cache_info(w.c, clock_s(), &info);
	check(!info.entries && !info.entry_bytes && !info.external_bytes && !info.segment_bytes);
	kit_cache_free(w.c);
}

static void test_readers_find_only_what_is_right_while_shards_are_rebuilt(void)
{
	run(false, 2 << 20);
}

static void test_readers_find_only_what_is_right_among_large_entries(void)
{
	run(true, 1 << 29);
}

/* Two writers fill an empty cache with long entries while a scanner goes through: shards split and the directory doubles. */
static void *filler(void *arg)
{
	struct hand *h = arg;
	static const uint8_t rdata[7000];
	const uint8_t *r = rdata;
	struct entry_meta m = kit_meta(clock_s());

	cache_thread_begin(h->crew->c);
	for (unsigned i = 0; i < 8000; i++) {
		uint8_t name[8] = { 5, 0, 0, 0, 0, 0, 0, 0 };
		struct cache_key k;
		store_be32(name + 1, i);
		name[5] = (uint8_t)h->state;
		cache_key_init(h->crew->c, &k, name, 7, 65280, false);
		size_t len = sizeof rdata;
		check_eq_int(entry_from_rrset(&h->scratch, &k, 1000, 1, &r, &len, &m), 0);
		check_eq_int(cache_store(h->crew->c, &k, &h->scratch), 0);
		cache_read_begin();
		check(cache_lookup(h->crew->c, &k, clock_s()) != NULL);
		cache_read_end();
	}
	cache_thread_end(h->crew->c);
	atomic_fetch_sub(&h->crew->writing, 1);
	return NULL;
}

static void count_one(void *arg, const struct entry *e)
{
	check_eq_int(entry_type(e), 65280);
	atomic_fetch_add((atomic_ullong *)arg, 1);
}

static void test_two_writers_split_shards_side_by_side_and_lose_nothing(void)
{
	struct crew w = { .c = kit_cache(1 << 29, 10) };
	struct hand *h[2];
	pthread_t t[2];
	struct cache_info info;
	uint64_t cursor = 0;

	atomic_init(&w.writing, 2);
	for (int i = 0; i < 2; i++) {
		h[i] = calloc(1, sizeof *h[i]);
		h[i]->crew = &w;
		h[i]->state = (uint64_t)i;
		check_eq_int(pthread_create(&t[i], NULL, filler, h[i]), 0);
	}
	while (atomic_load(&w.writing))
		cursor = cache_scan(w.c, cursor, 100, count_one, &w.scanned);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], NULL);
		free(h[i]);
	}
	cache_info(w.c, clock_s(), &info);
	check_eq_int(info.entries, 16000);
	check(info.splits > 0 && info.shards > 256);
	cursor = 0;
	atomic_store(&w.scanned, 0);
	do
		cursor = cache_scan(w.c, cursor, 1000, count_one, &w.scanned);
	while (cursor);
	check_eq_int(atomic_load(&w.scanned), 16000);
	kit_cache_free(w.c);
}

/* ---- one slot that two keys take in turn ---- */

struct swap {
	struct cache *c;
	struct cache_key k[2];
	uint8_t name[2][8];
	struct entry_scratch scratch;
	atomic_bool done;
};

static void *swapper(void *arg)
{
	struct swap *s = arg;
	static const uint8_t address[4] = { 192, 0, 2, 1 };
	const uint8_t *rdata = address;
	size_t len = sizeof address;
	struct entry_meta m = kit_meta(clock_s());

	cache_thread_begin(s->c);
	for (unsigned i = 0; i < WRITES * 8; i++) {
		check_eq_int(entry_from_rrset(&s->scratch, &s->k[i % 2], 1000, 1, &rdata, &len, &m), 0);
		check_eq_int(cache_store(s->c, &s->k[i % 2], &s->scratch), 0);
		check(cache_remove(s->c, &s->k[i % 2]));
	}
	cache_thread_end(s->c);
	atomic_store(&s->done, true);
	return NULL;
}

static const uint32_t *slot_of(const struct cache *c, const struct cache_key *k)
{
	const struct entry *e;
	return shard_find(dir_word(cache_dir(c), k->hash), k->hash, k, false, &e);
}

/* Two keys of one first bucket, in whatever table their shard has: every bit that chooses is the same. */
static void find_neighbours(struct swap *s)
{
	for (uint32_t i = 0;; i++) {
		struct cache_key *k = &s->k[i > 0];
		uint8_t *name = s->name[i > 0];
		name[0] = 5;
		store_be32(name + 1, i);
		name[5] = 'x';
		cache_key_init(s->c, k, name, 7, RRTYPE_A, false);
		if (i > 0 && k->hash >> 56 == s->k[0].hash >> 56 && (uint32_t)k->hash >> 20 == (uint32_t)s->k[0].hash >> 20)
			return;
	}
}

static void test_a_reader_never_gets_the_entry_of_another_key_that_took_the_slot(void)
{
	static struct swap s;
	pthread_t t;
	unsigned long found = 0;
	struct entry_scratch *scratch = &s.scratch;
	static const uint8_t address[4];
	const uint8_t *rdata = address;
	size_t len = sizeof address;
	struct entry_meta m = kit_meta(clock_s());
	const uint32_t *slot[2];

	s.c = kit_cache(4 << 20, 10);
	find_neighbours(&s);
	/* They do take turns: what the one left is what the other gets. */
	for (int i = 0; i < 2; i++) {
		check_eq_int(entry_from_rrset(scratch, &s.k[i], 1000, 1, &rdata, &len, &m), 0);
		check_eq_int(cache_store(s.c, &s.k[i], scratch), 0);
		slot[i] = slot_of(s.c, &s.k[i]);
		check(cache_remove(s.c, &s.k[i]));
	}
	check(slot[0] != NULL && slot[0] == slot[1]);
	check_eq_int(pthread_create(&t, NULL, swapper, &s), 0);
	while (!atomic_load(&s.done)) {
		const struct entry *e[2];
		cache_read_begin();
		cache_lookup_batch(s.c, s.k, 2, clock_s(), e);
		for (int i = 0; i < 2; i++)
			if (e[i]) {
				check_eq_mem(e[i]->b + entry_name_off(e[i]), 7, s.name[i], 7);
				found++;
			}
		cache_read_end();
	}
	pthread_join(t, NULL);
	check(found > 0);
	kit_cache_free(s.c);
}
