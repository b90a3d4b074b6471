/* SPDX-License-Identifier: BSD-3-Clause */
/* The rings between those who serve and the one who watches. */
#include <pthread.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "unit.h"

static struct feed_event event(uint32_t n)
{
	struct feed_event e = { .kind = FEED_NEW, .took_us = n, .name_len = 3 };

	memcpy(e.name, "\1x", 3);
	return e;
}

static void test_a_feed_that_is_off_wants_and_holds_nothing(void)
{
	struct feed f = { 0 };
	struct feed_event e = event(1);

	for (unsigned k = 0; k < FEED_KINDS; k++)
		check(!feed_wants(&f, k));
	check(!feed_tell(&f, 0, &e));
	check(!feed_take(&f, &e));
	check_eq_int(feed_dropped(&f), 0);
	feed_free(&f);
}

static void test_only_the_kinds_asked_for_are_wanted(void)
{
	struct feed f = { 0 };

	check_eq_int(feed_want(&f, 1u << FEED_DEL | 1u << FEED_MISS, 4), 0);
	for (unsigned k = 0; k < FEED_KINDS; k++)
		check_eq_int(feed_wants(&f, k), k == FEED_DEL || k == FEED_MISS);
	check_eq_int(feed_want(&f, 0, 4), 0);
	check(!feed_wants(&f, FEED_DEL));
	feed_free(&f);
}

static void test_a_full_lane_drops_and_counts_and_keeps_the_order(void)
{
	struct feed f = { 0 };
	struct feed_event e;

	check_eq_int(feed_want(&f, 1, 4), 0);
	for (unsigned round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < 6; i++) {
			e = event(i);
			check_eq_int(feed_tell(&f, 3, &e), i < 4);
		}
		check_eq_int(feed_dropped(&f), (round + 1) * 2);
		for (uint32_t i = 0; i < 4; i++) {
			check(feed_take(&f, &e));
			check_eq_int(e.took_us, i);
			check_eq_int(e.name_len, 3);
			check_eq_mem(e.name, 3, "\1x", 3);
		}
		check(!feed_take(&f, &e));
	}
	feed_free(&f);
}

static void test_every_lane_is_taken_from(void)
{
	struct feed f = { 0 };
	struct feed_event e;
	unsigned seen = 0;

	check_eq_int(feed_want(&f, 1, 4), 0);
	for (uint32_t i = 0; i < FEED_LANES; i++) {
		e = event(i);
		check(feed_tell(&f, i, &e));
	}
	while (feed_take(&f, &e))
		seen |= 1u << e.took_us;
	check_eq_int(seen, (1u << FEED_LANES) - 1);
	feed_free(&f);
}

enum { TELLERS = 3, EVENTS = 20000 };

struct teller {
	struct feed *f;
	uint32_t n;
	uint64_t told;
};

static void *tell_all(void *arg)
{
	struct teller *t = arg;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct feed_event e = event(i);

		e.type = (uint16_t)t->n;
		t->told += feed_tell(t->f, 0, &e); /* all in one lane: they meet */
	}
	return NULL;
}

static void test_tellers_that_meet_lose_nothing_but_what_is_counted(void)
{
	struct feed f = { 0 };
	struct feed_event e;
	struct teller t[TELLERS];
	pthread_t id[TELLERS];
	uint64_t taken = 0, told = 0;
	int64_t last[TELLERS] = { -1, -1, -1 };

	check_eq_int(feed_want(&f, 1, 64), 0);
	for (unsigned i = 0; i < TELLERS; i++) {
		t[i] = (struct teller){ .f = &f, .n = i };
		check_eq_int(pthread_create(&id[i], NULL, tell_all, &t[i]), 0);
	}
	for (unsigned idle = 0; taken + feed_dropped(&f) < (uint64_t)TELLERS * EVENTS && idle < 1000000000; idle++)
		while (feed_take(&f, &e)) {
			check(e.type < TELLERS && (int64_t)e.took_us > last[e.type]);
			last[e.type] = e.took_us;
			taken++;
			idle = 0;
		}
	for (unsigned i = 0; i < TELLERS; i++) {
		pthread_join(id[i], NULL);
		told += t[i].told;
	}
	check_eq_int(taken, told);
	check_eq_int(taken + feed_dropped(&f), TELLERS * EVENTS);
	feed_free(&f);
}
