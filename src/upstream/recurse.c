/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursion: jobs on libunbound's event API.
 *
 * A context per worker, on the worker's loop; its callbacks come in that thread. A second one without the validator serves CD=1, made by the
 * first such question, so that data the validator refutes can still be had.
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
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "upstream/recurse_conf.h"
#include "upstream/recurse_ctx.h"
#include "upstream/recurse_why.h"
#include "wire/wire.h"

struct recurse {
	struct way way;
	struct loop *loop;
	const struct conf *conf;
	struct stats_thread *stats;
	unsigned sockets;
	struct ub_ctx *ctx, *cd_ctx; /* the same when nothing validates; cd_ctx NULL: not made yet */
	bool cd_failed;              /* it could not be made: not tried again */
	struct recurse_job *first;
	unsigned live, inside;       /* somebody waits; libunbound holds it */
};

struct recurse_job {
	struct upstream_job job; /* first member */
	struct recurse *recurse;
	struct recurse_job *prev, *next;
	upstream_done *done;
	void *arg;
	const struct route *route;
	struct timer timer;
	struct deferred deferred;
	uint64_t start_us;
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
		stat_time(stats, HIST_UPSTREAM, clock_real_mono_ns() / 1000 - j->start_us);
		if (reply->secure)
			stat_inc(stats, STAT_SECURE);
		break;
	case UPSTREAM_BOGUS:
		stat_inc(stats, STAT_BOGUS);
		stat_inc(stats, STAT_UPSTREAM_FAILED);
		break;
	case UPSTREAM_TIMEOUT:
		stat_inc(stats, STAT_UPSTREAM_TIMEOUTS);
		/* fall through */
	case UPSTREAM_FAILED:
		stat_inc(stats, STAT_UPSTREAM_FAILED);
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

/* libunbound's callback. */
static void job_resolved(void *arg, int rcode, void *packet, int len, int sec, char *why, int was_ratelimited)
{
	struct recurse_job *j = arg;

	(void)was_ratelimited;
	j->inside = false;
	j->recurse->inside--;
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

static struct ub_ctx *ctx_for(struct recurse *r, bool cd)
{
	char err[256];

	if (!cd)
		return r->ctx;
	if (r->cd_ctx == NULL && !r->cd_failed) {
		r->cd_ctx = recurse_ctx_new(r->loop, r->conf, false, r->sockets, err, sizeof err);
		r->cd_failed = r->cd_ctx == NULL;
		if (r->cd_failed)
			log_warn("questions with CD=1 cannot be resolved: %s", err);
	}
	return r->cd_ctx;
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
	j->start_us = clock_real_mono_ns() / 1000;
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
	struct ub_ctx *ctx;
	struct recurse_job *j;
	char name[NAME_MAX_TEXT];

	if (r->live >= limit || r->inside >= 2 * limit || name_to_text(a->name, a->name_len, name, sizeof name) < 0)
		return STEP_FAILED;
	ctx = ctx_for(r, a->cd);
	if (ctx == NULL || (j = job_new(r, route, done, arg)) == NULL)
		return STEP_FAILED;
	timer_set(&j->timer, a->timeout_ms);
	j->inside = true;
	r->inside++;
	if (ub_resolve_event(ctx, name, a->type, a->rrclass, j, job_resolved, NULL) != 0) {
		j->inside = false;
		r->inside--;
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
	((struct recurse *)w)->conf = c;
}

static void recurse_free(struct way *w)
{
	struct recurse *r = (struct recurse *)w;

	for (struct recurse_job *j = r->first, *next; j; j = next) {
		next = j->next;
		job_leave(j);
	}
	if (r->cd_ctx && r->cd_ctx != r->ctx)
		recurse_ctx_delete(r->cd_ctx);
	if (r->ctx)
		recurse_ctx_delete(r->ctx);
	while (r->first) {
		r->first->inside = false;
		job_leave(r->first);
	}
	mem_free(r);
}

static const struct upstream_kind recurse_kind = {
	"recurse", recurse_start, recurse_cancel, recurse_pending, recurse_set_conf, recurse_free,
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
	r->sockets = sockets;
	r->ctx = recurse_ctx_new(l, c, recurse_validates(c), sockets, err, cap);
	if (r->ctx == NULL) {
		mem_free(r);
		return NULL;
	}
	if (!recurse_validates(c))
		r->cd_ctx = r->ctx;
	return &r->way;
}
