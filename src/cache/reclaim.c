/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns a thread's registration with liburcu and its count of heavy memory waiting for a grace period. */
#include "cache/reclaim.h"

#include <urcu/defer.h>

#ifdef RECLAIM_TSAN
char reclaim_tsan_tag;
#endif

static _Thread_local unsigned registered;
static _Thread_local unsigned heavy;

void reclaim_thread_begin(void)
{
	if (registered++)
		return;
	urcu_memb_register_thread();
	urcu_memb_defer_register_thread();
}

void reclaim_thread_end(void)
{
	if (--registered)
		return;
	urcu_memb_defer_barrier_thread();
	urcu_memb_defer_unregister_thread();
	urcu_memb_unregister_thread();
	heavy = 0;
}

void reclaim_defer(void (*fn)(void *p), void *p, bool weighty)
{
	urcu_memb_defer_rcu(fn, p);
	if (weighty && ++heavy >= RECLAIM_HELD)
		reclaim_flush();
}

void reclaim_flush(void)
{
	heavy = 0;
	urcu_memb_defer_barrier_thread();
}
