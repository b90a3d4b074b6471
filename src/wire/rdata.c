/* SPDX-License-Identifier: BSD-3-Clause */
/* Rdata by its shape (rrtype.def): decompressing what came in, checking what is uncompressed.
 *
 * One walk over a few letters serves all types, where a function per type was the other choice: sixty of them, each with its own
 * bounds to get wrong. A shape must be used up exactly; nothing may trail. */
#include "wire/rdata.h"

#include <string.h>

#include "wire/rrtype.h"
#include "wire/wire.h"

int rdata_part_len(char part, const uint8_t *p, const uint8_t *end)
{
	size_t left = (size_t)(end - p), at;

	switch (part) {
	case 'n': case 'N': case 'U':
		return name_len(p, end);
	case 's':
		return left >= 1 && 1u + p[0] <= left ? 1 + p[0] : ERR_BAD;
	case 'S':
		for (at = 0; at < left; at += 1u + p[at])
			;
		return left > 0 && at == left ? (int)left : ERR_BAD;
	case '+':
		return left > 0 ? (int)left : ERR_BAD;
	case '*':
		return (int)left;
	}
	return (size_t)(part - '0') <= left ? part - '0' : ERR_BAD;
}

bool rdata_valid(uint16_t type, const uint8_t *rdata, size_t len)
{
	static const uint8_t none[1];
	const uint8_t *p = len > 0 ? rdata : none, *end = p + len;

	if (len > UINT16_MAX)
		return false;
	for (const char *s = rrtype_shape(type); *s != '\0'; s++) {
		int n = rdata_part_len(*s, p, end);

		if (n < 0)
			return false;
		p += n;
	}
	return p == end;
}

int rdata_expand(const uint8_t *msg, size_t msg_len, const struct wire_rr *rr, uint8_t *out, size_t cap)
{
	size_t at = rr->rdata_off, end = at + rr->rdata_len, n = 0;
	uint8_t name[NAME_MAX_LEN];

	if (end > msg_len)
		return ERR_BAD;
	for (const char *s = rrtype_shape(rr->type); *s != '\0'; s++) {
		bool compressible = *s == 'n' || *s == 'N';
		size_t next = 0;
		int part = compressible ? name_read(msg, end, at, name, &next) : rdata_part_len(*s, msg + at, msg + end);

		if (part < 0)
			return ERR_BAD;
		if ((size_t)part > cap - n)
			return ERR_SPACE;
		if (part > 0)
			memcpy(out + n, compressible ? name : msg + at, (size_t)part);
		n += (size_t)part;
		at = compressible ? next : at + (size_t)part;
	}
	return at == end && n <= UINT16_MAX ? (int)n : ERR_BAD;
}

int rdata_target_off(uint16_t type)
{
	switch (type) {
	case RRTYPE_CNAME: case RRTYPE_DNAME: case RRTYPE_NS: case RRTYPE_PTR:
		return 0;
	case RRTYPE_MX: case RRTYPE_KX: case RRTYPE_SVCB: case RRTYPE_HTTPS:
		return 2;
	case RRTYPE_SRV:
		return 6;
	}
	return -1;
}
