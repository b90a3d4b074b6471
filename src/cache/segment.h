/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments: where a shard's table and entries lie.
 *
 * A segment is a place of SEGMENT_SPAN bytes of address space, of which only the pages that were written take memory. So
 * a shard grows without being copied, and what a segment costs is its use, rounded up to a page (2 KB on average, against the
 * 8 % that size classes lose on each entry). Places come from large reservations; a place given back loses its pages,
 * but for a few that are kept warm, as a full cache asks for the next one at once.
 *
 *      0  struct segment (64 bytes, for writers under the shard's lock; readers never look)
 *     64  table: nbuckets buckets of sixteen 32-bit slots
 *      …  ghost: worth.ghost bytes, once the shard has been full (evict.h)
 *      …  entries, end to end
 *
 * Thread: the pool has a lock of its own, the innermost one. */
#ifndef PITH_CACHE_SEGMENT_H
#define PITH_CACHE_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "cache/evict.h"

enum {
	SEGMENT_SPAN = 256 * 1024, /* 18 bits of offset in a slot */
	SEGMENT_HEAD = 64,
	SEGMENT_PAGE = 4096,
	SEGMENT_WARM = 8,          /* places kept with their pages */
};

struct segment {
	uint32_t used;       /* bytes from the start that are taken */
	uint32_t live_bytes; /* of entries that slots point to, external ones not counted */
	uint32_t n_live;     /* slots in use */
	uint32_t nbuckets;
	uint32_t depth;      /* leading hash bits that all keys here share */
	uint32_t external_bytes;
	uint32_t fresh_from; /* offset where the entries begin that came after the last rebuild */
	uint32_t touched;    /* pages written so far, in bytes: what it costs */
	struct worth worth;
	uint8_t pad[8];
};

static inline size_t segment_pages(size_t n)
{
	return (n + SEGMENT_PAGE - 1) & ~(size_t)(SEGMENT_PAGE - 1);
}

/* What the shard costs once `more` bytes are appended: whole pages, those that came warm among them, and what lies outside. */
static inline size_t segment_cost(const struct segment *s, size_t more)
{
	size_t pages = segment_pages(s->used + more);
	return (pages > s->touched ? pages : s->touched) + s->external_bytes;
}

/* Where the entries begin. */
static inline uint32_t segment_first(const struct segment *s)
{
	return SEGMENT_HEAD + s->nbuckets * 64 + s->worth.ghost;
}
static inline uint8_t *segment_ghost(struct segment *s)
{
	return (uint8_t *)s + SEGMENT_HEAD + s->nbuckets * 64;
}

struct segment_pool;

struct segment_pool *segment_pool_new(void);
void segment_pool_free(struct segment_pool *p);
/* A place with only `touched` set: the bytes of pages it has already, their contents undefined. expect: bytes that will soon
 * be used; a warm place gives back what it has beyond. NULL: no address space. */
struct segment *segment_take(struct segment_pool *p, size_t expect);
/* Gives the place back; no reader may see it any more. */
void segment_give(struct segment_pool *p, struct segment *s);
/* The pool that a segment came from. */
struct segment_pool *segment_pool_of(const struct segment *s);

#endif
