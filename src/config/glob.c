/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns glob matching, as Redis has it.
 *
 * Without recursion: only the last * seen ever needs another try, as whatever an earlier one could do differently the
 * later one can make up for. So the work is at most glob_len × len, whatever the pattern. */
#include "base/bytes.h"
#include "config/config.h"

static uint8_t fold(char c, bool nocase)
{
	return nocase ? byte_lower((uint8_t)c) : (uint8_t)c;
}

/* Behind the [ at g: does the class take c? *next is the first byte behind it. A class that is not closed ends with the glob. */
static bool class_match(const char *g, const char *end, uint8_t c, bool nocase, const char **next)
{
	bool negated = g < end && *g == '^', hit = false;
	for (g += negated; g < end && *g != ']'; g++) {
		if (*g == '\\' && end - g >= 2) {
			g++;
			hit |= fold(*g, nocase) == c;
		} else if (end - g >= 3 && g[1] == '-') {
			uint8_t from = fold(g[0], nocase), to = fold(g[2], nocase);
			hit |= from <= to ? from <= c && c <= to : to <= c && c <= from;
			g += 2;
		} else {
			hit |= fold(*g, nocase) == c;
		}
	}
	*next = g < end ? g + 1 : end;
	return hit != negated;
}

/* Does the one element at g, which is no *, take c? */
static bool element_match(const char *g, const char *end, uint8_t c, bool nocase, const char **next)
{
	if (*g == '[')
		return class_match(g + 1, end, c, nocase, next);
	if (*g == '?') {
		*next = g + 1;
		return true;
	}
	if (*g == '\\' && end - g >= 2)
		g++;
	*next = g + 1;
	return fold(*g, nocase) == c;
}

bool glob_match(const char *glob, size_t glob_len, const char *s, size_t len, bool nocase)
{
	const char *g = glob, *g_end = glob + glob_len, *p = s, *end = s + len;
	const char *star = NULL, *star_p = NULL; /* behind the last *, and where its match ends for now */
	while (p < end) {
		const char *next;
		if (g < g_end && *g == '*') {
			star = ++g;
			star_p = p;
		} else if (g < g_end && element_match(g, g_end, fold(*p, nocase), nocase, &next)) {
			g = next;
			p++;
		} else if (star) {
			g = star;
			p = ++star_p;
		} else {
			return false;
		}
		if (star == g_end)
			return true;
	}
	while (g < g_end && *g == '*')
		g++;
	return g == g_end;
}
