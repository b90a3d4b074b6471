/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards as they grow, split, shrink and meet their limit; entries too large to lie in one. */
#include "cache_pool.h"

enum { MANY = 500000 };

static void store(struct cache *c, unsigned i, int want)
{
	struct pool_key p;

	pool_key(c, &p, i);
	pool_build(&kit_scratch, &p.key, POOL_RRSET, 1000000, clock_s(), i * 0x9e3779b97f4a7c15u);
	check_eq_int(cache_store(c, &p.key, &kit_scratch), want);
}

/* What is found under i is what was stored under it; false: nothing is. */
static bool find(struct cache *c, unsigned i)
{
	struct pool_key p;

	pool_key(c, &p, i);
	cache_read_begin();
	const struct entry *e = cache_find(c, &p.key);
	if (e) {
		check_eq_int(pool_number(e), i);
		pool_build(&kit_scratch, &p.key, POOL_RRSET, 1000000, entry_stored_s(e), i * 0x9e3779b97f4a7c15u);
		check_eq_mem(e->b + 1, entry_size(e) - 1, kit_scratch.buf + 1, kit_scratch.len - 1);
	}
	cache_read_end();
	return e != NULL;
}

static void test_half_a_million_entries_are_found_through_splits_and_a_smaller_limit(void)
{
	struct cache *c = kit_cache(1 << 30, 0);
	struct cache_info info;
	unsigned found = 0;

	for (unsigned i = 0; i < MANY; i++)
		store(c, i, 0);
	cache_info(c, clock_s(), &info);
	check_eq_int(info.entries, MANY);
	check(info.splits > 0 && info.shards > 256 && info.evicted == 0);
	check(info.segment_bytes >= info.entry_bytes + info.slot_bytes);
	/* A shard grows by half at a time, so less than half of what is held may be empty. */
	check(info.segment_bytes < (info.entry_bytes + info.slot_bytes) * 3 / 2);
	for (unsigned i = 0; i < MANY; i++)
		check(find(c, i));
	check(!find(c, MANY) && !find(c, MANY + 12345));
	for (uint64_t max = 1 << 26; max >= 1 << 23; max /= 2) {
		cache_set_maxmemory(c, max);
		cache_tick(c, clock_s(), 1 << 14);
		cache_info(c, clock_s(), &info);
		check(info.segment_bytes + info.external_bytes <= max);
		check(info.entry_bytes > max / 2); /* and it does not throw away what has room */
		check_eq_int(info.entries + info.evicted, MANY);
	}
	for (unsigned i = 0; i < MANY; i++)
		found += find(c, i);
	check_eq_int(found, info.entries);
	cache_set_maxmemory(c, 1 << 30);
	for (unsigned i = 0; i < MANY; i += 7) {
		store(c, i, 0);
		check(find(c, i));
	}
	kit_cache_free(c);
}

static void test_a_full_cache_takes_new_entries_in_place_of_others_and_stays_within_its_limit(void)
{
	struct cache *c = kit_cache(8 << 20, 0);
	struct cache_info info;

	for (unsigned i = 0; i < 300000; i++) {
		store(c, i, 0);
		if (i % 1000 == 0) {
			check(find(c, i));
			cache_info(c, clock_s(), &info);
			check(info.segment_bytes + info.external_bytes <= 8 << 20);
			check_eq_int(info.entries + info.evicted, i + 1);
		}
	}
	check(info.evicted > 100000);
	check(info.entry_bytes + info.slot_bytes > (8 << 20) * 6 / 10);
	kit_cache_free(c);
}

/* TXT rdata that makes an entry of exactly size bytes; false: not to be had. */
static bool build_sized(struct cache *c, struct pool_key *p, unsigned i, size_t size, uint8_t fill)
{
	static uint8_t txt[ENTRY_MAX + 256];
	const uint8_t *r = txt;
	struct entry_meta m = kit_meta(clock_s());
	struct cache_key *k = &p->key;

	pool_key(c, p, i);
	for (size_t len = size > 300 ? size - 300 : 1; len <= size; len++) {
		for (size_t at = 0; at < len; at += 256) {
			memset(txt + at, fill, 256);
			txt[at] = (uint8_t)(len - at > 255 ? 255 : len - at - 1);
		}
		if (entry_from_rrset(&kit_scratch, k, 1000, 1, &r, &len, &m) != 0)
			return false;
		if (kit_scratch.len == size)
			return true;
	}
	return false;
}

static void test_entries_on_both_sides_of_what_fits_into_a_segment_are_kept_alike(void)
{
	static const size_t sizes[] = { 100, ENTRY_INLINE_MAX - 1, ENTRY_INLINE_MAX, ENTRY_INLINE_MAX + 1, 20000, 50000, ENTRY_MAX };
	enum { N = sizeof sizes / sizeof *sizes, TXT = 2 * POOL_VARIANTS };
	struct cache *c = kit_cache(1 << 28, 0);
	struct cache_info info;
	struct pool_key p;

	for (int round = 0; round < 3; round++) {
		size_t cost = 0;
		for (unsigned i = 0; i < N; i++) {
			size_t size = sizes[(i + (unsigned)round) % N]; /* replaced by others' sizes */
			check(build_sized(c, &p, i * POOL_OF_NAME + TXT, size, (uint8_t)(i + 1)));
			check_eq_int(cache_store(c, &p.key, &kit_scratch), 0);
			cache_read_begin();
			const struct entry *e = cache_find(c, &p.key);
			check(e != NULL);
			check_eq_mem(e->b + 1, entry_size(e) - 1, kit_scratch.buf + 1, kit_scratch.len - 1);
			check(cache_entry_cost(c, e) >= size + 4 && cache_entry_cost(c, e) < size + size / 4 + 32);
			cost += cache_entry_cost(c, e);
			cache_read_end();
		}
		cache_info(c, clock_s(), &info);
		check_eq_int(info.entries, N);
		check_eq_int(info.entry_bytes + info.slot_bytes, cost);
		check(info.external_bytes >= ENTRY_INLINE_MAX + 1 + 20000 + 50000 + ENTRY_MAX);
	}
	for (unsigned i = 0; i < N; i += 2) {
		pool_key(c, &p, i * POOL_OF_NAME + TXT);
		check(cache_remove(c, &p.key));
	}
	check_eq_int(cache_flush(c), N / 2);
	cache_info(c, clock_s(), &info);
	check_eq_int(info.external_bytes, 0);
	check_eq_int(info.entry_bytes, 0);
	kit_cache_free(c);
}

static void test_large_entries_count_against_the_limit(void)
{
	struct cache *c = kit_cache(16 << 20, 0);
	struct cache_info info;
	struct pool_key p;

	for (unsigned i = 0; i < 4000; i++) {
		pool_key(c, &p, i * POOL_OF_NAME + 2 * POOL_VARIANTS);
		pool_build(&kit_scratch, &p.key, POOL_LARGE, 1000, clock_s(), 3999);
		check_eq_int(cache_store(c, &p.key, &kit_scratch), 0);
		if (i % 100 == 99) {
			cache_info(c, clock_s(), &info);
			check(info.segment_bytes + info.external_bytes <= 16 << 20);
		}
	}
	check(info.evicted > 2000);
	kit_cache_free(c);
}

static void test_what_the_limit_has_no_room_for_is_refused_and_the_old_entry_stands(void)
{
	struct cache *c = kit_cache(8 << 20, 0);
	struct pool_key p;
	unsigned i = 2 * POOL_VARIANTS;

	store(c, i, 0);
	check(build_sized(c, &p, i, ENTRY_MAX, 1));
	check_eq_int(cache_store(c, &p.key, &kit_scratch), ERR_NOMEM);
	check(find(c, i));
	check_eq_int(cache_count(c), 1);
	kit_cache_free(c);
}

static void test_a_limit_of_less_than_a_page_for_each_shard_is_held_too(void)
{
	struct cache_info info;
	struct pool_key p;

	for (uint64_t max = 0; max < 2 << 20; max = max * 2 + 1) {
		struct cache *c = kit_cache(max, 0);
		for (unsigned i = 0; i < 3000; i++) {
			pool_key(c, &p, i);
			pool_build(&kit_scratch, &p.key, POOL_RRSET, 1000, clock_s(), i);
			int rc = cache_store(c, &p.key, &kit_scratch);
			check(rc == 0 || rc == ERR_NOMEM);
		}
		cache_info(c, clock_s(), &info);
		check(info.segment_bytes + info.external_bytes <= max);
		check(max < 1 << 20 || info.entries > 0);
		cache_tick(c, clock_s(), 300);
		kit_cache_free(c);
	}
}
