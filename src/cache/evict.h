/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes first when a shard is full.
 *
 * A policy gives every entry a value from 0 to 255; the shard drops the least valued until enough bytes are free. It is asked once
 * per rebuild for all of a shard's entries, about a thousand, so it costs nothing on a hit, and compares each entry
 * with a thousand others where sampling policies compare five. */
#ifndef PITH_CACHE_EVICT_H
#define PITH_CACHE_EVICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a shard knows of itself; kept in its segment's head. */
struct worth {
	uint32_t ghost;    /* bytes of the memory of the evicted, behind the table */
	uint32_t evicted_s; /* clock_s() at the last rebuild under eviction; 0: none yet */
	float turn_s;      /* seconds between two of them, on average */
	uint32_t known;    /* entries since the last rebuild that came with a past: refreshed, or found in the ghost */
	float newcomers;   /* entries without a past that came lately, and how many of those were asked for again at once; */
	float returned;    /* both fade by a sixteenth each rebuild */
};

struct evict_item {
	uint32_t size;     /* bytes, external ones included */
	int64_t left_s;    /* of its life; negative: stale */
	uint32_t age_s;    /* since it was stored */
	uint8_t hits;      /* popularity counter */
};

struct evict {
	const char *name;  /* as in maxmemory-policy */
	/* 0: goes first. */
	uint8_t (*value)(const struct evict_item *i, const struct worth *w);
	/* The counter that a survivor of a rebuild under eviction keeps. r: any random bits. */
	uint8_t (*age)(uint8_t hits, uint8_t r);
};

/* In the order of maxmemory-policy's values. */
enum { EVICT_VALUE, EVICT_LFU, EVICT_LRU, N_EVICTS };
extern const struct evict *const evicts[N_EVICTS];

/* Takes account of a rebuild under eviction now, of what came since the last: n entries, never_again of them without a hit. */
void worth_turn(struct worth *w, uint32_t now_s, uint32_t n, uint32_t never_again);

/* ---- the ghost: a byte says that a name with that fingerprint was driven out ---- */

/* Bytes for a shard of n entries that has `now`: one and a half each, and the same as before while that is near enough. */
static inline uint32_t ghost_size(uint32_t now, uint32_t n)
{
	return now <= n + n / 2 && now >= n ? now : n + n / 2;
}
static inline uint8_t *ghost_cell(uint8_t *ghost, uint32_t size, uint64_t hash, uint8_t *fp)
{
	uint64_t g = hash * 0xd6e8feb86659fd93ull;
	*fp = (uint8_t)(1 + ((g & 0xffff) * 255 >> 16));
	return ghost + ((g >> 32) * size >> 32);
}
static inline void ghost_add(uint8_t *ghost, uint32_t size, uint64_t hash)
{
	uint8_t fp, *cell = size ? ghost_cell(ghost, size, hash, &fp) : NULL;
	if (cell)
		*cell = fp;
}
/* Was it there? It is not any more. */
static inline bool ghost_take(uint8_t *ghost, uint32_t size, uint64_t hash)
{
	uint8_t fp, *cell = size ? ghost_cell(ghost, size, hash, &fp) : NULL;
	if (!cell || *cell != fp)
		return false;
	*cell = 0;
	return true;
}

#endif
