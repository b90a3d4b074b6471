/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns a thread's registration with liburcu and its count of heavy memory waiting for a grace period.
 *
 * A thread stays registered until it ends, however often it begins and ends with caches: liburcu 0.13 asserts when a thread's
 * defer queue is registered a second time, and when the process exits with one registered. So a thread's end (a key's
 * destructor) and the process's (atexit) unregister; in between a registered thread costs nothing. */
#include "cache/reclaim.h"

#include <pthread.h>
#include <stdlib.h>
#include <urcu/defer.h>

#include "base/must.h"

#ifdef RECLAIM_TSAN
char reclaim_tsan_tag;
#endif

static _Thread_local unsigned users;
static _Thread_local bool registered;
static _Thread_local unsigned heavy;
static pthread_key_t at_thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void unregister(void *unused)
{
	(void)unused;
	if (!registered)
		return;
	rcu_defer_unregister_thread();
	rcu_unregister_thread();
	registered = false;
}

static void unregister_at_exit(void)
{
	unregister(NULL);
}

static void set_up(void)
{
	must(pthread_key_create(&at_thread_end, unregister) == 0);
	atexit(unregister_at_exit);
}

void reclaim_thread_begin(void)
{
	if (users++ || registered)
		return;
	pthread_once(&once, set_up);
	rcu_register_thread();
	must(rcu_defer_register_thread() == 0);
	/* Any value but NULL makes the destructor run. */
	pthread_setspecific(at_thread_end, &at_thread_end);
	registered = true;
}

void reclaim_thread_end(void)
{
	if (--users == 0)
		reclaim_flush();
}

void reclaim_defer(void (*fn)(void *p), void *p, bool weighty)
{
	RECLAIM_DEFERRED();
	defer_rcu(fn, p);
	if (weighty && ++heavy >= RECLAIM_HELD)
		reclaim_flush();
}

void reclaim_flush(void)
{
	heavy = 0;
	rcu_defer_barrier_thread();
}

void reclaim_flush_all(void)
{
	rcu_defer_barrier();
}
