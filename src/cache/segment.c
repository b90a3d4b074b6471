/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the reservations that segments are cut from.
 *
 * A reservation is RESERVE_PLACES places, its first place holding its own head, so that a segment finds its pool by
 * masking its address. mmap with MAP_NORESERVE: address space costs nothing until it is written. Dropped: one mmap a segment
 * (a million mappings in a large cache), jemalloc extents (dirty pages of other sizes stayed resident). */
#include "cache/segment.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/must.h"

enum { RESERVE_PLACES = 256 };
static const size_t reserve_span = (size_t)RESERVE_PLACES * SEGMENT_SPAN;

struct reservation {
	struct segment_pool *pool;
	struct reservation *next;
	void *map;
	size_t map_len;
};

struct segment_pool {
	pthread_mutex_t lock;
	struct reservation *reservations;
	struct segment **cold; /* places without pages */
	size_t n_cold, n_places; /* cold has room for all n_places */
	struct segment *warm[SEGMENT_WARM];
	size_t warm_bytes[SEGMENT_WARM]; /* pages behind each */
	unsigned n_warm;
};

_Static_assert(sizeof(struct segment) == SEGMENT_HEAD, "the table begins at a cache line");

struct segment_pool *segment_pool_new(void)
{
	struct segment_pool *p = mem_calloc(1, sizeof *p);
	if (p)
		pthread_mutex_init(&p->lock, NULL);
	return p;
}

void segment_pool_free(struct segment_pool *p)
{
	if (!p)
		return;
	while (p->reservations) {
		struct reservation *r = p->reservations, copy = *r;
		p->reservations = copy.next;
		munmap(copy.map, copy.map_len);
	}
	mem_free(p->cold);
	pthread_mutex_destroy(&p->lock);
	mem_free(p);
}

struct segment_pool *segment_pool_of(const struct segment *s)
{
	return ((const struct reservation *)((uintptr_t)s & ~(reserve_span - 1)))->pool;
}

/* Adds RESERVE_PLACES - 1 cold places. */
static bool reserve(struct segment_pool *p)
{
	size_t places = p->n_places + RESERVE_PLACES - 1;
	struct segment **cold = mem_realloc(p->cold, places * sizeof *cold);
	if (!cold)
		return false;
	p->cold = cold;
	/* Twice the span, so that an aligned one lies in it. */
	size_t len = reserve_span * 2;
	uint8_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	uint8_t *base = (uint8_t *)(((uintptr_t)map + reserve_span - 1) & ~(reserve_span - 1));
	if (base > map)
		munmap(map, (size_t)(base - map));
	if (base + reserve_span < map + len)
		munmap(base + reserve_span, (size_t)(map + len - base - reserve_span));
	/* Huge pages would back a place with memory that it does not use. */
	madvise(base, reserve_span, MADV_NOHUGEPAGE);
	struct reservation *r = (struct reservation *)base;
	*r = (struct reservation){ .pool = p, .next = p->reservations, .map = base, .map_len = reserve_span };
	p->reservations = r;
	p->n_places = places;
	for (unsigned i = RESERVE_PLACES - 1; i > 0; i--)
		p->cold[p->n_cold++] = (struct segment *)(base + (size_t)i * SEGMENT_SPAN);
	return true;
}

struct segment *segment_take(struct segment_pool *p, size_t expect)
{
	struct segment *s = NULL;
	size_t have = 0;
	pthread_mutex_lock(&p->lock);
	if (p->n_warm) {
		s = p->warm[--p->n_warm];
		have = p->warm_bytes[p->n_warm];
	} else if (p->n_cold || reserve(p)) {
		s = p->cold[--p->n_cold];
	}
	pthread_mutex_unlock(&p->lock);
	if (!s)
		return NULL;
	expect = segment_pages(expect);
	if (have > expect) {
		madvise((uint8_t *)s + expect, have - expect, MADV_DONTNEED);
		have = expect;
	}
	s->touched = (uint32_t)have;
	return s;
}

void segment_give(struct segment_pool *p, struct segment *s)
{
	size_t have = s->touched;
	must(have <= SEGMENT_SPAN);
	pthread_mutex_lock(&p->lock);
	bool warm = p->n_warm < SEGMENT_WARM;
	if (warm) {
		p->warm[p->n_warm] = s;
		p->warm_bytes[p->n_warm++] = have;
	}
	pthread_mutex_unlock(&p->lock);
	if (warm)
		return;
	madvise(s, have, MADV_DONTNEED);
	pthread_mutex_lock(&p->lock);
	p->cold[p->n_cold++] = s;
	pthread_mutex_unlock(&p->lock);
}
