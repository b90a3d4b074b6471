/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/wire.h"
#include "wire_help.h"

static const char *text_of(struct name n)
{
	static char buf[NAME_MAX_TEXT];

	int len = name_to_text(n.b, n.len, buf, sizeof buf); /* before strlen looks: arguments have no order */

	check_eq_int(len, (int)strlen(buf));
	return buf;
}

static int parse(const char *s, size_t len)
{
	uint8_t out[NAME_MAX_LEN];

	return name_from_text(s, len, out);
}

static int parse_str(const char *s)
{
	return parse(s, strlen(s));
}

static void test_names_print_with_the_final_dot_and_keep_case(void)
{
	check_eq_str(text_of(name_of("WWW.example.Com")), "WWW.example.Com.");
	check_eq_str(text_of(name_of("_dmarc.xn--bcher-kva.example.")), "_dmarc.xn--bcher-kva.example.");
	check_eq_str(text_of(name_of(".")), ".");
}

static void test_what_zone_files_and_keys_give_meaning_to_is_escaped(void)
{
	const struct name n = {.b = "\x09.;\"\\()@$a\0", .len = 11};

	check_eq_str(text_of(n), "\\.\\;\\\"\\\\\\(\\)\\@\\$a.");
}

static void test_bytes_that_do_not_print_come_out_as_decimals(void)
{
	const struct name n = {.b = "\x05\0 \x7f\xff\n\0", .len = 7};

	check_eq_str(text_of(n), "\\000\\032\\127\\255\\010.");
}

static void test_escapes_of_both_kinds_are_understood(void)
{
	struct name a = name_of("a\\.b\\046c\\\\.x."), b = name_of("\\097\\b.");

	check_eq_mem(a.b, a.len, "\6a.b.c\\\1x\0", 10);
	check_eq_mem(b.b, b.len, "\2ab\0", 4);
}

static void test_broken_escapes_are_refused(void)
{
	check_eq_int(parse_str("a\\"), ERR_BAD);
	check_eq_int(parse_str("a\\1"), ERR_BAD);
	check_eq_int(parse_str("a\\12"), ERR_BAD);
	check_eq_int(parse_str("a\\12x"), ERR_BAD);
	check_eq_int(parse_str("a\\256"), ERR_BAD);
	check_eq_int(parse_str("a\\999."), ERR_BAD);
	check_eq_int(parse_str("a\\255."), 4);
}

static void test_empty_labels_are_refused(void)
{
	check_eq_int(parse_str(""), ERR_BAD);
	check_eq_int(parse_str(".."), ERR_BAD);
	check_eq_int(parse_str(".a"), ERR_BAD);
	check_eq_int(parse_str("a..b"), ERR_BAD);
	check_eq_int(parse_str("a.b.."), ERR_BAD);
	check_eq_int(parse_str("."), 1);
}

static void test_the_final_dot_may_be_missing(void)
{
	check_eq_int(parse_str("a.b"), 5);
	check_eq_int(parse_str("a.b."), 5);
	check_eq_int(parse_str("a\\."), 4); /* an escaped dot ends no name */
}

static void test_labels_of_63_and_names_of_255_fit_and_no_more(void)
{
	char s[400];

	memset(s, 'a', sizeof s);
	check_eq_int(parse(s, 63), 65);
	check_eq_int(parse(s, 64), ERR_BAD);
	s[63] = s[127] = s[191] = '.';
	check_eq_int(parse(s, 253), 255); /* 63.63.63.61 */
	check_eq_int(parse(s, 254), ERR_BAD);
	s[253] = '.';
	check_eq_int(parse(s, 254), 255);
	check_eq_int(parse(s, 255), ERR_BAD);
}

static void test_a_nul_inside_the_text_is_a_byte_like_others(void)
{
	check_eq_int(parse("a\0b", 3), 5);
}

static void test_a_buffer_that_is_too_small_is_said_and_never_overrun(void)
{
	struct name n = name_of("ab.\\000c\\@.example.");
	char whole[NAME_MAX_TEXT];
	int len = name_to_text(n.b, n.len, whole, sizeof whole);

	check(len > 0);
	for (size_t cap = 0; cap <= (size_t)len; cap++) {
		char *buf = malloc(cap + 1);

		buf[cap] = 0x55;
		check_eq_int(name_to_text(n.b, n.len, buf, cap), ERR_SPACE);
		check_eq_int(buf[cap], 0x55);
		free(buf);
	}
	char *exact = malloc((size_t)len + 1);
	check_eq_int(name_to_text(n.b, n.len, exact, (size_t)len + 1), len);
	free(exact);
}

static void test_the_longest_text_fits_its_constant(void)
{
	struct name n = {.len = 0};

	for (int label = 0; label < 4; label++) {
		uint8_t len = label < 3 ? 63 : 61;

		n.b[n.len++] = len;
		memset(n.b + n.len, 0xff, len);
		n.len += len;
	}
	n.b[n.len++] = 0;
	check_eq_int(n.len, NAME_MAX_LEN);
	check_eq_int(strlen(text_of(n)), 250 * 4 + 4);
}

static void test_random_names_survive_text_and_back(void)
{
	for (int round = 0; round < 20000; round++) {
		struct name n = name_random(40, NULL, 0);
		struct name back = name_of(text_of(n));

		check_eq_mem(back.b, back.len, n.b, n.len);
	}
}
