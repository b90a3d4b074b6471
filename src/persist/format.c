/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the bytes of heads and blocks; src/persist/format.h has the figure. */
#include "persist/format.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

static const char file_magic[] = "PITHDUMP", block_magic[] = "PITHBLK1";
enum { MAGIC_LEN = 8, HEAD_SUM = HEAD_LEN - 8, BLOCK_SUM = BLOCK_HEAD_LEN - 8 };
_Static_assert(sizeof file_magic == MAGIC_LEN + 1 && sizeof block_magic == MAGIC_LEN + 1, "a magic is eight bytes");

void head_write(uint8_t out[HEAD_LEN], const struct head *h)
{
	memset(out, 0, HEAD_LEN);
	memcpy(out, file_magic, MAGIC_LEN);
	store_le32(out + 8, h->version);
	store_le64(out + 16, h->id);
	store_le64(out + 24, h->wall_us);
	store_le64(out + HEAD_SUM, hash_checksum(out, HEAD_SUM, 0));
}

enum head_state head_read(const uint8_t in[HEAD_LEN], struct head *h)
{
	if (memcmp(in, file_magic, MAGIC_LEN) != 0 || load_le64(in + HEAD_SUM) != hash_checksum(in, HEAD_SUM, 0))
		return HEAD_DAMAGED;
	*h = (struct head){ .version = load_le32(in + 8), .id = load_le64(in + 16), .wall_us = load_le64(in + 24) };
	return h->version == FORMAT_VERSION ? HEAD_GOOD : HEAD_OTHER_VERSION;
}

static uint64_t block_sum(const uint8_t *block, size_t len)
{
	return hash_checksum(block + BLOCK_HEAD_LEN, len, hash_checksum(block, BLOCK_SUM, 0));
}

void block_seal(uint8_t *block, const struct block_head *h)
{
	memcpy(block, block_magic, MAGIC_LEN);
	store_le64(block + 8, h->id);
	store_le32(block + 16, h->len);
	store_le32(block + 20, h->n);
	store_le64(block + 24, h->wall_us);
	store_le32(block + 32, h->clock_s);
	store_le32(block + 36, h->end);
	store_le64(block + BLOCK_SUM, block_sum(block, h->len));
}

bool block_read(const uint8_t p[BLOCK_HEAD_LEN], uint64_t id, struct block_head *h)
{
	*h = (struct block_head){ .id = load_le64(p + 8), .len = load_le32(p + 16), .n = load_le32(p + 20), .wall_us = load_le64(p + 24),
				  .clock_s = load_le32(p + 32), .end = load_le32(p + 36) };
	return memcmp(p, block_magic, MAGIC_LEN) == 0 && (id == 0 || h->id == id) && h->len <= BLOCK_MAX && (!h->end || h->len == END_LEN);
}

bool block_whole(const uint8_t *p, const struct block_head *h)
{
	return load_le64(p + BLOCK_SUM) == block_sum(p, h->len);
}

const uint8_t *block_find(const uint8_t *p, size_t len, uint64_t id)
{
	uint8_t mark[BLOCK_MARK_LEN];
	memcpy(mark, block_magic, MAGIC_LEN);
	store_le64(mark + MAGIC_LEN, id);
	return memmem(p, len, mark, sizeof mark);
}
