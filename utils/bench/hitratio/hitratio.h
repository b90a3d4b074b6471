/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the hit ratio benchmark share: traces, and the caches that are asked along them.
 *
 * A name is a number: below n_names it is one of the mix, popular or not; from there on it is asked once, by an attacker. A
 * trace is written down before it is run, so that every cache sees the same questions at the same simulated time. */
#ifndef PITH_BENCH_HITRATIO_H
#define PITH_BENCH_HITRATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lives { LIVES_LONG, LIVES_MIXED }; /* uniform from a minute to a day; or as the net has them: popular names short */
enum attack { ATTACK_NONE, ATTACK_DENIED, ATTACK_ANSWERED }; /* random subdomains: NXDOMAIN, or a wildcard's answers */

struct trace_kind {
	const char *name;
	double skew;         /* Zipf's exponent */
	double per_s;        /* questions a second, the attacker's not counted */
	double drift;        /* how often, over the trace, the average name gets another's popularity */
	enum lives lives;
	enum attack attack;  /* 3 of 10 questions are the attacker's */
	const char *calm;    /* the same trace without the attack */
};
extern const struct trace_kind trace_kinds[];
extern const size_t trace_n_kinds;

struct trace {
	const struct trace_kind *kind;
	uint64_t n_names, n_ids, n;
	uint64_t seed;
	uint32_t *ids;       /* [n] */
	double step_s;       /* simulated seconds between two questions */
	uint64_t warm;       /* questions before counting begins */
	uint16_t *cost;      /* [n_ids] what each entry costs Pith: its bytes and its slot */
	uint8_t *ttl_class;  /* [n_ids] */
	double mean_cost;    /* over the n_names */
};
/* False: no memory. */
bool trace_make(struct trace *t, const struct trace_kind *k, uint64_t n_names, uint64_t n, uint64_t seed);
void trace_free(struct trace *t);
uint32_t trace_ttl_s(const struct trace *t, uint32_t id);

/* A cache that is asked. ask: was there a live answer for id at now_s? If not it is fetched and stored. */
struct model {
	const char *name;
	void *(*begin)(const struct trace *t, uint64_t budget);
	bool (*ask)(void *m, uint32_t id, uint32_t now_s);
	void (*end)(void *m);
};
extern const struct model model_lru, model_sieve, model_s3fifo, model_tinylfu, model_redis_lfu;

/* The real one. begin may be told a maxmemory-policy by name. */
void *pith_begin(const struct trace *t, uint64_t budget, const char *policy);
bool pith_ask(void *m, uint32_t id, uint32_t now_s);
void pith_end(void *m);
/* Fills t->cost from entries that the cache's own builder makes. */
bool pith_costs(struct trace *t);

/* ---- what the reference models are made of: nodes by id, in lists by index ---- */

enum { NONE = UINT32_MAX };
struct node {
	uint32_t prev, next; /* next: towards the tail, the older */
	uint32_t end_s;      /* of its life */
	uint8_t list;        /* 0: not there; else as the model says */
	uint8_t freq;
	uint16_t extra;
};
struct list {
	uint32_t head, tail;
	uint64_t bytes, n;
};
struct ref {
	const struct trace *t;
	uint64_t budget;
	struct node *nodes;
};
bool ref_begin(struct ref *r, const struct trace *t, uint64_t budget);
void list_push(struct ref *r, struct list *l, uint8_t number, uint32_t id);
void list_drop(struct ref *r, struct list *l, uint32_t id);
/* Counts the question: gives a dead or new node its new life, true when it was alive. */
static inline bool node_renew(struct ref *r, uint32_t id, uint32_t now_s)
{
	struct node *n = &r->nodes[id];
	if (n->list && n->end_s > now_s)
		return true;
	n->end_s = now_s + trace_ttl_s(r->t, id);
	return false;
}

#endif
