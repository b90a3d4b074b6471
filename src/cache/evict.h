/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes first when a shard is full.
 *
 * A policy gives every entry a value from 0 to 255; the shard drops the least valued until enough bytes are free. It is asked once
 * per rebuild for all of a shard's entries, about a thousand, so it costs nothing on a hit, and compares each entry
 * with a thousand others where sampling policies compare five. */
#ifndef PITH_CACHE_EVICT_H
#define PITH_CACHE_EVICT_H

#include <stdbool.h>
#include <stdint.h>

struct evict_item {
	uint32_t size;     /* bytes, external ones included */
	int64_t left_s;    /* of its life; negative: stale */
	uint32_t age_s;    /* since it was stored */
	uint8_t hits;      /* popularity counter */
	bool fresh;        /* came after the last rebuild: it has had little time to show its worth */
};

struct evict {
	const char *name;  /* as in maxmemory-policy */
	/* 0: goes first. */
	uint8_t (*value)(const struct evict_item *i);
	/* The counter that a survivor keeps; round counts the shard's rebuilds under eviction. */
	uint8_t (*age)(uint8_t hits, uint32_t round);
};

extern const struct evict evict_value;

#endif
