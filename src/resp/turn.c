/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the turns of clients that have more to do without waiting for their socket: commands held back, slices of long ones.
 *
 * A queue in order of arrival; each gets one short turn (CLIENT_SLICE_NS) and goes to the end, so that one client's KEYS over
 * ten million entries costs another client's PING a fraction of a millisecond. A timer that is due at once brings the turns, and not a
 * deferred call: of those the loop runs sixteen before it looks at its sockets again.
 * Invariant: a client stands in the queue at most once; the sweep never frees one that does. */
#include "resp/client.h"

#include "base/clock.h"
#include "base/must.h"

static void run_slices(struct resp_client *c)
{
	uint64_t start_ns = clock_real_mono_ns(), now_ns = start_ns;
	enum step step;

	client_lend_out(c);
	do {
		step = c->slice(c, c->state);
		now_ns = clock_real_mono_ns();
	} while (step == STEP_PENDING && c->blocked && !c->ended && c->slice && now_ns < start_ns + CLIENT_SLICE_NS);
	c->blocked_ns += now_ns - start_ns;
	client_cut_if_failed(c);
	if (c->ended || !c->blocked)
		return;
	if (step == STEP_PENDING) {
		client_take_back_out(c);
		if (c->slice)
			client_queue(c);
		return;
	}
	dispatch_finish(c);
	client_unblock(c);
}

void server_turn(void *arg)
{
	struct resp_server *s = arg;
	struct resp_client *c = s->turn_first, *last = s->turn_last;

	/* those who queue up meanwhile have their turn next time */
	for (struct resp_client *next; c; c = next) {
		next = c == last ? NULL : c->turn_next;
		s->turn_first = c->turn_next;
		if (!s->turn_first)
			s->turn_last = NULL;
		c->turn_next = NULL;
		c->in_turn = false;
		if (!c->ended && c->blocked && c->slice)
			run_slices(c);
		if (!c->ended && !c->blocked)
			client_serve(c);
	}
	client_sweep(s);
	if (s->turn_first)
		timer_set(&s->turn, 0);
}

void client_queue(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (c->in_turn)
		return;
	c->in_turn = true;
	c->turn_next = NULL;
	if (s->turn_last)
		s->turn_last->turn_next = c;
	else
		s->turn_first = c;
	s->turn_last = c;
	if (!timer_is_set(&s->turn))
		timer_set(&s->turn, 0);
}

/* ---- blocking ---- */

static enum step block(struct resp_call *r, resp_slice *slice, void *state, void (*drop)(void *state))
{
	struct resp_client *c = r->client;

	must(!c->blocked);
	c->blocked = true;
	c->slice = slice;
	c->state = state;
	c->drop = drop;
	c->blocked_ns = 0;
	c->server->n_blocked++;
	if (slice)
		client_queue(c);
	return STEP_PENDING;
}

enum step resp_continue(struct resp_call *r, resp_slice *slice, void *state, void (*drop)(void *state))
{
	return block(r, slice, state, drop);
}

enum step resp_park(struct resp_call *r, void *state, void (*drop)(void *state))
{
	return block(r, NULL, state, drop);
}

void resp_unpark(struct resp_client *c)
{
	if (c->ended || !c->blocked)
		return;
	dispatch_finish(c);
	client_unblock(c);
	client_queue(c);
}

void resp_unpark_continue(struct resp_client *c, resp_slice *slice)
{
	if (c->ended || !c->blocked)
		return;
	c->slice = slice;
	client_queue(c);
}

struct resp_out *resp_client_out(struct resp_client *c)
{
	return &c->out;
}

void resp_client_cut(struct resp_client *c)
{
	c->out.failed = true;
}
