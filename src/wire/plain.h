/* SPDX-License-Identifier: BSD-3-Clause */
/* Zone text of the types whose text follows their shape: a number for a digit, a name, a string. Thread: any; allocates nothing. */
#ifndef PITH_WIRE_PLAIN_H
#define PITH_WIRE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is type one of them? */
bool plain_type(uint16_t type);
/* Rdata that is rdata_valid → text; length without NUL, or ERR_SPACE. */
int plain_to_text(uint16_t type, const uint8_t *rdata, size_t len, char *buf, size_t cap);
/* Text → rdata; length, ERR_BAD (*why says which fault, static storage), or ERR_SPACE. */
int plain_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why);

/* RFC 3597 §5: "\# 4 0a000001". Any type. */
int generic_to_text(const uint8_t *rdata, size_t len, char *buf, size_t cap);
/* Does the text begin with \# as a word of its own? */
bool generic_text(const char *s, size_t len);
int generic_from_text(const char *s, size_t len, uint8_t *out, size_t cap, const char **why);

#endif
