/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference model S3-FIFO (Yang et al., SOSP 2023): a small queue of a tenth, a main queue with two bits of frequency, and
 * a ghost queue as long as the main one. The ghost is a number: when the name left the small queue. */
#include <stdlib.h>

#include "hitratio.h"

enum { SMALL = 1, MAIN = 2, FREQ_MAX = 3 };

struct s3fifo {
	struct ref r;
	struct list small, main;
	uint32_t *ghost;  /* [n_ids] turn at which it left, 0: never */
	uint32_t turn;
};

static void *begin(const struct trace *t, uint64_t budget)
{
	struct s3fifo *m = calloc(1, sizeof *m);
	m->ghost = calloc(t->n_ids, sizeof *m->ghost);
	return ref_begin(&m->r, t, budget) && m->ghost ? m : NULL;
}

static void end(void *v)
{
	struct s3fifo *m = v;
	free(m->ghost);
	free(m->r.nodes);
	free(m);
}

static void evict_main(struct s3fifo *m)
{
	for (;;) {
		uint32_t id = m->main.tail;
		uint8_t freq = m->r.nodes[id].freq;
		list_drop(&m->r, &m->main, id);
		if (!freq)
			return;
		m->r.nodes[id].freq--;
		list_push(&m->r, &m->main, MAIN, id);
	}
}

static void evict_small(struct s3fifo *m)
{
	uint32_t id = m->small.tail;
	list_drop(&m->r, &m->small, id);
	if (m->r.nodes[id].freq > 1) {
		m->r.nodes[id].freq = 0;
		list_push(&m->r, &m->main, MAIN, id);
	} else {
		m->ghost[id] = ++m->turn;
	}
}

static bool ask(void *v, uint32_t id, uint32_t now_s)
{
	struct s3fifo *m = v;
	struct node *n = &m->r.nodes[id];
	bool hit = node_renew(&m->r, id, now_s);
	if (n->list) {
		n->freq += n->freq < FREQ_MAX;
		return hit;
	}
	while (m->small.n + m->main.n && m->small.bytes + m->main.bytes + m->r.t->cost[id] > m->r.budget) {
		if (m->small.n && (m->small.bytes > m->r.budget / 10 || !m->main.n))
			evict_small(m);
		else
			evict_main(m);
	}
	bool remembered = m->ghost[id] && m->turn - m->ghost[id] < m->main.n;
	m->ghost[id] = 0;
	n->freq = 0;
	list_push(&m->r, remembered ? &m->main : &m->small, remembered ? MAIN : SMALL, id);
	return false;
}

const struct model model_s3fifo = { "S3-FIFO", begin, ask, end };
