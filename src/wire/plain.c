/* SPDX-License-Identifier: BSD-3-Clause */
/* Which types are plain: those whose zone text follows their shape.
 *
 * ldns prints these too, with an allocation per field, 7 µs a record on the way out and 62 µs on the way in, and it leaks or errs
 * on some malformed ones. A shape already says how they read, so that one loop each way (plain_print.c, plain_parse.c) does the types
 * that fill nearly all of a cache; ldns keeps those whose text has a grammar of its own (text.c). */
#include "wire/plain.h"

#include "base/bytes.h"
#include "wire/rrtype.h"
#include "wire/wire.h"

const char *plain_shape(uint16_t type)
{
	switch (type) {
	case RRTYPE_A: case RRTYPE_AAAA:
		return "@";
	case RRTYPE_CAA:
		return "1tL";
	case RRTYPE_URI:
		return "22L";
	case RRTYPE_DS: case RRTYPE_CDS:
		return "2a1X";
	case RRTYPE_DNSKEY: case RRTYPE_CDNSKEY: case RRTYPE_KEY:
		return "21aB";
	case RRTYPE_RRSIG: case RRTYPE_SIG:
		return "Ta14DD2NB";
	case RRTYPE_SSHFP:
		return "11X";
	case RRTYPE_TLSA: case RRTYPE_SMIMEA:
		return "111X";
	case RRTYPE_ZONEMD:
		return "411X";
	case RRTYPE_CERT:
		return "c2aB";
	case RRTYPE_OPENPGPKEY: case RRTYPE_DHCID:
		return "B";
	}
	return rrtype_shape(type);
}

bool plain_type(uint16_t type)
{
	switch (type) {
	case RRTYPE_NS: case RRTYPE_MD: case RRTYPE_MF: case RRTYPE_CNAME: case RRTYPE_SOA: case RRTYPE_MB: case RRTYPE_MG:
	case RRTYPE_MR: case RRTYPE_PTR: case RRTYPE_HINFO: case RRTYPE_MINFO: case RRTYPE_MX: case RRTYPE_TXT: case RRTYPE_RP:
	case RRTYPE_AFSDB: case RRTYPE_X25: case RRTYPE_ISDN: case RRTYPE_RT: case RRTYPE_NSAP_PTR: case RRTYPE_PX:
	case RRTYPE_GPOS: case RRTYPE_SRV: case RRTYPE_NAPTR: case RRTYPE_KX: case RRTYPE_DNAME: case RRTYPE_SPF: case RRTYPE_LP:
	case RRTYPE_AVC:
		return true; /* as they lie in the packet */
	}
	return rrtype_known(type) && plain_shape(type) != rrtype_shape(type);
}

char plain_wire_part(uint16_t type, char part)
{
	switch (part) {
	case '@':
		return type == RRTYPE_A ? '4' : '*';
	case 'a':
		return '1';
	case 'T': case 'c':
		return '2';
	case 'D':
		return '4';
	case 't':
		return 's';
	case 'S': /* one of as many as there are bytes for */
		return 's';
	case 'L': case 'X': case 'B':
		return '*';
	}
	return part;
}

bool plain_tag(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t c = byte_lower(p[i]);

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
			return false;
	}
	return len > 0;
}
