/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's libunbound contexts. The second and third are made when first needed: 3 ms each.
 *
 *   CTX_FIRST, CTX_SECOND   libunbound keeps an RRset until its TTL is over, and hands out what is left of that TTL even when it has just
 *                           asked the servers again. A refresh in the last tenth of a life would get just that tenth. So
 *                           a refresh goes to the other of the two, which has seen the name a lifetime ago if at all.
 *                           `turned`, a bit for each hash of a question, says which one is its own at present.
 *   CTX_CD                  without the validator, for CD=1: data that the validator refutes can still be had.
 *
 * After upstream_forget the next question begins with new contexts, once in FORGET_EVERY_MS at most; the old ones go when they are
 * empty, and never from within a callback of their own.
 * With local-root each context holds the whole root zone, and reading it (a third of a second) would hold up the worker: all are then made at
 * the start, and forgetting only turns every question to its other context, which knows nothing of it, or something older.
 *
 * Invariant: a context lives while it is in at[], or has questions inside, or its burial is due. */
#include "upstream/recurse_contexts.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "upstream/recurse_conf.h"
#include "upstream/recurse_ctx.h"

static struct context *context_new(struct contexts *all, int which, char *err, size_t cap)
{
	struct context *k = mem_calloc(1, sizeof *k);

	if (k == NULL) {
		snprintf(err, cap, "no memory for recursion");
		return NULL;
	}
	k->all = all;
	k->ctx = recurse_ctx_new(all->loop, all->conf, which != CTX_CD && all->validates, all->sockets, err, cap);
	if (k->ctx == NULL) {
		mem_free(k);
		return NULL;
	}
	return k;
}

static void context_free(struct context *k)
{
	struct contexts *all = k->all;
	struct context **at = &all->retired;

	while (*at && *at != k)
		at = &(*at)->next;
	if (*at)
		*at = k->next;
	k->retired = false;
	loop_undefer(all->loop, &k->bury);
	recurse_ctx_delete(k->ctx);
	mem_free(k);
}

static void context_bury(void *arg)
{
	context_free(arg);
}

void context_enter(struct context *k)
{
	k->inside++;
}

void context_leave(struct context *k)
{
	if (--k->inside == 0 && k->retired)
		loop_defer(k->all->loop, &k->bury, context_bury, k);
}

static void context_retire(struct context *k)
{
	k->retired = true;
	k->next = k->all->retired;
	k->all->retired = k;
	if (k->inside == 0)
		context_free(k);
}

int contexts_open(struct contexts *all, struct loop *l, const struct conf *c, unsigned sockets, char *err, size_t cap)
{
	memset(all, 0, sizeof *all);
	all->loop = l;
	all->conf = c;
	all->sockets = sockets;
	all->validates = recurse_validates(c);
	for (int i = 0; i < (c->local_root[0] ? CTX_COUNT : 1); i++) {
		if (i == CTX_CD && !all->validates)
			break;
		all->at[i] = context_new(all, i, err, cap);
		if (all->at[i] == NULL) {
			contexts_close(all);
			return ERR_BAD;
		}
	}
	return 0;
}

void contexts_close(struct contexts *all)
{
	for (int i = 0; i < CTX_COUNT; i++) {
		if (all->at[i])
			context_free(all->at[i]);
		all->at[i] = NULL;
	}
	while (all->retired)
		context_free(all->retired);
}

/* New contexts for old. Without the first of them, the old ones go on. */
static void contexts_renew(struct contexts *all)
{
	char err[256];
	struct context *k = context_new(all, CTX_FIRST, err, sizeof err);

	all->forget = false;
	all->forgot_ms = clock_real_mono_ms();
	if (k == NULL) {
		log_warn("recursion cannot start anew after a purge: %s", err);
		return;
	}
	for (int i = 0; i < CTX_COUNT; i++) {
		if (all->at[i])
			context_retire(all->at[i]);
		all->at[i] = NULL;
	}
	all->at[CTX_FIRST] = k;
}

static void contexts_forget(struct contexts *all)
{
	if (all->conf->local_root[0] == '\0') {
		contexts_renew(all);
		return;
	}
	all->forget = false;
	all->forgot_ms = clock_real_mono_ms();
	for (size_t i = 0; i < sizeof all->turned; i++)
		all->turned[i] ^= 0xff;
}

/* FNV-1a; who makes questions meet here gains nothing. */
static unsigned turn_of(const struct upstream_ask *a)
{
	uint32_t h = 2166136261u ^ a->type;

	for (unsigned i = 0; i < a->name_len; i++)
		h = (h ^ a->name[i]) * 16777619u;
	return (h ^ h >> 13) % TURNED_BITS;
}

struct context *context_pick(struct contexts *all, const struct upstream_ask *a, bool turn)
{
	unsigned bit = turn_of(a);
	uint8_t mask = (uint8_t)(1 << bit % 8), *turned = &all->turned[bit / 8];
	int which;
	char err[256];

	if (all->forget && (all->forgot_ms == 0 || clock_real_mono_ms() - all->forgot_ms >= FORGET_EVERY_MS))
		contexts_forget(all);
	if (turn)
		*turned ^= mask;
	if (a->cd && all->validates)
		which = CTX_CD;
	else
		which = *turned & mask ? CTX_SECOND : CTX_FIRST;
	if (all->at[which] == NULL) {
		all->at[which] = context_new(all, which, err, sizeof err);
		if (all->at[which] == NULL)
			log_warn("%s cannot be resolved: %s", which == CTX_CD ? "questions with CD=1" : "refreshes", err);
	}
	/* A refresh with old TTLs is better than none. */
	return all->at[which] || which == CTX_CD ? all->at[which] : all->at[CTX_FIRST];
}
