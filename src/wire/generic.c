/* SPDX-License-Identifier: BSD-3-Clause */
/* Rdata of any type as \#, length and hexadecimal (RFC 3597 §5): the text of what has no other. */
#include <stdio.h>
#include <string.h>

#include "wire/plain.h"
#include "wire/token.h"
#include "wire/wire.h"

int generic_to_text(const uint8_t *rdata, size_t len, char *buf, size_t cap)
{
	static const char hex[] = "0123456789abcdef";
	int n = snprintf(buf, cap, len > 0 ? "\\# %zu " : "\\# %zu", len);

	if ((size_t)n >= cap || len > (cap - (size_t)n - 1) / 2)
		return ERR_SPACE;
	char *p = buf + n;
	for (size_t i = 0; i < len; i++) {
		*p++ = hex[rdata[i] >> 4];
		*p++ = hex[rdata[i] & 15];
	}
	*p = '\0';
	return (int)(p - buf);
}

bool generic_text(const char *s, size_t len)
{
	while (len > 0 && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	return len >= 2 && s[0] == '\\' && s[1] == '#' && (len == 2 || s[2] == ' ' || s[2] == '\t');
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digits of all remaining words in a row. Their count, or ERR_BAD, ERR_SPACE. */
static int hex_words(struct token_reader *r, uint8_t *out, size_t cap)
{
	struct token t;
	size_t n = 0; /* half bytes */
	int got;

	while ((got = token_next(r, &t)) > 0) {
		for (size_t i = 0; i < t.len; i++, n++) {
			int v = hex_digit(t.s[i]);

			if (v < 0 || t.quoted) {
				r->why = "\\# needs hexadecimal digits behind its length";
				return ERR_BAD;
			}
			if (n / 2 >= cap)
				return ERR_SPACE;
			out[n / 2] = (uint8_t)(n % 2 == 0 ? v << 4 : out[n / 2] | v);
		}
	}
	return got < 0 ? got : (int)n;
}

int generic_from_text(const char *s, size_t len, uint8_t *out, size_t cap, const char **why)
{
	struct token_reader r = {.s = s, .end = s + len};
	struct token t;
	int64_t want = ERR_BAD;

	if (token_next(&r, &t) > 0 && token_next(&r, &t) > 0)
		want = token_number(&t, UINT16_MAX);
	if (want < 0) {
		*why = "\\# needs a length up to 65535";
		return ERR_BAD;
	}
	int n = hex_words(&r, out, cap);
	if (n == ERR_BAD)
		*why = r.why;
	if (n < 0)
		return n;
	if (n != want * 2) {
		*why = "\\# has another number of hexadecimal digits than its length says";
		return ERR_BAD;
	}
	return (int)want;
}
