/* SPDX-License-Identifier: BSD-3-Clause */
/* What the eviction policy values, and what comes of it in a cache under a flood. */
#include "cache/evict.h"

#include "cache_pool.h"

static struct evict_item some(void)
{
	return (struct evict_item){ .size = 30 + (uint32_t)unit_below(unit_below(2) ? 300 : 60000), .left_s = 1 + (int64_t)unit_below(86400),
				    .age_s = (uint32_t)unit_below(86400), .hits = (uint8_t)unit_random(), .fresh = unit_below(2) };
}

static void test_more_hits_a_smaller_size_and_a_life_left_are_worth_more(void)
{
	for (int n = 0; n < 100000; n++) {
		struct evict_item a = some(), b = a;
		b.hits = (uint8_t)(a.hits + unit_below(256u - a.hits));
		check(evict_value.value(&b) >= evict_value.value(&a));
		b = a;
		b.size = a.size + (uint32_t)unit_below(60000);
		check(evict_value.value(&b) <= evict_value.value(&a));
		b = a;
		b.left_s = -(int64_t)unit_below(86400);
		check(evict_value.value(&b) < evict_value.value(&a));
		b = a;
		b.fresh = true;
		check(evict_value.value(&b) >= evict_value.value(&a));
	}
}

static void test_a_hit_a_doubling_and_a_tenth_of_the_size_each_make_a_difference(void)
{
	struct evict_item a = { .size = 100, .left_s = 300, .age_s = 10, .hits = 0 }, b = a;

	b.hits = 1;
	check(evict_value.value(&b) > evict_value.value(&a));
	a.hits = 100, b.hits = 116;
	check(evict_value.value(&b) > evict_value.value(&a));
	a = b;
	a.size = 1000;
	check(evict_value.value(&b) > evict_value.value(&a));
}

static void test_popularity_fades_and_keeps_its_order(void)
{
	for (unsigned round = 0; round < 64; round++)
		for (unsigned h = 0; h < 256; h++) {
			check(evict_value.age((uint8_t)h, round) <= h);
			check(h == 0 || evict_value.age((uint8_t)h, round) >= evict_value.age((uint8_t)(h - 1), round) || h == 33);
		}
	uint8_t h = 255;
	for (unsigned round = 1; round < 2000; round++)
		h = evict_value.age(h, round);
	check_eq_int(h, 0);
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
