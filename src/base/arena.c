/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns arena blocks: a singly linked list, newest first, each at least ARENA_BLOCK bytes. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum { ARENA_BLOCK = 4096 - 64 };

struct arena_block {
	struct arena_block *next;
	size_t size;
	uint8_t bytes[];
};

void arena_init(struct arena *a, size_t limit)
{
	*a = (struct arena){ .limit = limit };
}

void *arena_alloc(struct arena *a, size_t n)
{
	if (n > SIZE_MAX - 8)
		return NULL;
	n = (n + 7) & ~(size_t)7;
	if (!a->head || a->head->size - a->used < n) {
		size_t size = n > ARENA_BLOCK ? n : ARENA_BLOCK;
		if (a->limit && (size > a->limit || a->total > a->limit - size))
			return NULL;
		struct arena_block *b = mem_alloc(sizeof *b + size);
		if (!b)
			return NULL;
		b->next = a->head;
		b->size = size;
		a->head = b;
		a->total += size;
		a->used = 0;
	}
	void *p = a->head->bytes + a->used;
	a->used += n;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	if (!p)
		return NULL;
	memcpy(p, s, n);
	p[n] = 0;
	return p;
}

void arena_reset(struct arena *a)
{
	struct arena_block *b = a->head;
	while (b && (b->next || b->size > ARENA_BLOCK)) {
		struct arena_block *next = b->next;
		a->total -= b->size;
		mem_free(b);
		b = next;
	}
	a->head = b;
	a->used = 0;
}

void arena_free(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;
		mem_free(a->head);
		a->head = next;
	}
	a->used = a->total = 0;
}
