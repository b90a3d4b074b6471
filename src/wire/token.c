/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of zone text (RFC 1035 §5.1).
 *
 * Bounded by end, not by a NUL: what operators hand in may hold any byte. A control character outside of quotes is an error
 * rather than a blank, so that nothing invisible gets into a record. */
#include "wire/token.h"

#include "base/err.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int escape_take(const char *s, size_t len, size_t *at)
{
	size_t i = *at;

	if (i >= len)
		return -1;
	if (!is_digit(s[i])) {
		*at = i + 1;
		return (uint8_t)s[i];
	}
	if (len - i < 3 || !is_digit(s[i + 1]) || !is_digit(s[i + 2]))
		return -1;
	int v = (s[i] - '0') * 100 + (s[i + 1] - '0') * 10 + (s[i + 2] - '0');
	*at = i + 3;
	return v <= 255 ? v : -1;
}

static int token_fail(struct token_reader *r, const char *why)
{
	r->why = why;
	return ERR_BAD;
}

/* Steps over blanks, parentheses and a comment. */
static int skip_blanks(struct token_reader *r)
{
	for (; r->s < r->end; r->s++) {
		char c = *r->s;

		if (c == '(') {
			r->depth++;
		} else if (c == ')') {
			if (r->depth == 0)
				return token_fail(r, "a closing parenthesis without an opening one");
			r->depth--;
		} else if (c == ';') {
			while (r->s < r->end && *r->s != '\n')
				r->s++;
			r->s--; /* the newline, or the end, is looked at next */
		} else if (c == '\n' || c == '\r') {
			if (r->depth == 0)
				return token_fail(r, "a newline outside of parentheses");
		} else if (c != ' ' && c != '\t') {
			break;
		}
	}
	return 0;
}

static bool ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '(' || c == ')' || c == ';' || c == '"';
}

int token_next(struct token_reader *r, struct token *t)
{
	if (skip_blanks(r) < 0)
		return ERR_BAD;
	if (r->s >= r->end)
		return r->depth == 0 ? 0 : token_fail(r, "an opening parenthesis without a closing one");
	t->quoted = *r->s == '"';
	if (t->quoted)
		r->s++;
	t->s = r->s;
	while (r->s < r->end && (t->quoted ? *r->s != '"' : !ends_word(*r->s))) {
		if (!t->quoted && ((uint8_t)*r->s < ' ' || *r->s == 0x7f))
			return token_fail(r, "a control character");
		if (*r->s == '\\' && ++r->s == r->end)
			return token_fail(r, "a backslash at the end");
		r->s++;
	}
	t->len = (size_t)(r->s - t->s);
	if (!t->quoted)
		return 1;
	if (r->s == r->end)
		return token_fail(r, "a quote that is not closed");
	r->s++;
	return 1;
}

int token_bytes(const struct token *t, uint8_t *out, size_t cap)
{
	size_t n = 0;

	for (size_t at = 0; at < t->len;) {
		int c = (uint8_t)t->s[at++];

		if (c == '\\')
			c = escape_take(t->s, t->len, &at);
		if (c < 0)
			return ERR_BAD;
		if (n >= cap)
			return ERR_SPACE;
		out[n++] = (uint8_t)c;
	}
	return (int)n;
}

int64_t token_number(const struct token *t, uint32_t max)
{
	uint64_t v = 0;

	if (t->quoted || t->len == 0 || t->len > 10)
		return ERR_BAD;
	for (size_t i = 0; i < t->len; i++) {
		if (!is_digit(t->s[i]))
			return ERR_BAD;
		v = v * 10 + (uint64_t)(t->s[i] - '0');
	}
	return v <= max ? (int64_t)v : ERR_BAD;
}
