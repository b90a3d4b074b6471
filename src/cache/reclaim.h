/* SPDX-License-Identifier: BSD-3-Clause */
/* When memory that readers may still see can be used again: liburcu's home.
 *
 * The memb flavour, inlined, is 1.75 ns a read section, and a section covers a whole batch of packets. What was unlinked
 * goes through defer_rcu; as a deferred segment is up to 256 KB, a thread that has more than RECLAIM_HELD of them waiting takes
 * the grace period itself, so that the floating memory is bounded. Never from inside of a read section. */
#ifndef PITH_CACHE_RECLAIM_H
#define PITH_CACHE_RECLAIM_H

#include <stdbool.h>
#include <urcu/urcu-memb.h>

enum { RECLAIM_HELD = 8 };

/* The calling thread begins and ends using a cache. Pairs may nest and follow each other. */
void reclaim_thread_begin(void);
void reclaim_thread_end(void);

#if defined(__SANITIZE_THREAD__)
#define RECLAIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RECLAIM_TSAN 1
#endif
#endif

#ifdef RECLAIM_TSAN
/* TSan cannot see a grace period: it is told that whatever a section did came before what its end allows. Neither can it see
 * liburcu's queue, from which another thread may call what was deferred: what the deferring thread did came before that, too. */
extern char reclaim_tsan_tag;
void __tsan_acquire(void *);
void __tsan_release(void *);
#define RECLAIM_SECTION_ENDS() __tsan_release(&reclaim_tsan_tag)
#define RECLAIM_DEFERRED() __tsan_release(&reclaim_tsan_tag)
#define RECLAIM_GRACE_OVER() __tsan_acquire(&reclaim_tsan_tag)
#else
#define RECLAIM_SECTION_ENDS() ((void)0)
#define RECLAIM_DEFERRED() ((void)0)
#define RECLAIM_GRACE_OVER() ((void)0)
#endif

static inline void reclaim_read_begin(void)
{
	urcu_memb_read_lock();
}

static inline void reclaim_read_end(void)
{
	RECLAIM_SECTION_ENDS();
	urcu_memb_read_unlock();
}

/* fn(p) once no reader can see p any more; soon, in any thread. fn calls RECLAIM_GRACE_OVER first. weighty: p is a whole
 * segment, counted against RECLAIM_HELD. */
void reclaim_defer(void (*fn)(void *p), void *p, bool weighty);
/* Returns after everything this thread deferred was done; after everything that all threads did. */
void reclaim_flush(void);
void reclaim_flush_all(void);

#endif
