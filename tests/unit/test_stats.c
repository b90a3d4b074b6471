/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters, gauges and histograms: sums over threads, resets, percentiles against sorted samples. */
#include "stats/stats.h"

#include <pthread.h>

#include "base/alloc.h"
#include "unit.h"

static void test_a_counter_is_the_sum_over_all_threads(void)
{
	struct stats *s = stats_new(3);
	check_eq_int(stats_threads(s), 3);
	for (unsigned i = 0; i < 3; i++)
		stat_add(stats_of(s, i), STAT_HITS, 10 + i);
	stat_inc(stats_of(s, 2), STAT_HITS);
	check_eq_int(stats_sum(s, STAT_HITS), 34);
	check_eq_int(stats_sum(s, STAT_MISSES), 0);
	stats_free(s);
}

static void test_one_thread_may_take_from_a_gauge_what_another_added_and_it_never_shows_below_zero(void)
{
	struct stats *s = stats_new(2);
	stat_add(stats_of(s, 0), STAT_FLIGHTS, 5);
	stat_add(stats_of(s, 1), STAT_FLIGHTS, -3);
	check_eq_int(stats_sum(s, STAT_FLIGHTS), 2);
	stat_add(stats_of(s, 1), STAT_FLIGHTS, -3);
	check_eq_int(stats_sum(s, STAT_FLIGHTS), 0);
	stats_free(s);
}

static void test_a_reset_starts_counters_and_histograms_anew_and_leaves_gauges(void)
{
	struct stats *s = stats_new(1);
	struct stats_thread *t = stats_of(s, 0);
	uint64_t sum;
	stat_add(t, STAT_HITS, 7);
	stat_add(t, STAT_TCP_OPEN, 4);
	stat_time(t, HIST_MISS, 100);
	stats_reset(s);
	check_eq_int(stats_sum(s, STAT_HITS), 0);
	check_eq_int(stats_sum(s, STAT_TCP_OPEN), 4);
	check_eq_int(stats_samples(s, HIST_MISS, &sum), 0);
	check_eq_int(sum, 0);
	check(stats_percentile(s, HIST_MISS, 0.5) == 0);
	stat_inc(t, STAT_HITS);
	stat_time(t, HIST_MISS, 3);
	check_eq_int(stats_sum(s, STAT_HITS), 1);
	check_eq_int(stats_samples(s, HIST_MISS, &sum), 1);
	check_eq_int(sum, 3);
	stats_free(s);
}

static void test_each_value_lies_within_an_eighth_of_what_its_bucket_says(void)
{
	struct stats *s = stats_new(1);
	for (int i = 0; i < 2000; i++) {
		uint64_t us = unit_random() >> (37 + unit_below(27)); /* up to 2^27, all sizes alike */
		stats_reset(s);
		stat_time(stats_of(s, 0), HIST_COMMAND, us);
		double low = stats_percentile(s, HIST_COMMAND, 0), high = stats_percentile(s, HIST_COMMAND, 1);
		check(low <= (double)us && (double)us < high);
		check(high - low <= 1 || high - low <= low / 8);
	}
	stats_free(s);
}

static void test_a_duration_over_the_last_bucket_is_counted_there(void)
{
	struct stats *s = stats_new(1);
	uint64_t sum;
	stat_time(stats_of(s, 0), HIST_UPSTREAM, UINT64_MAX / 2);
	check_eq_int(stats_samples(s, HIST_UPSTREAM, &sum), 1);
	check(stats_percentile(s, HIST_UPSTREAM, 0) == 251658240.0);
	check(stats_percentile(s, HIST_UPSTREAM, 1) == 268435456.0);
	stats_free(s);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void test_percentiles_follow_the_sorted_samples(void)
{
	enum { N = 5000 };
	static uint64_t samples[N];
	struct stats *s = stats_new(2);
	for (int i = 0; i < N; i++) {
		samples[i] = 20 + (unit_random() >> (44 + unit_below(16)));
		stat_time(stats_of(s, (unsigned)i % 2), HIST_MISS, samples[i]);
	}
	qsort(samples, N, sizeof *samples, by_value);
	static const double qs[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999 };
	for (size_t i = 0; i < sizeof qs / sizeof *qs; i++) {
		double got = stats_percentile(s, HIST_MISS, qs[i]), want = (double)samples[(size_t)(qs[i] * N)];
		/* One bucket's width, on either side. */
		check(got >= want * 0.87 - 1 && got <= want * 1.13 + 1);
	}
	check(stats_percentile(s, HIST_MISS, -1) <= (double)samples[0]);
	check(stats_percentile(s, HIST_MISS, 2) >= (double)samples[N - 1]);
	stats_free(s);
}

static void test_samples_of_one_bucket_count_as_evenly_spread(void)
{
	struct stats *s = stats_new(1);
	for (int i = 0; i < 100; i++)
		stat_time(stats_of(s, 0), HIST_MISS, 1024); /* bucket 1024 … 1151 */
	check(stats_percentile(s, HIST_MISS, 0.5) == 1024 + 64);
	check(stats_percentile(s, HIST_MISS, 0.25) == 1024 + 32);
	stats_free(s);
}

static void test_blocks_share_no_cache_line(void)
{
	struct stats *s = stats_new(4);
	for (unsigned i = 0; i < 4; i++)
		check_eq_int((uintptr_t)stats_of(s, i) % 64, 0);
	check((char *)stats_of(s, 1) - (char *)stats_of(s, 0) >= (ptrdiff_t)sizeof(struct stats_thread));
	stats_free(s);
	stats_free(NULL);
}

static void test_no_memory_gives_no_stats(void)
{
	alloc_fail_after(1);
	struct stats *s = stats_new(2);
	alloc_fail_after(0);
	check(!s);
}

static void test_every_row_has_its_words_and_no_two_the_same_name(void)
{
	for (unsigned a = 0; a < STAT_COUNT; a++) {
		check(*counter_name(a) && *counter_section(a) && *counter_help(a));
		for (unsigned b = 0; b < a; b++)
			check(strcmp(counter_name(a), counter_name(b)) != 0);
	}
	for (unsigned h = 0; h < HIST_COUNT; h++)
		check(*histogram_name(h) && *histogram_help(h));
	check_eq_str(counter_name(STAT_HITS), "cache_hits");
	check_eq_int(counter_kind(STAT_HITS), STAT_KIND_COUNTER);
	check_eq_int(counter_kind(STAT_FLIGHTS), STAT_KIND_GAUGE);
}

enum { ROUNDS = 100000 };

static void *write_block(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		stat_inc(arg, STAT_HITS);
		stat_time(arg, HIST_MISS, (uint64_t)i);
	}
	return NULL;
}

static void test_a_reader_beside_two_writers_sees_figures_that_only_grow(void)
{
	struct stats *s = stats_new(2);
	pthread_t id[2];
	int64_t before = 0;
	for (unsigned i = 0; i < 2; i++)
		check(pthread_create(&id[i], NULL, write_block, stats_of(s, i)) == 0);
	for (int i = 0; i < 200; i++) {
		int64_t now = stats_sum(s, STAT_HITS);
		check(now >= before);
		before = now;
		stats_percentile(s, HIST_MISS, 0.99);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	check_eq_int(stats_sum(s, STAT_HITS), 2 * ROUNDS);
	check_eq_int(stats_samples(s, HIST_MISS, NULL), 2 * ROUNDS);
	stats_free(s);
}
