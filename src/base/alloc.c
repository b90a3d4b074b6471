/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns every call into the allocator. One file, so that jemalloc's names stand nowhere else and a build without it
 * (sanitizers, MALLOC=libc) changes nothing else. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"

#ifdef PITH_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

/* 0: none fails. n > 0: the nth fails and stays failing at 1. The only process-wide state: tests alone set it. */
static atomic_long fail_at;

void alloc_fail_after(long nth)
{
	atomic_store(&fail_at, nth);
}

static bool fails_now(void)
{
	long n = atomic_load_explicit(&fail_at, memory_order_relaxed);
	if (__builtin_expect(n == 0, 1))
		return false;
	if (n == 1)
		return true;
	atomic_store(&fail_at, n - 1);
	return false;
}

void *mem_alloc(size_t n)
{
	return fails_now() ? NULL : malloc(n ? n : 1);
}

void *mem_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : calloc(n ? n : 1, size ? size : 1);
}

void *mem_realloc(void *p, size_t n)
{
	return fails_now() ? NULL : realloc(p, n ? n : 1);
}

void mem_free(void *p)
{
	free(p);
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = mem_alloc(len + 1);
	if (!copy)
		return NULL;
	memcpy(copy, s, len);
	copy[len] = 0;
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

static void *or_exit(void *p)
{
	if (!p) {
		fputs("pith: there is not enough memory to start\n", stderr);
		exit(1);
	}
	return p;
}

void *mem_must_alloc(size_t n)
{
	return or_exit(mem_alloc(n));
}

void *mem_must_calloc(size_t n, size_t size)
{
	return or_exit(mem_calloc(n, size));
}

char *mem_must_strdup(const char *s)
{
	return or_exit(mem_strdup(s));
}

size_t mem_usable(const void *p)
{
	return malloc_usable_size((void *)(uintptr_t)p);
}

size_t mem_rss(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long size, resident = 0;
	if (!f)
		return 0;
	if (fscanf(f, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

#ifdef PITH_JEMALLOC

size_t mem_good_size(size_t n)
{
	return nallocx(n ? n : 1, 0);
}

static size_t read_stat(const char *name)
{
	size_t v = 0, len = sizeof v;
	return mallctl(name, &v, &len, NULL, 0) == 0 ? v : 0;
}

void mem_stats(struct mem_stats *s)
{
	uint64_t epoch = 1;
	size_t len = sizeof epoch;
	mallctl("epoch", &epoch, &len, &epoch, len);
	s->allocated = read_stat("stats.allocated");
	s->active = read_stat("stats.active");
	s->resident = read_stat("stats.resident");
	s->metadata = read_stat("stats.metadata");
	s->retained = read_stat("stats.retained");
	s->rss = mem_rss();
}

void mem_purge(void)
{
	char name[48];
	snprintf(name, sizeof name, "arena.%u.purge", (unsigned)MALLCTL_ARENAS_ALL);
	mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
	mallctl(name, NULL, NULL, NULL, 0);
}

const char *mem_allocator(void)
{
	return "jemalloc " JEMALLOC_VERSION;
}

#else

size_t mem_good_size(size_t n)
{
	/* glibc: 8 bytes of header, rounded up to 16, 24 usable at the least. */
	return n <= 24 ? 24 : ((n + 8 + 15) & ~(size_t)15) - 8;
}

void mem_stats(struct mem_stats *s)
{
	struct mallinfo2 m = mallinfo2();
	*s = (struct mem_stats){ .allocated = m.uordblks + m.hblkhd, .active = m.arena + m.hblkhd,
				 .resident = m.arena + m.hblkhd, .rss = mem_rss() };
}

void mem_purge(void)
{
	malloc_trim(0);
}

const char *mem_allocator(void)
{
	return "libc";
}

#endif

void mem_report(void (*write)(void *arg, const char *text), void *arg)
{
#ifdef PITH_JEMALLOC
	malloc_stats_print(write, arg, "");
#else
	(void)write;
	(void)arg;
#endif
}
