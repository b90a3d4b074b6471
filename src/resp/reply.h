/* SPDX-License-Identifier: BSD-3-Clause */
/* Replies: RESP2 and RESP3 from the same calls.
 *
 * A command says what it means (a map, a set, a double, nothing); the client's protocol version decides how that is written. All
 * goes into one growing buffer with a limit and a sticky failure, so that a command needs no check: the connection looks at
 * `failed` afterwards and cuts the client. Thread: the owner's only. */
#ifndef PITH_RESP_REPLY_H
#define PITH_RESP_REPLY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct resp_out {
	char *data;
	size_t len, cap;
	size_t limit;      /* len may not pass it */
	size_t error_at;   /* where the last error reply begins */
	unsigned errors;   /* error replies written so far */
	uint8_t proto;     /* 2 or 3 */
	bool failed;       /* sticky: over the limit, or no memory; what follows is not written */
};

void resp_out_init(struct resp_out *o, uint8_t proto, size_t limit);
void resp_out_free(struct resp_out *o);
/* Room for n more bytes at data + len, or NULL (failed). */
char *resp_out_room(struct resp_out *o, size_t n);

/* Bytes as they are. */
static inline void resp_raw(struct resp_out *o, const void *p, size_t n)
{
	char *to = resp_out_room(o, n);

	if (to && n) {
		memcpy(to, p, n);
		o->len += n;
	}
}

void resp_simple(struct resp_out *o, const char *s);                /* +s; s has no line breaks */
void resp_ok(struct resp_out *o);
void resp_error(struct resp_out *o, const char *text);              /* -text, line breaks turned into blanks; text begins with its code: "ERR …" */
void resp_errorf(struct resp_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void resp_int(struct resp_out *o, int64_t n);
void resp_bulk(struct resp_out *o, const void *p, size_t n);
void resp_str(struct resp_out *o, const char *s);                   /* a bulk string */
void resp_strf(struct resp_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* a bulk string of at most 1023 bytes */
void resp_null(struct resp_out *o);                                 /* $-1, or _ */
void resp_null_array(struct resp_out *o);                           /* *-1, or _ */
void resp_bool(struct resp_out *o, bool b);                         /* :1 :0, or #t #f */
void resp_double(struct resp_out *o, double d);                     /* a bulk string, or ,d */
void resp_verbatim(struct resp_out *o, const char *ext, const void *p, size_t n); /* ext: three characters; a bulk string, or = */
/* Headers: n elements, or n pairs, follow. */
void resp_array(struct resp_out *o, size_t n);
void resp_map(struct resp_out *o, size_t pairs);                    /* an array of 2 n, or % */
void resp_set(struct resp_out *o, size_t n);                        /* an array, or ~ */
void resp_push(struct resp_out *o, size_t n);                       /* an array, or > */

#endif
