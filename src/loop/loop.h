/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the loop room: events, timers, deferred work, a mailbox between threads, signals, threads.
 *
 * libevent's home. One loop per thread; all functions but loop_post and loop_stop are for that thread alone.
 * Hits first (DESIGN §3): file events of LOOP_FRONT run before those of LOOP_BACK, and after at most
 * LOOP_BACK_SLICE callbacks of LOOP_BACK the loop looks at the front again; a front callback that has used up its budget
 * asks for io_yield, so that neither starves. It has to: the order is strict, and as long as one front file is ready
 * nothing of the back runs. Timers, posts, deferred calls and signals are of the back; so are events that libraries put
 * on loop_base themselves (libevent's default).
 * io, timers and deferred calls live in their owners' structs. Ending one (io_end, timer_cancel, loop_undefer) is allowed
 * everywhere, twice, on zeroed memory, and inside of its own callback; no callback comes after it, and the memory may
 * be freed at once, also inside of that callback. */
#ifndef PITH_LOOP_LOOP_H
#define PITH_LOOP_LOOP_H

#include <event2/event_struct.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct loop;
struct event_base;

enum loop_class { LOOP_FRONT = 0, LOOP_BACK = 1 };
/* How long io_yield lets the back run at most, when more than that waits there: a turn, and not the whole queue. */
enum { LOOP_BACK_SLICE = 16, LOOP_BACK_TURN_MS = 1 };

/* NULL: no memory or no descriptors. */
struct loop *loop_new(void);
/* All io and timers must be closed before. Posts that came too late to run are dropped. NULL is fine. */
void loop_free(struct loop *l);
/* Runs until loop_stop (one asked for before counts), then whatever was posted before that stop. */
void loop_run(struct loop *l);
/* Any thread, also inside of a callback; not in a signal handler. The callback at work is finished. */
void loop_stop(struct loop *l);
/* For libraries with event code of their own (libunbound, hiredis, evhttp). */
struct event_base *loop_base(struct loop *l);

/* Runs fn(arg) in the loop's thread, soon; posts of one thread keep their order, and fn sees what was written before the
 * post. Many posts cost one wake-up. Any thread. 0 or ERR_NOMEM. */
int loop_post(struct loop *l, void (*fn)(void *arg), void *arg);
/* Same thread: runs fn(arg) once, after the callbacks that are due now, never inside this call, in the order of the calls.
 * What is deferred while deferred calls run waits for the next round. d belongs to the caller (zero it before its first
 * use) and must live until it ran; deferring it twice before it ran is the same as once. */
struct deferred {
	struct deferred *next, *prev; /* in the loop's ring while queued */
	void (*fn)(void *arg);
	void *arg;
	bool queued;
};
void loop_defer(struct loop *l, struct deferred *d, void (*fn)(void *arg), void *arg);
void loop_undefer(struct loop *l, struct deferred *d);

/* ---- files ---- */

enum { IO_READ = 1, IO_WRITE = 2 };
struct io {
	struct event read_ev, write_ev;
	struct loop *loop;
	void (*fn)(struct io *io, unsigned ready, void *arg);
	void *arg;
	int fd;
	unsigned want;
	struct deferred resume;
};
/* Prepares io for fd (made non-blocking); watches nothing yet. 0 or ERR_SYS. fn gets IO_READ or IO_WRITE, one a call. */
int io_init(struct loop *l, struct io *io, enum loop_class cls, int fd, void (*fn)(struct io *, unsigned ready, void *), void *arg);
/* Watches for exactly these from now on (level-triggered). */
void io_want(struct io *io, unsigned want);
/* Stops watching until the back class has had a turn (all that waits there now, or LOOP_BACK_TURN_MS of it), then watches
 * again what io_want asked for last. */
void io_yield(struct io *io);
/* Stops watching and forgets fd (does not close it: the owner does, after this). Safe inside of fn. */
void io_end(struct io *io);

/* ---- timers (milliseconds of the real monotonic clock; jumps of the simulated clock do not fire them) ---- */

struct timer {
	struct event ev;
	void (*fn)(void *arg);
	void *arg;
};
void timer_init(struct loop *l, struct timer *t, void (*fn)(void *arg), void *arg);
/* Fires once, in ms; setting it again moves it. */
void timer_set(struct timer *t, uint64_t ms);
bool timer_is_set(const struct timer *t);
void timer_cancel(struct timer *t);

/* ---- signals: in one loop only ---- */

struct signal_watch {
	struct event ev;
	void (*fn)(int signo, void *arg);
	void *arg;
};
void signal_watch(struct loop *l, struct signal_watch *w, int signo, void (*fn)(int signo, void *arg), void *arg);
void signal_unwatch(struct signal_watch *w);

/* ---- threads ---- */

struct thread {
	pthread_t id;
	void (*fn)(void *arg);
	void *arg;
	int cpu;        /* the nth of those this process may run on (modulo their number), from 0; -1: anywhere */
	char name[16];
	bool running;
};
/* Starts fn(arg) with all signals blocked (but those a fault raises); 15 bytes of name show. A processor that cannot be had
 * is logged, and the thread runs anywhere. 0 or ERR_SYS. t must outlive the thread. */
int thread_start(struct thread *t, const char *name, int cpu, void (*fn)(void *arg), void *arg);
/* Waits for its end; nothing to do for one that does not run. */
void thread_join(struct thread *t);
/* Processors this process may run on, at least 1. */
unsigned thread_cpus(void);

#endif
