/* SPDX-License-Identifier: BSD-3-Clause */
/* What question.c and reader.c share about the OPT record. Thread: any. */
#ifndef PITH_WIRE_EDNS_H
#define PITH_WIRE_EDNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* Parses an OPT's fixed part (at its TYPE field, whose ten bytes up to the rdata are there) and its rdlen bytes of
 * options. query: the stricter rules for what a client may send. With version > 0 the options are left alone, as nothing is
 * known of their form. 0 or ERR_BAD; either way *e holds the fixed part. */
int edns_parse(const uint8_t *fixed, size_t rdlen, bool query, struct edns *e);

#endif
