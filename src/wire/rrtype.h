/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the wire room share about types beyond the door. Thread: any. */
#ifndef PITH_WIRE_RRTYPE_H
#define PITH_WIRE_RRTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

/* The type's shape as rrtype.def writes it, or "*" for a type that is not in it. */
const char *rrtype_shape(uint16_t type);

/* Is it in rrtype.def? */
bool rrtype_known(uint16_t type);

#endif
