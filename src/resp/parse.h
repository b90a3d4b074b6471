/* SPDX-License-Identifier: BSD-3-Clause */
/* From bytes to a command: RESP arrays of bulk strings, and inline commands as a person types them.
 *
 * The parser allocates nothing but its table of places, copies no argument, and goes on where it stopped: each byte is looked at
 * once, however the network cuts the stream. Places are offsets from the command's first byte, so that the buffer may move between
 * two calls. The texts of its errors are those that Redis clients know.
 * Thread: the owner's only. */
#ifndef PITH_RESP_PARSE_H
#define PITH_RESP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	RESP_ARGS_MAX = 1024 * 1024,
	RESP_INLINE_MAX = 64 * 1024,
	RESP_BULK_MAX = 512 * 1024 * 1024,
	/* what a client may send before it has proved who it is */
	RESP_ARGS_UNAUTH = 10,
	RESP_BULK_UNAUTH = 16384,
};

struct resp_span {
	uint32_t off, len;
};

struct resp_parser {
	struct resp_span *spans; /* argc of them are whole */
	unsigned argc, cap;
	size_t at;               /* bytes of the command looked at so far */
	int64_t args_left;       /* of an array; -1: not inside of one */
	int64_t bulk_len;        /* of the bulk string at `at`; -1: its header is still to come */
	char why[64];            /* after PARSE_BAD */
};

void resp_parser_init(struct resp_parser *p);
void resp_parser_free(struct resp_parser *p);
/* Ready for the next command; lets a large table go. */
void resp_parser_reset(struct resp_parser *p);
/* buf[0 … len) begins with the first byte of the command that p is in. PARSE_OK: *used bytes were the command, its argc arguments are
 * spans of buf (argc may be 0: an empty line; inline arguments were unquoted in place); call resp_parser_reset before the next one.
 * PARSE_MORE: call again with the same bytes and more behind them. PARSE_BAD: p->why is "Protocol error: …" without its "ERR ".
 * trusted: the limits of a client that has authenticated. len ≤ 2^32 - 1. */
enum parse resp_parse(struct resp_parser *p, char *buf, size_t len, bool trusted, size_t *used);
/* A decimal number as the protocol writes it: no blanks, no plus sign, no leading zeros. */
bool resp_number(const char *s, size_t len, int64_t *out);

#endif
