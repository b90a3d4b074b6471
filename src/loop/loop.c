/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the loop's life (making it, running it, stopping it) and deferred calls.
 *
 * libevent does the waiting. Its own thread locks stay off (evthread_use_pthreads is never called): no other thread
 * touches the base, as posts and stops come through eventfds. That saves a mutex around every callback. Stop has a
 * descriptor of its own, watched at the front, so that no flood can hold it up. */
#include "loop/loop.h"

#include <event2/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "loop/internal.h"

/* ---- rings of deferred calls ---- */

void ring_init(struct deferred *head)
{
	head->next = head->prev = head;
}

bool ring_is_empty(const struct deferred *head)
{
	return head->next == head;
}

void ring_add(struct deferred *head, struct deferred *d)
{
	d->next = head;
	d->prev = head->prev;
	head->prev->next = d;
	head->prev = d;
	d->queued = true;
}

void ring_remove(struct deferred *d)
{
	if (!d->queued)
		return;
	d->prev->next = d->next;
	d->next->prev = d->prev;
	d->next = d->prev = NULL;
	d->queued = false;
}

void ring_move(struct deferred *to, struct deferred *from)
{
	if (ring_is_empty(from))
		return;
	to->next = from->next;
	to->prev = from->prev;
	to->next->prev = to->prev->next = to;
	ring_init(from);
}

struct deferred *ring_take(struct deferred *head)
{
	struct deferred *d = head->next;
	if (d == head)
		return NULL;
	ring_remove(d);
	return d;
}

static void run_deferred(evutil_socket_t fd, short events, void *arg)
{
	struct loop *l = arg;
	(void)fd;
	(void)events;
	ring_move(&l->running, &l->waiting);
	/* d may be freed by its own call, and any other taken out by it. */
	for (struct deferred *d; (d = ring_take(&l->running));)
		d->fn(d->arg);
}

void loop_defer(struct loop *l, struct deferred *d, void (*fn)(void *arg), void *arg)
{
	if (d->queued)
		return;
	d->fn = fn;
	d->arg = arg;
	if (ring_is_empty(&l->waiting))
		event_active(&l->deferred_ev, EV_TIMEOUT, 0);
	ring_add(&l->waiting, d);
}

void loop_undefer(struct loop *l, struct deferred *d)
{
	(void)l;
	ring_remove(d);
}

/* ---- the loop ---- */

static struct event_base *base_new(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;
	if (!config)
		return NULL;
	/* Precise timers would be a timerfd_settime for every turn of a loop that answers packets; ours are whole milliseconds. */
	if (event_config_set_max_dispatch_interval(config, NULL, LOOP_BACK_SLICE, LOOP_BACK) == 0)
		base = event_base_new_with_config(config);
	event_config_free(config);
	/* With two classes libevent's default is the second: what libraries bring is of the back. */
	if (base && event_base_priority_init(base, LOOP_BACK + 1) != 0) {
		event_base_free(base);
		return NULL;
	}
	return base;
}

static void stop_ready(evutil_socket_t fd, short events, void *arg)
{
	struct loop *l = arg;
	uint64_t count;
	(void)events;
	ssize_t n = read(fd, &count, sizeof count);
	(void)n;
	event_base_loopbreak(l->base);
}

static int stop_begin(struct loop *l)
{
	l->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (l->stop_fd < 0)
		return ERR_SYS;
	must(event_assign(&l->stop_ev, l->base, l->stop_fd, EV_READ | EV_PERSIST, stop_ready, l) == 0);
	must(event_priority_set(&l->stop_ev, LOOP_FRONT) == 0);
	if (event_add(&l->stop_ev, NULL) == 0)
		return 0;
	close(l->stop_fd);
	return ERR_SYS;
}

struct loop *loop_new(void)
{
	struct loop *l = mem_calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->base = base_new();
	if (!l->base)
		goto no_base;
	if (stop_begin(l) != 0)
		goto no_stop;
	if (mail_begin(l) != 0)
		goto no_mail;
	ring_init(&l->waiting);
	ring_init(&l->running);
	must(event_assign(&l->deferred_ev, l->base, -1, 0, run_deferred, l) == 0);
	yield_begin(l);
	return l;
no_mail:
	event_del(&l->stop_ev);
	close(l->stop_fd);
no_stop:
	event_base_free(l->base);
no_base:
	mem_free(l);
	return NULL;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	event_del(&l->deferred_ev);
	yield_end(l);
	mail_end(l);
	event_del(&l->stop_ev);
	close(l->stop_fd);
	event_base_free(l->base);
	mem_free(l);
}

void loop_run(struct loop *l)
{
	l->runner = pthread_self();
	atomic_store(&l->runs, true);
	must(event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY) >= 0);
	atomic_store(&l->runs, false);
	mail_run(l);
}

void loop_stop(struct loop *l)
{
	const uint64_t one = 1;
	/* From a callback of its own: at once, and nothing is left for a later run to stumble over. */
	if (atomic_load(&l->runs) && pthread_equal(l->runner, pthread_self())) {
		event_base_loopbreak(l->base);
		return;
	}
	/* It fails only when the counter is full; then the descriptor is readable all the more. */
	ssize_t n = write(l->stop_fd, &one, sizeof one);
	(void)n;
}

struct event_base *loop_base(struct loop *l)
{
	return l->base;
}
