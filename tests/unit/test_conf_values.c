/* SPDX-License-Identifier: BSD-3-Clause */
/* Values: sizes, durations, addresses, prefixes, names of zones, words and their quotes. */
#include "conf_files.h"

static uint64_t bytes_of(const char *s)
{
	uint64_t n = 12345;
	return conf_bytes_parse(s, &n) == 0 ? n : UINT64_MAX;
}

static void test_sizes_count_as_redis_does(void)
{
	check_eq_int(bytes_of("0"), 0);
	check_eq_int(bytes_of("100"), 100);
	check_eq_int(bytes_of("1k"), 1000);
	check_eq_int(bytes_of("1kb"), 1024);
	check_eq_int(bytes_of("64MB"), 64 << 20);
	check_eq_int(bytes_of("2g"), 2000000000);
	check_eq_int(bytes_of("1gb"), 1 << 30);
	check_eq_int(bytes_of("1tb"), 1ll << 40);
	static const char *const bad[] = { "", "mb", "-1", "1.5mb", "64mbb", "1 mb", " 1", "9223372036854775808", "9000000000gb", "0x10" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_eq_int(bytes_of(bad[i]), UINT64_MAX);
}

static uint64_t ms_of(const char *s)
{
	uint64_t n;
	return conf_duration_parse(s, &n) == 0 ? n : UINT64_MAX;
}

static void test_durations_have_units(void)
{
	check_eq_int(ms_of("1500ms"), 1500);
	check_eq_int(ms_of("30s"), 30000);
	check_eq_int(ms_of("5m"), 300000);
	check_eq_int(ms_of("1H"), 3600000);
	check_eq_int(ms_of("2d"), 172800000);
	check_eq_int(ms_of("1w"), 604800000);
	check_eq_int(ms_of("7"), 7);
	static const char *const bad[] = { "", "s", "-1s", "1y", "1.5s", "1 s", "99999999999999999999s", "9223372036854775807d" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_eq_int(ms_of(bad[i]), UINT64_MAX);
}

static void test_addresses_take_a_port_and_a_scope(void)
{
	struct conf_addr a;
	check_eq_int(conf_addr_parse("9.9.9.9@5353", 53, &a), 0);
	check(a.family == 4 && a.port == 5353 && a.scope == 0);
	check_mem(a.bytes, "\x09\x09\x09\x09\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	check_eq_int(conf_addr_parse("2620:fe::fe", 53, &a), 0);
	check(a.family == 6 && a.port == 53 && a.bytes[0] == 0x26 && a.bytes[15] == 0xfe);
	check_eq_int(conf_addr_parse("fe80::1%lo@53", 0, &a), 0);
	check(a.scope > 0);
	check_eq_int(conf_addr_parse("fe80::1%7", 53, &a), 0);
	check_eq_int(a.scope, 7);
	static const char *const bad[] = {
		"", "@53", "1.2.3", "1.2.3.4.5", "1.2.3.4@", "1.2.3.4@0", "1.2.3.4@65536", "1.2.3.4@x", "1.2.3.4%lo", "fe80::1%", "::g",
		"fe80::1%no-such-interface", "example.com", "1.2.3.4:53", "[::1]@53", "01.2.3.4 ",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd:eeee:ffff",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (conf_addr_parse(bad[i], 53, &a) == 0)
			printf("%s was taken\n", bad[i]);
		check_eq_int(conf_addr_parse(bad[i], 53, &a), ERR_BAD);
	}
}

static void test_prefixes_have_no_bits_behind_their_length(void)
{
	struct conf_prefix p;
	check_eq_int(conf_prefix_parse("192.0.2.0/24", &p), 0);
	check(p.family == 4 && p.bits == 24 && p.bytes[2] == 2);
	check_eq_int(conf_prefix_parse("10.0.0.1", &p), 0);
	check_eq_int(p.bits, 32);
	check_eq_int(conf_prefix_parse("2001:db8::/32", &p), 0);
	check(p.family == 6 && p.bits == 32);
	check_eq_int(conf_prefix_parse("::1", &p), 0);
	check_eq_int(p.bits, 128);
	check_eq_int(conf_prefix_parse("0.0.0.0/0", &p), 0);
	check_eq_int(p.bits, 0);
	check_eq_int(conf_prefix_parse("192.0.2.128/25", &p), 0);
	check_eq_int(conf_prefix_parse("::/0", &p), 0);
	static const char *const bad[] = { "", "/8", "10.0.0.1/8", "192.0.2.64/25", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1",
					   "10.0.0.0/x", "10.0.0.0/8/8", "2001:db8::1/32", "0.0.0.0/-0" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (conf_prefix_parse(bad[i], &p) == 0)
			printf("%s was taken\n", bad[i]);
		check_eq_int(conf_prefix_parse(bad[i], &p), ERR_BAD);
	}
}

static void test_zone_names_follow_rfc_1035(void)
{
	char label63[130], label64[130], name254[300] = "", name255[302] = "";
	memset(label63, 'a', 63);
	strcpy(label63 + 63, ".test.");
	memset(label64, 'a', 64);
	strcpy(label64 + 64, ".test");
	for (int i = 0; i < 127; i++)
		strcat(name254, "a."); /* 127 labels: 255 bytes in wire form, the most there can be */
	snprintf(name255, sizeof name255, "a%s", name254);
	static const char *const good[] = { ".", "com", "com.", "a\\.b.test", "\\000\\255.x", "_sip._udp.x", "xn--a", "\\\\.", "1.0.0.127.in-addr.arpa." };
	static const char *const bad[] = { "", "..", ".com", "a..b", "a b", "\\", "\\25", "\\256.", "\\2x5", "a\tb" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		check(zone_is_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check(!zone_is_valid(bad[i]));
	check(zone_is_valid(label63) && !zone_is_valid(label64) && zone_is_valid(name254) && !zone_is_valid(name255));
}

/* The words of s with | between them, or the fault. */
static const char *words_of(const char *s, size_t len, char *out, size_t cap)
{
	struct conf_list words = { 0 };
	const char *fault;
	*out = '\0';
	if (words_split(s, len, &words, &fault) != 0)
		snprintf(out, cap, "%s", fault);
	for (unsigned i = 0; i < words.n && !fault; i++)
		snprintf(out + strlen(out), cap - strlen(out), "%s%s", i ? "|" : "", words.items[i]);
	list_free(&words);
	return out;
}

static void test_words_are_split_and_quoted_as_in_redis_conf(void)
{
	char out[256];
#define check_words(line, want) check_eq_str(words_of(line, sizeof line - 1, out, sizeof out), want)
	check_words("  a\tb  c ", "a|b|c");
	check_words("", "");
	check_words("name \"a b\" 'c d'", "name|a b|c d");
	check_words("\"\" ''", "|");
	check_words("\"\\x41\\n\\t\\\"\\\\\\q\"", "A\n\t\"\\q");
	check_words("'it\\'s \\n'", "it's \\n");
	check_words("pre\"quoted\"", "prequoted");
	check_words("a\\b", "a\\b");
	check_words("\"\\x4\"", "x4");
	check_words("\"open", "a quote is opened and not closed");
	check_words("'open\\'", "a quote is opened and not closed");
	check_words("\"a\\", "a quote is opened and not closed");
	check_words("\"a\"b", "a blank is missing behind a closing quote");
	check_words("a\0b", "a NUL byte cannot be part of a value");
	check_words("\"\\x00\"", "a NUL byte cannot be part of a value");
#undef check_words
}

static void test_any_word_that_is_written_is_read_back(void)
{
	for (int i = 0; i < 20000; i++) {
		char word[12];
		size_t len = unit_below(sizeof word);
		for (size_t j = 0; j < len; j++)
			word[j] = (char)(unit_below(3) ? 1 + unit_below(255) : (uint64_t)"\"'\\ \n#x0"[unit_below(8)]);
		word[len] = '\0';
		struct text t = { 0 };
		struct conf_list words = { 0 };
		const char *fault;
		text_put_word(&t, word);
		check_eq_int(words_split(t.p, t.len, &words, &fault), 0);
		check_eq_int(words.n, 1);
		check_eq_str(words.items[0], word);
		text_free(&t);
		list_free(&words);
	}
}

static void test_an_item_is_taken_apart_into_its_words(void)
{
	char buf[64], *words[3];
	check_eq_int(conf_item_words("corp.example. 10.0.0.1 \"a b\"", buf, sizeof buf, words, 3), 3);
	check_eq_str(words[0], "corp.example.");
	check_eq_str(words[1], "10.0.0.1");
	check_eq_str(words[2], "a b");
	check_eq_int(conf_item_words("a b c d", buf, sizeof buf, words, 3), ERR_SPACE);
	check_eq_int(conf_item_words("a b", buf, 3, words, 3), ERR_SPACE);
	check_eq_int(conf_item_words("a b", buf, 4, words, 3), 2);
	check_eq_int(conf_item_words("\"\" \"\"", buf, 6, words, 3), 2);
	check_eq_str(words[1], "");
	check_eq_int(conf_item_words("\"a", buf, sizeof buf, words, 3), ERR_BAD);
	check_eq_int(conf_item_words("", buf, sizeof buf, words, 3), 0);
}
