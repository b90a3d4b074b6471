/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in wire form: measuring, comparing, lowering, decompressing (RFC 1035 §3.1, §4.1.4; RFC 4343).
 *
 * Every walk is bounded by the end of its bytes and by 255 bytes of name; a pointer must lead strictly before the run of labels it
 * ends and never into the header, so each hop moves down and no message can make a reader loop. */
#include <string.h>

#include "base/bytes.h"
#include "wire/name.h"
#include "wire/swar.h"
#include "wire/wire.h"

int name_len(const uint8_t *p, const uint8_t *end)
{
	size_t max = p < end ? (size_t)(end - p) : 0, at = 0;

	if (max > NAME_MAX_LEN)
		max = NAME_MAX_LEN;
	while (at < max) {
		uint8_t label = p[at];

		if (label == 0)
			return (int)at + 1;
		if (label > LABEL_MAX_LEN)
			return ERR_BAD;
		at += 1u + label;
	}
	return ERR_BAD;
}

int name_skip(const uint8_t *msg, size_t msg_len, size_t off)
{
	size_t at = off;

	while (at < msg_len && at - off < NAME_MAX_LEN) {
		uint8_t label = msg[at];

		if (label == 0)
			return (int)(at - off) + 1;
		if (label >= 0xc0)
			return at + 2 <= msg_len ? (int)(at - off) + 2 : ERR_BAD;
		if (label > LABEL_MAX_LEN)
			return ERR_BAD;
		at += 1u + label;
	}
	return ERR_BAD;
}

int name_read(const uint8_t *msg, size_t msg_len, size_t off, uint8_t *out, size_t *next)
{
	size_t n = 0, at = off, run = off; /* run: where the present run of labels began */
	bool jumped = false;

	while (at < msg_len) {
		uint8_t label = msg[at];

		if (label == 0) {
			out[n++] = 0;
			if (!jumped)
				*next = at + 1;
			return (int)n;
		}
		if (label >= 0xc0) {
			if (msg_len - at < 2)
				return ERR_BAD;
			size_t to = load_be16(msg + at) & 0x3fffu;
			if (to >= run || to < DNS_HEADER_LEN)
				return ERR_BAD;
			if (!jumped)
				*next = at + 2;
			jumped = true;
			at = run = to;
			continue;
		}
		/* room for the root's zero is kept */
		if (label > LABEL_MAX_LEN || label >= msg_len - at || n + 1u + label >= NAME_MAX_LEN)
			return ERR_BAD;
		memcpy(out + n, msg + at, 1u + label);
		n += 1u + label;
		at += 1u + label;
	}
	return ERR_BAD;
}

void name_lower(uint8_t *dst, const uint8_t *src, size_t len)
{
	size_t i = 0;

	for (; i + 8 <= len; i += 8)
		store_le64(dst + i, swar_lower(load_le64(src + i)));
	if (i < len && len >= 8) { /* the last eight once more: lowering twice does no harm */
		store_le64(dst + len - 8, swar_lower(load_le64(src + len - 8)));
		return;
	}
	for (; i < len; i++)
		dst[i] = byte_lower(src[i]);
}

/* Equal without case; len bytes of each. */
static bool bytes_equal_nocase(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t x = load_le64(a + i), y = load_le64(b + i);

		if (x != y && swar_lower(x) != swar_lower(y))
			return false;
	}
	for (; i < len; i++)
		if (byte_lower(a[i]) != byte_lower(b[i]))
			return false;
	return true;
}

bool name_equal(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	return a_len == b_len && bytes_equal_nocase(a, b, a_len);
}

bool name_is_below(const uint8_t *name, size_t name_len, const uint8_t *zone, size_t zone_len)
{
	size_t at = 0;

	while (name_len - at > zone_len) {
		uint8_t label = name[at];

		if (label == 0 || label > LABEL_MAX_LEN || 1u + label > name_len - at)
			return false;
		at += 1u + label;
	}
	return name_equal(name + at, name_len - at, zone, zone_len);
}

unsigned name_labels(const uint8_t *name)
{
	unsigned n = 0;

	for (const uint8_t *p = name; *p != 0; p += 1u + *p)
		n++;
	return n;
}

/* Where each label of name begins; at most 127 of them. */
static unsigned label_starts(const uint8_t *name, uint8_t *start)
{
	unsigned n = 0;

	for (unsigned at = 0; name[at] != 0 && n < NAME_MAX_LABELS; at += 1u + name[at])
		start[n++] = (uint8_t)at;
	return n;
}

static int label_compare(const uint8_t *a, const uint8_t *b)
{
	unsigned n = a[0] < b[0] ? a[0] : b[0];

	for (unsigned i = 1; i <= n; i++) {
		int d = byte_lower(a[i]) - byte_lower(b[i]);

		if (d != 0)
			return d;
	}
	return a[0] - b[0];
}

int name_compare(const uint8_t *a, const uint8_t *b)
{
	uint8_t a_start[NAME_MAX_LABELS], b_start[NAME_MAX_LABELS];
	unsigned i = label_starts(a, a_start), j = label_starts(b, b_start);

	while (i > 0 && j > 0) {
		int d = label_compare(a + a_start[--i], b + b_start[--j]);

		if (d != 0)
			return d;
	}
	return (int)i - (int)j;
}
