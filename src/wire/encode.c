/* SPDX-License-Identifier: BSD-3-Clause */
/* Hexadecimal, base64 and times of zone text.
 *
 * Reading is strict (whole bytes, padding where it belongs, no bits that would be lost), so that text stands for one row of
 * bytes. Times are printed as the unsigned 32-bit numbers they are, up to 2106: a reading relative to the present day, as
 * RFC 4034 §3.1.5 has it for validation, would print one record in two ways. */
#include "wire/encode.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

int hex_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	static const char digits[] = "0123456789abcdef";

	if (cap == 0 || len > (cap - 1) / 2)
		return ERR_SPACE;
	for (size_t i = 0; i < len; i++) {
		buf[2 * i] = digits[p[i] >> 4];
		buf[2 * i + 1] = digits[p[i] & 15];
	}
	buf[2 * len] = '\0';
	return (int)(2 * len);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int words_fail(struct token_reader *r, const char *why)
{
	r->why = why;
	return ERR_BAD;
}

int hex_from_words(struct token_reader *r, uint8_t *out, size_t cap)
{
	struct token t;
	size_t n = 0; /* half bytes */
	int got;

	while ((got = token_next(r, &t)) > 0) {
		for (size_t i = 0; i < t.len; i++, n++) {
			int v = hex_digit(t.s[i]);

			if (v < 0 || t.quoted)
				return words_fail(r, "no hexadecimal digits where they are needed");
			if (n / 2 >= cap)
				return ERR_SPACE;
			out[n / 2] = (uint8_t)(n % 2 == 0 ? v << 4 : out[n / 2] | v);
		}
	}
	if (got < 0)
		return got;
	return n % 2 == 0 ? (int)(n / 2) : words_fail(r, "an odd number of hexadecimal digits");
}

int base64_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = buf;

	if (cap == 0 || (len + 2) / 3 > (cap - 1) / 4)
		return ERR_SPACE;
	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0u);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = left > 1 ? digits[v >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[v & 63] : '=';
	}
	*to = '\0';
	return (int)(to - buf);
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int base64_from_words(struct token_reader *r, uint8_t *out, size_t cap)
{
	static const char fault[] = "no base64 where it is needed";
	struct token t;
	size_t n = 0, digits = 0, pads = 0;
	uint32_t v = 0;
	int got;

	while ((got = token_next(r, &t)) > 0) {
		for (size_t i = 0; i < t.len; i++) {
			int d = t.s[i] == '=' ? 0 : base64_digit(t.s[i]);

			pads += t.s[i] == '=';
			if (d < 0 || t.quoted || (pads > 0 && t.s[i] != '=') || pads > 2)
				return words_fail(r, fault);
			v = v << 6 | (uint32_t)d;
			if (++digits % 4 != 0)
				continue;
			size_t bytes = 3 - pads;
			if ((v & ((1u << 8 * pads) - 1)) != 0)
				return words_fail(r, "base64 with bits behind its last byte");
			if (cap - n < bytes)
				return ERR_SPACE;
			for (size_t k = 0; k < bytes; k++)
				out[n++] = (uint8_t)(v >> (16 - 8 * k));
			v = 0;
		}
	}
	if (got < 0)
		return got;
	return digits % 4 == 0 ? (int)n : words_fail(r, fault);
}

int time_to_text(uint32_t t, char *buf, size_t cap)
{
	time_t seconds = (time_t)t;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	int n = snprintf(buf, cap, "%04d%02d%02d%02d%02d%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
			 tm.tm_min, tm.tm_sec);
	return (size_t)n < cap ? n : ERR_SPACE;
}

static int digits_value(const char *s, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++)
		v = v * 10 + (s[i] - '0');
	return v;
}

int64_t time_from_text(const char *s, size_t len)
{
	struct token t = {.s = s, .len = len};
	char back[16];

	if (len != 14)
		return token_number(&t, UINT32_MAX);
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return ERR_BAD;
	struct tm tm = {
		.tm_year = digits_value(s, 4) - 1900, .tm_mon = digits_value(s + 4, 2) - 1, .tm_mday = digits_value(s + 6, 2),
		.tm_hour = digits_value(s + 8, 2), .tm_min = digits_value(s + 10, 2), .tm_sec = digits_value(s + 12, 2),
	};
	int64_t v = (int64_t)timegm(&tm);
	/* the 31st of a short month, a 61st second: timegm carries over, and then it is another text */
	if (v < 0 || v > UINT32_MAX || time_to_text((uint32_t)v, back, sizeof back) != 14 || memcmp(back, s, 14) != 0)
		return ERR_BAD;
	return v;
}
