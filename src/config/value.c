/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the parsing and printing of numbers, sizes, durations and enumerations. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config/internal.h"

/* Digits at *s into *out, *s moved behind them. ERR_BAD: none, or too many for 63 bits. */
static int digits_parse(const char **s, uint64_t *out)
{
	uint64_t n = 0;
	const char *p = *s;
	if (*p < '0' || *p > '9')
		return ERR_BAD;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(*p - '0'), &n) || n > INT64_MAX)
			return ERR_BAD;
	*s = p;
	*out = n;
	return 0;
}

struct unit {
	const char *text;
	uint64_t factor;
};

static int scaled_parse(const char *s, const struct unit *units, size_t n_units, uint64_t *out)
{
	uint64_t n;
	if (digits_parse(&s, &n) != 0)
		return ERR_BAD;
	for (size_t i = 0; i < n_units; i++)
		if (strcasecmp(s, units[i].text) == 0)
			return __builtin_mul_overflow(n, units[i].factor, out) || *out > INT64_MAX ? ERR_BAD : 0;
	return ERR_BAD;
}

int conf_bytes_parse(const char *s, uint64_t *out)
{
	static const struct unit units[] = {
		{ "", 1 }, { "b", 1 }, { "k", 1000 }, { "kb", 1 << 10 }, { "m", 1000000 }, { "mb", 1 << 20 }, { "g", 1000000000 },
		{ "gb", 1 << 30 }, { "t", 1000000000000 }, { "tb", 1ull << 40 },
	};
	return scaled_parse(s, units, sizeof units / sizeof *units, out);
}

int duration_parse(const char *s, uint64_t unit_ms, uint64_t *ms)
{
	const struct unit units[] = {
		{ "", unit_ms }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 }, { "w", 604800000 },
	};
	return scaled_parse(s, units, sizeof units / sizeof *units, ms);
}

int conf_duration_parse(const char *s, uint64_t *ms)
{
	return duration_parse(s, 1, ms);
}

int conf_seconds_parse(const char *s, uint64_t *seconds)
{
	uint64_t ms;
	if (duration_parse(s, 1000, &ms) != 0 || ms % 1000)
		return ERR_BAD;
	*seconds = ms / 1000;
	return 0;
}

int integer_parse(const char *s, int64_t *out)
{
	bool minus = *s == '-';
	uint64_t n;
	s += minus;
	if (digits_parse(&s, &n) != 0 || *s)
		return ERR_BAD;
	*out = minus ? -(int64_t)n : (int64_t)n;
	return 0;
}

int enum_parse(const char *values, const char *s)
{
	size_t len = strlen(s);
	int number = 0;
	for (const char *p = values; *p; number++) {
		size_t n = strcspn(p, " ");
		if (n == len && strncasecmp(p, s, n) == 0)
			return number;
		p += n + strspn(p + n, " ");
	}
	return ERR_UNKNOWN;
}

void enum_put(struct text *t, const char *values, int number)
{
	const char *p = values;
	while (number-- > 0) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	text_put(t, p, strcspn(p, " "));
}

void number_put(struct text *t, int64_t n)
{
	char buf[24];
	snprintf(buf, sizeof buf, "%" PRId64, n);
	text_puts(t, buf);
}

void bytes_put(struct text *t, uint64_t n)
{
	static const char *const units[] = { "", "kb", "mb", "gb" };
	unsigned u = 0;
	while (n && n % 1024 == 0 && u + 1 < sizeof units / sizeof *units) {
		n /= 1024;
		u++;
	}
	number_put(t, (int64_t)n);
	text_puts(t, units[u]);
}

void duration_put(struct text *t, uint64_t n, const char *unit)
{
	number_put(t, (int64_t)n);
	if (n)
		text_puts(t, unit);
}
