/* SPDX-License-Identifier: BSD-3-Clause */
/* The reply builder; reply.h says what each call means.
 *
 * One contiguous buffer and not a chain of blocks: a batch of replies then goes out in one write, and the connection that is
 * served lends its buffer to the next (client.c), so that a busy server allocates nothing here. */
#include "resp/reply.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"

enum { OUT_FIRST = 1024, FORMAT_MAX = 1024 };

void resp_out_init(struct resp_out *o, uint8_t proto, size_t limit)
{
	memset(o, 0, sizeof *o);
	o->proto = proto;
	o->limit = limit;
}

void resp_out_free(struct resp_out *o)
{
	mem_free(o->data);
	o->data = NULL;
	o->len = o->cap = 0;
}

char *resp_out_room(struct resp_out *o, size_t n)
{
	if (__builtin_expect(o->cap - o->len >= n && !o->failed, 1))
		return o->data + o->len;
	if (o->failed || n > o->limit || o->len > o->limit - n) {
		o->failed = true;
		return NULL;
	}
	size_t cap = o->cap ? o->cap : OUT_FIRST;
	while (cap < o->len + n)
		cap *= 2;
	cap = cap < o->limit ? cap : o->limit;
	char *data = mem_realloc(o->data, cap);
	if (!data) {
		o->failed = true;
		return NULL;
	}
	o->data = data;
	o->cap = cap;
	return data + o->len;
}

/* Decimal digits of n at to (20 characters always suffice); how many. */
static size_t digits(char *to, uint64_t n)
{
	char back[20];
	size_t len = 0;

	do
		back[len++] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	for (size_t i = 0; i < len; i++)
		to[i] = back[len - 1 - i];
	return len;
}

/* mark, n, CRLF: every header there is. */
static void header(struct resp_out *o, char mark, uint64_t n)
{
	char *to = resp_out_room(o, 24);

	if (!to)
		return;
	to[0] = mark;
	size_t len = 1 + digits(to + 1, n);
	to[len++] = '\r';
	to[len++] = '\n';
	o->len += len;
}

void resp_simple(struct resp_out *o, const char *s)
{
	size_t n = strlen(s);
	char *to = resp_out_room(o, n + 3);

	if (!to)
		return;
	to[0] = '+';
	memcpy(to + 1, s, n);
	memcpy(to + 1 + n, "\r\n", 2);
	o->len += n + 3;
}

void resp_ok(struct resp_out *o)
{
	resp_raw(o, "+OK\r\n", 5);
}

void resp_error(struct resp_out *o, const char *text)
{
	size_t n = strlen(text);
	char *to = resp_out_room(o, n + 3);

	if (!to)
		return;
	o->error_at = o->len;
	o->errors++;
	to[0] = '-';
	for (size_t i = 0; i < n; i++)
		to[1 + i] = text[i] == '\r' || text[i] == '\n' ? ' ' : text[i];
	memcpy(to + 1 + n, "\r\n", 2);
	o->len += n + 3;
}

void resp_errorf(struct resp_out *o, const char *fmt, ...)
{
	char text[FORMAT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	resp_error(o, text);
}

void resp_int(struct resp_out *o, int64_t n)
{
	if (n >= 0) {
		header(o, ':', (uint64_t)n);
		return;
	}
	char *to = resp_out_room(o, 26);
	if (!to)
		return;
	to[0] = ':';
	to[1] = '-';
	size_t len = 2 + digits(to + 2, 0 - (uint64_t)n);
	memcpy(to + len, "\r\n", 2);
	o->len += len + 2;
}

void resp_bulk(struct resp_out *o, const void *p, size_t n)
{
	char *to = resp_out_room(o, n + 26);

	if (!to)
		return;
	to[0] = '$';
	size_t len = 1 + digits(to + 1, n);
	memcpy(to + len, "\r\n", 2);
	len += 2;
	if (n)
		memcpy(to + len, p, n);
	memcpy(to + len + n, "\r\n", 2);
	o->len += len + n + 2;
}

void resp_str(struct resp_out *o, const char *s)
{
	resp_bulk(o, s, strlen(s));
}

void resp_strf(struct resp_out *o, const char *fmt, ...)
{
	char text[FORMAT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	resp_str(o, text);
}

void resp_null(struct resp_out *o)
{
	if (o->proto == 3)
		resp_raw(o, "_\r\n", 3);
	else
		resp_raw(o, "$-1\r\n", 5);
}

void resp_null_array(struct resp_out *o)
{
	if (o->proto == 3)
		resp_raw(o, "_\r\n", 3);
	else
		resp_raw(o, "*-1\r\n", 5);
}

void resp_bool(struct resp_out *o, bool b)
{
	if (o->proto == 3)
		resp_raw(o, b ? "#t\r\n" : "#f\r\n", 4);
	else
		resp_int(o, b);
}

void resp_double(struct resp_out *o, double d)
{
	char text[40];

	if (isnan(d))
		strcpy(text, "nan");
	else if (isinf(d))
		strcpy(text, d > 0 ? "inf" : "-inf");
	else
		snprintf(text, sizeof text, "%.17g", d);
	if (o->proto == 3) {
		resp_raw(o, ",", 1);
		resp_raw(o, text, strlen(text));
		resp_raw(o, "\r\n", 2);
	} else {
		resp_str(o, text);
	}
}

void resp_verbatim(struct resp_out *o, const char *ext, const void *p, size_t n)
{
	if (o->proto != 3) {
		resp_bulk(o, p, n);
		return;
	}
	header(o, '=', n + 4);
	resp_raw(o, ext, 3);
	resp_raw(o, ":", 1);
	resp_raw(o, p, n);
	resp_raw(o, "\r\n", 2);
}

void resp_array(struct resp_out *o, size_t n)
{
	header(o, '*', n);
}

void resp_map(struct resp_out *o, size_t pairs)
{
	if (o->proto == 3)
		header(o, '%', pairs);
	else
		header(o, '*', pairs * 2);
}

void resp_set(struct resp_out *o, size_t n)
{
	header(o, o->proto == 3 ? '~' : '*', n);
}

void resp_push(struct resp_out *o, size_t n)
{
	header(o, o->proto == 3 ? '>' : '*', n);
}
