/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache against a naive twin: an array of what each key should hold, under random operations and a jumping clock.
 *
 * Without pressure the two agree exactly, but for what is gone (expired beyond the stale time), which the cache may have dropped at
 * any moment before. Under pressure the cache may have less than its twin, and nothing else.
 */
#include "cache_pool.h"

enum { NAMES = 700, KEYS = NAMES * POOL_OF_NAME, STALE_S = 50 };

struct copy {
	uint8_t *bytes; /* NULL: nothing */
	size_t len;
};

struct twin {
	struct cache *c;
	struct copy of[KEYS];
	bool pressure, failing;
	uint64_t maxmemory, inserts;
};
static struct twin twin;

static const struct entry *as_entry(const struct copy *y)
{
	return (const struct entry *)y->bytes;
}

static bool is_nx(unsigned i)
{
	return twin.of[i].bytes && twin.of[i].bytes[E_F1] & F1_NXNAME;
}

static bool is_gone(unsigned i, uint32_t now_s)
{
	return entry_gone_s(as_entry(&twin.of[i]), STALE_S) <= now_s;
}

static bool is_live(unsigned i, uint32_t now_s)
{
	return entry_ttl_left(as_entry(&twin.of[i]), now_s) > 0;
}

static void forget(unsigned i)
{
	free(twin.of[i].bytes);
	twin.of[i].bytes = NULL;
}

static void remember(unsigned i, const void *bytes, size_t len)
{
	forget(i);
	twin.of[i].bytes = malloc(len);
	memcpy(twin.of[i].bytes, bytes, len);
	twin.of[i].len = len;
}

/* The number of the denial that stands for key i's name, or KEYS. */
static unsigned denial_for(unsigned i)
{
	unsigned cd = i % POOL_VARIANTS == VARIANT_CD ? VARIANT_CD : VARIANT_PLAIN, first = i / POOL_OF_NAME * POOL_OF_NAME + cd;

	for (unsigned j = first; j < first + POOL_OF_NAME; j += POOL_VARIANTS)
		if (is_nx(j))
			return j;
	return KEYS;
}

/* e holds, byte for byte but for the counter, what its key should. */
static unsigned check_same(const struct entry *e)
{
	unsigned i = pool_number(e);

	check(i < KEYS && twin.of[i].bytes != NULL);
	check_eq_mem(e->b + 1, entry_size(e) - 1, twin.of[i].bytes + 1, twin.of[i].len - 1);
	return i;
}

static void check_lookup(unsigned i, const struct entry *e, uint32_t now_s)
{
	unsigned exact = twin.of[i].bytes && !is_nx(i) ? i : KEYS, nx = denial_for(i), want = KEYS, got = KEYS;

	if (e)
		got = check_same(e);
	if (exact < KEYS && is_gone(exact, now_s) && got != exact)
		exact = KEYS;
	if (nx < KEYS && is_gone(nx, now_s) && got != nx)
		nx = KEYS;
	if (exact < KEYS && is_live(exact, now_s))
		want = exact;
	else if (nx < KEYS && (is_live(nx, now_s) || exact == KEYS))
		want = nx;
	else
		want = exact;
	if (got != want && twin.pressure)
		check(got == KEYS || got == exact || got == nx);
	else
		check_eq_int(got, want);
}

static void op_store(unsigned i, uint32_t now_s)
{
	struct pool_key p;
	enum pool_kind kind = unit_below(40) == 0 ? POOL_LARGE : unit_below(4) ? POOL_RRSET : POOL_FAILURE + unit_below(3);
	uint32_t ttl_s = 1 + (uint32_t)unit_below(unit_below(2) ? 20 : 400);
	unsigned nx;

	pool_key(twin.c, &p, i);
	pool_build(&kit_scratch, &p.key, kind, ttl_s, now_s, unit_random());
	if (twin.failing && unit_below(3) == 0)
		alloc_fail_after(1 + (long)unit_below(3));
	int rc = cache_store(twin.c, &p.key, &kit_scratch);
	alloc_fail_after(0);
	if (rc != 0) {
		check(twin.pressure);
		check_eq_int(rc, ERR_NOMEM);
		return;
	}
	twin.inserts++;
	if (i % POOL_VARIANTS != VARIANT_ECS && kind != POOL_FAILURE)
		while ((nx = denial_for(i)) < KEYS)
			forget(nx);
	remember(i, kit_scratch.buf, kit_scratch.len);
}

static void op_remove(unsigned i, uint32_t now_s)
{
	struct pool_key p;

	pool_key(twin.c, &p, i);
	bool was = cache_remove(twin.c, &p.key);
	if (was)
		check(twin.of[i].bytes != NULL);
	else
		check(!twin.of[i].bytes || twin.pressure || is_gone(i, now_s));
	forget(i);
}

static void op_shorten(unsigned i, uint32_t now_s)
{
	struct pool_key p;
	uint32_t ttl_s = (uint32_t)unit_below(30);

	pool_key(twin.c, &p, i);
	int rc = cache_shorten(twin.c, &p.key, now_s, ttl_s);
	if (!twin.of[i].bytes) {
		check_eq_int(rc, ERR_UNKNOWN);
		return;
	}
	int64_t left = entry_ttl_left(as_entry(&twin.of[i]), now_s);
	if (rc == ERR_UNKNOWN || rc == ERR_NOMEM) {
		check(twin.pressure || (rc == ERR_UNKNOWN && is_gone(i, now_s)));
		return;
	}
	check_eq_int(rc, left > ttl_s);
	if (rc == 1 && ttl_s == 0) {
		forget(i);
	} else if (rc == 1) {
		store_le24(twin.of[i].bytes + E_TTL, now_s - entry_stored_s(as_entry(&twin.of[i])) + ttl_s);
		twin.inserts++;
	}
}

static void op_lookups(void)
{
	struct pool_key p[CACHE_BATCH];
	struct cache_key k[CACHE_BATCH];
	unsigned i[CACHE_BATCH], n = 1 + (unsigned)unit_below(CACHE_BATCH);
	const struct entry *e[CACHE_BATCH];
	uint32_t now_s = clock_s();

	for (unsigned j = 0; j < n; j++) {
		i[j] = (unsigned)unit_below(KEYS);
		pool_key(twin.c, &p[j], i[j]);
		k[j] = p[j].key;
	}
	cache_read_begin();
	cache_lookup_batch(twin.c, k, n, now_s, e);
	for (unsigned j = 0; j < n; j++) {
		check_lookup(i[j], e[j], now_s);
		check(e[j] == cache_lookup(twin.c, &k[j], now_s));
		if (e[j] && unit_below(4) == 0)
			entry_touch(e[j], (uint32_t)unit_random());
		const struct entry *f = cache_find(twin.c, &k[j]);
		if (f)
			check_eq_int(check_same(f), i[j]);
		else
			check(!twin.of[i[j]].bytes || twin.pressure || is_gone(i[j], now_s));
	}
	cache_read_end();
}

static uint8_t seen[KEYS];
static uint64_t seen_cost, seen_n;

static void see(void *arg, const struct entry *e)
{
	unsigned i = check_same(e);

	seen_cost += seen[i] ? 0 : cache_entry_cost(arg, e);
	seen_n += !seen[i];
	seen[i] = 1;
}

static uint64_t evicted;

/* Count, sums, counters, and every entry, by SCAN. */
static void check_all(void)
{
	struct cache_info info;
	uint32_t now_s = clock_s();
	uint64_t cursor = 0, most = 0, least = 0;

	if (unit_below(2)) {
		cache_tick(twin.c, now_s, 4096);
		for (unsigned i = 0; i < KEYS; i++)
			if (twin.of[i].bytes && is_gone(i, now_s))
				forget(i);
	}
	memset(seen, 0, sizeof seen);
	seen_cost = seen_n = 0;
	unsigned count = 1 + (unsigned)unit_below(5000);
	do {
		cursor = cache_scan(twin.c, cursor, count, see, twin.c);
		check(cursor < (uint64_t)1 << 53);
	} while (cursor);
	for (unsigned i = 0; i < KEYS; i++)
		if (twin.of[i].bytes) {
			most++;
			least += !is_gone(i, now_s);
			check(seen[i] || twin.pressure || is_gone(i, now_s));
		}
	cache_info(twin.c, now_s, &info);
	check_eq_int(cache_count(twin.c), seen_n);
	check_eq_int(info.entries, seen_n);
	check_eq_int(info.entry_bytes + info.slot_bytes, seen_cost);
	check_eq_int(info.slot_bytes, 4 * seen_n);
	check(info.segment_bytes + info.external_bytes >= info.entry_bytes + info.slot_bytes);
	check(seen_n <= most && (twin.pressure || seen_n >= least));
	check_eq_int(twin.inserts, info.entries + info.replaced + info.removed + info.evicted + info.expired);
	check_eq_int(info.maxmemory, twin.maxmemory);
	check(info.segment_bytes + info.external_bytes <= info.maxmemory);
	if (!twin.pressure)
		check_eq_int(info.evicted, 0);
	evicted = info.evicted;
}

static void run(bool pressure, bool failing, unsigned ops)
{
	twin.pressure = pressure;
	twin.failing = failing;
	evicted = 0;
	twin.maxmemory = pressure ? 4 << 20 : 1 << 28;
	twin.inserts = 0;
	twin.c = kit_cache(twin.maxmemory, STALE_S);
	for (unsigned n = 0; n < ops; n++) {
		unsigned i = (unsigned)unit_below(KEYS);
		uint32_t now_s = clock_s();
		unsigned what = (unsigned)unit_below(1000);

		if (what < 700)
			op_store(i, now_s);
		else if (what < 780)
			op_remove(i, now_s);
		else if (what < 840)
			op_shorten(i, now_s);
		else if (what < 980)
			op_lookups();
		else if (what < 990) {
			alloc_fail_after(twin.failing ? 1 + (long)unit_below(9) : 0);
			cache_tick(twin.c, now_s, 1 + (unsigned)unit_below(40));
			alloc_fail_after(0);
		} else if (what < 997)
			clock_jump(unit_below(unit_below(4) ? 5000 : 60000));
		else if (what < 998 && unit_below(20) == 0) {
			cache_flush(twin.c);
			for (unsigned j = 0; j < KEYS; j++)
				forget(j);
			check_eq_int(cache_count(twin.c), 0);
		} else if (what < 999 && pressure) {
			twin.maxmemory = (1 << 19) + unit_below(unit_below(2) ? 2 << 20 : 16 << 20);
			cache_set_maxmemory(twin.c, twin.maxmemory);
			cache_tick(twin.c, now_s, 4096);
		} else {
			check_all();
		}
	}
	check_all();
	check(evicted > 0 || !pressure);
	for (unsigned j = 0; j < KEYS; j++)
		forget(j);
	kit_cache_free(twin.c);
}

static void test_cache_and_twin_agree_exactly_without_pressure(void)
{
	run(false, false, 250000);
}

static void test_nothing_wrong_is_ever_found_under_pressure_and_the_limit_holds(void)
{
	run(true, false, 250000);
}

static void test_neither_is_it_when_allocations_fail_now_and_then(void)
{
	run(true, true, 150000);
}
