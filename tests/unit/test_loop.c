/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop: order, fairness between its two classes, what may be done inside of a callback, mail, signals, threads. */
#include "loop/loop.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"

/* What a test's callbacks write down, one letter each. */
struct diary {
	struct loop *loop;
	char text[64];
	size_t n;
	struct deferred a, b;
	struct io io;
	struct timer timer;
	int fds[2];
	int count;
};

static void diary_note(struct diary *d, char c)
{
	if (d->n + 1 < sizeof d->text)
		d->text[d->n++] = c;
}

static void diary_init(struct diary *d)
{
	memset(d, 0, sizeof *d);
	d->loop = loop_new();
	check(d->loop);
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, d->fds) == 0);
}

static void diary_end(struct diary *d)
{
	loop_free(d->loop);
	close(d->fds[0]);
	close(d->fds[1]);
}

static void note_a(void *arg)
{
	diary_note(arg, 'a');
}

static void note_b(void *arg)
{
	diary_note(arg, 'b');
}

static void stop(void *arg)
{
	struct diary *d = arg;
	diary_note(d, '.');
	loop_stop(d->loop);
}

static void test_posts_of_one_thread_keep_their_order(void)
{
	struct diary d;
	diary_init(&d);
	for (int i = 0; i < 3; i++) {
		check_eq_int(loop_post(d.loop, note_a, &d), 0);
		check_eq_int(loop_post(d.loop, note_b, &d), 0);
	}
	check_eq_int(loop_post(d.loop, stop, &d), 0);
	loop_run(d.loop);
	check_eq_str(d.text, "ababab.");
	diary_end(&d);
}

static void test_a_stop_before_the_run_counts_and_what_was_posted_before_still_runs(void)
{
	struct diary d;
	diary_init(&d);
	check_eq_int(loop_post(d.loop, note_a, &d), 0);
	loop_stop(d.loop);
	loop_run(d.loop);
	check_eq_str(d.text, "a");
	/* That stop is used up: a second run goes on until the next. */
	check_eq_int(loop_post(d.loop, stop, &d), 0);
	loop_run(d.loop);
	check_eq_str(d.text, "a.");
	diary_end(&d);
}

static void test_a_post_that_comes_too_late_is_dropped_without_a_leak(void)
{
	struct diary d;
	diary_init(&d);
	check_eq_int(loop_post(d.loop, note_a, &d), 0);
	diary_end(&d);
	check_eq_str(d.text, "");
}

static void test_a_post_without_memory_says_so(void)
{
	struct diary d;
	diary_init(&d);
	alloc_fail_after(1);
	int rc = loop_post(d.loop, note_a, &d);
	alloc_fail_after(0);
	check_eq_int(rc, ERR_NOMEM);
	diary_end(&d);
}

static void defer_b(void *arg)
{
	struct diary *d = arg;
	diary_note(d, 'a');
	loop_defer(d->loop, &d->b, note_b, d);
	diary_note(d, '-');
}

static void test_a_deferred_call_runs_later_and_once(void)
{
	struct diary d;
	diary_init(&d);
	loop_defer(d.loop, &d.a, defer_b, &d);
	loop_defer(d.loop, &d.a, defer_b, &d);
	check_eq_str(d.text, "");
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 5);
	loop_run(d.loop);
	check_eq_str(d.text, "a-b.");
	diary_end(&d);
}

static void defer_self(void *arg)
{
	struct diary *d = arg;
	diary_note(d, 's');
	if (++d->count == 3)
		loop_stop(d->loop);
	else
		loop_defer(d->loop, &d->a, defer_self, d);
}

static void test_what_is_deferred_while_deferred_calls_run_waits_for_the_next_round(void)
{
	struct diary d;
	diary_init(&d);
	loop_defer(d.loop, &d.a, defer_self, &d);
	loop_run(d.loop);
	check_eq_str(d.text, "sss");
	diary_end(&d);
}

static void undefer_b(void *arg)
{
	struct diary *d = arg;
	diary_note(d, 'a');
	loop_undefer(d->loop, &d->b);
	loop_undefer(d->loop, &d->b);
	loop_stop(d->loop);
}

static void test_a_deferred_call_taken_back_does_not_come_even_in_the_same_round(void)
{
	struct diary d;
	diary_init(&d);
	loop_defer(d.loop, &d.a, undefer_b, &d);
	loop_defer(d.loop, &d.b, note_b, &d);
	loop_run(d.loop);
	check_eq_str(d.text, "a");
	check(!d.b.queued);
	diary_end(&d);
}

/* ---- files ---- */

static void read_one(struct io *io, unsigned ready, void *arg)
{
	struct diary *d = arg;
	char c;
	check_eq_int(ready, IO_READ);
	check_eq_int(read(io->fd, &c, 1), 1);
	diary_note(d, c);
	if (c == '.')
		loop_stop(d->loop);
}

static void test_a_file_is_made_non_blocking_and_read_while_bytes_wait(void)
{
	struct diary d;
	diary_init(&d);
	check_eq_int(io_init(d.loop, &d.io, LOOP_FRONT, d.fds[0], read_one, &d), 0);
	check(fcntl(d.fds[0], F_GETFL) & O_NONBLOCK);
	io_want(&d.io, IO_READ);
	check_eq_int(write(d.fds[1], "xyz.", 4), 4);
	loop_run(d.loop);
	check_eq_str(d.text, "xyz.");
	io_end(&d.io);
	io_end(&d.io);
	diary_end(&d);
}

static void test_a_closed_descriptor_is_refused(void)
{
	struct diary d;
	diary_init(&d);
	int fd = dup(d.fds[0]);
	close(fd);
	check_eq_int(io_init(d.loop, &d.io, LOOP_FRONT, fd, read_one, &d), ERR_SYS);
	io_end(&d.io);
	diary_end(&d);
}

static void read_or_write(struct io *io, unsigned ready, void *arg)
{
	struct diary *d = arg;
	diary_note(d, ready == IO_READ ? 'r' : 'w');
	/* Writing is asked for no more; reading follows, as a byte waits. */
	io_want(io, ready == IO_WRITE ? IO_READ : 0);
	if (ready == IO_READ)
		loop_stop(d->loop);
}

static void test_wanting_changes_what_is_watched(void)
{
	struct diary d;
	diary_init(&d);
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &d.io, LOOP_BACK, d.fds[0], read_or_write, &d), 0);
	io_want(&d.io, IO_WRITE);
	loop_run(d.loop);
	check_eq_str(d.text, "wr");
	io_end(&d.io);
	diary_end(&d);
}

struct mortal {
	struct io io;
	struct timer timer;
	struct deferred deferred;
	struct diary *diary;
};

static void io_dies(struct io *io, unsigned ready, void *arg)
{
	struct mortal *m = arg;
	(void)ready;
	diary_note(m->diary, 'i');
	io_end(io);
	mem_free(m);
}

static void test_a_file_may_end_and_free_itself_in_its_own_callback_with_the_other_event_due(void)
{
	struct diary d;
	diary_init(&d);
	struct mortal *m = mem_calloc(1, sizeof *m);
	m->diary = &d;
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &m->io, LOOP_BACK, d.fds[0], io_dies, m), 0);
	io_want(&m->io, IO_READ | IO_WRITE);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 10);
	loop_run(d.loop);
	check_eq_str(d.text, "i.");
	diary_end(&d);
}

static void timer_dies(void *arg)
{
	struct mortal *m = arg;
	diary_note(m->diary, 't');
	timer_cancel(&m->timer);
	mem_free(m);
}

static void deferred_dies(void *arg)
{
	struct mortal *m = arg;
	diary_note(m->diary, 'd');
	loop_undefer(m->diary->loop, &m->deferred);
	mem_free(m);
}

static void test_timers_and_deferred_calls_may_free_themselves_too(void)
{
	struct diary d;
	diary_init(&d);
	struct mortal *t = mem_calloc(1, sizeof *t), *f = mem_calloc(1, sizeof *f);
	t->diary = f->diary = &d;
	timer_init(d.loop, &t->timer, timer_dies, t);
	timer_set(&t->timer, 5);
	loop_defer(d.loop, &f->deferred, deferred_dies, f);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 15);
	loop_run(d.loop);
	check_eq_str(d.text, "dt.");
	diary_end(&d);
}

struct pair {
	struct io io[2];
	struct diary *diary;
};

static void ends_both(struct io *io, unsigned ready, void *arg)
{
	struct pair *p = arg;
	(void)io;
	(void)ready;
	diary_note(p->diary, 'x');
	io_end(&p->io[0]);
	io_end(&p->io[1]);
	loop_stop(p->diary->loop);
}

static void test_a_file_ended_by_another_ones_callback_gets_no_call_though_it_was_ready(void)
{
	struct diary d;
	diary_init(&d);
	struct pair p = { .diary = &d };
	check_eq_int(write(d.fds[0], "x", 1), 1);
	check_eq_int(write(d.fds[1], "x", 1), 1);
	for (int i = 0; i < 2; i++) {
		check_eq_int(io_init(d.loop, &p.io[i], LOOP_BACK, d.fds[i], ends_both, &p), 0);
		io_want(&p.io[i], IO_READ);
	}
	loop_run(d.loop);
	check_eq_str(d.text, "x");
	diary_end(&d);
}

/* ---- fairness ---- */

enum { FRONT_BUDGET = 4 };

struct flood {
	struct diary *diary;
	int in_a_row, total, yields;
	int back, front_at_back[8];
	struct io back_io;
	struct deferred chain;
	int chain_runs;
};

/* Always ready, as its bytes are never read. */
static void front_flood(struct io *io, unsigned ready, void *arg)
{
	struct flood *f = arg;
	(void)ready;
	f->total++;
	if (++f->in_a_row == FRONT_BUDGET) {
		f->in_a_row = 0;
		f->yields++;
		io_yield(io);
	}
	if (f->total == 100000)
		loop_stop(f->diary->loop); /* starved: the checks will tell */
}

static void back_counts(struct io *io, unsigned ready, void *arg)
{
	struct flood *f = arg;
	(void)io;
	(void)ready;
	f->front_at_back[f->back++] = f->total;
	if (f->back == 8)
		loop_stop(f->diary->loop);
}

static void test_a_front_file_that_yields_lets_the_back_have_one_turn_each_time(void)
{
	struct diary d;
	diary_init(&d);
	struct flood f = { .diary = &d };
	int more[2];
	check(socketpair(AF_UNIX, SOCK_STREAM, 0, more) == 0);
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(write(more[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &d.io, LOOP_FRONT, d.fds[0], front_flood, &f), 0);
	check_eq_int(io_init(d.loop, &f.back_io, LOOP_BACK, more[0], back_counts, &f), 0);
	io_want(&d.io, IO_READ);
	io_want(&f.back_io, IO_READ);
	loop_run(d.loop);
	check_eq_int(f.back, 8);
	/* The first calls of the front come before the back's first; never more than one budget lies between two of the back. */
	check(f.front_at_back[0] >= FRONT_BUDGET);
	for (int i = 1; i < 8; i++)
		check(f.front_at_back[i] - f.front_at_back[i - 1] <= FRONT_BUDGET);
	io_end(&d.io);
	io_end(&f.back_io);
	close(more[0]);
	close(more[1]);
	diary_end(&d);
}

/* The back always has something: a deferred call that defers itself. */
static void back_chain(void *arg)
{
	struct flood *f = arg;
	if (++f->chain_runs < 10000000)
		loop_defer(f->diary->loop, &f->chain, back_chain, f);
}

static void front_ten(struct io *io, unsigned ready, void *arg)
{
	struct flood *f = arg;
	(void)ready;
	if (++f->total == 10)
		loop_stop(f->diary->loop);
	else
		io_yield(io);
}

static void test_a_busy_back_gives_the_turn_back_to_the_front(void)
{
	struct diary d;
	diary_init(&d);
	struct flood f = { .diary = &d };
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &d.io, LOOP_FRONT, d.fds[0], front_ten, &f), 0);
	io_want(&d.io, IO_READ);
	loop_defer(d.loop, &f.chain, back_chain, &f);
	loop_run(d.loop);
	check_eq_int(f.total, 10);
	check(f.chain_runs >= 9 && f.chain_runs < 10000000);
	loop_undefer(d.loop, &f.chain);
	io_end(&d.io);
	diary_end(&d);
}

static void yield_then_change(struct io *io, unsigned ready, void *arg)
{
	struct diary *d = arg;
	diary_note(d, ready == IO_READ ? 'r' : 'w');
	if (ready == IO_WRITE) {
		loop_stop(d->loop);
		return;
	}
	loop_defer(d->loop, &d->b, note_b, d);
	io_yield(io);
	io_yield(io);
	io_want(io, IO_WRITE);
}

static void test_a_wish_changed_while_yielding_holds_after_the_backs_turn(void)
{
	struct diary d;
	diary_init(&d);
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &d.io, LOOP_FRONT, d.fds[0], yield_then_change, &d), 0);
	io_want(&d.io, IO_READ);
	loop_run(d.loop);
	check_eq_str(d.text, "rbw");
	io_end(&d.io);
	diary_end(&d);
}

static void yield_and_die(struct io *io, unsigned ready, void *arg)
{
	struct mortal *m = arg;
	(void)ready;
	diary_note(m->diary, 'y');
	io_yield(io);
	io_end(io);
	mem_free(m);
}

static void test_a_file_that_yielded_may_end(void)
{
	struct diary d;
	diary_init(&d);
	struct mortal *m = mem_calloc(1, sizeof *m);
	m->diary = &d;
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &m->io, LOOP_FRONT, d.fds[0], yield_and_die, m), 0);
	io_want(&m->io, IO_READ);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 10);
	loop_run(d.loop);
	check_eq_str(d.text, "y.");
	diary_end(&d);
}

struct many {
	struct diary *diary;
	struct io front;
	struct event *back[100];
	int back_runs, back_runs_at_front;
};

static void many_back(evutil_socket_t fd, short events, void *arg)
{
	struct many *m = arg;
	const char c = 'x';
	(void)fd;
	(void)events;
	if (++m->back_runs == 1)
		check_eq_int(write(m->diary->fds[1], &c, 1), 1);
}

static void many_front(struct io *io, unsigned ready, void *arg)
{
	struct many *m = arg;
	(void)io;
	(void)ready;
	m->back_runs_at_front = m->back_runs;
	loop_stop(m->diary->loop);
}

static void test_the_front_is_looked_at_after_one_slice_of_a_librarys_own_events(void)
{
	struct diary d;
	diary_init(&d);
	struct many m = { .diary = &d };
	check_eq_int(io_init(d.loop, &m.front, LOOP_FRONT, d.fds[0], many_front, &m), 0);
	io_want(&m.front, IO_READ);
	for (int i = 0; i < 100; i++) {
		m.back[i] = event_new(loop_base(d.loop), -1, 0, many_back, &m);
		event_active(m.back[i], EV_TIMEOUT, 0);
	}
	loop_run(d.loop);
	check_eq_int(m.back_runs_at_front, LOOP_BACK_SLICE);
	for (int i = 0; i < 100; i++)
		event_free(m.back[i]);
	io_end(&m.front);
	diary_end(&d);
}

static void many_slow_back(evutil_socket_t fd, short events, void *arg)
{
	struct many *m = arg;
	uint64_t start = clock_real_mono_ns();
	(void)fd;
	(void)events;
	m->back_runs++;
	while (clock_real_mono_ns() - start < LOOP_BACK_TURN_MS * 1000000u / 4)
		;
}

static void many_front_yields(struct io *io, unsigned ready, void *arg)
{
	struct many *m = arg;
	(void)ready;
	if (m->back_runs > 0) {
		m->back_runs_at_front = m->back_runs;
		loop_stop(m->diary->loop);
	}
	io_yield(io);
}

static void test_a_long_queue_in_the_back_is_cut_off_when_its_turn_has_lasted_long_enough(void)
{
	struct diary d;
	diary_init(&d);
	struct many m = { .diary = &d };
	check_eq_int(write(d.fds[1], "x", 1), 1);
	check_eq_int(io_init(d.loop, &m.front, LOOP_FRONT, d.fds[0], many_front_yields, &m), 0);
	io_want(&m.front, IO_READ);
	for (int i = 0; i < 100; i++) {
		m.back[i] = event_new(loop_base(d.loop), -1, 0, many_slow_back, &m);
		event_active(m.back[i], EV_TIMEOUT, 0);
	}
	loop_run(d.loop);
	/* Two slices hold eight turns' worth of work. */
	check(m.back_runs_at_front > 0 && m.back_runs_at_front <= 2 * LOOP_BACK_SLICE);
	for (int i = 0; i < 100; i++)
		event_free(m.back[i]);
	io_end(&m.front);
	diary_end(&d);
}

/* ---- timers ---- */

static void test_timers_fire_in_the_order_of_their_times_and_a_cancelled_one_never(void)
{
	struct diary d;
	diary_init(&d);
	struct timer a, b, c;
	timer_init(d.loop, &a, note_a, &d);
	timer_init(d.loop, &b, note_b, &d);
	timer_init(d.loop, &c, note_a, &d);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&b, 4);
	timer_set(&a, 12);
	timer_set(&c, 2);
	timer_set(&d.timer, 25);
	check(timer_is_set(&c));
	timer_cancel(&c);
	check(!timer_is_set(&c));
	uint64_t start = clock_real_mono_ms();
	loop_run(d.loop);
	check_eq_str(d.text, "ba.");
	check(clock_real_mono_ms() - start >= 24);
	check(!timer_is_set(&a));
	diary_end(&d);
}

static void test_setting_a_timer_again_moves_it(void)
{
	struct diary d;
	diary_init(&d);
	struct timer a;
	timer_init(d.loop, &a, note_a, &d);
	timer_set(&a, 1);
	timer_set(&a, 100000000);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 10);
	loop_run(d.loop);
	check_eq_str(d.text, ".");
	timer_cancel(&a);
	timer_cancel(&a);
	diary_end(&d);
}

static void test_a_jump_of_the_simulated_clock_fires_no_timer(void)
{
	struct diary d;
	diary_init(&d);
	struct timer a;
	timer_init(d.loop, &a, note_a, &d);
	timer_set(&a, 3600000);
	clock_jump(7200000);
	timer_init(d.loop, &d.timer, stop, &d);
	timer_set(&d.timer, 5);
	loop_run(d.loop);
	check_eq_str(d.text, ".");
	timer_cancel(&a);
	diary_end(&d);
}

static void test_ending_what_never_began_does_nothing(void)
{
	struct diary d;
	diary_init(&d);
	struct signal_watch w;
	memset(&w, 0, sizeof w);
	io_end(&d.io);
	timer_cancel(&d.timer);
	check(!timer_is_set(&d.timer));
	loop_undefer(d.loop, &d.a);
	signal_unwatch(&w);
	loop_free(NULL);
	diary_end(&d);
}

/* ---- signals and threads ---- */

static void note_signal(int signo, void *arg)
{
	struct diary *d = arg;
	diary_note(d, signo == SIGUSR1 ? '1' : '2');
	if (signo == SIGUSR2)
		loop_stop(d->loop);
}

static void raise_both(void *arg)
{
	(void)arg;
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
}

static void test_signals_arrive_in_the_loop(void)
{
	struct diary d;
	diary_init(&d);
	struct signal_watch one, two;
	signal_watch(d.loop, &one, SIGUSR1, note_signal, &d);
	signal_watch(d.loop, &two, SIGUSR2, note_signal, &d);
	loop_defer(d.loop, &d.a, raise_both, NULL);
	loop_run(d.loop);
	check_eq_str(d.text, "12");
	signal_unwatch(&one);
	signal_unwatch(&two);
	diary_end(&d);
}

struct worker {
	struct thread thread;
	struct loop *loop;
	int got;
	bool term_blocked, segv_blocked;
	char name[16];
	int cpus;
};

static void worker_looks_around(void *arg)
{
	struct worker *w = arg;
	sigset_t set;
	cpu_set_t cpus;
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	w->term_blocked = sigismember(&set, SIGTERM) && sigismember(&set, SIGHUP);
	w->segv_blocked = sigismember(&set, SIGSEGV);
	pthread_getname_np(pthread_self(), w->name, sizeof w->name);
	sched_getaffinity(0, sizeof cpus, &cpus);
	w->cpus = CPU_COUNT(&cpus);
}

static void test_a_thread_has_its_name_its_processor_and_no_signals(void)
{
	struct worker w = { .cpus = 0 };
	sigset_t set;
	check_eq_int(thread_start(&w.thread, "a-name-of-more-than-15-bytes", 1000, worker_looks_around, &w), 0);
	thread_join(&w.thread);
	thread_join(&w.thread);
	check(w.term_blocked);
	check(!w.segv_blocked);
	check_eq_str(w.name, "a-name-of-more-");
	check_eq_int(w.cpus, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	check(!sigismember(&set, SIGTERM));
	check_eq_int(thread_start(&w.thread, "b", -1, worker_looks_around, &w), 0);
	thread_join(&w.thread);
	check_eq_int(w.cpus, thread_cpus());
}

enum { POSTS = 20000, POSTERS = 2 };

struct poster {
	struct thread thread;
	struct worker *to;
	int sent;
};

static void worker_gets(void *arg)
{
	struct worker *w = arg;
	if (++w->got == POSTERS * POSTS)
		loop_stop(w->loop);
}

static void poster_posts(void *arg)
{
	struct poster *p = arg;
	for (int i = 0; i < POSTS; i++)
		p->sent += loop_post(p->to->loop, worker_gets, p->to) == 0;
}

static void worker_runs(void *arg)
{
	struct worker *w = arg;
	loop_run(w->loop);
}

static void test_no_post_of_several_threads_is_lost(void)
{
	struct worker w = { .loop = loop_new() };
	struct poster posters[POSTERS];
	check_eq_int(thread_start(&w.thread, "reader", -1, worker_runs, &w), 0);
	for (int i = 0; i < POSTERS; i++) {
		posters[i] = (struct poster){ .to = &w };
		check_eq_int(thread_start(&posters[i].thread, "poster", -1, poster_posts, &posters[i]), 0);
	}
	for (int i = 0; i < POSTERS; i++) {
		thread_join(&posters[i].thread);
		check_eq_int(posters[i].sent, POSTS);
	}
	thread_join(&w.thread);
	check_eq_int(w.got, POSTERS * POSTS);
	loop_free(w.loop);
}

static void test_a_stop_from_another_thread_ends_an_idle_loop(void)
{
	struct worker w = { .loop = loop_new() };
	check_eq_int(thread_start(&w.thread, "idle", -1, worker_runs, &w), 0);
	loop_stop(w.loop);
	thread_join(&w.thread);
	loop_free(w.loop);
}
