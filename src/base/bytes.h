/* SPDX-License-Identifier: BSD-3-Clause */
/* Big-endian and unaligned access to bytes, and small helpers on them.
 *
 * Every load and store of a multi-byte value in packets and entries goes through here: memcpy, so that no
 * pointer needs alignment, and one instruction in the machine code all the same. `be` is network order (packets),
 * `le` the order of cached entries (native on the machines we run on, and fixed so that snapshots carry over). */
#ifndef PITH_BASE_BYTES_H
#define PITH_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_be32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return __builtin_bswap32(v);
}

static inline uint64_t load_be64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return __builtin_bswap64(v);
}

static inline void store_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, 4);
}

static inline void store_be64(uint8_t *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, 8);
}

static inline uint16_t load_le16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return v;
}

static inline uint32_t load_le24(const uint8_t *p)
{
	return (uint32_t)(p[0] | p[1] << 8 | p[2] << 16);
}

static inline uint32_t load_le32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}

static inline uint64_t load_le64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

static inline void store_le16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, 2);
}

static inline void store_le24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "entries are little-endian; a big-endian port needs swaps here");

/* Copies a short run (a name, an address): overlapping moves in place of a call, or of the string instruction that compilers choose when
 * they know that a length fits a byte, whose start alone costs more than the copy. */
static inline void bytes_copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n >= 16) {
		for (size_t i = 0; i + 16 < n; i += 16)
			memcpy(to + i, from + i, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		uint64_t a = load_le64(from), b = load_le64(from + n - 8);
		store_le64(to, a);
		store_le64(to + n - 8, b);
	} else if (n >= 4) {
		uint32_t a = load_le32(from), b = load_le32(from + n - 4);
		store_le32(to, a);
		store_le32(to + n - 4, b);
	} else {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

/* ASCII only, whatever the locale: DNS and RESP know no other case. */
static inline uint8_t byte_lower(uint8_t c)
{
	return (uint8_t)(c - 'A') < 26 ? (uint8_t)(c | 0x20) : c;
}

#endif
