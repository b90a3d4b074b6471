/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the stats room: counters, gauges and latency histograms, one block per thread.
 *
 * Each thread writes its own block with relaxed plain stores (no locked instruction, no shared line); a reader sums the
 * blocks. A counter is a row in counters.def: INFO, the metrics page and the tests follow from the row. A gauge may
 * go down; it is a signed sum over threads, so one thread may add what another takes away, and is never shown below 0.
 * Thread: the owner for writes, any for reads. */
#ifndef PITH_STATS_STATS_H
#define PITH_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/feed.h"

enum counter {
#define COUNTER(id, name, section, kind, help) STAT_##id,
#include "stats/counters.def"
#undef COUNTER
	STAT_COUNT
};
enum counter_kind { STAT_KIND_COUNTER, STAT_KIND_GAUGE };

/* Log-linear buckets, 8 per doubling: each value within 12.5 %. Below 8 µs one a µs; the last takes all from 252 s on. */
enum { HISTOGRAM_BUCKETS = 26 * 8 };
enum histogram {
#define HISTOGRAM(id, name, help) HIST_##id,
#include "stats/histograms.def"
#undef HISTOGRAM
	HIST_COUNT
};

struct stats_thread {
	int64_t counters[STAT_COUNT];
	uint64_t histograms[HIST_COUNT][HISTOGRAM_BUCKETS];
	uint64_t histogram_sum_us[HIST_COUNT];
} __attribute__((aligned(64)));

struct stats; /* all blocks of a server */

/* n_threads blocks, zero. NULL: no memory. */
struct stats *stats_new(unsigned n_threads);
void stats_free(struct stats *s);
/* The block of that thread, from 0; thread < stats_threads. */
struct stats_thread *stats_of(struct stats *s, unsigned thread);
unsigned stats_threads(const struct stats *s);

static inline void stat_add(struct stats_thread *t, enum counter c, int64_t n)
{
	__atomic_store_n(&t->counters[c], __atomic_load_n(&t->counters[c], __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}
static inline void stat_inc(struct stats_thread *t, enum counter c)
{
	stat_add(t, c, 1);
}
/* Adds a duration in microseconds to a histogram. */
void stat_time(struct stats_thread *t, enum histogram h, uint64_t us);

/* Sum over all threads since the start or the last stats_reset; a gauge never below 0. */
int64_t stats_sum(const struct stats *s, enum counter c);
/* Value in µs below which a share of q (0 … 1) of the samples lie, taking those of one bucket as evenly spread over it; 0
 * without samples. */
double stats_percentile(const struct stats *s, enum histogram h, double q);
/* How many samples, and in *sum_us (may be NULL) their sum. */
uint64_t stats_samples(const struct stats *s, enum histogram h, uint64_t *sum_us);
/* CONFIG RESETSTAT: counters and histograms count from now on (gauges stay). Thread: admin. */
void stats_reset(struct stats *s);

const char *counter_name(enum counter c);
const char *counter_section(enum counter c);
const char *counter_help(enum counter c);
enum counter_kind counter_kind(enum counter c);
const char *histogram_name(enum histogram h);
const char *histogram_help(enum histogram h);

#endif
