/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the DNS threads: a loop, a worker and its listeners each.
 *
 * Everything is built in the caller's thread, one after the other (libunbound wants its contexts made and unmade one at a time); a
 * thread only runs its loop. Block 0 of the statistics is left to the admin thread. */
#include <stdio.h>

#include "base/alloc.h"
#include "front/front.h"

struct dns_thread {
	struct thread thread;
	struct cache *cache;
	struct loop *loop;
	struct front_set *front;
};

struct front_pool {
	struct front_shared shared;
	bool pin;
	unsigned n;
	unsigned next;  /* takes the next question from inside */
	struct worker **workers;
	struct dns_thread threads[];
};

static int pool_add(struct front_pool *p, unsigned i, const struct conf *c, struct stats *stats, struct cache *cache, char *err, size_t cap)
{
	struct dns_thread *t = &p->threads[i];
	t->cache = cache;
	t->loop = loop_new();
	if (!t->loop) {
		snprintf(err, cap, "no memory or no descriptors for DNS worker %u", i);
		return ERR_SYS;
	}
	struct worker_options o = { .loop = t->loop, .cache = cache, .stats = stats_of(stats, i + 1), .conf = c };
	p->workers[i] = worker_new(&o, err, cap);
	if (p->workers[i])
		t->front = front_open(p->workers[i], &p->shared, err, cap);
	return t->front ? 0 : ERR_SYS;
}

unsigned front_pool_size(const struct conf *c)
{
	return c->dns_threads ? (unsigned)c->dns_threads : thread_cpus();
}

struct front_pool *front_pool_new(const struct conf *c, struct cache *cache, struct stats *stats, char *err, size_t cap)
{
	if (front_check(c, err, cap) < 0)
		return NULL;
	unsigned n = front_pool_size(c);
	struct front_pool *p = mem_must_calloc(1, sizeof *p + n * sizeof *p->threads);
	p->workers = mem_must_calloc(n, sizeof *p->workers);
	p->pin = c->dns_pin;
	p->n = n;
	for (unsigned i = 0; i < n; i++) {
		if (pool_add(p, i, c, stats, cache, err, cap) < 0) {
			front_pool_free(p);
			return NULL;
		}
	}
	return p;
}

static void dns_thread_run(void *arg)
{
	struct dns_thread *t = arg;
	cache_thread_begin(t->cache);
	loop_run(t->loop);
	cache_thread_end(t->cache);
}

int front_pool_start(struct front_pool *p, char *err, size_t cap)
{
	for (unsigned i = 0; i < p->n; i++) {
		char name[16];
		snprintf(name, sizeof name, "dns-%u", i);
		int cpu = p->pin ? (int)(i % thread_cpus()) : -1;
		if (thread_start(&p->threads[i].thread, name, cpu, dns_thread_run, &p->threads[i]) < 0) {
			snprintf(err, cap, "cannot start DNS worker %u: %m", i);
			return ERR_SYS;
		}
	}
	return 0;
}

void front_pool_free(struct front_pool *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->threads[i].thread.running) {
			loop_stop(p->threads[i].loop);
			thread_join(&p->threads[i].thread);
		}
	}
	for (unsigned i = p->n; i-- > 0;) {
		worker_free(p->workers[i]);
		front_close(p->threads[i].front);
		loop_free(p->threads[i].loop);
	}
	mem_free(p->workers);
	mem_free(p);
}

int front_pool_set_conf(struct front_pool *p, const struct conf *c)
{
	return query_set_conf(p->workers, p->n, c);
}

void front_pool_forget(struct front_pool *p)
{
	query_forget(p->workers, p->n);
}

bool front_pool_upstream(const struct front_pool *p, unsigned i, struct upstream_server *out)
{
	return query_upstream(p->workers, p->n, i, out);
}

int front_pool_resolve(struct front_pool *p, struct loop *home, const uint8_t *msg, size_t len, query_resolved *fn, void *arg)
{
	return query_resolve(p->workers[p->next++ % p->n], home, msg, len, fn, arg);
}
