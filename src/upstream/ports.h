/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP sockets towards servers: a port nobody can guess for each query, and the query found again by port and ID.
 *
 * A slot is one query's place: a socket and an ID that is free on it. Thread: the worker's own. */
#ifndef PITH_UPSTREAM_PORTS_H
#define PITH_UPSTREAM_PORTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "loop/loop.h"

enum {
	PORTS_ACTIVE = 16,   /* sockets of one server that take new queries */
	PORT_USES = 32,      /* queries after which a socket takes no more */
	PORT_LIFE_MS = 5000, /* age after which it takes no more */
	PORT_BUCKETS = 16,
	PORT_LOWEST = 16384, /* source ports are 16384 … 65535 */
};

struct port;
struct port_set;

struct slot {
	struct port *port;  /* NULL: holds no place */
	struct slot *next;
	uint16_t id;
};

struct port {
	struct io io;
	int fd;
	unsigned uses, in_flight;
	bool active;      /* in its set's active[] */
	bool held;        /* its reader runs: closing waits until it returns */
	uint64_t born_ms;
	struct port_pool *pool;
	struct port_set *set;
	struct port *prev, *next; /* all of the pool */
	struct slot *by_id[PORT_BUCKETS];
};

/* The sockets of one server. */
struct port_set {
	struct sockaddr_storage sa;
	socklen_t sa_len;
	struct port *active[PORTS_ACTIVE];
	unsigned n_active;
};

struct port_pool {
	struct loop *loop;
	struct port *first;
	unsigned open, limit;  /* sockets */
	struct timer sweep;
	void (*ready)(struct port *p, void *arg); /* p is readable, and held meanwhile */
	void *arg;
};

/* limit: how many sockets may be open at once (at least 8 are allowed). */
void port_pool_init(struct port_pool *pool, struct loop *l, unsigned limit, void (*ready)(struct port *, void *), void *arg);
/* Closes all sockets. No slot may be in use. */
void port_pool_end(struct port_pool *pool);
/* Takes a place towards set's server: a fresh socket on a random port, or under load a random one of the few that are open, and a
 * random ID. 0, ERR_SYS (errno: no route, no descriptors), ERR_BUSY (no ID or no socket is free). */
int port_take(struct port_pool *pool, struct port_set *set, struct slot *s);
/* Gives it back; a slot without a place may be given too. */
void port_release(struct slot *s);
/* The query with this ID on p, or NULL. */
struct slot *port_find(const struct port *p, uint16_t id);
/* Any query on p, or NULL. */
struct slot *port_any(const struct port *p);
/* p takes no new queries. */
void port_retire(struct port *p);

#endif
