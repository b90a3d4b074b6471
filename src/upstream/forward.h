/* SPDX-License-Identifier: BSD-3-Clause */
/* Pith's own forwarder: a question goes to one of a zone's servers, over UDP, over TCP where it must.
 *
 * One forwarder per worker serves all zones; each has a server_set. Thread: the worker's own. */
#ifndef PITH_UPSTREAM_FORWARD_H
#define PITH_UPSTREAM_FORWARD_H

#include "upstream/kind.h"

struct stats_thread;

/* sockets: how many UDP sockets it may have open at once. NULL: no memory. */
struct way *forward_new(struct loop *l, const struct conf *c, struct stats_thread *stats, unsigned sockets);
/* Makes the n addresses known; the forwarder owns the set. NULL: see server_set_new. */
struct server_set *forward_add_servers(struct way *w, const char *zone, unsigned n, char *const *addrs, unsigned *bad);

/* Adds the figures of the i-th server of all zones, in the order they were added. False: no such. Thread: any. */
bool forward_add_figures(const struct way *w, unsigned i, struct upstream_server *sum);

#endif
