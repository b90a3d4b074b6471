/* SPDX-License-Identifier: BSD-3-Clause */
/* The RESP parser: what it takes, what it refuses and with which words, and that the cut of the stream never matters. */
#include "resp/parse.h"
#include "unit.h"

#include "base/alloc.h"

/* Parses text as one piece, in memory of its exact size. */
static enum parse parse_len(struct resp_parser *p, const char *text, size_t len, bool trusted, char **buf, size_t *used)
{
	*buf = memcpy(malloc(len + 1), text, len);
	return resp_parse(p, *buf, len, trusted, used);
}

static void refused(const char *text, const char *why, bool trusted)
{
	struct resp_parser p;
	char *buf;
	size_t used;

	resp_parser_init(&p);
	check_eq_int(parse_len(&p, text, strlen(text), trusted, &buf, &used), PARSE_BAD);
	check_eq_str(p.why, why);
	resp_parser_free(&p);
	free(buf);
}

/* text is one whole command with these words, n of them. */
static void taken(const char *text, size_t len, unsigned n, const char *const *words)
{
	struct resp_parser p;
	char *buf;
	size_t used = 0;

	resp_parser_init(&p);
	check_eq_int(parse_len(&p, text, len, true, &buf, &used), PARSE_OK);
	check_eq_int(used, len);
	check_eq_int(p.argc, n);
	for (unsigned i = 0; i < n; i++)
		check_eq_mem(buf + p.spans[i].off, p.spans[i].len, words[i], strlen(words[i]));
	resp_parser_free(&p);
	free(buf);
}
#define TAKEN(text, n, ...) taken(text, sizeof(text) - 1, n, (const char *const[]){ __VA_ARGS__ })

static void test_an_array_of_bulk_strings_is_a_command(void)
{
	TAKEN("*2\r\n$3\r\nGET\r\n$5\r\nA:x.y\r\n", 2, "GET", "A:x.y");
	TAKEN("*1\r\n$0\r\n\r\n", 1, "");
	TAKEN("*1\r\n$4\r\n\r\n\r\n\r\n", 1, "\r\n\r\n");
}

static void test_an_empty_or_null_array_is_no_command(void)
{
	TAKEN("*0\r\n", 0, "");
	TAKEN("*-1\r\n", 0, "");
	TAKEN("\r\n", 0, "");
	TAKEN("\n", 0, "");
	TAKEN("   \r\n", 0, "");
}

static void test_inline_words_may_be_quoted(void)
{
	TAKEN("PING\r\n", 1, "PING");
	TAKEN("get  a:x \n", 2, "get", "a:x");
	TAKEN("echo \"a b\"\r\n", 2, "echo", "a b");
	TAKEN("echo \"\\x41\\n\\\"\\q\"\r\n", 2, "echo", "A\n\"q");
	TAKEN("echo 'it\\'s \\n'\r\n", 2, "echo", "it's \\n");
	TAKEN("echo \"\" ''\r\n", 3, "echo", "", "");
}

static void test_unbalanced_quotes_are_refused(void)
{
	refused("echo \"a\r\n", "Protocol error: unbalanced quotes in request", true);
	refused("echo 'a\r\n", "Protocol error: unbalanced quotes in request", true);
	refused("echo \"a\"b\r\n", "Protocol error: unbalanced quotes in request", true);
	refused("echo \"a\\\r\n", "Protocol error: unbalanced quotes in request", true);
}

static void test_lengths_that_are_none_are_refused(void)
{
	refused("*x\r\n", "Protocol error: invalid multibulk length", true);
	refused("*1048577\r\n", "Protocol error: invalid multibulk length", true);
	refused("*+1\r\n", "Protocol error: invalid multibulk length", true);
	refused("*01\r\n", "Protocol error: invalid multibulk length", true);
	refused("*99999999999999999999\r\n", "Protocol error: invalid multibulk length", true);
	refused("*1\r\n$-1\r\n", "Protocol error: invalid bulk length", true);
	refused("*1\r\n$536870913\r\n", "Protocol error: invalid bulk length", true);
	refused("*1\r\n$ 3\r\n", "Protocol error: invalid bulk length", true);
	refused("*1\r\n:3\r\n", "Protocol error: expected '$', got ':'", true);
	refused("*1\r\n\001\r\n", "Protocol error: expected '$', got '?'", true);
}

static void test_a_stranger_may_send_little(void)
{
	refused("*11\r\n", "Protocol error: unauthenticated multibulk length", false);
	refused("*1\r\n$16385\r\n", "Protocol error: unauthenticated bulk length", false);
}

static void test_a_line_without_end_is_refused(void)
{
	char *text = malloc(RESP_INLINE_MAX + 10);

	memset(text, 'a', RESP_INLINE_MAX + 8);
	text[RESP_INLINE_MAX + 8] = '\0';
	refused(text, "Protocol error: too big inline request", true);
	memset(text, '1', RESP_INLINE_MAX + 8);
	text[0] = '*';
	refused(text, "Protocol error: too big mbulk count string", true);
	memcpy(text, "*1\r\n$", 5);
	refused(text, "Protocol error: too big bulk count string", true);
	free(text);
}

static void test_numbers_have_one_form(void)
{
	int64_t n;

	check(resp_number("0", 1, &n) && n == 0);
	check(resp_number("9223372036854775807", 19, &n) && n == INT64_MAX);
	check(resp_number("-9223372036854775808", 20, &n) && n == INT64_MIN);
	check(!resp_number("9223372036854775808", 19, &n));
	check(!resp_number("-9223372036854775809", 20, &n));
	check(!resp_number("18446744073709551617", 20, &n));
	check(!resp_number("", 0, &n) && !resp_number("-", 1, &n) && !resp_number("-0", 2, &n) && !resp_number("00", 2, &n));
	check(!resp_number("1 ", 2, &n) && !resp_number("+1", 2, &n) && !resp_number("1a", 2, &n));
}

/* ---- the twin: a stream in one piece against the same one in random pieces ---- */

struct trace {
	char text[1 << 16];
	size_t len;
};

static void trace_command(struct trace *t, const struct resp_parser *p, const char *at)
{
	t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "%u:", p->argc);
	for (unsigned i = 0; i < p->argc; i++) {
		memcpy(t->text + t->len, at + p->spans[i].off, p->spans[i].len);
		t->len += p->spans[i].len;
		t->text[t->len++] = '|';
	}
}

/* Feeds the stream in pieces of at most `most` bytes; what is not yet parsed moves to a fresh buffer each time. */
static void run_stream(struct trace *t, const char *stream, size_t len, size_t most)
{
	struct resp_parser p;
	char *buf = malloc(1);
	size_t have = 0, fed = 0;
	enum parse got = PARSE_MORE;

	resp_parser_init(&p);
	t->len = 0;
	while (fed < len && got != PARSE_BAD) {
		size_t n = 1 + (most > 1 ? unit_below(most) : 0);
		n = n < len - fed ? n : len - fed;
		char *more = malloc(have + n);

		memcpy(more, buf, have);
		memcpy(more + have, stream + fed, n);
		free(buf);
		buf = more;
		have += n;
		fed += n;
		size_t off = 0, used;
		while (off < have && (got = resp_parse(&p, buf + off, have - off, true, &used)) == PARSE_OK) {
			trace_command(t, &p, buf + off);
			off += used;
			resp_parser_reset(&p);
		}
		memmove(buf, buf + off, have - off);
		have -= off;
	}
	if (got == PARSE_BAD)
		t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "BAD %s", p.why);
	resp_parser_free(&p);
	free(buf);
}

static size_t random_stream(char *to, size_t cap)
{
	size_t len = 0;

	for (unsigned n = 1 + (unsigned)unit_below(6); n > 0 && len + 400 < cap; n--) {
		unsigned argc = (unsigned)unit_below(5);

		if (unit_below(3) == 0) {
			len += (size_t)sprintf(to + len, unit_below(2) ? "echo \"a\\x42 c\" 'd\\'e' %u\r\n" : "ping %u\n", argc);
			continue;
		}
		len += (size_t)sprintf(to + len, "*%u\r\n", argc);
		for (unsigned i = 0; i < argc; i++) {
			unsigned n_bytes = (unsigned)unit_below(40);

			len += (size_t)sprintf(to + len, "$%u\r\n", n_bytes);
			for (unsigned j = 0; j < n_bytes; j++)
				to[len++] = "\r\n*$ab\"' "[unit_below(9)];
			len += (size_t)sprintf(to + len, "\r\n");
		}
	}
	if (unit_below(4) == 0)
		for (unsigned i = 0; i < 3; i++)
			to[unit_below(len)] = (char)unit_below(256);
	return len;
}

static void test_the_cut_of_the_stream_never_matters(void)
{
	static struct trace whole, bytes, pieces;
	char stream[4096];

	for (unsigned round = 0; round < 3000; round++) {
		size_t len = random_stream(stream, sizeof stream);

		/* in one piece: a pass with pieces larger than the stream may still be cut, so feed it at once */
		struct trace *traces[] = { &whole, &bytes, &pieces };
		run_stream(&bytes, stream, len, 1);
		run_stream(&pieces, stream, len, 100);
		struct resp_parser p;
		char *buf = memcpy(malloc(len), stream, len);
		size_t off = 0, used;
		enum parse got = PARSE_MORE;

		resp_parser_init(&p);
		whole.len = 0;
		while (off < len && (got = resp_parse(&p, buf + off, len - off, true, &used)) == PARSE_OK) {
			trace_command(&whole, &p, buf + off);
			off += used;
			resp_parser_reset(&p);
		}
		if (got == PARSE_BAD)
			whole.len += (size_t)snprintf(whole.text + whole.len, sizeof whole.text - whole.len, "BAD %s", p.why);
		resp_parser_free(&p);
		free(buf);
		for (unsigned i = 1; i < 3; i++)
			check_eq_mem(traces[i]->text, traces[i]->len, whole.text, whole.len);
	}
}

static void test_no_memory_for_arguments_is_said(void)
{
	struct resp_parser p;
	char *buf;
	size_t used;

	resp_parser_init(&p);
	alloc_fail_after(1);
	enum parse got = parse_len(&p, "PING\r\n", 6, true, &buf, &used);
	alloc_fail_after(0);
	check_eq_int(got, PARSE_BAD);
	check_eq_str(p.why, "Protocol error: no memory for arguments");
	resp_parser_free(&p);
	free(buf);
}
