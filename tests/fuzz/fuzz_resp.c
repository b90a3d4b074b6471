/* SPDX-License-Identifier: BSD-3-Clause */
/* The RESP parser under arbitrary bytes: whole against byte by byte, and every place it hands out lies inside of the input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "resp/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* One command from the front of data in pieces of at most `piece` bytes. *used as resp_parse. */
static enum parse feed(struct resp_parser *p, char *buf, size_t len, size_t piece, bool trusted, size_t *used, size_t *seen)
{
	enum parse got = PARSE_MORE;

	for (*seen = 0; got == PARSE_MORE && *seen < len;) {
		*seen += piece < len - *seen ? piece : len - *seen;
		got = resp_parse(p, buf, *seen, trusted, used);
	}
	return got;
}

static void check_places(const struct resp_parser *p, size_t used, size_t len)
{
	must(used > 0 && used <= len);
	for (unsigned i = 0; i < p->argc; i++)
		must(p->spans[i].off <= used && p->spans[i].len <= used - p->spans[i].off);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool trusted = len > 0 && data[0] & 1;

	if (len < 2)
		return 0;
	data++;
	len--;
	for (size_t at = 0; at < len;) {
		struct resp_parser whole, slow;
		size_t n = len - at, used = 0, used_slow = 0, seen;
		char *a = memcpy(malloc(n), data + at, n), *b = memcpy(malloc(n), data + at, n);

		resp_parser_init(&whole);
		resp_parser_init(&slow);
		enum parse got = feed(&whole, a, n, n, trusted, &used, &seen);
		enum parse got_slow = feed(&slow, b, n, 1, trusted, &used_slow, &seen);
		must(got == got_slow);
		if (got == PARSE_OK) {
			check_places(&whole, used, n);
			must(used == used_slow && seen == used && whole.argc == slow.argc);
			for (unsigned i = 0; i < whole.argc; i++) {
				must(whole.spans[i].off == slow.spans[i].off && whole.spans[i].len == slow.spans[i].len);
				must(memcmp(a + whole.spans[i].off, b + slow.spans[i].off, whole.spans[i].len) == 0);
			}
			at += used;
		} else {
			must(got == PARSE_MORE || strcmp(whole.why, slow.why) == 0);
			at = len;
		}
		resp_parser_free(&whole);
		resp_parser_free(&slow);
		free(a);
		free(b);
	}
	return 0;
}
