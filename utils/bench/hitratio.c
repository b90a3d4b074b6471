/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench hitratio`: the real cache beside models of other policies, along the same traces, with the same bytes.
 *
 * Every entry costs everyone what it costs Pith: its bytes and its slot. The models may fill the budget to the last byte and pay
 * for nothing else; Pith's share of free slots, dead bytes, room kept free and its memory of the evicted counts against it. Counted
 * is the second half of each trace, and only what normal clients ask. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hitratio/hitratio.h"

static const struct model *const models[] = { &model_lru, &model_sieve, &model_s3fifo, &model_tinylfu, &model_redis_lfu };
enum { N_MODELS = sizeof models / sizeof models[0], N_BUDGETS = 3 };
static const unsigned budgets[N_BUDGETS] = { 5, 20, 50 }; /* per cent of the names */

struct result {
	double pith, model[N_MODELS], pith_s;
};

static double run(const struct trace *t, void *m, bool (*ask)(void *, uint32_t, uint32_t))
{
	uint64_t hits = 0, asked = 0;
	for (uint64_t i = 0; i < t->n; i++) {
		bool hit = ask(m, t->ids[i], 1 + (uint32_t)((double)i * t->step_s));
		if (i >= t->warm && t->ids[i] < t->n_names) {
			hits += hit;
			asked++;
		}
	}
	return (double)hits / (double)asked;
}

static void must_have(const void *p)
{
	if (p)
		return;
	fputs("no memory\n", stderr);
	exit(1);
}

static struct result run_all(const struct trace *t, uint64_t budget, const struct bench_options *o)
{
	struct result r = { 0 };
	for (int i = 0; i < N_MODELS && !o->pith_only; i++) {
		void *m = models[i]->begin(t, budget);
		must_have(m);
		r.model[i] = run(t, m, models[i]->ask);
		models[i]->end(m);
	}
	void *p = pith_begin(t, budget, o->policy);
	must_have(p);
	double from = bench_now_s();
	r.pith = run(t, p, pith_ask);
	r.pith_s = bench_now_s() - from;
	pith_end(p);
	return r;
}

static double best(const struct result *r)
{
	double b = 0;
	for (int i = 0; i < N_MODELS; i++)
		b = r->model[i] > b ? r->model[i] : b;
	return b;
}

static void print_row(const struct trace *t, unsigned percent, uint64_t budget, const struct result *r, const struct result *calm, bool json,
		      bool first)
{
	if (json) {
		printf("%s{\"trace\": \"%s\", \"percent\": %u, \"budget\": %" PRIu64 ", \"questions\": %" PRIu64 ", \"pith\": %.5f",
		       first ? "" : ",\n  ", t->kind->name, percent, budget, t->n, r->pith);
		for (int i = 0; i < N_MODELS; i++)
			printf(", \"%s\": %.5f", models[i]->name, r->model[i]);
		printf(", \"of_best\": %.5f", r->pith / best(r));
		if (calm)
			printf(", \"lost_to_attack\": %.5f", calm->pith - r->pith);
		printf("}");
	} else {
		printf("%-11s %3u %%  %6.2f", t->kind->name, percent, 100 * r->pith);
		for (int i = 0; i < N_MODELS; i++)
			printf(" %9.2f", 100 * r->model[i]);
		printf("  %6.3f %6.3f", r->pith / best(r), r->pith / r->model[0]);
		if (calm)
			printf("  %+5.2f", 100 * (r->pith - calm->pith));
		printf("  %.2f us\n", r->pith_s * 1e6 / (double)t->n);
	}
	fflush(stdout);
}

/* Results of the traces without an attack, for those with one. */
static const struct result *find_calm(const struct trace_kind *k, const struct result (*all)[N_BUDGETS], int b)
{
	for (size_t i = 0; k->calm && i < trace_n_kinds; i++)
		if (strcmp(trace_kinds[i].name, k->calm) == 0 && all[i][b].pith > 0)
			return &all[i][b];
	return NULL;
}

int bench_hitratio(const struct bench_options *o)
{
	uint64_t names = o->quick ? o->entries / 2 : o->entries;
	uint64_t questions = names * 8;
	struct result(*all)[N_BUDGETS] = calloc(trace_n_kinds, sizeof *all);
	must_have(all);
	if (o->json)
		printf("{\"names\": %" PRIu64 ", \"rows\": [\n  ", names);
	else {
		printf("machine     %s\nnames       %" PRIu64 ", questions %" PRIu64 " and the attacker's; hit ratio of normal clients in per cent\n"
		       "trace       names    Pith",
		       bench_machine(), names, questions);
		for (int i = 0; i < N_MODELS; i++)
			printf(" %9s", models[i]->name);
		puts("  /best   /LRU  attack");
	}
	bool first = true;
	for (size_t i = 0; i < trace_n_kinds; i++) {
		struct trace t;
		if (o->trace && !strstr(trace_kinds[i].name, o->trace))
			continue;
		must_have(trace_make(&t, &trace_kinds[i], names, questions, o->seed) ? &t : NULL);
		for (int b = 0; b < N_BUDGETS; b++) {
			uint64_t budget = (uint64_t)((double)names * t.mean_cost * budgets[b] / 100);
			all[i][b] = run_all(&t, budget, o);
			print_row(&t, budgets[b], budget, &all[i][b], find_calm(t.kind, (const struct result(*)[N_BUDGETS])all, b), o->json, first);
			first = false;
		}
		trace_free(&t);
	}
	if (o->json)
		puts("\n]}");
	free(all);
	return 0;
}
