/* SPDX-License-Identifier: BSD-3-Clause */
/* Hexadecimal, base64 (RFC 4648 §4) and DNSSEC's times (RFC 4034 §3.2) for zone text. Thread: any. */
#ifndef PITH_WIRE_ENCODE_H
#define PITH_WIRE_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/token.h"

/* Length without NUL, or ERR_SPACE. */
int hex_to_text(const uint8_t *p, size_t len, char *buf, size_t cap);
int base64_to_text(const uint8_t *p, size_t len, char *buf, size_t cap);
/* All words that are left in r, as if they were one. Bytes in out, ERR_BAD (r->why says why), or ERR_SPACE. */
int hex_from_words(struct token_reader *r, uint8_t *out, size_t cap);
int base64_from_words(struct token_reader *r, uint8_t *out, size_t cap);
/* YYYYMMDDHHmmSS in UTC. Length without NUL, or ERR_SPACE. */
int time_to_text(uint32_t t, char *buf, size_t cap);
/* The same, or seconds since 1970 of up to ten digits. The time, or ERR_BAD. */
int64_t time_from_text(const char *s, size_t len);

#endif
