/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the configuration that name a zone and then addresses or a file: forward-zone, stub-zone, auth-zone.
 *
 * Thread: any. */
#ifndef PITH_UPSTREAM_ZONES_H
#define PITH_UPSTREAM_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum { ZONE_WORDS_MAX = 32 };

struct zone_line {
	uint8_t name[NAME_MAX_LEN]; /* lower case */
	uint8_t name_len;
	char text[NAME_MAX_TEXT];   /* presentation form, with the final dot */
	char *copy;                 /* owns the words */
	unsigned n;
	char *words[ZONE_WORDS_MAX]; /* addresses, or the one file */
};

/* Parses one line of `directive`. 0, or ERR_BAD with a sentence in err. zone_line_free ends *z when it was 0. */
int zone_line_parse(struct zone_line *z, const char *directive, const char *line, char *err, size_t cap);
void zone_line_free(struct zone_line *z);
/* Writes the absolute form of path to out. False: it cannot be opened for reading; errno tells. */
bool file_find(const char *path, char *out, size_t cap);

#endif
