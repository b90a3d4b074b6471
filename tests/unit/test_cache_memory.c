/* SPDX-License-Identifier: BSD-3-Clause */
/* No memory: at whichever allocation it ends, nothing crashes, nothing leaks, and what was there still stands. */
#include "cache_pool.h"

enum { TXT = 2 * POOL_VARIANTS };

static int store(struct cache *c, unsigned i, enum pool_kind kind, uint64_t r)
{
	struct pool_key p;

	pool_key(c, &p, i);
	pool_build(&kit_scratch, &p.key, kind, 1000, 10000000, r);
	return cache_store(c, &p.key, &kit_scratch);
}

/* Under i stands what store was given. */
static void check_stands(struct cache *c, unsigned i, enum pool_kind kind, uint64_t r)
{
	struct pool_key p;

	pool_key(c, &p, i);
	pool_build(&kit_scratch, &p.key, kind, 1000, 10000000, r);
	cache_read_begin();
	const struct entry *e = cache_find(c, &p.key);
	check(e != NULL);
	check_eq_mem(e->b + 1, entry_size(e) - 1, kit_scratch.buf + 1, kit_scratch.len - 1);
	cache_read_end();
}

static void test_a_cache_comes_whole_or_not_at_all(void)
{
	struct cache_options o = { .maxmemory = 1 << 24, .stale_for_s = 10, .hash_seed = 7 };
	struct cache *c = NULL;
	long n;

	for (n = 1; n < 100; n++) {
		alloc_fail_after(n);
		c = cache_new(&o);
		alloc_fail_after(0);
		if (c)
			break;
	}
	check(c && n > 1);
	cache_thread_begin(c);
	check_eq_int(store(c, 1, POOL_RRSET, 1), 0);
	check_stands(c, 1, POOL_RRSET, 1);
	kit_cache_free(c);
}

/* Stores new contents over old in a cache that holds `fill` other entries, failing at the nth allocation, n from 1 until it succeeds. */
static void replace_under_failure(unsigned fill, enum pool_kind old, enum pool_kind new)
{
	for (long n = 1;; n++) {
		struct cache *c = kit_cache(1 << 28, 86400);
		for (unsigned i = 0; i < fill; i++)
			check_eq_int(store(c, TXT + (i + 1) * POOL_OF_NAME, POOL_RRSET, i), 0);
		check_eq_int(store(c, TXT, old, 1), 0);
		uint64_t count = cache_count(c);
		struct pool_key p;
		pool_key(c, &p, TXT);
		pool_build(&kit_scratch, &p.key, new, 1000, 10000000, 2);
		alloc_fail_after(n);
		int rc = cache_store(c, &p.key, &kit_scratch);
		alloc_fail_after(0);
		check_eq_int(cache_count(c), count);
		if (rc != 0) {
			check_eq_int(rc, ERR_NOMEM);
			check_stands(c, TXT, old, 1);
		} else {
			check_stands(c, TXT, new, 2);
		}
		kit_cache_free(c);
		if (rc == 0)
			break;
		check(n < 50);
	}
}

static void test_the_old_entry_stands_when_the_new_one_finds_no_memory(void)
{
	for (unsigned fill = 0; fill < 40; fill += 3) {
		replace_under_failure(fill, POOL_RRSET, POOL_RRSET);
		replace_under_failure(fill, POOL_RRSET, POOL_LARGE);
		replace_under_failure(fill, POOL_LARGE, POOL_LARGE);
		replace_under_failure(fill, POOL_LARGE, POOL_RRSET);
		replace_under_failure(fill, POOL_RRSET, POOL_NXDOMAIN);
		replace_under_failure(fill, POOL_NXDOMAIN, POOL_RRSET);
	}
}

/* Growth from nothing to splits, where one store in a few meets the end of memory somewhere on its way. */
static void test_growth_goes_on_after_each_failure(void)
{
	struct cache *c = kit_cache(1 << 28, 86400);
	struct cache_info info;
	uint64_t stored = 0, failed = 0;

	for (unsigned i = 0; i < 12000; i++) {
		static uint8_t txt[8064];
		const uint8_t *r = txt;
		size_t len = sizeof txt - sizeof txt % 256;
		struct pool_key p;
		struct entry_meta m = kit_meta(clock_s());
		for (size_t at = 0; at < len; at += 256)
			txt[at] = 255;
		pool_key(c, &p, TXT + i * POOL_OF_NAME);
		check_eq_int(entry_from_rrset(&kit_scratch, &p.key, 1000, 1, &r, &len, &m), 0);
		for (int tries = 0;; tries++) {
			alloc_fail_after(tries < 6 && unit_below(2) ? 1 + (long)unit_below(4) : 0);
			int rc = cache_store(c, &p.key, &kit_scratch);
			alloc_fail_after(0);
			if (rc == 0)
				break;
			failed++;
			check(tries < 6);
		}
		stored++;
	}
	cache_info(c, clock_s(), &info);
	check_eq_int(info.entries, stored);
	check_eq_int(info.evicted, 0);
	check(failed > 0 && info.splits > 0);
	for (unsigned i = 0; i < 12000; i++) {
		struct pool_key p;
		pool_key(c, &p, TXT + i * POOL_OF_NAME);
		cache_read_begin();
		check(cache_find(c, &p.key) != NULL);
		cache_read_end();
	}
	kit_cache_free(c);
}

static void test_care_for_the_cache_needs_no_memory_to_be_safe(void)
{
	for (long n = 1; n < 12; n++) {
		struct cache *c = kit_cache(1 << 26, 0);
		struct cache_info info;
		struct pool_key p;
		for (unsigned i = 0; i < 20000; i++)
			check_eq_int(store(c, i, POOL_RRSET, i), 0);
		pool_key(c, &p, 5);
		alloc_fail_after(n);
		cache_set_maxmemory(c, 2 << 20);
		cache_tick(c, 10000000, 300);
		int rc = cache_shorten(c, &p.key, 10000000, 1);
		check(rc == ERR_NOMEM || rc == ERR_UNKNOWN || rc == 1);
		alloc_fail_after(0);
		cache_tick(c, 10000000, 300);
		cache_info(c, 10000000, &info);
		check(info.segment_bytes + info.external_bytes <= 2 << 20);
		alloc_fail_after(1);
		cache_tick(c, 10000000 + 2000, 300);
		uint64_t count = cache_count(c);
		check_eq_int(cache_flush(c), count);
		alloc_fail_after(0);
		check_eq_int(cache_count(c), 0);
		kit_cache_free(c);
	}
}
