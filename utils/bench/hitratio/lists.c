/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the nodes and lists of the reference models, and the two models that are a list and little else: LRU and SIEVE.
 *
 * All of them know their entries' bytes as Pith has them and nothing of their own costs: pointers, sketches and ghosts are
 * free here, which flatters them. An entry past its life is a miss, stays where it is, and lives on when fetched again. */
#include <stdlib.h>

#include "hitratio.h"

bool ref_begin(struct ref *r, const struct trace *t, uint64_t budget)
{
	*r = (struct ref){ t, budget, calloc(t->n_ids, sizeof(struct node)) };
	return r->nodes;
}

void list_push(struct ref *r, struct list *l, uint8_t number, uint32_t id)
{
	struct node *n = &r->nodes[id];
	if (!l->n)
		l->head = l->tail = NONE;
	n->prev = NONE;
	n->next = l->head;
	n->list = number;
	if (l->head != NONE)
		r->nodes[l->head].prev = id;
	else
		l->tail = id;
	l->head = id;
	l->n++;
	l->bytes += r->t->cost[id];
}

void list_drop(struct ref *r, struct list *l, uint32_t id)
{
	struct node *n = &r->nodes[id];
	if (n->prev != NONE)
		r->nodes[n->prev].next = n->next;
	else
		l->head = n->next;
	if (n->next != NONE)
		r->nodes[n->next].prev = n->prev;
	else
		l->tail = n->prev;
	n->list = 0;
	l->n--;
	l->bytes -= r->t->cost[id];
}

struct one_list {
	struct ref r;
	struct list l;
	uint32_t hand;
};

static void *begin(const struct trace *t, uint64_t budget)
{
	struct one_list *m = calloc(1, sizeof *m);
	m->hand = NONE;
	return ref_begin(&m->r, t, budget) ? m : NULL;
}

static void end(void *v)
{
	struct one_list *m = v;
	free(m->r.nodes);
	free(m);
}

static bool lru_ask(void *v, uint32_t id, uint32_t now_s)
{
	struct one_list *m = v;
	bool there = m->r.nodes[id].list, hit = node_renew(&m->r, id, now_s);
	if (there)
		list_drop(&m->r, &m->l, id);
	while (m->l.n && m->l.bytes + m->r.t->cost[id] > m->r.budget)
		list_drop(&m->r, &m->l, m->l.tail);
	list_push(&m->r, &m->l, 1, id);
	return hit;
}

/* Zhang et al., NSDI 2024. */
static void sieve_evict(struct one_list *m)
{
	struct node *n = m->r.nodes;
	uint32_t at = m->hand == NONE ? m->l.tail : m->hand;
	while (n[at].freq) {
		n[at].freq = 0;
		at = n[at].prev != NONE ? n[at].prev : m->l.tail;
	}
	m->hand = n[at].prev;
	list_drop(&m->r, &m->l, at);
}

static bool sieve_ask(void *v, uint32_t id, uint32_t now_s)
{
	struct one_list *m = v;
	bool there = m->r.nodes[id].list, hit = node_renew(&m->r, id, now_s);
	m->r.nodes[id].freq = there;
	if (there)
		return hit;
	while (m->l.n && m->l.bytes + m->r.t->cost[id] > m->r.budget)
		sieve_evict(m);
	list_push(&m->r, &m->l, 1, id);
	return false;
}

const struct model model_lru = { "LRU", begin, lru_ask, end };
const struct model model_sieve = { "SIEVE", begin, sieve_ask, end };
