/* SPDX-License-Identifier: BSD-3-Clause */
/* What libunbound is told: an unbound.conf made from ours. */
#ifndef PITH_UPSTREAM_RECURSE_CONF_H
#define PITH_UPSTREAM_RECURSE_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct conf;

/* Does anything validate? Only `resolver recurse` with dnssec-validation does. */
bool recurse_validates(const struct conf *c);
/* Writes the text for a context to out; sockets: UDP sockets it may use. 0, or ERR_BAD with a sentence in err (a file that cannot be read, an
 * address that is none). */
int recurse_conf_write(FILE *out, const struct conf *c, bool validate, unsigned sockets, char *err, size_t cap);

#endif
