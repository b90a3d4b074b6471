/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the watching of files, timers and signals: thin over libevent, with events inside of their owners' structs.
 *
 * Reading and writing are two events, so that asking for one more costs one system call and leaves the other alone.
 * The back's turn: libevent's priorities are strict, so a front file that yields is taken out of the poll. yield_ev,
 * activated at that moment, queues behind all that waits in the back; turn_ev cuts a long queue off, so that no
 * hit waits for a hundred misses.
 * Invariant: a file is watched for io->want, unless io->resume.queued; then for nothing. */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>

#include "base/must.h"
#include "loop/internal.h"
#include "loop/loop.h"

static void event_drop(struct event *ev)
{
	if (event_initialized(ev))
		event_del(ev);
}

/* ---- files ---- */

/* Nothing of io is touched after fn: it may be gone. */
static void io_ready(evutil_socket_t fd, short events, void *arg)
{
	struct io *io = arg;
	(void)fd;
	io->fn(io, events & EV_READ ? IO_READ : IO_WRITE, io->arg);
}

int io_init(struct loop *l, struct io *io, enum loop_class cls, int fd, void (*fn)(struct io *, unsigned ready, void *), void *arg)
{
	int flags = fcntl(fd, F_GETFL);
	*io = (struct io){ .fd = fd };
	if (flags < 0 || (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0))
		return ERR_SYS;
	io->loop = l;
	io->fn = fn;
	io->arg = arg;
	must(event_assign(&io->read_ev, l->base, fd, EV_READ | EV_PERSIST, io_ready, io) == 0);
	must(event_assign(&io->write_ev, l->base, fd, EV_WRITE | EV_PERSIST, io_ready, io) == 0);
	must(event_priority_set(&io->read_ev, (int)cls) == 0);
	must(event_priority_set(&io->write_ev, (int)cls) == 0);
	return 0;
}

static void event_watch(struct event *ev, bool on)
{
	if (on)
		should(event_add(ev, NULL) == 0);
	else
		event_del(ev);
}

static void io_watch(struct io *io, unsigned before, unsigned now)
{
	if ((before ^ now) & IO_READ)
		event_watch(&io->read_ev, now & IO_READ);
	if ((before ^ now) & IO_WRITE)
		event_watch(&io->write_ev, now & IO_WRITE);
}

void io_want(struct io *io, unsigned want)
{
	if (!should(io->loop))
		return;
	if (!io->resume.queued)
		io_watch(io, io->want, want);
	io->want = want;
}

void io_end(struct io *io)
{
	if (!io->loop)
		return;
	ring_remove(&io->resume);
	event_drop(&io->read_ev);
	event_drop(&io->write_ev);
	io->loop = NULL;
	io->want = 0;
	io->fd = -1;
}

/* ---- the back's turn ---- */

static void turn_over(evutil_socket_t fd, short events, void *arg)
{
	struct loop *l = arg;
	(void)fd;
	(void)events;
	event_del(&l->yield_ev);
	event_del(&l->turn_ev);
	for (struct deferred *d; (d = ring_take(&l->yielded));) {
		struct io *io = d->arg;
		io_watch(io, 0, io->want);
	}
}

void io_yield(struct io *io)
{
	static const struct timeval turn = { .tv_usec = LOOP_BACK_TURN_MS * 1000 };
	struct loop *l = io->loop;
	if (!should(l) || io->resume.queued)
		return;
	if (ring_is_empty(&l->yielded)) {
		event_active(&l->yield_ev, EV_TIMEOUT, 0);
		event_add(&l->turn_ev, &turn); /* without memory for it: the turn lasts as long as the back has something */
	}
	io_watch(io, io->want, 0);
	io->resume.arg = io;
	ring_add(&l->yielded, &io->resume);
}

void yield_begin(struct loop *l)
{
	ring_init(&l->yielded);
	must(event_assign(&l->yield_ev, l->base, -1, 0, turn_over, l) == 0);
	must(event_assign(&l->turn_ev, l->base, -1, 0, turn_over, l) == 0);
	must(event_priority_set(&l->turn_ev, LOOP_FRONT) == 0);
}

void yield_end(struct loop *l)
{
	event_del(&l->yield_ev);
	event_del(&l->turn_ev);
}

/* ---- timers ---- */

static void timer_ready(evutil_socket_t fd, short events, void *arg)
{
	struct timer *t = arg;
	(void)fd;
	(void)events;
	t->fn(t->arg);
}

void timer_init(struct loop *l, struct timer *t, void (*fn)(void *arg), void *arg)
{
	*t = (struct timer){ .fn = fn, .arg = arg };
	must(event_assign(&t->ev, l->base, -1, 0, timer_ready, t) == 0);
}

void timer_set(struct timer *t, uint64_t ms)
{
	const struct timeval tv = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000) };
	/* One that is due and not yet called is moved too (libevent takes it out of its queue). */
	should(event_add(&t->ev, &tv) == 0);
}

bool timer_is_set(const struct timer *t)
{
	return event_initialized(&t->ev) && event_pending(&t->ev, EV_TIMEOUT, NULL);
}

void timer_cancel(struct timer *t)
{
	event_drop(&t->ev);
}

/* ---- signals ---- */

static void signal_came(evutil_socket_t signo, short events, void *arg)
{
	struct signal_watch *w = arg;
	(void)events;
	w->fn(signo, w->arg);
}

void signal_watch(struct loop *l, struct signal_watch *w, int signo, void (*fn)(int signo, void *arg), void *arg)
{
	*w = (struct signal_watch){ .fn = fn, .arg = arg };
	must(event_assign(&w->ev, l->base, signo, EV_SIGNAL | EV_PERSIST, signal_came, w) == 0);
	must(event_add(&w->ev, NULL) == 0);
}

void signal_unwatch(struct signal_watch *w)
{
	event_drop(&w->ev);
}
