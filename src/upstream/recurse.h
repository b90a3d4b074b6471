/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursion from the root, stub zones and zones from a file: libunbound, on the worker's own loop.
 *
 * Thread: the worker's own. */
#ifndef PITH_UPSTREAM_RECURSE_H
#define PITH_UPSTREAM_RECURSE_H

#include "upstream/kind.h"

struct stats_thread;

/* sockets: how many UDP sockets it may have open at once. NULL, and a sentence in err. */
struct way *recurse_new(struct loop *l, const struct conf *c, struct stats_thread *stats, unsigned sockets, char *err, size_t cap);

#endif
