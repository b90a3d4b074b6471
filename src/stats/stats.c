/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the blocks of counters and their sums.
 *
 * Resetting touches no block, as each has one writer: it notes the present sums, and readers subtract them. So a
 * reader may see a reset half done and figures that are a moment apart, and never one that is torn or negative. */
#include "stats/stats.h"

#include "base/alloc.h"
#include "base/must.h"

enum { LINE = 64 };

struct stats {
	unsigned n_threads;
	void *raw;                    /* what blocks lies in */
	struct stats_thread *blocks;  /* aligned to a cache line: no two threads share one */
	struct stats_thread baseline; /* sums at the last reset; the admin thread writes it */
};

_Static_assert(sizeof(struct stats_thread) % LINE == 0, "blocks must not share a cache line");

struct stats *stats_new(unsigned n_threads)
{
	/* By hand: the struct's own alignment is more than an allocator promises. */
	size_t blocks = (size_t)n_threads * sizeof(struct stats_thread);
	void *raw = mem_calloc(1, sizeof(struct stats) + blocks + LINE);
	if (!raw)
		return NULL;
	uintptr_t at = ((uintptr_t)raw + LINE - 1) / LINE * LINE;
	struct stats *s = (struct stats *)at;
	s->raw = raw;
	s->n_threads = n_threads;
	s->blocks = (struct stats_thread *)(at + sizeof *s);
	return s;
}

void stats_free(struct stats *s)
{
	if (s)
		mem_free(s->raw);
}

struct stats_thread *stats_of(struct stats *s, unsigned thread)
{
	must(thread < s->n_threads);
	return &s->blocks[thread];
}

unsigned stats_threads(const struct stats *s)
{
	return s->n_threads;
}

/* ---- counters ---- */

static int64_t counter_total(const struct stats *s, enum counter c)
{
	int64_t sum = 0;
	for (unsigned i = 0; i < s->n_threads; i++)
		sum += __atomic_load_n(&s->blocks[i].counters[c], __ATOMIC_RELAXED);
	return sum;
}

int64_t stats_sum(const struct stats *s, enum counter c)
{
	int64_t sum = counter_total(s, c);
	if (counter_kind(c) == STAT_KIND_COUNTER)
		sum -= __atomic_load_n(&s->baseline.counters[c], __ATOMIC_RELAXED);
	return sum > 0 ? sum : 0;
}

/* ---- histograms ---- */

/* 0 … 7 are the microseconds themselves; from 8 on, the exponent and the three bits below the highest. */
static unsigned bucket_of(uint64_t us)
{
	if (us < 8)
		return (unsigned)us;
	unsigned exponent = 63u - (unsigned)__builtin_clzll(us);
	unsigned bucket = (exponent - 2) * 8 + (unsigned)(us >> (exponent - 3) & 7);
	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* Least value of the bucket. */
static double bucket_floor(unsigned bucket)
{
	if (bucket < 8)
		return bucket;
	return (double)((uint64_t)(8 + bucket % 8) << (bucket / 8 - 1));
}

static void slot_add(uint64_t *slot, uint64_t n)
{
	__atomic_store_n(slot, __atomic_load_n(slot, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

void stat_time(struct stats_thread *t, enum histogram h, uint64_t us)
{
	slot_add(&t->histograms[h][bucket_of(us)], 1);
	slot_add(&t->histogram_sum_us[h], us);
}

static uint64_t bucket_total(const struct stats *s, enum histogram h, unsigned bucket)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < s->n_threads; i++)
		sum += __atomic_load_n(&s->blocks[i].histograms[h][bucket], __ATOMIC_RELAXED);
	return sum;
}

static uint64_t us_total(const struct stats *s, enum histogram h)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < s->n_threads; i++)
		sum += __atomic_load_n(&s->blocks[i].histogram_sum_us[h], __ATOMIC_RELAXED);
	return sum;
}

/* Since the reset: every bucket into out; returns their sum. */
static uint64_t histogram_read(const struct stats *s, enum histogram h, uint64_t out[HISTOGRAM_BUCKETS])
{
	uint64_t n = 0;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		out[b] = bucket_total(s, h, b) - __atomic_load_n(&s->baseline.histograms[h][b], __ATOMIC_RELAXED);
		n += out[b];
	}
	return n;
}

double stats_percentile(const struct stats *s, enum histogram h, double q)
{
	uint64_t buckets[HISTOGRAM_BUCKETS];
	uint64_t n = histogram_read(s, h, buckets);
	double left = (q < 0 ? 0 : q > 1 ? 1 : q) * (double)n;
	unsigned last = 0;
	if (n == 0)
		return 0;
	for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
		if (buckets[b] == 0)
			continue;
		double from = bucket_floor(b), to = bucket_floor(b + 1);
		if (left <= (double)buckets[b])
			return from + (to - from) * left / (double)buckets[b];
		left -= (double)buckets[b];
		last = b;
	}
	return bucket_floor(last + 1); /* rounding left a crumb */
}

uint64_t stats_samples(const struct stats *s, enum histogram h, uint64_t *sum_us)
{
	uint64_t buckets[HISTOGRAM_BUCKETS];
	if (sum_us)
		*sum_us = us_total(s, h) - __atomic_load_n(&s->baseline.histogram_sum_us[h], __ATOMIC_RELAXED);
	return histogram_read(s, h, buckets);
}

void stats_reset(struct stats *s)
{
	for (unsigned c = 0; c < STAT_COUNT; c++)
		__atomic_store_n(&s->baseline.counters[c], counter_total(s, c), __ATOMIC_RELAXED);
	for (unsigned h = 0; h < HIST_COUNT; h++) {
		for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
			__atomic_store_n(&s->baseline.histograms[h][b], bucket_total(s, h, b), __ATOMIC_RELAXED);
		__atomic_store_n(&s->baseline.histogram_sum_us[h], us_total(s, h), __ATOMIC_RELAXED);
	}
}
