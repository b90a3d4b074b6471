/* SPDX-License-Identifier: BSD-3-Clause */
/* SCAN's promise: what is there from the first call to the last is seen at least once, whatever happens in between. */
#include "cache_pool.h"

enum { STABLE = 3000, OTHERS = 40000 };
static struct cache *c;
static uint8_t seen[STABLE];
static unsigned seen_now;

static void store(unsigned i, enum pool_kind kind, uint32_t ttl_s, uint64_t r)
{
	struct pool_key p;

	pool_key(c, &p, i);
	pool_build(&kit_scratch, &p.key, kind, ttl_s, clock_s(), r);
	cache_store(c, &p.key, &kit_scratch);
}

/* A record set of about `size` bytes under a number above the stable ones; plain variant, type TXT. */
static void store_other(unsigned n, size_t size, uint32_t ttl_s)
{
	static uint8_t txt[8192];
	const uint8_t *p = txt;
	struct pool_key k;
	struct entry_meta m = kit_meta(clock_s());

	size -= size % 256;
	for (size_t at = 0; at < size; at += 256)
		txt[at] = 255;
	pool_key(c, &k, STABLE + STABLE % POOL_OF_NAME + n * POOL_OF_NAME + 2 * POOL_VARIANTS);
	check_eq_int(entry_from_rrset(&kit_scratch, &k.key, ttl_s, 1, &p, &size, &m), 0);
	cache_store(c, &k.key, &kit_scratch);
}

static bool is_there(unsigned i)
{
	struct pool_key p;

	pool_key(c, &p, i);
	cache_read_begin();
	bool there = cache_find(c, &p.key) != NULL;
	cache_read_end();
	return there;
}

static void see(void *arg, const struct entry *e)
{
	unsigned i = pool_number(e);

	(void)arg;
	seen_now++;
	if (i < STABLE)
		seen[i] = 1;
}

static void nothing(unsigned call)
{
	(void)call;
}

/* A whole scan with `between` after each call: every stable entry that is there at the end was seen. Returns how many are. */
static unsigned scan(unsigned count, void (*between)(unsigned call))
{
	uint64_t cursor = 0;
	unsigned calls = 0, still = 0;

	memset(seen, 0, sizeof seen);
	do {
		seen_now = 0;
		cursor = cache_scan(c, cursor, count, see, NULL);
		check(cursor < (uint64_t)1 << 53);
		check(seen_now <= 4 * count + 64);
		check(++calls < 2000000);
		between(calls);
	} while (cursor);
	for (unsigned i = 0; i < STABLE; i++)
		if (is_there(i)) {
			still++;
			if (!seen[i]) {
				printf("entry %u was there all along and never seen (COUNT %u)\n", i, count);
				unit_fail();
			}
		}
	return still;
}

static void begin(uint64_t maxmemory, uint32_t stale_for_s)
{
	c = kit_cache(maxmemory, stale_for_s);
	for (unsigned i = 0; i < STABLE; i++)
		store(i, i % 50 == 7 ? POOL_NODATA : POOL_RRSET, 100000, unit_random());
	check_eq_int(cache_count(c), STABLE);
}

static const unsigned counts[] = { 1, 2, 10, 100, 1000, 5000 };
enum { COUNTS = sizeof counts / sizeof *counts };

static void test_everything_is_seen_when_nothing_changes(void)
{
	begin(1 << 28, 0);
	for (unsigned i = 0; i < COUNTS; i++)
		check_eq_int(scan(counts[i], nothing), STABLE);
	check_eq_int(scan(0, nothing), STABLE);
	kit_cache_free(c);
}

static void test_an_empty_cache_is_gone_through_in_a_few_calls(void)
{
	uint64_t cursor = 0;
	unsigned calls = 0;

	c = kit_cache(1 << 28, 0);
	do
		cursor = cache_scan(c, cursor, 10, see, NULL);
	while (cursor && ++calls < 10);
	check_eq_int(cursor, 0);
	kit_cache_free(c);
}

static unsigned grown, per_call;

static void grow(unsigned call)
{
	(void)call;
	for (unsigned n = 0; n < per_call && grown < OTHERS; n++)
		store_other(grown++, 1024 + unit_below(2800), 100000);
}

static void test_nothing_is_missed_while_shards_split(void)
{
	struct cache_info before, after;

	for (unsigned i = 0; i < COUNTS; i++) {
		begin(1 << 28, 0);
		cache_info(c, clock_s(), &before);
		grown = 0;
		per_call = 1 + OTHERS / 2 / (STABLE / counts[i] + 1);
		check_eq_int(scan(counts[i], grow), STABLE);
		while (grown < OTHERS) /* the splits of a second scan */
			check_eq_int(scan(counts[i] < 100 ? 100 : counts[i], grow), STABLE);
		cache_info(c, clock_s(), &after);
		check(after.splits > before.splits && after.shards > before.shards);
		kit_cache_free(c);
	}
}

static void shrink(unsigned call)
{
	for (unsigned n = 0; n < per_call && grown > 0; n++) {
		struct pool_key k;
		pool_key(c, &k, STABLE + STABLE % POOL_OF_NAME + --grown * POOL_OF_NAME + 2 * POOL_VARIANTS);
		cache_remove(c, &k.key);
	}
	if (call % 4 == 0)
		cache_tick(c, clock_s(), 64);
}

static void test_nothing_is_missed_while_shards_shrink(void)
{
	begin(1 << 28, 0);
	for (grown = 0; grown < OTHERS; grown++)
		store_other(grown, 2048, 100000);
	per_call = 200;
	for (unsigned i = 0; i < COUNTS; i++)
		check_eq_int(scan(counts[i], i ? shrink : nothing), STABLE);
	kit_cache_free(c);
}

static void press(unsigned call)
{
	for (unsigned n = 0; n < per_call; n++)
		store_other((unsigned)unit_below(OTHERS), 256 + unit_below(2000), 100000);
	if (call % 50 == 0) {
		cache_set_maxmemory(c, (6u << 20) + unit_below(6u << 20));
		cache_tick(c, clock_s(), 300);
	}
}

static void test_what_eviction_leaves_is_seen(void)
{
	static const unsigned some[] = { 1, 10, 100, 1000 };

	for (unsigned i = 0; i < 4; i++) {
		struct cache_info info;
		begin(8 << 20, 0);
		for (unsigned n = 0; n < 3; n++)
			for (unsigned j = 0; j < STABLE; j += 2) { /* half of it is popular */
				struct pool_key p;
				pool_key(c, &p, j);
				cache_read_begin();
				const struct entry *e = cache_find(c, &p.key);
				for (int t = 0; e && t < 20; t++)
					entry_touch(e, 0);
				cache_read_end();
			}
		per_call = 10 + 5 * some[i];
		check(scan(some[i], press) > 0);
		cache_info(c, clock_s(), &info);
		check(info.evicted > 0);
		kit_cache_free(c);
	}
}

static void expire(unsigned call)
{
	for (unsigned n = 0; n < 10; n++)
		store_other((unsigned)unit_below(OTHERS), 256 + unit_below(2000), 1 + (uint32_t)unit_below(3));
	if (call % 5 == 0)
		clock_jump(1000);
	cache_tick(c, clock_s(), 16);
}

static void test_nothing_is_missed_while_others_expire(void)
{
	begin(1 << 28, 0);
	for (unsigned i = 1; i < COUNTS; i++)
		check_eq_int(scan(counts[i], expire), STABLE);
	kit_cache_free(c);
}

static void replace(unsigned call)
{
	(void)call;
	for (unsigned n = 0; n < 50; n++)
		store((unsigned)unit_below(STABLE), POOL_RRSET, 100000, unit_random());
}

static void test_what_is_replaced_meanwhile_is_still_seen(void)
{
	begin(1 << 28, 0);
	for (unsigned i = 0; i < COUNTS; i++)
		check_eq_int(scan(counts[i], replace), STABLE);
	kit_cache_free(c);
}

static void flush_at_40(unsigned call)
{
	if (call == 40)
		cache_flush(c);
	if (call > 40 && call < 60)
		store(call, POOL_RRSET, 1000, call);
}

static void test_a_flush_in_between_ends_in_an_ordinary_end(void)
{
	uint64_t cursor = 0;
	unsigned calls = 0;

	begin(1 << 28, 0);
	do {
		cursor = cache_scan(c, cursor, 10, see, NULL);
		check(cursor < (uint64_t)1 << 53);
		flush_at_40(++calls);
	} while (cursor && calls < 100000);
	check_eq_int(cursor, 0);
	kit_cache_free(c);
}

/* A cursor comes from a client: any 64 bits. */
static void test_a_cursor_that_was_never_given_out_is_only_a_place_to_begin(void)
{
	begin(1 << 28, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t cursor = cache_scan(c, unit_random() >> unit_below(64), 1 + (unsigned)unit_below(100), see, NULL);
		check(cursor < (uint64_t)1 << 53);
	}
	check(cache_scan(c, UINT64_MAX, UINT32_MAX, see, NULL) < (uint64_t)1 << 53);
	kit_cache_free(c);
}
