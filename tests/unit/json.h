/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader of JSON for tests that look into the tree's own files: no copies, no allocation, a value is a pointer to its
 * first character. The text is trusted to be well-formed (utils/gen-commands has read it); what is not ends the test.
 */
#ifndef TESTS_JSON_H
#define TESTS_JSON_H

#include <stdbool.h>

#include "unit.h"

static inline const char *json_blank(const char *p)
{
	return p + strspn(p, " \t\r\n,:");
}

/* Behind the value at p. */
static inline const char *json_skip(const char *p)
{
	p = json_blank(p);
	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			p += *p == '\\';
		check(*p == '"');
		return p + 1;
	}
	if (*p == '{' || *p == '[') {
		char end = *p == '{' ? '}' : ']';

		for (p = json_blank(p + 1); *p && *p != end; p = json_blank(p))
			p = json_skip(p);
		check(*p == end);
		return p + 1;
	}
	size_t n = strcspn(p, ",]} \t\r\n");
	check(n > 0);
	return p + n;
}

/* The first value inside of the array or object at p, or the one behind the value at p: NULL at the end. */
static inline const char *json_first(const char *p)
{
	p = json_blank(json_blank(p) + 1);
	return *p == ']' || *p == '}' ? NULL : p;
}

static inline const char *json_next(const char *p)
{
	p = json_blank(json_skip(p));
	return *p == ']' || *p == '}' || *p == '\0' ? NULL : p;
}

/* Is the value at p this string? (Strings without escapes.) */
static inline bool json_is(const char *p, const char *s)
{
	size_t n = strlen(s);

	p = json_blank(p);
	return *p == '"' && strncmp(p + 1, s, n) == 0 && p[n + 1] == '"';
}

/* The value of the object's member, or NULL. */
static inline const char *json_member(const char *object, const char *name)
{
	for (const char *p = json_first(object); p; p = json_next(json_skip(p)))
		if (json_is(p, name))
			return json_blank(json_skip(p));
	return NULL;
}

/* The string at p, without its quotes. */
static inline void json_string(const char *p, char *to, size_t cap)
{
	const char *end = json_skip(p);

	p = json_blank(p);
	check(*p == '"' && (size_t)(end - p) < cap + 2);
	snprintf(to, cap, "%.*s", (int)(end - p - 2), p + 1);
}

static inline long long json_int(const char *p)
{
	return strtoll(json_blank(p), NULL, 10);
}

#endif
