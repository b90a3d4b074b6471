/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a snapshot. All numbers are little-endian.
 *
 *       0       8       16      24      32                                       56      64
 *     +-------+-------+-------+-------+- - - - - - - - - - - - - - - - - - - - -+-------+
 *     |"PITHDUMP"|ver |0 | id |wall_us| zero                                    | sum   |   head, 64 bytes
 *     +-------+-------+-------+-------+- - - - - - - - - - - - - - - - - - - - -+-------+
 *       0       8       16  20  24      32  36  40      48
 *     +-------+-------+---+---+-------+---+---+-------+- - - - - - - - -
 *     |"PITHBLK1"| id |len| n |wall_us|clk|end| sum   | len bytes of n entries      one block after the other, and at the end
 *     +-------+-------+---+---+-------+---+---+-------+- - - - - - - - -            one with end = 1: entries, blocks (8 bytes each)
 *
 *     id       random, of this file: text in a cached record that looks like a block is none
 *     wall_us  the wall clock (µs since 1970) when the block was gathered; clk what clock_s() said then. An entry's time of storing
 *              is by the latter, so that its age then is known, and with the former its age at any later moment
 *     sum      XXH64: of the head's first 56 bytes; of a block's first 40 bytes, and of its entries seeded with that
 *
 * The head's first 16 bytes and its sum stay as they are in every version. Blocks stand alone: each is checked, dated and found by itself,
 * so that damage costs the block it hits. Entries are those of src/cache/layout.h; another layout is another version. */
#ifndef PITH_PERSIST_FORMAT_H
#define PITH_PERSIST_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/cache.h"

enum {
	FORMAT_VERSION = 1,
	HEAD_LEN = 64,
	BLOCK_HEAD_LEN = 48,
	BLOCK_MARK_LEN = 16,             /* magic and id: what a block is found by */
	BLOCK_GOAL = 128 * 1024,         /* a block takes no further shard above this */
	BLOCK_MAX = BLOCK_GOAL + CACHE_EXPORT_MAX,
	END_LEN = 16,                    /* what the last block holds */
};

struct head {
	uint32_t version;
	uint64_t id;
	uint64_t wall_us;
};
enum head_state { HEAD_GOOD, HEAD_OTHER_VERSION, HEAD_DAMAGED };

struct block_head {
	uint64_t id;
	uint32_t len, n;
	uint64_t wall_us;
	uint32_t clock_s;
	bool end;
};

void head_write(uint8_t out[HEAD_LEN], const struct head *h);
/* Of an untrusted file's first bytes. *h is filled unless damaged. */
enum head_state head_read(const uint8_t in[HEAD_LEN], struct head *h);
/* Completes a block whose h->len bytes of content stand at block + BLOCK_HEAD_LEN. */
void block_seal(uint8_t *block, const struct block_head *h);
/* Takes the head at p apart; false: no block of ours, or a length that none has. id 0: of any file. Nothing is checked by its sum yet. */
bool block_read(const uint8_t p[BLOCK_HEAD_LEN], uint64_t id, struct block_head *h);
/* Is the whole block at p what block_seal left? */
bool block_whole(const uint8_t *p, const struct block_head *h);
/* The first place in p..p+len where a block of file id may begin, or NULL. */
const uint8_t *block_find(const uint8_t *p, size_t len, uint64_t id);

#endif
