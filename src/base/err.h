/* SPDX-License-Identifier: BSD-3-Clause */
/* The error values that functions of every room return.
 *
 * 0 is success, a negative value is one of these; a count or a length is never negative, so that one int can
 * carry both. Parsers of outside bytes return enum parse instead, as "more bytes needed" is no error. */
#ifndef PITH_BASE_ERR_H
#define PITH_BASE_ERR_H

enum err {
	ERR_OK = 0,
	ERR_NOMEM = -1,    /* no memory, or over a configured limit of memory */
	ERR_BAD = -2,      /* the bytes handed in are not of the form they should have */
	ERR_SPACE = -3,    /* the output buffer is too small */
	ERR_RANGE = -4,    /* a value lies outside of its documented range */
	ERR_UNKNOWN = -5,  /* no such name, type, option, key */
	ERR_SYS = -6,      /* a system call failed; errno tells */
	ERR_BUSY = -7,     /* a limit of things in flight is reached; try again later */
	ERR_TIMEOUT = -8,
	ERR_REFUSED = -9,  /* understood, and not allowed */
};

enum parse {
	PARSE_OK = 0,   /* complete and well-formed */
	PARSE_MORE = 1, /* well-formed so far, more bytes are needed */
	PARSE_BAD = 2,  /* never going to be well-formed */
};

/* What a function that may take time says (STYLE §1): only after STEP_PENDING comes one callback, exactly once. */
enum step { STEP_FAILED = -1, STEP_PENDING = 0, STEP_DONE = 1 };

/* A plain English sentence fragment for err ("no memory", "buffer too small"); static storage. */
const char *err_text(int err);

#endif
