/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what happens when an assert fails: one line that names the place and the query at hand. */
#include "base/must.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

static _Thread_local const char *context;
static atomic_ulong failures;

void must_context(const char *s)
{
	context = s;
}

void must_failed(const char *expr, const char *file, int line)
{
	fprintf(stderr, "pith: %s:%d: must hold: %s%s%s\n", file, line, expr, context ? "; while at " : "",
		context ? context : "");
	fflush(stderr);
	abort();
}

bool should_failed(const char *expr, const char *file, int line)
{
	atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
	log_warn("%s:%d: should hold: %s", file, line, expr);
	return false;
}

unsigned long should_count(void)
{
	return atomic_load_explicit(&failures, memory_order_relaxed);
}
