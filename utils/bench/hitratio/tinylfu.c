/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference model W-TinyLFU (Einziger, Friedman and Manes, 2017): a window of a hundredth under LRU, behind it a segmented LRU
 * (four fifths protected); who leaves the window is let in if a count-min sketch has seen it more often than the one it drives out. */
#include <stdlib.h>

#include "hitratio.h"

enum { WINDOW = 1, PROBATION = 2, PROTECTED = 3, ROWS = 4, COUNT_MAX = 15, SAMPLE = 10 };

struct tinylfu {
	struct ref r;
	struct list window, probation, protected;
	uint8_t *sketch; /* ROWS × width */
	uint64_t width, seen, reset_at;
};

static void *begin(const struct trace *t, uint64_t budget)
{
	struct tinylfu *m = calloc(1, sizeof *m);
	uint64_t expect = (uint64_t)((double)budget / t->mean_cost) + 1;
	for (m->width = 64; m->width < expect;)
		m->width *= 2;
	m->reset_at = SAMPLE * expect;
	m->sketch = calloc(ROWS, m->width);
	return ref_begin(&m->r, t, budget) && m->sketch ? m : NULL;
}

static void end(void *v)
{
	struct tinylfu *m = v;
	free(m->sketch);
	free(m->r.nodes);
	free(m);
}

static uint8_t *cell(struct tinylfu *m, int row, uint32_t id)
{
	uint64_t h = (id + 1 + ((uint64_t)row << 32)) * 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
	return m->sketch + (uint64_t)row * m->width + (h >> 32 & (m->width - 1));
}

static unsigned estimate(struct tinylfu *m, uint32_t id)
{
	unsigned least = COUNT_MAX;
	for (int i = 0; i < ROWS; i++)
		least = *cell(m, i, id) < least ? *cell(m, i, id) : least;
	return least;
}

static void count(struct tinylfu *m, uint32_t id)
{
	unsigned least = estimate(m, id);
	for (int i = 0; i < ROWS && least < COUNT_MAX; i++)
		*cell(m, i, id) += *cell(m, i, id) == least;
	if (++m->seen < m->reset_at)
		return;
	m->seen /= 2;
	for (uint64_t i = 0; i < ROWS * m->width; i++)
		m->sketch[i] /= 2;
}

static void touch(struct tinylfu *m, uint32_t id)
{
	struct ref *r = &m->r;
	if (r->nodes[id].list == WINDOW) {
		list_drop(r, &m->window, id);
		list_push(r, &m->window, WINDOW, id);
		return;
	}
	list_drop(r, r->nodes[id].list == PROBATION ? &m->probation : &m->protected, id);
	list_push(r, &m->protected, PROTECTED, id);
	while (m->protected.bytes > r->budget * 99 / 100 * 4 / 5) {
		uint32_t old = m->protected.tail;
		list_drop(r, &m->protected, old);
		list_push(r, &m->probation, PROBATION, old);
	}
}

/* The one that leaves the window asks to be let in. */
static void admit(struct tinylfu *m, uint32_t id)
{
	struct ref *r = &m->r;
	unsigned mine = estimate(m, id);
	while (m->probation.n + m->protected.n && m->probation.bytes + m->protected.bytes + r->t->cost[id] > r->budget * 99 / 100) {
		struct list *l = m->probation.n ? &m->probation : &m->protected;
		if (mine <= estimate(m, l->tail))
			return;
		list_drop(r, l, l->tail);
	}
	list_push(r, &m->probation, PROBATION, id);
}

static bool ask(void *v, uint32_t id, uint32_t now_s)
{
	struct tinylfu *m = v;
	bool hit = node_renew(&m->r, id, now_s);
	count(m, id);
	if (m->r.nodes[id].list) {
		touch(m, id);
		return hit;
	}
	list_push(&m->r, &m->window, WINDOW, id);
	while (m->window.n > 1 && m->window.bytes > m->r.budget / 100) {
		uint32_t old = m->window.tail;
		list_drop(&m->r, &m->window, old);
		admit(m, old);
	}
	return false;
}

const struct model model_tinylfu = { "W-TinyLFU", begin, ask, end };
