/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking rdata by its type's shape, for the files of the wire room. Thread: any. */
#ifndef PITH_WIRE_RDATA_H
#define PITH_WIRE_RDATA_H

#include <stddef.h>
#include <stdint.h>

/* Length of the shape's part (a digit, s, S, *, +, or a name n, N, U without pointers) that begins at p; ERR_BAD when it passes end. */
int rdata_part_len(char part, const uint8_t *p, const uint8_t *end);

#endif
