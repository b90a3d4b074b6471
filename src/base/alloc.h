/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory from the allocator: jemalloc's home.
 *
 * Everything outside of the cache's segments comes from here. The hot path calls none of it. With MALLOC=libc or a
 * sanitizer the same functions stand on libc. A test may let the Nth allocation fail (alloc_fail_after).
 * Thread: any. */
#ifndef PITH_BASE_ALLOC_H
#define PITH_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* The allocator's own report, piece by piece; nothing when it has none. */
void mem_report(void (*write)(void *arg, const char *text), void *arg);
/* n bytes, or NULL when there is no memory. mem_calloc's are zero. n may be 0 (a pointer to free comes back). */
void *mem_alloc(size_t n);
void *mem_calloc(size_t n, size_t size);
/* As realloc: on NULL the old block still stands. */
void *mem_realloc(void *p, size_t n);
void mem_free(void *p);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);

/* As above, but for start-up only: no memory ends the process with a plain sentence. */
void *mem_must_alloc(size_t n);
void *mem_must_calloc(size_t n, size_t size);
char *mem_must_strdup(const char *s);

/* Bytes that an allocation of n would really occupy (the allocator's size class). */
size_t mem_good_size(size_t n);
/* Bytes that the block p really occupies. */
size_t mem_usable(const void *p);

struct mem_stats {
	size_t allocated; /* bytes handed out, by the allocator's own count */
	size_t active;    /* bytes in pages that hold any of those */
	size_t resident;  /* bytes of physical memory the allocator holds */
	size_t metadata;
	size_t retained;  /* address space kept without memory behind it */
	size_t rss;       /* of the process, from the kernel */
};
/* Fills *s with present figures (0 where the allocator in use cannot tell, rss always). */
void mem_stats(struct mem_stats *s);
/* Resident set size of the process in bytes. */
size_t mem_rss(void);
/* Hands unused memory back to the system. May take milliseconds: never on a DNS worker. */
void mem_purge(void);
/* "jemalloc 5.3.0" or "libc". */
const char *mem_allocator(void);

/* Test only: the nth allocation from now (1 = the next) and all that follow fail until called with 0. */
void alloc_fail_after(long nth);

#endif
