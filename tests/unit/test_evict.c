/* SPDX-License-Identifier: BSD-3-Clause */
/* What the eviction policy values, and what comes of it in a cache under a flood. */
#include "cache/evict.h"

#include "cache_pool.h"

static const struct worth calm = { .turn_s = 10, .newcomers = 1000, .returned = 20 };

static struct evict_item some(void)
{
	return (struct evict_item){ .size = 30 + (uint32_t)unit_below(unit_below(2) ? 300 : 3000), .left_s = 1 + (int64_t)unit_below(86400),
				    .age_s = (uint32_t)unit_below(3600), .hits = (uint8_t)unit_below(128) };
}

static unsigned value(const struct evict_item *i)
{
	return evicts[EVICT_VALUE]->value(i, &calm);
}

static void test_more_hits_a_smaller_size_and_a_life_left_are_worth_more(void)
{
	for (int n = 0; n < 100000; n++) {
		struct evict_item a = some(), b = a;
		b.hits = (uint8_t)(a.hits + unit_below(256u - a.hits));
		check(value(&b) >= value(&a));
		b = a;
		b.size = a.size + (uint32_t)unit_below(60000);
		check(value(&b) <= value(&a));
		b = a;
		b.left_s = -(int64_t)unit_below(86400);
		check(value(&b) <= value(&a));
		check(a.left_s < 10 || value(&b) < value(&a));
		b = a;
		b.age_s = a.age_s + (uint32_t)unit_below(86400);
		check(value(&b) <= value(&a));
	}
}

static void test_a_hit_a_doubling_and_a_tenth_of_the_size_each_make_a_difference(void)
{
	struct evict_item a = { .size = 100, .left_s = 300, .age_s = 10, .hits = 0 }, b = a;

	b.hits = 1;
	check(value(&b) > value(&a));
	a.hits = 100, b.hits = 116;
	check(value(&b) > value(&a));
	a = b;
	a.size = 1000;
	check(value(&b) > value(&a));
}

static void test_new_names_are_trusted_less_while_few_of_them_are_asked_for_again(void)
{
	struct evict_item fresh = { .size = 100, .left_s = 300, .age_s = 1 }, once = { .size = 100, .left_s = 300, .age_s = 600, .hits = 1 };
	struct worth attacked = calm, kind = calm;

	attacked.returned = 0;
	kind.returned = 400;
	check(evicts[EVICT_VALUE]->value(&fresh, &attacked) < evicts[EVICT_VALUE]->value(&fresh, &calm));
	check(evicts[EVICT_VALUE]->value(&fresh, &attacked) < evicts[EVICT_VALUE]->value(&once, &attacked));
	check(evicts[EVICT_VALUE]->value(&fresh, &kind) > evicts[EVICT_VALUE]->value(&once, &kind));
}

static void test_each_turn_moves_what_is_expected_of_newcomers(void)
{
	struct worth w = { 0 };

	worth_turn(&w, 1000, 100, 90);
	check(w.evicted_s == 1000 && w.newcomers == 100 && w.returned == 10);
	w.known = 40;
	worth_turn(&w, 1080, 100, 50); /* of 60 without a past 10 were asked for again */
	check(w.newcomers == 100 + 60 - 6.25f && w.returned == 10 + 10 - 0.625f && w.known == 0);
	check(w.turn_s > 5 && w.turn_s < 80);
	w.known = 200; /* more than are still there */
	worth_turn(&w, 1100, 100, 0);
	check(w.newcomers == 100 + 60 - 6.25f && w.known == 0);
}

static void test_popularity_fades_and_keeps_its_order(void)
{
	for (unsigned p = 0; p < N_EVICTS; p++) {
		const struct evict *e = evicts[p];
		for (unsigned r = 0; r < 256; r++)
			for (unsigned h = 1; h < 256; h++)
				check(e->age((uint8_t)h, (uint8_t)r) <= h && e->age((uint8_t)h, (uint8_t)r) + 2u >= e->age((uint8_t)(h - 1), (uint8_t)r));
		uint8_t h = 255;
		for (unsigned turn = 0; turn < 10000; turn++)
			h = e->age(h, (uint8_t)unit_random());
		check_eq_int(h, 0);
	}
}

static void test_a_few_hits_last_for_about_as_many_turns_as_promised(void)
{
	uint64_t left = 0;
	for (int i = 0; i < 1000; i++) {
		uint8_t h = 16;
		for (int turn = 0; turn < 256; turn++)
			h = evicts[EVICT_VALUE]->age(h, (uint8_t)unit_random());
		left += h;
	}
	check(left > 5400 && left < 6400); /* 16/e each */
}

static void test_a_ghost_knows_whom_it_saw_and_few_others(void)
{
	enum { SIZE = 2000, N = 500 };
	static uint8_t ghost[SIZE];
	unsigned known = 0, wrong = 0;

	memset(ghost, 0, sizeof ghost);
	for (uint64_t i = 0; i < N; i++)
		ghost_add(ghost, SIZE, i * 0x9e3779b97f4a7c15ull);
	for (uint64_t i = N; i < 101 * N; i++)
		wrong += *ghost_cell(ghost, SIZE, i * 0x9e3779b97f4a7c15ull, &(uint8_t){ 0 }) != 0 && ghost_take(ghost, SIZE, i * 0x9e3779b97f4a7c15ull);
	check(wrong < 101 * N / 200);
	for (uint64_t i = 0; i < N; i++)
		known += ghost_take(ghost, SIZE, i * 0x9e3779b97f4a7c15ull);
	check(known > N * 6 / 10);
	for (uint64_t i = 0; i < N; i++)
		check(!ghost_take(ghost, SIZE, i * 0x9e3779b97f4a7c15ull));
	check(!ghost_take(ghost, 0, 1));
	check(ghost_size(0, 100) == 150 && ghost_size(120, 100) == 120 && ghost_size(240, 100) == 150 && ghost_size(90, 100) == 150);
}

/* Fills a small cache far beyond its limit. */
static void flood(struct cache *c, unsigned from, unsigned n)
{
	struct pool_key p;
	for (unsigned i = from; i < from + n; i++) {
		pool_key(c, &p, i);
		pool_build(&kit_scratch, &p.key, POOL_RRSET, 100000, clock_s(), unit_random());
		check_eq_int(cache_store(c, &p.key, &kit_scratch), 0);
	}
}

static void test_a_name_that_comes_back_after_it_was_driven_out_is_known(void)
{
	enum { N = 60000 };
	struct cache *c = kit_cache(4 << 20, 0);
	struct pool_key p;
	unsigned known = 0, tried = 0, strangers = 0;

	flood(c, 0, N);
	for (unsigned i = N - 1; i > 0 && tried < 500; i--) {
		pool_key(c, &p, i);
		cache_read_begin();
		bool there = cache_find(c, &p.key) != NULL;
		cache_read_end();
		if (there)
			continue;
		tried++;
		flood(c, i, 1);
		cache_read_begin();
		const struct entry *e = cache_find(c, &p.key);
		known += e && entry_hits(e) == 1;
		cache_read_end();
	}
	check_eq_int(tried, 500);
	check(known > 250);
	for (unsigned i = N; i < N + 500; i++) {
		pool_key(c, &p, i);
		flood(c, i, 1);
		cache_read_begin();
		const struct entry *e = cache_find(c, &p.key);
		strangers += e && entry_hits(e) > 0;
		cache_read_end();
	}
	check(strangers < 25);
	kit_cache_free(c);
}

static void test_every_policy_keeps_the_limit_and_can_be_changed_under_way(void)
{
	struct cache *c = kit_cache(4 << 20, 0);
	struct cache_info info;

	for (unsigned p = 0; p < N_EVICTS; p++) {
		cache_set_policy(c, (enum cache_policy)p);
		flood(c, p * 40000, 40000);
		cache_info(c, clock_s(), &info);
		check(info.evicted > p * 20000);
		check(info.segment_bytes + info.external_bytes <= 4 << 20);
	}
	kit_cache_free(c);
}

static void test_a_lower_maxmemory_is_reached_in_one_round_of_ticks(void)
{
	struct cache *c = kit_cache(16 << 20, 0);
	struct cache_info info;

	flood(c, 0, 150000);
	cache_set_maxmemory(c, 5 << 20);
	for (unsigned i = 0; i < 64; i++)
		cache_tick(c, clock_s(), 16); /* 256 shards at the least, four rounds at the most */
	cache_info(c, clock_s(), &info);
	check(info.segment_bytes + info.external_bytes <= 5 << 20);
	check(info.entries > 10000);
	flood(c, 150000, 20000);
	cache_info(c, clock_s(), &info);
	check(info.segment_bytes + info.external_bytes <= 5 << 20);
	cache_set_maxmemory(c, 16 << 20);
	uint64_t before = info.entries;
	flood(c, 170000, 60000);
	cache_info(c, clock_s(), &info);
	check(info.entries > before + 55000);
	kit_cache_free(c);
}

static void test_a_flood_of_names_asked_for_once_does_not_wash_out_those_in_use(void)
{
	enum { HOT = 600, FLOOD = 200000 };
	struct cache *c = kit_cache(4 << 20, 0);
	struct pool_key p;
	unsigned left = 0;
	struct cache_info info;

	for (unsigned i = 0; i < FLOOD; i++) {
		pool_key(c, &p, HOT + i);
		pool_build(&kit_scratch, &p.key, POOL_RRSET, 100000, clock_s(), unit_random());
		check_eq_int(cache_store(c, &p.key, &kit_scratch), 0);
		pool_key(c, &p, (unsigned)unit_below(HOT)); /* each is asked for some 330 times */
		cache_read_begin();
		const struct entry *e = cache_lookup(c, &p.key, clock_s());
		if (e)
			entry_touch(e, (uint32_t)unit_random());
		cache_read_end();
		if (!e) {
			pool_build(&kit_scratch, &p.key, POOL_RRSET, 100000, clock_s(), unit_random());
			check_eq_int(cache_store(c, &p.key, &kit_scratch), 0);
		}
	}
	cache_info(c, clock_s(), &info);
	check(info.evicted > FLOOD / 2);
	for (unsigned i = 0; i < HOT; i++) {
		pool_key(c, &p, i);
		cache_read_begin();
		left += cache_find(c, &p.key) != NULL;
		cache_read_end();
	}
	check(left > HOT * 95 / 100);
	kit_cache_free(c);
}
