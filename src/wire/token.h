/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of zone text (RFC 1035 §5.1): blanks, quotes, escapes, parentheses, a comment at the end. Thread: any. */
#ifndef PITH_WIRE_TOKEN_H
#define PITH_WIRE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct token {
	const char *s;  /* as written, escapes still in it, quotes not */
	size_t len;
	bool quoted;
};

struct token_reader {
	const char *s, *end;
	unsigned depth;   /* of parentheses; inside them a newline is a blank */
	const char *why;  /* of ERR_BAD */
};

/* 1 and *t, 0 at the end, ERR_BAD. */
int token_next(struct token_reader *r, struct token *t);
/* The token's bytes with escapes resolved; length, ERR_BAD, or ERR_SPACE. */
int token_bytes(const struct token *t, uint8_t *out, size_t cap);
/* A decimal number up to max, or ERR_BAD. */
int64_t token_number(const struct token *t, uint32_t max);
/* Takes what follows a backslash, *at on its first character: the byte that \c or \DDD stands for, or -1. */
int escape_take(const char *s, size_t len, size_t *at);

#endif
