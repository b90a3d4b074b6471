/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the traces: which name is asked when, and how long its answer lives.
 *
 * Zipf by rejection-inversion (Hörmann and Derflinger 1996): exact for any exponent over any number of names, without tables. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "hitratio.h"

const struct trace_kind trace_kinds[] = {
	{ "zipf-0.8", 0.8, 5000, 0, LIVES_LONG, ATTACK_NONE, NULL },
	{ "zipf-0.9", 0.9, 5000, 0, LIVES_LONG, ATTACK_NONE, NULL },
	{ "zipf-1.0", 1.0, 5000, 0, LIVES_LONG, ATTACK_NONE, NULL },
	{ "zipf-1.1", 1.1, 5000, 0, LIVES_LONG, ATTACK_NONE, NULL },
	{ "scan-nx", 1.0, 5000, 0, LIVES_LONG, ATTACK_DENIED, "zipf-1.0" },
	{ "scan-wild", 1.0, 5000, 0, LIVES_LONG, ATTACK_ANSWERED, "zipf-1.0" },
	{ "drift-slow", 1.0, 5000, 1, LIVES_LONG, ATTACK_NONE, NULL },
	{ "drift-fast", 1.0, 5000, 8, LIVES_LONG, ATTACK_NONE, NULL },
	{ "ttl-busy", 1.0, 5000, 0, LIVES_MIXED, ATTACK_NONE, NULL },
	{ "ttl-calm", 0.9, 500, 0, LIVES_MIXED, ATTACK_NONE, NULL },
	{ "ttl-scan", 1.0, 2000, 0, LIVES_MIXED, ATTACK_DENIED, "ttl-quiet" },
	{ "ttl-quiet", 1.0, 2000, 0, LIVES_MIXED, ATTACK_NONE, NULL },
};
const size_t trace_n_kinds = sizeof trace_kinds / sizeof trace_kinds[0];

/* ---- Zipf ---- */

struct zipf {
	double s, n, h_first, h_last, accept;
};

/* expm1(x)/x and log1p(x)/x, steady at 0. */
static double expm1_x(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}
static double log1p_x(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}
static double h_integral(const struct zipf *z, double x)
{
	double l = log(x);
	return expm1_x((1 - z->s) * l) * l;
}
static double h(const struct zipf *z, double x)
{
	return exp(-z->s * log(x));
}
static double h_inverse(const struct zipf *z, double x)
{
	double t = x * (1 - z->s);
	return exp(log1p_x(t < -1 ? -1 : t) * x);
}

static void zipf_init(struct zipf *z, double s, uint64_t n)
{
	z->s = s;
	z->n = (double)n;
	z->h_first = h_integral(z, 1.5) - 1;
	z->h_last = h_integral(z, z->n + 0.5);
	z->accept = 2 - h_inverse(z, h_integral(z, 2.5) - h(z, 2));
}

static double unit(struct prng *r)
{
	return (double)(prng_next(r) >> 11) * 0x1p-53;
}

/* A rank from 0 on. */
static uint64_t zipf_draw(const struct zipf *z, struct prng *r)
{
	for (;;) {
		double u = z->h_last + unit(r) * (z->h_first - z->h_last), x = h_inverse(z, u), k = floor(x + 0.5);
		k = k < 1 ? 1 : k > z->n ? z->n : k;
		if (k - x <= z->accept || u >= h_integral(z, k + 0.5) - h(z, k))
			return (uint64_t)k - 1;
	}
}

/* ---- lives ---- */

static const uint32_t lives_s[] = { 20, 30, 60, 120, 300, 600, 1800, 3600, 14400, 43200, 86400 };
enum { N_LIVES = sizeof lives_s / sizeof lives_s[0], LIVES_UNIFORM = 128 };

/* Shares in per cent of each life, for the hundred thousandth most popular, the hundredth, and the rest: load balancers and content
 * networks at the top, zones that nobody has touched for years at the end. */
static const uint8_t shares[3][N_LIVES] = {
	{ 14, 16, 22, 10, 22, 5, 3, 6, 1, 0, 1 },
	{ 6, 7, 16, 6, 27, 9, 5, 17, 4, 1, 2 },
	{ 2, 3, 8, 3, 20, 8, 6, 28, 10, 3, 9 },
};

static uint8_t draw_life(const struct trace_kind *k, uint64_t id, uint64_t n_names, struct prng *r)
{
	uint64_t p = prng_next(r);
	if (k->lives == LIVES_LONG)
		return (uint8_t)(LIVES_UNIFORM | (p >> 57));
	const uint8_t *s = shares[id < n_names / 1000 ? 0 : id < n_names / 20 ? 1 : 2];
	int at = 0, left = (int)(p % 100);
	while (left >= s[at])
		left -= s[at++];
	return (uint8_t)at;
}

uint32_t trace_ttl_s(const struct trace *t, uint32_t id)
{
	if (id >= t->n_names && t->kind->attack == ATTACK_DENIED)
		return 900;
	uint8_t c = t->ttl_class[id];
	return c & LIVES_UNIFORM ? 60 + (uint32_t)(c & 127) * 680 : lives_s[c];
}

/* ---- the trace ---- */

static void swap(uint32_t *v, uint64_t a, uint64_t b)
{
	uint32_t x = v[a];
	v[a] = v[b];
	v[b] = x;
}

/* Draws all questions. The normal clients' are the same with and without an attack. */
static void draw(struct trace *t, uint32_t *names)
{
	struct zipf z;
	struct prng ranks, drift, attack;
	uint32_t next_attack = (uint32_t)t->n_names;
	prng_seed(&ranks, t->seed);
	prng_seed(&drift, t->seed + 1);
	prng_seed(&attack, t->seed + 2);
	zipf_init(&z, t->kind->skew, t->n_names);
	/* A swap gives two names another popularity. */
	double swaps = t->kind->drift * (double)t->n_names / 2 / (double)t->n, due = 0;
	for (uint64_t i = 0; i < t->n; i++) {
		if (t->kind->attack && prng_next(&attack) % 10 < 3) {
			t->ids[i] = next_attack++;
			continue;
		}
		for (due += swaps; due >= 1; due--)
			swap(names, prng_next(&drift) % t->n_names, prng_next(&drift) % t->n_names);
		t->ids[i] = names[zipf_draw(&z, &ranks)];
	}
	t->n_ids = next_attack;
}

bool trace_make(struct trace *t, const struct trace_kind *k, uint64_t n_names, uint64_t n, uint64_t seed)
{
	*t = (struct trace){ .kind = k, .n_names = n_names, .seed = seed };
	t->n = k->attack ? n * 10 / 7 : n;
	t->warm = t->n / 2;
	t->step_s = 1 / (k->attack ? k->per_s * 10 / 7 : k->per_s);
	t->ids = malloc(t->n * sizeof *t->ids);
	uint32_t *names = malloc(n_names * sizeof *names);
	if (!t->ids || !names) {
		free(names);
		return false;
	}
	for (uint64_t i = 0; i < n_names; i++)
		names[i] = (uint32_t)i;
	draw(t, names);
	free(names);
	t->ttl_class = malloc(t->n_ids);
	t->cost = malloc(t->n_ids * sizeof *t->cost);
	if (!t->ttl_class || !t->cost)
		return false;
	struct prng r;
	prng_seed(&r, seed + 3);
	for (uint64_t i = 0; i < t->n_ids; i++)
		t->ttl_class[i] = draw_life(k, i, n_names, &r);
	if (!pith_costs(t))
		return false;
	double sum = 0;
	for (uint64_t i = 0; i < n_names; i++)
		sum += t->cost[i];
	t->mean_cost = sum / (double)n_names;
	return true;
}

void trace_free(struct trace *t)
{
	free(t->ids);
	free(t->cost);
	free(t->ttl_class);
}
