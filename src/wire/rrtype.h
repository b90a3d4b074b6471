/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the wire room share about types beyond the door. Thread: any. */
#ifndef PITH_WIRE_RRTYPE_H
#define PITH_WIRE_RRTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

/* The type's shape as rrtype.def writes it, or "*" for a type that is not in it. */
const char *rrtype_shape(uint16_t type);

/* Has this type a name that may be compressed on the way out? (shape "n", RFC 1035 §3.3; pinned to the table by a test) */
static inline bool rrtype_compresses(uint16_t type)
{
	const uint64_t set = 1u << RRTYPE_NS | 1u << RRTYPE_MD | 1u << RRTYPE_MF | 1u << RRTYPE_CNAME | 1u << RRTYPE_SOA |
			     1u << RRTYPE_MB | 1u << RRTYPE_MG | 1u << RRTYPE_MR | 1u << RRTYPE_PTR | 1u << RRTYPE_MINFO |
			     1u << RRTYPE_MX;

	return type < 64 && (set >> type & 1) != 0;
}

#endif
