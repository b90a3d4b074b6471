/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the front room: the sockets that clients talk to.
 *
 * A kind of listener is a struct front: it opens one socket per worker and address, brings packets to query_batch and
 * answers back. The kernel spreads clients over the workers' sockets (SO_REUSEPORT); a query stays where it arrived.
 * Thread: a worker's fronts are opened before and closed after its loop runs; in between they are the worker's. */
#ifndef PITH_FRONT_FRONT_H
#define PITH_FRONT_FRONT_H

#include <stdatomic.h>
#include <stddef.h>

#include "config/config.h"
#include "query/query.h"

/* What the fronts of all workers share. Zero at first. */
struct front_shared {
	atomic_int tcp_open; /* DNS connections open over all workers */
};

struct front_set; /* all listeners of one worker */

/* Can the addresses of dns-bind be had? Tells apart what SO_REUSEPORT would hide: another server on the same port. 0, or ERR_SYS and a
 * sentence in err that names the address and the directive. Thread: any, before the fronts are opened. */
int front_check(const struct conf *c, char *err, size_t cap);
/* Opens UDP and TCP on each address of dns-bind. An address of a family that this machine does not have is skipped with a warning,
 * as long as another one is left. NULL and a sentence in err. shared must outlive it. */
struct front_set *front_open(struct worker *w, struct front_shared *shared, char *err, size_t cap);
/* Closes sockets and connections. After worker_free of its worker. */
void front_close(struct front_set *s);

/* ---- all workers ---- */

struct front_pool;

/* How many workers the configuration asks for. */
unsigned front_pool_size(const struct conf *c);
/* Workers with their loops and listeners, ready to start. stats has front_pool_size + 1 blocks; block 0 is left alone. What is handed in
 * must outlive the pool. NULL and a sentence in err. Thread: admin, all of the pool's functions. */
struct front_pool *front_pool_new(const struct conf *c, struct cache *cache, struct stats *stats, char *err, size_t cap);
/* 0, or ERR_SYS and a sentence in err (some may run; front_pool_free ends them). */
int front_pool_start(struct front_pool *p, char *err, size_t cap);
/* Stops the threads and closes everything. Mail for other loops may have been posted by the end. */
void front_pool_free(struct front_pool *p);
/* query_set_conf for all of them. */
int front_pool_set_conf(struct front_pool *p, const struct conf *c);
/* query_forget for all of them. */
void front_pool_forget(struct front_pool *p);
/* query_upstream over all of them. */
bool front_pool_upstream(const struct front_pool *p, unsigned i, struct upstream_server *out);
/* query_resolve, by each worker in turn. */
int front_pool_resolve(struct front_pool *p, struct loop *home, const uint8_t *msg, size_t len, query_resolved *fn, void *arg);

#endif
