/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the policies. The default, "value", keeps what promises the most hits per byte until the next rebuild.
 *
 * Everything is counted in turns, the time between two rebuilds under eviction (a twelfth of the shard's bytes goes in each). An
 * entry's rate is estimated as Bayes would: (hits + PRIOR) / (WAIT + turns seen), hits fading by one in FADE a turn and turns
 * saturating at FADE alike. Divided by its size, that is its value. An expired entry is worth a quarter, one that expires before
 * the next turn its share. What decided (utils/bench/hitratio on 150,000 names, hit ratio over the best of five
 * models at room for 5 % / 20 % of the names):
 *   hits per byte with new entries at 0 hits          Zipf 0.8  0.75 / 1.02   new names went before their second question
 *   a rate with little doubt (WAIT 1)                 Zipf 0.8  0.90 / 1.03, scan 0.89 / 0.94   new names were trusted too much
 *   WAIT 32, FADE 64                                  Zipf 0.8  0.96 / 1.09, scan 0.94 / 0.99
 *   and a ghost of 2 bytes with 12 bits + 4 of hits   Zipf 0.8  0.99 / 1.09, scan 0.96 / 1.01
 *   FADE 256 (64, 128: the scan costs 3.8 points at 5 %, 512: drift suffers)   Zipf 0.8  1.06 / 1.10, scan 1.02 / 1.04
 *   ghost: 5 bits + 3 of hits, 6 + 2, 7 + 1, 8 + 0: fingerprints win. Every thirty-second attacker's name taken for an old
 *     friend costs a point; how often a name was asked for is soon learnt again. Two cells of 8 bits an entry over one: 0.5 points under
 *     attack; but 2 bytes of 65 are dear where entries are small, so it is one and a half.
 *   WAIT 16 over 64: drift 0.99 over 0.97; FAST (popular ones fade faster, so that yesterday's do not stay for
 *     hundreds of turns): drift 0.98 over 0.97.
 *   PRIOR fixed at 0.03: drift at 20 % falls behind LRU; from how often newcomers are asked for again: 1.01, Zipf 1.0 1.03 over 1.01.
 * Dropped: half weight for size (−1 % at 20 %), keeping ghosts of popular names longer (drift −1.2 %), freeing 1/24 at a time (twice
 * the copying, no more hits), and a plain demotion of new entries. */
#include "cache/evict.h"

#include <string.h>

#define WAIT 16.0f
#define FADE 256.0f
#define PRIOR_SHARE 4.0f /* PRIOR is this many times the share of newcomers that are asked for again */
#define PRIOR_MIN 0.06f
#define PRIOR_MAX 2.0f
enum { FAST_FROM = 16, VALUE_BASE = (127 - 24) * 8 };

/* Hits that a counter stands for: a number with four bits of mantissa, as entry_touch counts. */
static float counted(uint8_t h)
{
	unsigned octave = h >> 4, rest = h & 15u;
	return (float)(16 * ((1u << octave) - 1) + (rest << octave));
}

/* Eighths of a doubling, read off the exponent and three bits of mantissa; 2^-24 is 0. */
static uint8_t log_value(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	int v = (int)(bits >> 20) - VALUE_BASE;
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static float prior(const struct worth *w)
{
	float p = PRIOR_SHARE * (w->returned + 0.1f) / (w->newcomers + 1);
	return p < PRIOR_MIN ? PRIOR_MIN : p > PRIOR_MAX ? PRIOR_MAX : p;
}

static float turns(uint32_t age_s, const struct worth *w)
{
	return (float)age_s / (w->turn_s > 0.125f ? w->turn_s : 0.125f);
}

/* The rate is returned as a fraction, so that the caller divides once. */
static float rate(const struct evict_item *i, const struct worth *w, float *over)
{
	float t = turns(i->age_s, w);
	*over = WAIT * (t + FADE) + t * FADE;
	return (counted(i->hits) + prior(w)) * (t + FADE);
}

static uint8_t value(const struct evict_item *i, const struct worth *w)
{
	float over, r = rate(i, w, &over);
	if (i->left_s <= 0)
		r *= 0.25f;
	else if ((float)i->left_s < w->turn_s)
		r *= (float)i->left_s / w->turn_s > 0.25f ? (float)i->left_s / w->turn_s : 0.26f;
	return log_value(r / (over * (float)i->size));
}

/* Without fractions: by chance, so that on average it is one. */
static uint8_t fade(uint8_t hits, uint8_t r)
{
	if (hits <= FAST_FROM)
		return (uint8_t)(hits - (r < hits));
	/* A sixteenth of what it stands for, in 256ths of a step. */
	unsigned octave = hits >> 4, steps = 256 - (256u >> octave) + 16 * (hits & 15u);
	unsigned less = (steps + r) >> 8;
	return hits > FAST_FROM + less ? (uint8_t)(hits - less) : FAST_FROM;
}

/* The same without regard for size and life. */
static uint8_t frequency(const struct evict_item *i, const struct worth *w)
{
	float over, r = rate(i, w, &over);
	return log_value(r / (over * 64));
}

/* A clock with up to three more chances: hits count as chances, one is lost a turn; among equals the longest there goes. */
static uint8_t recency(const struct evict_item *i, const struct worth *w)
{
	float t = turns(i->age_s, w);
	unsigned chances = i->hits > 3 ? 3 : i->hits;
	return (uint8_t)(chances * 64 + 63 - (t < 63 ? (unsigned)t : 63));
}

static uint8_t spend(uint8_t hits, uint8_t r)
{
	(void)r;
	return hits > 3 ? 2 : hits ? (uint8_t)(hits - 1) : 0;
}

static const struct evict evict_value = { "value", value, fade };
static const struct evict evict_lfu = { "lfu", frequency, fade };
static const struct evict evict_lru = { "lru", recency, spend };
const struct evict *const evicts[N_EVICTS] = { &evict_value, &evict_lfu, &evict_lru };

void worth_turn(struct worth *w, uint32_t now_s, uint32_t n, uint32_t never_again)
{
	float last = (float)(now_s - w->evicted_s);
	w->turn_s = !w->evicted_s ? 1 : w->turn_s + (last - w->turn_s) / 8;
	w->evicted_s = now_s;
	if (n > w->known) {
		uint32_t without = n - w->known;
		w->newcomers += (float)without - w->newcomers / 16;
		w->returned += (float)(without > never_again ? without - never_again : 0) - w->returned / 16;
	}
	w->known = 0;
}
