/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns a worker's birth and end, and its change of configuration.
 *
 * A configuration comes by the mailbox, so it is taken up between two callbacks and nothing that runs sees it change. What is compiled
 * from it (policy, answer options) is replaced with it; if that cannot be done, the old one stays. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"
#include "query/internal.h"

static struct answer_options answer_options(const struct conf *c)
{
	return (struct answer_options){
		.udp_size = (uint16_t)c->edns_udp_size,
		.minimal = c->minimal_responses,
		.rotate = c->rrset_rotate,
		.stale_ttl_s = c->serve_stale_ttl,
		.nsid = c->server_identity,
	};
}

struct worker *worker_new(const struct worker_options *o, char *err, size_t cap)
{
	struct worker *w = mem_calloc(1, sizeof *w);
	uint64_t seed;
	if (!w) {
		snprintf(err, cap, "no memory");
		return NULL;
	}
	w->loop = o->loop;
	w->cache = o->cache;
	w->stats = o->stats;
	w->feed = cache_feed(o->cache);
	w->conf = conf_ref(o->conf);
	w->answer = answer_options(w->conf);
	random_bytes(&seed, sizeof seed);
	prng_seed(&w->random, seed);
	if (flights_init(&w->flights) < 0)
		snprintf(err, cap, "no memory");
	else if ((w->policy = policy_new(w->conf, err, cap)) && ecs_policy_init(&w->ecs, w->conf, err, cap) == 0)
		w->upstream = upstream_new(w->loop, w->conf, w->stats, err, cap);
	if (!w->upstream) {
		worker_free(w);
		return NULL;
	}
	return w;
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->upstream)
		flights_end(w);
	flights_free(&w->flights);
	if (w->upstream)
		upstream_free(w->upstream);
	policy_free(w->policy);
	ecs_policy_free(&w->ecs);
	conf_unref(w->conf);
	mem_free(w);
}

struct loop *worker_loop(const struct worker *w)
{
	return w->loop;
}

struct stats_thread *worker_stats(const struct worker *w)
{
	return w->stats;
}

const struct conf *worker_conf(const struct worker *w)
{
	return w->conf;
}

/* A count and no mail: it costs nothing to ask often, cannot fail, and is seen by whatever question comes after the removal. */
void query_forget(struct worker *const *workers, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		atomic_fetch_add_explicit(&workers[i]->forget, 1, memory_order_release);
}

bool query_upstream(struct worker *const *workers, unsigned n, unsigned i, struct upstream_server *out)
{
	*out = (struct upstream_server){ 0 };
	for (unsigned w = 0; w < n; w++) {
		if (!upstream_add_server(workers[w]->upstream, i, out))
			return false;
	}
	return n > 0;
}

/* ---- a new configuration ---- */

struct conf_mail {
	struct worker *worker;
	const struct conf *conf;
};

static void take_conf(void *arg)
{
	struct conf_mail *mail = arg;
	struct worker *w = mail->worker;
	const struct conf *old = w->conf;
	char err[200];
	struct ecs_policy ecs;
	struct policy *policy = policy_new(mail->conf, err, sizeof err);
	if (policy && ecs_policy_init(&ecs, mail->conf, err, sizeof err) == 0) {
		policy_free(w->policy);
		ecs_policy_free(&w->ecs);
		w->policy = policy;
		w->ecs = ecs;
		w->conf = mail->conf;
		w->answer = answer_options(w->conf);
		upstream_set_conf(w->upstream, w->conf);
		conf_unref(old);
	} else {
		policy_free(policy);
		log_warn("a worker keeps its old configuration: %s", err);
		conf_unref(mail->conf);
	}
	mem_free(mail);
}

int query_set_conf(struct worker *const *workers, unsigned n, const struct conf *c)
{
	for (unsigned i = 0; i < n; i++) {
		struct conf_mail *mail = mem_alloc(sizeof *mail);
		if (!mail)
			return ERR_NOMEM;
		*mail = (struct conf_mail){ workers[i], conf_ref(c) };
		if (loop_post(workers[i]->loop, take_conf, mail) < 0) {
			conf_unref(mail->conf);
			mem_free(mail);
			return ERR_NOMEM;
		}
	}
	return 0;
}
