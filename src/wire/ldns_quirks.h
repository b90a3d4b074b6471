/* SPDX-License-Identifier: BSD-3-Clause */
/* Where ldns 1.8 is not to be trusted with zone text. Thread: any. */
#ifndef PITH_WIRE_LDNS_QUIRKS_H
#define PITH_WIRE_LDNS_QUIRKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types that are not in rrtype.def, those for which ldns has no text (NULL, NXT), and those it must not be asked for: WKS, for which it
 * calls getprotobyname and getservbyname, which share static storage between threads; IPSECKEY, whose parser leaks on bad text. */
bool generic_only(uint16_t type);
/* Would ldns take this text without a word and get it wrong? *why then says what is wrong with it. Names whose first label is
 * "@" (it puts the root there), unknown types in lists of types (it puts TYPE0). */
bool ldns_would_err(uint16_t type, const char *s, size_t len, const char **why);

#endif
