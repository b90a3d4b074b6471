/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks by Zipf's law: rank k (from 0) has weight 1 / (k + 1)^s. By rejection-inversion (Hörmann and Derflinger, 1996): exact for any
 * exponent and number of ranks, no tables, 1.1 draws a rank on average. */
#ifndef PITH_BENCH_ZIPF_H
#define PITH_BENCH_ZIPF_H

#include <stdint.h>

#include "base/random.h"

struct zipf_ranks {
	double s, n, area_first, area_all, accept;
};
/* n ≥ 1 ranks with exponent s > 0. */
void zipf_ranks_init(struct zipf_ranks *z, double s, uint64_t n);
/* A rank in 0 .. n-1. */
uint64_t zipf_ranks_draw(const struct zipf_ranks *z, struct prng *r);

#endif
