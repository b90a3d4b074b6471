/* SPDX-License-Identifier: BSD-3-Clause */
/* The three asserts (STYLE §6). Never used on bytes from outside.
 *
 *   must(x)          cheap and always on: when x is false the process cannot go on; names file, line, and query
 *   should(x)        logs and counts; evaluates to x, so that the caller handles the false case and serving goes on
 *   debug_assert(x)  only with DEBUG=yes: too dear or too paranoid for production */
#ifndef PITH_BASE_MUST_H
#define PITH_BASE_MUST_H

#include <stdbool.h>

/* What this thread is working on, printed when a must() fails; s must outlive the work, NULL when idle. */
void must_context(const char *s);
_Noreturn void must_failed(const char *expr, const char *file, int line);
/* Logs (rate-limited by place) and counts; always false. */
bool should_failed(const char *expr, const char *file, int line);
/* How many should() have failed since the start. Thread: any. */
unsigned long should_count(void);

#define must(x) (__builtin_expect(!!(x), 1) ? (void)0 : must_failed(#x, __FILE__, __LINE__))
#define should(x) (__builtin_expect(!!(x), 1) ? true : should_failed(#x, __FILE__, __LINE__))
#ifdef PITH_DEBUG
#define debug_assert(x) must(x)
#else
#define debug_assert(x) ((void)0)
#endif

#endif
