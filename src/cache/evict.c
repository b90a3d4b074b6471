/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the policy "value": expected hits per byte of what is left of the entry's life.
 *
 * Popularity is a logarithmic counter (16 steps a doubling beyond 16), so hits per byte is a difference of logarithms. An
 * expired entry is worth a quarter of what it would be alive. Counters are halved every AGE_ROUNDS rebuilds, so that what was popular
 * yesterday makes room. */
#include "cache/evict.h"

enum { AGE_ROUNDS = 6 };

/* 4 × log2(n), rounded down; 0 for 0. */
static int log2_quarters(uint32_t n)
{
	if (n < 2)
		return 0;
	int top = 31 - __builtin_clz(n);
	uint32_t frac = top >= 2 ? n >> (top - 2) & 3 : n << (2 - top) & 3;
	return top * 4 + (int)frac;
}

static uint8_t value(const struct evict_item *i)
{
	/* hits in quarters of a doubling: linear up to 16, then 16 counter steps a doubling */
	int hits = i->hits <= 16 ? log2_quarters((uint32_t)i->hits * 2 + 1) : 20 + (i->hits - 16) / 4;
	/* 64 bytes is 24; a TXT set of 512 is 36. Half weight: a large answer costs more to fetch again, too. */
	int size = log2_quarters(i->size) / 2;
	int v = 64 + hits * 2 - size;
	if (i->left_s <= 0)
		v /= 4;
	else if (i->left_s < 30)
		v -= 8;
	if (i->fresh)
		v += 2;
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static uint8_t age(uint8_t hits, uint32_t round)
{
	if (round % AGE_ROUNDS)
		return hits;
	return hits > 32 ? (uint8_t)(hits - 16) : hits / 2;
}

const struct evict evict_value = { "value", value, age };
