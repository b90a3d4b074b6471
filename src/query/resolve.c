/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns questions that come from inside: the operator's DNS.RESOLVE.
 *
 * The question goes to the worker by its mailbox, down the same road as a client's, and the answer goes back by the mailbox of the
 * loop that asked. What travels is one block: it holds the question on the way there and the answer on the way back. */
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "query/internal.h"

struct resolve {
	struct worker *worker;
	struct loop *home;
	query_resolved *fn;
	void *arg;
	size_t len;      /* of msg, then of reply */
	uint8_t *reply;  /* of its own, or NULL */
	const char *why;
	uint8_t msg[QUERY_RESOLVE_MAX];
};

static void resolve_home(void *arg)
{
	struct resolve *r = arg;
	r->fn(r->arg, r->reply, r->reply ? r->len : 0, r->reply ? NULL : r->why);
	mem_free(r->reply);
	mem_free(r);
}

/* In the worker. */
static void resolve_reply(const struct reply_to *to, const uint8_t *msg, size_t len)
{
	struct resolve *r = to->owner;
	r->why = "there is no answer";
	if (len && !(r->reply = mem_alloc(len)))
		r->why = "no memory";
	if (r->reply)
		memcpy(r->reply, msg, len);
	r->len = len;
	if (!should(loop_post(r->home, resolve_home, r) == 0)) {
		mem_free(r->reply);
		mem_free(r);
	}
}

static const struct transport transport_inside = {
	.name = "inside", .queries = -1, .stream = true, .trusted = true, .reply = resolve_reply,
};

static void resolve_start(void *arg)
{
	struct resolve *r = arg;
	struct worker *w = r->worker;
	struct reply_to to = { .via = &transport_inside, .owner = r };
	struct query q = { .msg = r->msg, .len = r->len, .to = &to, .out = w->out };
	query_batch(w, &q, 1);
	if (!q.pending)
		resolve_reply(&to, q.out_len ? w->out : NULL, q.out_len);
}

int query_resolve(struct worker *w, struct loop *home, const uint8_t *msg, size_t len, query_resolved *fn, void *arg)
{
	if (len > QUERY_RESOLVE_MAX)
		return ERR_RANGE;
	struct resolve *r = mem_calloc(1, sizeof *r);
	if (!r)
		return ERR_NOMEM;
	*r = (struct resolve){ .worker = w, .home = home, .fn = fn, .arg = arg, .len = len };
	memcpy(r->msg, msg, len);
	if (loop_post(w->loop, resolve_start, r) < 0) {
		mem_free(r);
		return ERR_NOMEM;
	}
	return 0;
}
