/* SPDX-License-Identifier: BSD-3-Clause */
/* Where ldns 1.8 is not to be trusted with zone text, found by random records going to text and back.
 *
 * Kept apart from text.c, so that what a later ldns does better can be dropped here without looking elsewhere. */
#include "wire/ldns_quirks.h"

#include "wire/rrtype.h"
#include "wire/token.h"
#include "wire/wire.h"

bool generic_only(uint16_t type)
{
	return !rrtype_known(type) || type == RRTYPE_NULL || type == RRTYPE_WKS || type == RRTYPE_NXT || type == RRTYPE_IPSECKEY;
}

/* Is the nth word of this type's text the name of a type? For what ldns reads as TYPE0 when it does not know it. */
static bool is_type_word(uint16_t type, unsigned nth)
{
	switch (type) {
	case RRTYPE_NSEC:
		return nth >= 1;
	case RRTYPE_CSYNC:
		return nth >= 2;
	case RRTYPE_NSEC3:
		return nth >= 5;
	}
	return false;
}

bool ldns_would_err(uint16_t type, const char *s, size_t len, const char **why)
{
	struct token_reader r = {.s = s, .end = s + len};
	struct token t;
	uint8_t name[NAME_MAX_LEN];
	int got;

	for (unsigned nth = 0; (got = token_next(&r, &t)) > 0; nth++) {
		if (is_type_word(type, nth) && (t.quoted || rrtype_from_text(t.s, t.len) < 0))
			*why = "an unknown type in the list of types";
		else if (!t.quoted && name_from_text(t.s, t.len, name) > 0 && name[0] == 1 && name[1] == '@')
			*why = "a name whose first label is @: write this record as \\# length hex (RFC 3597)";
		else
			continue;
		return true;
	}
	if (got < 0)
		*why = r.why;
	return got < 0;
}
