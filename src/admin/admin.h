/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the admin room: the server as operators see it, over RESP.
 *
 * Owns the RESP listeners and every command that can be typed at them. It reads and changes the cache, reads the
 * statistics, holds the configuration that is in force, and reaches DNS workers and the process only through the functions
 * that it was handed: nothing here waits for a worker, and no worker waits for it.
 * Thread: the admin thread's own, all of it. */
#ifndef PITH_ADMIN_ADMIN_H
#define PITH_ADMIN_ADMIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct admin;
struct cache;
struct conf;
struct loop;
struct persist;
struct stats;
struct stats_thread;
struct upstream_server;

/* How a question put by admin_hooks.resolve ended. msg: the reply as a client over TCP would get it, valid during the call;
 * NULL (len 0) when there is none, why then says so. Comes in the admin thread. */
typedef void admin_resolved(void *arg, const uint8_t *msg, size_t len, const char *why);

/* What the admin room asks of the rest. All are called in the admin thread; none may wait. */
struct admin_hooks {
	void *arg; /* handed to each */
	/* Puts the DNS query msg (a whole message, copied) to a worker as if a permitted client had sent it over TCP.
	 * STEP_PENDING: done comes exactly once, later, never inside of this call (not after admin_free). STEP_FAILED: done never comes. */
	enum step (*resolve)(void *arg, const uint8_t *msg, size_t len, admin_resolved *done, void *done_arg);
	/* Entries are about to be removed: what the workers' upstreams themselves remember is not to bring them back. */
	void (*forget)(void *arg);
	/* The figures of the i-th server that questions are forwarded to, over all workers. False: there are not that many. */
	bool (*upstream)(void *arg, unsigned i, struct upstream_server *out);
	/* c is in force from now on: hand it to every worker, apply what belongs to the process or the cache (log level, maxmemory).
	 * Whoever keeps it takes a reference. */
	void (*conf_changed)(void *arg, const struct conf *c);
	/* The server shall end (SHUTDOWN): soon, after this call returned. */
	void (*stop)(void *arg);
};

struct admin_context {
	struct loop *loop;           /* the admin thread's */
	struct cache *cache;         /* the admin thread has called cache_thread_begin */
	struct stats *stats;
	struct stats_thread *own;    /* the admin thread's block of it */
	struct persist *persist;
	const struct conf *conf;     /* in force at the start; admin takes a reference of its own */
	struct admin_hooks hooks;
};

/* Opens the listeners of conf's `bind` and `port` and serves from the next turn of the loop on. NULL: err says why (an address in use,
 * no memory). The context is copied; what it points at must outlive the admin. */
struct admin *admin_new(const struct admin_context *ctx, char *err, size_t cap);
/* Closes listeners and connections. The workers have ended or will never call back. */
void admin_free(struct admin *a);
/* A configuration made elsewhere (SIGHUP) is in force: takes a reference; does not call hooks.conf_changed. */
void admin_set_conf(struct admin *a, const struct conf *c);
/* The configuration in force, for whoever makes the next one. No reference is given. */
const struct conf *admin_conf(const struct admin *a);

#endif
