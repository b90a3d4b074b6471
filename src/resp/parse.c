/* SPDX-License-Identifier: BSD-3-Clause */
/* The RESP parser; parse.h says what it promises.
 *
 * A state is three numbers: where we are, how many arguments are to come, how long the present one is. Anything
 * cleverer (a state per byte) was not faster: a command is mostly memchr for the end of a line of a few bytes. */
#include "resp/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { SPANS_FIRST = 8, SPANS_KEEP = 1024 };

void resp_parser_init(struct resp_parser *p)
{
	memset(p, 0, sizeof *p);
	p->args_left = p->bulk_len = -1;
}

void resp_parser_free(struct resp_parser *p)
{
	mem_free(p->spans);
	p->spans = NULL;
	p->cap = 0;
}

void resp_parser_reset(struct resp_parser *p)
{
	if (p->cap > SPANS_KEEP)
		resp_parser_free(p);
	p->argc = 0;
	p->at = 0;
	p->args_left = p->bulk_len = -1;
}

static enum parse bad(struct resp_parser *p, const char *why)
{
	snprintf(p->why, sizeof p->why, "Protocol error: %s", why);
	return PARSE_BAD;
}

static bool span_add(struct resp_parser *p, size_t off, size_t len)
{
	if (p->argc == p->cap) {
		unsigned cap = p->cap ? p->cap * 2 : SPANS_FIRST;
		struct resp_span *more = mem_realloc(p->spans, cap * sizeof *more);

		if (!more)
			return false;
		p->spans = more;
		p->cap = cap;
	}
	p->spans[p->argc++] = (struct resp_span){ .off = (uint32_t)off, .len = (uint32_t)len };
	return true;
}

bool resp_number(const char *s, size_t len, int64_t *out)
{
	bool negative = len > 0 && *s == '-';
	uint64_t v = 0;

	s += negative;
	len -= negative;
	if (len == 0 || len > 19 || (*s == '0' && (len > 1 || negative)))
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)s[i] - (unsigned)'0';

		if (digit > 9)
			return false;
		v = v * 10 + digit; /* 19 digits fit */
	}
	if (v > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* ---- inline commands ---- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What follows a backslash inside of double quotes. Moves *at behind it; the byte that it stands for. */
static char unescape(const char *line, size_t len, size_t *at)
{
	char c = line[(*at)++];

	if (c == 'x' && *at + 2 <= len && hex_digit(line[*at]) >= 0 && hex_digit(line[*at + 1]) >= 0) {
		c = (char)(hex_digit(line[*at]) << 4 | hex_digit(line[*at + 1]));
		*at += 2;
		return c;
	}
	switch (c) {
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'b': return '\b';
	case 'a': return '\a';
	default: return c;
	}
}

/* The word at line[*at], unquoted to line[*to …): what is written is never longer than what was read. False: unbalanced quotes. */
static bool inline_word(char *line, size_t len, size_t *at, size_t *to)
{
	char quote = 0;

	for (;;) {
		if (*at >= len)
			return quote == 0;
		char c = line[*at];
		if (!quote && is_blank(c))
			return true;
		++*at;
		if (!quote && (c == '"' || c == '\'')) {
			quote = c;
			continue;
		}
		if (quote && c == quote) {
			quote = 0;
			if (*at < len && !is_blank(line[*at])) /* a closing quote ends the word */
				return false;
			continue;
		}
		if (quote == '"' && c == '\\' && *at < len)
			c = unescape(line, len, at);
		else if (quote == '\'' && c == '\\' && *at < len && line[*at] == '\'')
			c = line[(*at)++];
		line[(*to)++] = c;
	}
}

static enum parse parse_inline(struct resp_parser *p, char *buf, size_t len, size_t *used)
{
	const char *end = memchr(buf + p->at, '\n', len - p->at);

	if (!end) {
		p->at = len;
		return len > RESP_INLINE_MAX ? bad(p, "too big inline request") : PARSE_MORE;
	}
	size_t line_len = (size_t)(end - buf);
	*used = line_len + 1;
	if (line_len > RESP_INLINE_MAX)
		return bad(p, "too big inline request");
	if (line_len > 0 && buf[line_len - 1] == '\r')
		line_len--;
	for (size_t at = 0;;) {
		while (at < line_len && is_blank(buf[at]))
			at++;
		if (at == line_len)
			return PARSE_OK;
		size_t from = at, to = at;
		if (!inline_word(buf, line_len, &at, &to))
			return bad(p, "unbalanced quotes in request");
		if (!span_add(p, from, to - from))
			return bad(p, "no memory for arguments");
	}
}

/* ---- arrays ---- */

/* A line "*123\r\n" or "$123\r\n" at p->at, its first byte looked at already. PARSE_OK: *n is the number and p->at stands behind the line. */
static enum parse length_line(struct resp_parser *p, const char *buf, size_t len, int64_t *n, const char *too_long, const char *invalid)
{
	const char *line = buf + p->at + 1;
	const char *end = memchr(line, '\r', len - p->at - 1);

	if (!end)
		return len - p->at > RESP_INLINE_MAX ? bad(p, too_long) : PARSE_MORE;
	if (end + 1 == buf + len)
		return PARSE_MORE; /* the line feed is still to come */
	if (!resp_number(line, (size_t)(end - line), n))
		return bad(p, invalid);
	p->at = (size_t)(end - buf) + 2;
	return PARSE_OK;
}

static enum parse array_begin(struct resp_parser *p, const char *buf, size_t len, bool trusted)
{
	int64_t n;
	enum parse got = length_line(p, buf, len, &n, "too big mbulk count string", "invalid multibulk length");

	if (got != PARSE_OK)
		return got;
	if (n > RESP_ARGS_MAX)
		return bad(p, "invalid multibulk length");
	if (n > RESP_ARGS_UNAUTH && !trusted)
		return bad(p, "unauthenticated multibulk length");
	p->args_left = n > 0 ? n : 0;
	return PARSE_OK;
}

static enum parse bulk_begin(struct resp_parser *p, const char *buf, size_t len, bool trusted)
{
	int64_t n;

	if (p->at == len)
		return PARSE_MORE;
	if (buf[p->at] != '$') {
		char c = buf[p->at];

		snprintf(p->why, sizeof p->why, "Protocol error: expected '$', got '%c'", c >= ' ' && c < 127 ? c : '?');
		return PARSE_BAD;
	}
	enum parse got = length_line(p, buf, len, &n, "too big bulk count string", "invalid bulk length");
	if (got != PARSE_OK)
		return got;
	if (n < 0 || n > RESP_BULK_MAX)
		return bad(p, "invalid bulk length");
	if (n > RESP_BULK_UNAUTH && !trusted)
		return bad(p, "unauthenticated bulk length");
	p->bulk_len = n;
	return PARSE_OK;
}

enum parse resp_parse(struct resp_parser *p, char *buf, size_t len, bool trusted, size_t *used)
{
	enum parse got;

	if (len == 0)
		return PARSE_MORE;
	if (p->args_left < 0) {
		if (buf[0] != '*')
			return parse_inline(p, buf, len, used);
		if ((got = array_begin(p, buf, len, trusted)) != PARSE_OK)
			return got;
	}
	while (p->args_left > 0) {
		if (p->bulk_len < 0 && (got = bulk_begin(p, buf, len, trusted)) != PARSE_OK)
			return got;
		if (len - p->at < (size_t)p->bulk_len + 2)
			return PARSE_MORE;
		if (!span_add(p, p->at, (size_t)p->bulk_len))
			return bad(p, "no memory for arguments");
		p->at += (size_t)p->bulk_len + 2;
		p->bulk_len = -1;
		p->args_left--;
	}
	*used = p->at;
	return PARSE_OK;
}
