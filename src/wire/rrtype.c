/* SPDX-License-Identifier: BSD-3-Clause */
/* The registries as text and back: RR types, classes, RCODEs, extended errors.
 *
 * Types come from rrtype.def; the table is indexed by number, so the hot path's questions (shape, fixed length) are one load. */
#include "wire/rrtype.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"

struct rrtype_row {
	const char *name;
	const char *shape;
};

enum { RRTYPE_ROWS = 259 };

static const struct rrtype_row rows[RRTYPE_ROWS] = {
#define RRTYPE(name, num, shape) [num] = {#name, shape},
#include "wire/rrtype.def"
#undef RRTYPE
};

static const struct rrtype_row *row_of(uint16_t type)
{
	return type < RRTYPE_ROWS && rows[type].name != NULL ? &rows[type] : NULL;
}

bool rrtype_known(uint16_t type)
{
	return row_of(type) != NULL;
}

const char *rrtype_shape(uint16_t type)
{
	const struct rrtype_row *row = row_of(type);

	return row != NULL ? row->shape : "*";
}

size_t rrtype_fixed_len_rare(uint16_t type)
{
	size_t len = 0;

	for (const char *s = rrtype_shape(type); *s != '\0'; s++) {
		if (*s < '1' || *s > '9')
			return 0;
		len += (size_t)(*s - '0');
	}
	return len;
}

bool rrtype_is_meta(uint16_t type)
{
	return type == RRTYPE_OPT || (type >= RRTYPE_TKEY && type <= RRTYPE_ANY);
}

const char *rrtype_text(uint16_t type, char *buf, size_t cap)
{
	const struct rrtype_row *row = row_of(type);

	if (row == NULL) {
		snprintf(buf, cap, "TYPE%u", type);
		return buf;
	}
	size_t i = 0; /* by hand: SCAN writes a type for every key, and snprintf was a third of it */
	for (; i + 1 < cap && row->name[i] != '\0'; i++)
		buf[i] = row->name[i] == '_' ? '-' : row->name[i];
	if (cap > 0)
		buf[i] = '\0';
	return buf;
}

/* len characters equal word without case, '-' being the table's '_'. */
static bool word_is(const char *word, const char *s, size_t len)
{
	size_t i = 0;

	for (; i < len && word[i] != '\0'; i++)
		if (byte_lower((uint8_t)(word[i] == '_' ? '-' : word[i])) != byte_lower((uint8_t)s[i]))
			return false;
	return i == len && word[i] == '\0';
}

/* "TYPE123" with prefix "TYPE": 123; ERR_UNKNOWN when it is anything else, or over 65535. */
static int number_after(const char *prefix, const char *s, size_t len)
{
	size_t at = strlen(prefix);
	unsigned v = 0;

	if (len <= at || len > at + 5 || strncasecmp(s, prefix, at) != 0)
		return ERR_UNKNOWN;
	for (; at < len; at++) {
		unsigned digit = (unsigned)(s[at] - '0');

		if (digit > 9)
			return ERR_UNKNOWN;
		v = v * 10 + digit;
	}
	return v <= UINT16_MAX ? (int)v : ERR_UNKNOWN;
}

int rrtype_from_text(const char *s, size_t len)
{
	/* the two that are asked for most */
	if (len == 1 && (s[0] | 0x20) == 'a')
		return RRTYPE_A;
	if (word_is("AAAA", s, len))
		return RRTYPE_AAAA;
	for (int type = 1; type < RRTYPE_ROWS; type++)
		if (rows[type].name != NULL && word_is(rows[type].name, s, len))
			return type;
	return number_after("TYPE", s, len);
}

const char *rrclass_text(uint16_t rrclass, char *buf, size_t cap)
{
	switch (rrclass) {
	case CLASS_IN: snprintf(buf, cap, "IN"); break;
	case CLASS_CH: snprintf(buf, cap, "CH"); break;
	case CLASS_HS: snprintf(buf, cap, "HS"); break;
	case CLASS_NONE: snprintf(buf, cap, "NONE"); break;
	case CLASS_ANY: snprintf(buf, cap, "ANY"); break;
	default: snprintf(buf, cap, "CLASS%u", rrclass);
	}
	return buf;
}

int rrclass_from_text(const char *s, size_t len)
{
	if (word_is("IN", s, len))
		return CLASS_IN;
	if (word_is("CH", s, len))
		return CLASS_CH;
	if (word_is("HS", s, len))
		return CLASS_HS;
	if (word_is("NONE", s, len))
		return CLASS_NONE;
	if (word_is("ANY", s, len))
		return CLASS_ANY;
	return number_after("CLASS", s, len);
}

/* IANA's registry of RCODEs; gaps are unassigned. */
static const char *const rcodes[] = {
	[0] = "NOERROR", [1] = "FORMERR", [2] = "SERVFAIL", [3] = "NXDOMAIN", [4] = "NOTIMP", [5] = "REFUSED",
	[6] = "YXDOMAIN", [7] = "YXRRSET", [8] = "NXRRSET", [9] = "NOTAUTH", [10] = "NOTZONE", [11] = "DSOTYPENI",
	[16] = "BADVERS", [17] = "BADKEY", [18] = "BADTIME", [19] = "BADMODE", [20] = "BADNAME", [21] = "BADALG",
	[22] = "BADTRUNC", [23] = "BADCOOKIE",
};

const char *rcode_text(unsigned rcode, char *buf, size_t cap)
{
	if (rcode < sizeof rcodes / sizeof *rcodes && rcodes[rcode] != NULL)
		snprintf(buf, cap, "%s", rcodes[rcode]);
	else
		snprintf(buf, cap, "RCODE%u", rcode);
	return buf;
}

/* RFC 8914 §5.2 and IANA's registry. */
static const char *const edes[] = {
	[EDE_OTHER] = "Other",
	[EDE_DNSKEY_ALGORITHM] = "Unsupported DNSKEY Algorithm",
	[EDE_DS_DIGEST] = "Unsupported DS Digest Type",
	[EDE_STALE_ANSWER] = "Stale Answer",
	[EDE_FORGED] = "Forged Answer",
	[EDE_INDETERMINATE] = "DNSSEC Indeterminate",
	[EDE_BOGUS] = "DNSSEC Bogus",
	[EDE_SIG_EXPIRED] = "Signature Expired",
	[EDE_SIG_NOT_YET] = "Signature Not Yet Valid",
	[EDE_DNSKEY_MISSING] = "DNSKEY Missing",
	[EDE_RRSIGS_MISSING] = "RRSIGs Missing",
	[EDE_NO_ZONE_KEY] = "No Zone Key Bit Set",
	[EDE_NSEC_MISSING] = "NSEC Missing",
	[EDE_CACHED_ERROR] = "Cached Error",
	[EDE_NOT_READY] = "Not Ready",
	[EDE_BLOCKED] = "Blocked",
	[EDE_CENSORED] = "Censored",
	[EDE_FILTERED] = "Filtered",
	[EDE_PROHIBITED] = "Prohibited",
	[EDE_STALE_NXDOMAIN] = "Stale NXDOMAIN Answer",
	[EDE_NOT_AUTHORITATIVE] = "Not Authoritative",
	[EDE_NOT_SUPPORTED] = "Not Supported",
	[EDE_NO_REACHABLE_AUTHORITY] = "No Reachable Authority",
	[EDE_NETWORK_ERROR] = "Network Error",
	[EDE_INVALID_DATA] = "Invalid Data",
	[25] = "Signature Expired before Valid",
	[26] = "Too Early",
	[27] = "Unsupported NSEC3 Iterations Value",
	[28] = "Unable to conform to policy",
	[29] = "Synthesized",
	[30] = "Invalid Query Type",
};

const char *ede_text(int code)
{
	return code >= 0 && (size_t)code < sizeof edes / sizeof *edes ? edes[code] : edes[EDE_OTHER];
}
