/* SPDX-License-Identifier: BSD-3-Clause */
/* What one worker counts of one server, so that an operator can see it, and what the forwarder decides by: the latest round-trip times.
 *
 * Thread: the worker writes, by relaxed plain stores (nothing locked, no shared line); any thread reads. */
#ifndef PITH_UPSTREAM_FIGURES_H
#define PITH_UPSTREAM_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "upstream/upstream.h"

enum { RTT_KEPT = 1024 }; /* samples after which all counts are halved: old ones fade */

struct figures {
	uint64_t sent, tcp, answered, timeouts, failures;
	uint64_t dead_until_ms;   /* 0: alive */
	uint32_t srtt_us, in_flight, streams;
	uint32_t rtt_n;           /* samples in rtt[]; the worker's own */
	uint32_t rtt[UPSTREAM_RTT_BUCKETS];
};

static inline void figure_add(uint64_t *at, uint64_t n)
{
	__atomic_store_n(at, *at + n, __ATOMIC_RELAXED);
}

/* A gauge: n may be -1. */
static inline void figure_move(uint32_t *at, int n)
{
	__atomic_store_n(at, *at + (uint32_t)n, __ATOMIC_RELAXED);
}

void figures_rtt(struct figures *f, uint64_t us);
/* The time that a share q of the latest answers needed; 0 while fewer than RTT_KEPT / 16 are known. */
uint32_t figures_percentile_us(const struct figures *f, double q);
/* Adds them to *sum. */
void figures_sum(const struct figures *f, uint64_t now_ms, struct upstream_server *sum);

#endif
