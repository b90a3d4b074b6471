/* SPDX-License-Identifier: BSD-3-Clause */
/* Lower case, eight bytes at a time (RFC 4343: ASCII letters only).
 *
 * Works on whole names, length bytes included: a length is at most 63 and 'A' is 65, so no length is taken for a letter. */
#ifndef PITH_WIRE_SWAR_H
#define PITH_WIRE_SWAR_H

#include <stdint.h>

#include "base/bytes.h"
#include "wire/wire.h"

_Static_assert(LABEL_MAX_LEN < 'A', "a length byte must never look like a letter");

static inline uint64_t swar_lower(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	uint64_t low7 = x & ~high;
	uint64_t from_a = low7 + (0x80 - 'A') * ones;     /* high bit set: ≥ 'A' */
	uint64_t past_z = low7 + (0x80 - 'Z' - 1) * ones; /* high bit set: > 'Z' */

	return x | (((from_a ^ past_z) & high & ~x) >> 2);
}

#endif
