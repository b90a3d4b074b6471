/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference model of Redis's allkeys-lfu: a logarithmic counter of eight bits that starts at 5, grows with probability
 * 1/(10 (c-5) + 1) and loses one a minute; on eviction five keys at random go into a pool of 16, and the least used goes. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "hitratio.h"

enum { INIT = 5, FACTOR = 10, SAMPLES = 5, POOL = 16 };

struct redis_lfu {
	struct ref r;
	uint32_t *keys;    /* [n] of those there, in no order; a node's prev is its place */
	uint64_t n, bytes;
	struct prng random;
	uint32_t pool[POOL]; /* ids, the most used first */
	uint8_t pool_count[POOL];
	unsigned n_pool;
};

static void *begin(const struct trace *t, uint64_t budget)
{
	struct redis_lfu *m = calloc(1, sizeof *m);
	m->keys = malloc(t->n_ids * sizeof *m->keys);
	prng_seed(&m->random, t->seed);
	return ref_begin(&m->r, t, budget) && m->keys ? m : NULL;
}

static void end(void *v)
{
	struct redis_lfu *m = v;
	free(m->keys);
	free(m->r.nodes);
	free(m);
}

static uint8_t decayed(const struct node *n, uint32_t now_s)
{
	uint16_t minutes = (uint16_t)((uint16_t)(now_s / 60) - n->extra);
	return minutes > n->freq ? 0 : (uint8_t)(n->freq - minutes);
}

static void touch(struct redis_lfu *m, struct node *n, uint32_t now_s)
{
	unsigned c = decayed(n, now_s), base = c > INIT ? c - INIT : 0;
	if (c < 255 && prng_next(&m->random) % (base * FACTOR + 1) == 0)
		c++;
	n->freq = (uint8_t)c;
	n->extra = (uint16_t)(now_s / 60);
}

static void remove_key(struct redis_lfu *m, uint32_t id)
{
	uint32_t last = m->keys[--m->n], at = m->r.nodes[id].prev;
	m->keys[at] = last;
	m->r.nodes[last].prev = at;
	m->r.nodes[id].list = 0;
	m->bytes -= m->r.t->cost[id];
}

/* Into the pool if it is used less than somebody there, or there is room. */
static void pool_offer(struct redis_lfu *m, uint32_t id, uint8_t used)
{
	for (unsigned i = 0; i < m->n_pool; i++)
		if (m->pool[i] == id)
			return;
	unsigned at = 0;
	while (at < m->n_pool && m->pool_count[at] > used)
		at++;
	if (m->n_pool == POOL) {
		if (at == 0)
			return;
		at--;
		memmove(m->pool, m->pool + 1, at * sizeof *m->pool);
		memmove(m->pool_count, m->pool_count + 1, at);
	} else {
		memmove(m->pool + at + 1, m->pool + at, (m->n_pool - at) * sizeof *m->pool);
		memmove(m->pool_count + at + 1, m->pool_count + at, m->n_pool - at);
		m->n_pool++;
	}
	m->pool[at] = id;
	m->pool_count[at] = used;
}

static void evict(struct redis_lfu *m, uint32_t now_s)
{
	for (;;) {
		for (int i = 0; i < SAMPLES; i++) {
			uint32_t id = m->keys[prng_next(&m->random) % m->n];
			pool_offer(m, id, decayed(&m->r.nodes[id], now_s));
		}
		while (m->n_pool) {
			uint32_t id = m->pool[--m->n_pool];
			if (m->r.nodes[id].list) {
				remove_key(m, id);
				return;
			}
		}
	}
}

static bool ask(void *v, uint32_t id, uint32_t now_s)
{
	struct redis_lfu *m = v;
	struct node *n = &m->r.nodes[id];
	bool hit = node_renew(&m->r, id, now_s);
	if (n->list) {
		touch(m, n, now_s);
		return hit;
	}
	while (m->n && m->bytes + m->r.t->cost[id] > m->r.budget)
		evict(m, now_s);
	n->list = 1;
	n->freq = INIT;
	n->extra = (uint16_t)(now_s / 60);
	n->prev = (uint32_t)m->n;
	m->keys[m->n++] = id;
	m->bytes += m->r.t->cost[id];
	return false;
}

const struct model model_redis_lfu = { "Redis LFU", begin, ask, end };
