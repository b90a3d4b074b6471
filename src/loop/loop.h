/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the loop room: events, timers, deferred work, a mailbox between threads, signals, threads.
 *
 * libevent's home. One loop per thread; all functions but loop_post and loop_stop are for that thread alone.
 * Hits first (DESIGN §3): file events of LOOP_FRONT run before those of LOOP_BACK, and after at most
 * LOOP_BACK_SLICE callbacks of LOOP_BACK the loop looks at the front again; a front callback that has used up its budget
 * asks for io_yield, so that neither starves. */
#ifndef PITH_LOOP_LOOP_H
#define PITH_LOOP_LOOP_H

#include <event2/event_struct.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct loop;
struct event_base;

enum loop_class { LOOP_FRONT = 0, LOOP_BACK = 1 };
enum { LOOP_BACK_SLICE = 16 };

/* NULL: no memory or no descriptors. */
struct loop *loop_new(void);
/* All io and timers must be closed before. */
void loop_free(struct loop *l);
/* Runs until loop_stop. */
void loop_run(struct loop *l);
/* Any thread. */
void loop_stop(struct loop *l);
/* For libraries with event code of their own (libunbound, hiredis, evhttp). */
struct event_base *loop_base(struct loop *l);

/* Runs fn(arg) in the loop's thread, soon; posts of one thread keep their order. Any thread. 0 or ERR_NOMEM. */
int loop_post(struct loop *l, void (*fn)(void *arg), void *arg);
/* Same thread: runs fn(arg) once, after the callbacks that are due now, never inside this call. d belongs to the caller
 * and must live until it ran; deferring it twice before it ran is the same as once. */
struct deferred {
	struct deferred *next;
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
/* Prepares io for fd (made non-blocking); watches nothing yet. 0 or ERR_SYS. */
int io_init(struct loop *l, struct io *io, enum loop_class cls, int fd, void (*fn)(struct io *, unsigned ready, void *), void *arg);
/* Watches for exactly these from now on (level-triggered). */
void io_want(struct io *io, unsigned want);
/* Stops watching until the back class has had a turn, then watches again. */
void io_yield(struct io *io);
/* Stops watching and forgets fd (does not close it). Safe inside of fn. */
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
	int cpu;        /* -1: anywhere */
	char name[16];
	bool running;
};
/* Starts fn(arg) with all signals blocked. 0 or ERR_SYS. t must outlive the thread. */
int thread_start(struct thread *t, const char *name, int cpu, void (*fn)(void *arg), void *arg);
void thread_join(struct thread *t);
/* Processors this process may run on. */
unsigned thread_cpus(void);

#endif
