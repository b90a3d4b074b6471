/* SPDX-License-Identifier: BSD-3-Clause */
/* Zone text of the types whose text follows their shape: a number for a digit, a name, a string. Thread: any; allocates nothing. */
#ifndef PITH_WIRE_PLAIN_H
#define PITH_WIRE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is type one of them? */
bool plain_type(uint16_t type);
/* The shape of a plain type's text: rrtype.def's, with letters for what reads otherwise than it lies in the packet:
 *   @  an IP address                 t  a CAA tag, bare (RFC 8659 §4.1)      L  the rest as one quoted string of any length
 *   T  an RR type, 2 bytes           D  a time, 4 bytes (RFC 4034 §3.2)      a  a DNSSEC algorithm, 1 byte
 *   c  a certificate type, 2 bytes   X  the rest in hexadecimal              B  the rest in base64 */
const char *plain_shape(uint16_t type);
/* The letter of rrtype.def that says how many bytes the letter of plain_shape takes up. */
char plain_wire_part(uint16_t type, char part);

/* Rdata that is rdata_valid → text; length without NUL, ERR_SPACE, or ERR_BAD when text cannot carry it. */
int plain_to_text(uint16_t type, const uint8_t *rdata, size_t len, char *buf, size_t cap);
/* Text → rdata; length, ERR_BAD (*why says which fault, static storage), or ERR_SPACE. */
int plain_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why);
/* A CAA tag: letters and digits, at least one. */
bool plain_tag(const uint8_t *p, size_t len);

/* RFC 3597 §5: "\# 4 0a000001". Any type. */
int generic_to_text(const uint8_t *rdata, size_t len, char *buf, size_t cap);
/* Does the text begin with \# as a word of its own? */
bool generic_text(const char *s, size_t len);
int generic_from_text(const char *s, size_t len, uint8_t *out, size_t cap, const char **why);

#endif
