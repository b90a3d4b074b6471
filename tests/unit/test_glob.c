/* SPDX-License-Identifier: BSD-3-Clause */
/* Globs: Redis's rules, and a recursive twin that is right by its plainness. */
#include "base/bytes.h"
#include "config/config.h"
#include "unit.h"

static bool match(const char *glob, const char *s)
{
	return glob_match(glob, strlen(glob), s, strlen(s), false);
}

static void test_stars_and_question_marks_match_as_everywhere(void)
{
	check(match("*", "") && match("*", "abc") && match("a*c", "ac") && match("a*c", "abbbc") && match("**a**", "xax"));
	check(match("a?c", "abc") && !match("a?c", "ac") && !match("?", "") && match("*?*", "x") && !match("*?*", ""));
	check(match("", "") && !match("", "a") && !match("a", "") && !match("ab", "a") && !match("a", "ab"));
	check(match("*:*.example.com.*", "A:www.example.com.") && !match("*:*.example.com.*", "A:www.example.org."));
}

static void test_classes_have_ranges_negation_and_escapes(void)
{
	check(match("[a-c]x", "bx") && !match("[a-c]x", "dx") && match("[c-a]x", "bx") && match("[^a-c]", "d") && !match("[^a-c]", "a"));
	check(match("[\\]]", "]") && match("[\\-a]", "-") && !match("[]", ""));
	check(match("[ab", "a") && match("[ab", "b") && !match("[ab", "c") && !match("[", "a") && match("[^", "a"));
	/* A range takes the byte behind the minus, be it a ]: ] to a, and the class is not closed. */
	check(match("[a-]", "_") && !match("[a-]", "-") && match("[a-]]", "a") && match("[-a]", "-"));
	check(match("[a-", "a") && match("[a-", "-") && !match("x[^a]", "x"));
}

static void test_a_backslash_takes_the_next_byte_as_it_is(void)
{
	check(match("\\*", "*") && !match("\\*", "a") && match("\\\\", "\\") && match("a\\", "a\\") && match("\\[a]", "[a]"));
}

static void test_case_is_ignored_only_when_asked(void)
{
	check(!match("MAX*", "maxmemory") && glob_match("MAX*", 4, "maxmemory", 9, true) && glob_match("[A-C]", 5, "b", 1, true));
}

static void test_bytes_above_127_and_nul_are_bytes_like_others(void)
{
	check(glob_match("a\0*", 3, "a\0b", 3, false) && !glob_match("a\0b", 3, "a", 1, false) && match("[\x80-\xff]", "\xc3"));
}

static void test_no_pattern_costs_more_than_its_length_times_the_strings(void)
{
	enum { N = 3000 };
	static char glob[2 * N + 1], s[N];
	for (int i = 0; i < N; i++) {
		glob[2 * i] = '*';
		glob[2 * i + 1] = 'a';
		s[i] = 'a';
	}
	glob[2 * N] = 'b';
	/* A matcher that goes back further than the last star would need longer than the universe has. */
	check(!glob_match(glob, sizeof glob, s, N, false));
}

static bool twin_class(const char *g, const char *end, uint8_t c, const char **next)
{
	bool negated = g < end && *g == '^', hit = false;
	if (negated)
		g++;
	for (;;) {
		if (g == end) {
			*next = end;
			break;
		}
		if (*g == ']') {
			*next = g + 1;
			break;
		}
		if (g[0] == '\\' && g + 1 < end) {
			hit = hit || byte_lower((uint8_t)g[1]) == c;
			g += 2;
		} else if (g + 2 < end && g[1] == '-') {
			uint8_t a = byte_lower((uint8_t)g[0]), b = byte_lower((uint8_t)g[2]);
			hit = hit || (a <= c && c <= b) || (b <= c && c <= a);
			g += 3;
		} else {
			hit = hit || byte_lower((uint8_t)g[0]) == c;
			g++;
		}
	}
	return negated ? !hit : hit;
}

static bool twin(const char *g, const char *g_end, const char *s, const char *end)
{
	const char *next;
	if (g == g_end)
		return s == end;
	if (*g == '*')
		return twin(g + 1, g_end, s, end) || (s < end && twin(g, g_end, s + 1, end));
	if (s == end)
		return false;
	if (*g == '?')
		return twin(g + 1, g_end, s + 1, end);
	if (*g == '[')
		return twin_class(g + 1, g_end, byte_lower((uint8_t)*s), &next) && twin(next, g_end, s + 1, end);
	if (*g == '\\' && g + 1 < g_end)
		g++;
	return byte_lower((uint8_t)*g) == byte_lower((uint8_t)*s) && twin(g + 1, g_end, s + 1, end);
}

static void test_random_globs_agree_with_a_recursive_twin(void)
{
	static const char letters[] = "ab*?[]^-\\A";
	int hits = 0;
	for (int i = 0; i < 200000; i++) {
		char glob[10], s[10];
		size_t glob_len = unit_below(sizeof glob), len = unit_below(sizeof s);
		for (size_t j = 0; j < glob_len; j++)
			glob[j] = letters[unit_below(sizeof letters - 1)];
		for (size_t j = 0; j < len; j++)
			s[j] = "abAb-]"[unit_below(6)];
		bool want = twin(glob, glob + glob_len, s, s + len), got = glob_match(glob, glob_len, s, len, true);
		if (got != want)
			printf("glob \"%.*s\" on \"%.*s\"\n", (int)glob_len, glob, (int)len, s);
		check_eq_int(got, want);
		hits += got;
	}
	check(hits > 1000);
}
