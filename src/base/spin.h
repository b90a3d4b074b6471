/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock for short work that is seldom contended.
 *
 * Its release is a plain store. A mutex's is a locked instruction, which waits until every store before it has reached the cache: behind an
 * insertion, whose stores all miss, that wait was 100 ns of 740. Who finds it taken spins a little and then yields his
 * processor, so that a holder that was preempted gets on. Not fair, not recursive. Thread: any. */
#ifndef PITH_BASE_SPIN_H
#define PITH_BASE_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SPIN_TRIES = 100 };

struct spin {
	atomic_bool taken;
};

static inline void spin_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static inline void spin_lock(struct spin *l)
{
	for (int tries = 0; atomic_exchange_explicit(&l->taken, true, memory_order_acquire); tries++) {
		/* Reads until it looks free: an exchange would pull the line away from the holder each time. */
		while (atomic_load_explicit(&l->taken, memory_order_relaxed) && tries < SPIN_TRIES) {
			spin_relax();
			tries++;
		}
		if (tries >= SPIN_TRIES)
			sched_yield();
	}
}

static inline void spin_unlock(struct spin *l)
{
	atomic_store_explicit(&l->taken, false, memory_order_release);
}

#endif
