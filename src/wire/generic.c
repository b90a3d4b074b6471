/* SPDX-License-Identifier: BSD-3-Clause */
/* Rdata of any type as \#, length and hexadecimal (RFC 3597 §5): the text of what has no other. */
#include <stdio.h>

#include "wire/encode.h"
#include "wire/plain.h"
#include "wire/wire.h"

int generic_to_text(const uint8_t *rdata, size_t len, char *buf, size_t cap)
{
	int n = snprintf(buf, cap, len > 0 ? "\\# %zu " : "\\# %zu", len);

	if ((size_t)n >= cap)
		return ERR_SPACE;
	int k = hex_to_text(rdata, len, buf + n, cap - (size_t)n);
	return k < 0 ? k : n + k;
}

bool generic_text(const char *s, size_t len)
{
	while (len > 0 && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	return len >= 2 && s[0] == '\\' && s[1] == '#' && (len == 2 || s[2] == ' ' || s[2] == '\t');
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
	int n = hex_from_words(&r, out, cap);
	if (n == ERR_BAD)
		*why = r.why;
	if (n < 0)
		return n;
	if (n != want) {
		*why = "\\# has another number of bytes than its length says";
		return ERR_BAD;
	}
	return n;
}
