/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the upstream room: whom we ask what the cache does not know.
 *
 * A struct upstream is one way of asking (recurse, forward), one instance per worker, on that worker's loop. It returns messages;
 * it never sees the cache or a client. upstream_new gives a router over what the configuration names: auth-zone and
 * stub-zone and forward-zone by longest match, else `resolver`.
 * Thread: the worker's own. */
#ifndef PITH_UPSTREAM_UPSTREAM_H
#define PITH_UPSTREAM_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct conf;
struct loop;
struct stats_thread;
struct upstream;
struct upstream_job; /* one question under way */

struct upstream_ask {
	const uint8_t *name;  /* lower case, wire form; copied */
	uint8_t name_len;
	bool cd;              /* unvalidated data wanted */
	uint16_t type, rrclass;
	uint32_t timeout_ms;  /* own deadline: the callback comes by then */
	const uint8_t *ecs;   /* client subnet option's value to send, NULL: none; copied */
	uint16_t ecs_len;
	bool fresh;           /* a refresh: the servers' own TTLs are wanted, not what is left of those we got last time */
};

enum upstream_status {
	UPSTREAM_OK,       /* msg is a whole response to the question: rcode NOERROR, NXDOMAIN, or another that the server gave */
	UPSTREAM_BOGUS,    /* validation refuted it; why says. No msg */
	UPSTREAM_TIMEOUT,  /* nobody answered in time */
	UPSTREAM_FAILED,   /* every server answered with a failure or garbage, or the network is down */
};
struct upstream_reply {
	enum upstream_status status;
	const uint8_t *msg;   /* valid during the callback only */
	size_t len;
	bool secure;          /* validated (recurse), never set by forward unless it validated itself */
	int ede;              /* EDE code: from the server's OPT or our own finding; EDE_NONE (-1) */
	const char *why;      /* a sentence for logs and EDE text, or NULL */
	const char *server;   /* "9.9.9.9@53", "recurse", or "example.test. zone file" */
	int source;           /* enum entry_source of cache.h as a number: 1 recurse, 2 forward, 3 local */
};
typedef void upstream_done(void *arg, const struct upstream_reply *r);

/* NULL and a sentence in err. stats and conf must outlive it. */
struct upstream *upstream_new(struct loop *l, const struct conf *c, struct stats_thread *stats, char *err, size_t cap);
/* Cancels what is under way (no callbacks). */
void upstream_free(struct upstream *u);
/* STEP_PENDING: done comes exactly once, later, never inside this call; *job may be cancelled until then.
 * STEP_FAILED: over a limit or no memory; done never comes. */
enum step upstream_start(struct upstream *u, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job);
/* done will not come. */
void upstream_cancel(struct upstream *u, struct upstream_job *job);
/* What the ways themselves remember is not to answer any more: after a purge. Costs each worker some milliseconds, once a second at
 * most, when its next question comes. */
void upstream_forget(struct upstream *u);
/* Questions under way. */
unsigned upstream_pending(const struct upstream *u);
/* A new configuration (live options only). */
void upstream_set_conf(struct upstream *u, const struct conf *c);

#endif
