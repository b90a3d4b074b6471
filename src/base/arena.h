/* SPDX-License-Identifier: BSD-3-Clause */
/* A bump allocator for what one query or one command needs: finishing it is one reset, nothing else.
 *
 * Blocks are kept across resets up to `keep` bytes, so a busy worker stops allocating after its first query.
 * Thread: the owner's only. */
#ifndef PITH_BASE_ARENA_H
#define PITH_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *head; /* the block in use, older ones behind it */
	size_t used;              /* bytes of head in use */
	size_t total;             /* bytes of all blocks */
	size_t limit;             /* total may not pass this; 0 = no limit */
};

/* limit in bytes, 0 for none. Allocates nothing yet. */
void arena_init(struct arena *a, size_t limit);
/* n bytes aligned to 8, or NULL (no memory, or over the limit). Live until arena_reset. */
void *arena_alloc(struct arena *a, size_t n);
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* Forgets everything handed out; keeps one block. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

#endif
