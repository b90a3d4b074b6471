/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the wire room share about names beyond the door. Thread: any. */
#ifndef PITH_WIRE_NAME_H
#define PITH_WIRE_NAME_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_LABELS = 127 };

/* Bytes that the name at off takes up in the message, its pointer (not followed) or root included; ERR_BAD when it passes the end,
 * 255 bytes, or has a label of type 01 or 10. */
int name_skip(const uint8_t *msg, size_t msg_len, size_t off);

#endif
