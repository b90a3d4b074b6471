/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursion: jobs on libunbound's event API.
 *
 * Which of a worker's contexts a question goes to: recurse_contexts.c. Callbacks come in the worker's thread.
 *
 * What was learnt about the library, and is kept to here:
 *   - The callback may run inside ub_resolve_event (local data, its own cache). The packet is copied and handed on by a deferred call,
 *     always: nobody is called back inside of start, and libunbound is never entered from its own callback.
 *   - With rcode ≠ 0 there is no packet to read. Bogus comes with rcode 0 and sec 1; NXDOMAIN with rcode 0, in the packet.
 *   - A dead server keeps a resolution busy for 17 s. Each job has a deadline of its own; what is still inside of the library then, or
 *     was cancelled, stays as an orphan until the callback frees it. ub_cancel would do the same but hide when the
 *     work really ends, and that number must be bounded: max-flights lives and as many orphans.
 *   - ub_ctx_delete may call back for what is under way.
 *   - Creation, the first resolution and deletion touch tables of the whole library: recurse_ctx.c serialises them.
 *
 * Invariant: a job is in the list exactly as long as it lives; it lives while its caller waits or the library holds it. */
#include "upstream/recurse.h"

#include <stdio.h>
#include <string.h>
#include <unbound-event.h>
#include <unbound.h>

#include "base/alloc.h"
#include "config/config.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "upstream/recurse_contexts.h"
#include "upstream/recurse_why.h"
#include "wire/wire.h"

struct recurse {
	struct way way;
	struct loop *loop;
	const struct conf *conf;
	struct stats_thread *stats;
	struct contexts contexts;
	struct recurse_job *first;
	unsigned live, inside; /* somebody waits; libunbound holds it */
};

struct recurse_job {
	struct upstream_job job; /* first member */
	struct recurse *recurse;
	struct context *context;
	struct recurse_job *prev, *next;
	upstream_done *done;
	void *arg;
	const struct route *route;
	struct timer timer;
	struct deferred deferred;
	bool waited, inside; /* as counted in recurse */
	int rcode, sec;
	uint8_t *msg;
	size_t len;
	char why[RECURSE_WHY_MAX];
};

/* Nobody waits any more. Frees the job unless libunbound still holds it. */
static void job_leave(struct recurse_job *j)
{
	struct recurse *r = j->recurse;

	if (j->waited) {
		j->waited = false;
		r->live--;
		timer_cancel(&j->timer);
		loop_undefer(r->loop, &j->deferred);
	}
	if (j->inside)
		return;
	if (j->next)
		j->next->prev = j->prev;
	if (j->prev)
		j->prev->next = j->next;
	else
		r->first = j->next;
	mem_free(j->msg);
	mem_free(j);
}

static void job_reply(struct recurse_job *j, struct upstream_reply *reply)
{
	struct stats_thread *stats = j->recurse->stats;
	upstream_done *done = j->done;
	void *arg = j->arg;
	/* Both outlive the job for as long as the callback runs. */
	uint8_t *msg = j->msg;
	char why[RECURSE_WHY_MAX];

	reply->server = j->route->label;
	reply->source = j->route->source;
	if (reply->why == j->why)
		reply->why = memcpy(why, j->why, sizeof why);
	j->msg = NULL;
	switch (reply->status) {
	case UPSTREAM_OK:
		stat_inc(stats, STAT_UPSTREAM_ANSWERS);
		if (reply->secure)
			stat_inc(stats, STAT_SECURE);
		break;
	case UPSTREAM_BOGUS:
		stat_inc(stats, STAT_BOGUS);
		break;
	case UPSTREAM_TIMEOUT:
		stat_inc(stats, STAT_UPSTREAM_TIMEOUTS);
		break;
	case UPSTREAM_FAILED:
		break;
	}
	job_leave(j);
	done(arg, reply);
	mem_free(msg);
}

/* libunbound has answered. */
static void job_deliver(void *arg)
{
	struct recurse_job *j = arg;
	struct upstream_reply reply = { .status = UPSTREAM_FAILED, .ede = EDE_NONE };
	unsigned rcode = j->msg && j->len >= DNS_HEADER_LEN ? j->msg[3] & FLAG_RCODE_MASK : RCODE_SERVFAIL;

	if (j->sec == 1) {
		reply.status = UPSTREAM_BOGUS;
		reply.ede = bogus_ede(j->why);
		reply.why = j->why[0] ? j->why : "DNSSEC validation failed";
	} else if (j->rcode == 0 && (rcode == RCODE_NOERROR || rcode == RCODE_NXDOMAIN || rcode == RCODE_YXDOMAIN)) {
		reply.status = UPSTREAM_OK;
		reply.msg = j->msg;
		reply.len = j->len;
		reply.secure = j->sec == 2;
	} else {
		reply.ede = EDE_NO_REACHABLE_AUTHORITY;
		reply.why = j->why[0] ? j->why : "no authoritative server gave a usable answer";
	}
	job_reply(j, &reply);
}

static void job_timed_out(void *arg)
{
	struct upstream_reply reply = { .status = UPSTREAM_TIMEOUT, .ede = EDE_NO_REACHABLE_AUTHORITY,
					.why = "the authoritative servers did not answer in time" };

	job_reply(arg, &reply);
}

static void job_outside(struct recurse_job *j)
{
	j->inside = false;
	j->recurse->inside--;
	context_leave(j->context);
}

/* libunbound's callback. */
static void job_resolved(void *arg, int rcode, void *packet, int len, int sec, char *why, int was_ratelimited)
{
	struct recurse_job *j = arg;

	(void)was_ratelimited;
	job_outside(j);
	if (!j->waited) {
		job_leave(j);
		return;
	}
	j->rcode = rcode;
	j->sec = sec;
	if (why)
		why_clean(j->why, why);
	if (rcode == 0 && sec != 1 && packet && len > 0) {
		j->msg = mem_alloc((size_t)len);
		if (j->msg) {
			memcpy(j->msg, packet, (size_t)len);
			j->len = (size_t)len;
		} else {
			j->rcode = RCODE_SERVFAIL;
		}
	}
	timer_cancel(&j->timer);
	loop_defer(j->recurse->loop, &j->deferred, job_deliver, j);
}

static struct recurse_job *job_new(struct recurse *r, const struct route *route, upstream_done *done, void *arg)
{
	struct recurse_job *j = mem_calloc(1, sizeof *j);

	if (j == NULL)
		return NULL;
	j->job.way = &r->way;
	j->recurse = r;
	j->route = route;
	j->done = done;
	j->arg = arg;
	timer_init(r->loop, &j->timer, job_timed_out, j);
	j->next = r->first;
	if (r->first)
		r->first->prev = j;
	r->first = j;
	j->waited = true;
	r->live++;
	return j;
}

static enum step recurse_start(const struct route *route, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job)
{
	struct recurse *r = (struct recurse *)route->way;
	uint64_t limit = (uint64_t)r->conf->max_flights;
	struct context *k;
	struct recurse_job *j;
	char name[NAME_MAX_TEXT];

	if (r->live >= limit || r->inside >= 2 * limit || name_to_text(a->name, a->name_len, name, sizeof name) < 0)
		return STEP_FAILED;
	/* A zone file has no other side to ask. */
	k = context_pick(&r->contexts, a, a->fresh && route->source != FROM_LOCAL);
	if (k == NULL || (j = job_new(r, route, done, arg)) == NULL)
		return STEP_FAILED;
	timer_set(&j->timer, a->timeout_ms);
	j->context = k;
	context_enter(k);
	j->inside = true;
	r->inside++;
	if (ub_resolve_event(k->ctx, name, a->type, a->rrclass, j, job_resolved, NULL) != 0) {
		job_outside(j);
		job_leave(j);
		return STEP_FAILED;
	}
	stat_inc(r->stats, STAT_UPSTREAM_SENT);
	*job = &j->job;
	return STEP_PENDING;
}

static void recurse_cancel(struct upstream_job *job)
{
	job_leave((struct recurse_job *)job);
}

static unsigned recurse_pending(const struct way *w)
{
	return ((const struct recurse *)w)->live;
}

static void recurse_set_conf(struct way *w, const struct conf *c)
{
	struct recurse *r = (struct recurse *)w;

	r->conf = r->contexts.conf = c;
}

static void recurse_forget(struct way *w)
{
	((struct recurse *)w)->contexts.forget = true;
}

static void recurse_free(struct way *w)
{
	struct recurse *r = (struct recurse *)w;

	for (struct recurse_job *j = r->first, *next; j; j = next) {
		next = j->next;
		job_leave(j);
	}
	/* What is called back now frees itself; what is not is freed below. */
	contexts_close(&r->contexts);
	while (r->first) {
		r->first->inside = false;
		job_leave(r->first);
	}
	mem_free(r);
}

static const struct upstream_kind recurse_kind = {
	"recurse", recurse_start, recurse_cancel, recurse_pending, recurse_set_conf, recurse_free, recurse_forget,
};

struct way *recurse_new(struct loop *l, const struct conf *c, struct stats_thread *stats, unsigned sockets, char *err, size_t cap)
{
	struct recurse *r = mem_calloc(1, sizeof *r);

	if (r == NULL) {
		snprintf(err, cap, "no memory for recursion");
		return NULL;
	}
	r->way.kind = &recurse_kind;
	r->loop = l;
	r->conf = c;
	r->stats = stats;
	if (contexts_open(&r->contexts, l, c, sockets, err, cap) != 0) {
		mem_free(r);
		return NULL;
	}
	return &r->way;
}
