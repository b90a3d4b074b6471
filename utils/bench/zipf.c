/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the drawing of ranks. A point is drawn uniformly under the curve x^-s, whose area can be inverted in closed form, and rounded to
 * a rank; it is drawn again in the few cases where the rounding would favour that rank. */
#include "zipf.h"

#include <math.h>

/* The area under x^-s from 1 to x, and its inverse. At s = 1 the general form would divide by zero. */
static double area(const struct zipf_ranks *z, double x)
{
	return fabs(1 - z->s) < 1e-9 ? log(x) : expm1((1 - z->s) * log(x)) / (1 - z->s);
}

static double area_inverse(const struct zipf_ranks *z, double a)
{
	return fabs(1 - z->s) < 1e-9 ? exp(a) : exp(log1p(a * (1 - z->s)) / (1 - z->s));
}

void zipf_ranks_init(struct zipf_ranks *z, double s, uint64_t n)
{
	z->s = s;
	z->n = (double)n;
	z->area_first = area(z, 1.5) - 1; /* rank 0 stands for a bar of height 1 */
	z->area_all = area(z, z->n + 0.5);
	z->accept = 2 - area_inverse(z, area(z, 2.5) - pow(2, -s));
}

uint64_t zipf_ranks_draw(const struct zipf_ranks *z, struct prng *r)
{
	for (;;) {
		double u = (double)(prng_next(r) >> 11) * 0x1p-53;
		double a = z->area_all + u * (z->area_first - z->area_all), x = area_inverse(z, a), k = floor(x + 0.5);
		k = k < 1 ? 1 : k > z->n ? z->n : k;
		if (k - x <= z->accept || a >= area(z, k + 0.5) - pow(k, -z->s))
			return (uint64_t)k - 1;
	}
}
