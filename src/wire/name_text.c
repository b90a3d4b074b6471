/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in presentation form, both ways (RFC 1035 §5.1, RFC 4343 §2.1).
 *
 * One name has one text: names are what keys are made of, and ldns escapes other characters than keys need
 * (it leaves '@' bare, which in a key begins the client subnet). Reading takes any escape that is legal. */
#include "wire/token.h"
#include "wire/wire.h"

/* Stands as it is, needs a backslash, or needs \DDD. */
static bool needs_backslash(uint8_t c)
{
	switch (c) {
	case '.': case ';': case '"': case '\\': case '(': case ')': case '@': case '$':
		return true;
	}
	return false;
}

/* Appends one byte of a label at buf[n]; the new n, or 0 when it does not fit (with room for the NUL). */
static size_t put_escaped(char *buf, size_t cap, size_t n, uint8_t c)
{
	if (c <= ' ' || c >= 0x7f) {
		if (cap - n < 5)
			return 0;
		buf[n] = '\\';
		buf[n + 1] = (char)('0' + c / 100);
		buf[n + 2] = (char)('0' + c / 10 % 10);
		buf[n + 3] = (char)('0' + c % 10);
		return n + 4;
	}
	if (cap - n < 3)
		return 0;
	if (needs_backslash(c))
		buf[n++] = '\\';
	buf[n] = (char)c;
	return n + 1;
}

int name_to_text(const uint8_t *name, size_t len, char *buf, size_t cap)
{
	size_t n = 0, at = 0;

	if (cap < 2)
		return ERR_SPACE;
	if (len == 0 || name[0] == 0)
		buf[n++] = '.';
	while (at < len && name[at] != 0) {
		size_t end = at + 1u + name[at];

		for (at++; at < end && at < len; at++) {
			if (cap - n < 3) /* fast cases need no more; put_escaped looks closer */
				return ERR_SPACE;
			n = put_escaped(buf, cap, n, name[at]);
			if (n == 0)
				return ERR_SPACE;
		}
		if (cap - n < 2)
			return ERR_SPACE;
		buf[n++] = '.';
	}
	buf[n] = '\0';
	return (int)n;
}

int name_from_text(const char *s, size_t len, uint8_t *out)
{
	size_t label = 0, n = 1; /* out[label] is the length byte of the label being filled up to n */

	if (len == 1 && s[0] == '.') {
		out[0] = 0;
		return 1;
	}
	for (size_t at = 0; at < len;) {
		int c = (uint8_t)s[at++];

		if (c == '.') {
			if (n == label + 1)
				return ERR_BAD;
			out[label] = (uint8_t)(n - label - 1);
			label = n++;
			continue;
		}
		if (c == '\\')
			c = escape_take(s, len, &at);
		if (c < 0 || n - label - 1 >= LABEL_MAX_LEN || n >= NAME_MAX_LEN - 1)
			return ERR_BAD;
		out[n++] = (uint8_t)c;
	}
	if (n > label + 1) { /* no final dot */
		out[label] = (uint8_t)(n - label - 1);
		label = n++;
	}
	if (label == 0 || n > NAME_MAX_LEN)
		return ERR_BAD;
	out[label] = 0;
	return (int)n;
}
