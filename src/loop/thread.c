/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the start of threads: name, processor, signal mask. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/must.h"
#include "loop/loop.h"

/* The nth processor of set, from 0; -1 when set is empty. */
static int nth_cpu(const cpu_set_t *set, unsigned nth)
{
	unsigned n = (unsigned)CPU_COUNT(set);
	if (n == 0)
		return -1;
	nth %= n;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && nth-- == 0)
			return cpu;
	return -1;
}

static void thread_pin(const struct thread *t)
{
	cpu_set_t set;
	int cpu = sched_getaffinity(0, sizeof set, &set) == 0 ? nth_cpu(&set, (unsigned)t->cpu) : -1;
	int rc = EINVAL;
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		rc = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
	}
	if (rc != 0)
		log_warn("thread %s cannot be pinned to a processor: %s", t->name, strerror(rc));
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	pthread_setname_np(pthread_self(), t->name);
	if (t->cpu >= 0)
		thread_pin(t);
	t->fn(t->arg);
	return NULL;
}

/* All but those that a fault of the thread itself raises: blocked, they would end the process without a word. SIGPROF too,
 * which profilers send to whatever thread is running. */
static void signals_for_main(sigset_t *set)
{
	static const int keep[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF };
	sigfillset(set);
	for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
		sigdelset(set, keep[i]);
}

int thread_start(struct thread *t, const char *name, int cpu, void (*fn)(void *arg), void *arg)
{
	sigset_t blocked, before;
	*t = (struct thread){ .fn = fn, .arg = arg, .cpu = cpu };
	snprintf(t->name, sizeof t->name, "%s", name);
	/* Blocked here, as a thread inherits the mask: there is no moment at which it could take a signal. */
	signals_for_main(&blocked);
	must(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
	int rc = pthread_create(&t->id, NULL, thread_main, t);
	must(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	t->running = rc == 0;
	errno = rc;
	return rc == 0 ? 0 : ERR_SYS;
}

void thread_join(struct thread *t)
{
	if (!t->running)
		return;
	must(pthread_join(t->id, NULL) == 0);
	t->running = false;
}

unsigned thread_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}
