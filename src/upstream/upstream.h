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
	uint8_t ecs_scope;    /* bits of the subnet asked for that the answer is good for; 0: everybody's, or none was asked for */
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
/* Does this question go to somebody who may be told a client's subnet? libunbound's way is not one. */
bool upstream_takes_ecs(const struct upstream *u, const uint8_t *name, uint8_t name_len, uint16_t type);
/* done will not come. */
void upstream_cancel(struct upstream *u, struct upstream_job *job);
/* What the ways themselves remember is not to answer any more: after a purge. Costs each worker some milliseconds, once a second at
 * most, when its next question comes. */
void upstream_forget(struct upstream *u);
/* Questions under way. */
unsigned upstream_pending(const struct upstream *u);
/* ---- figures of the servers that questions are forwarded to ---- */

enum { UPSTREAM_RTT_BUCKETS = 84 };
struct upstream_server {
	const char *zone, *address;  /* "corp.example." "9.9.9.9@53"; live as long as the upstream */
	bool tls;
	unsigned workers, dead_in;   /* workers that have it, and that hold it for dead */
	unsigned measured;           /* workers that srtt_us is the mean of */
	unsigned in_flight;          /* queries that may still be answered */
	unsigned streams;            /* connections open */
	uint64_t sent, tcp;          /* queries, and those of them over TCP or TLS */
	uint64_t answered;           /* with anything that matched, failures too */
	uint64_t timeouts;           /* no answer in forward-timeout */
	uint64_t failures;           /* SERVFAIL, REFUSED, rubbish, or no way there */
	uint32_t srtt_us;            /* smoothed round-trip time, the mean over those that know it; 0: none does */
	uint32_t backoff_ms;         /* until the next probe, where it is dead: the longest */
	uint32_t rtt[UPSTREAM_RTT_BUCKETS]; /* of the latest answers */
};
/* Adds the figures of u's i-th server to *sum, zero at first. Servers stand in the same order in every worker's upstream. False: no such
 * server. Thread: any, while u lives. */
bool upstream_add_server(const struct upstream *u, unsigned i, struct upstream_server *sum);
/* Microseconds below which a share of q (0 … 1) of its latest answers came, within a quarter; 0: none came. */
uint32_t upstream_percentile_us(const struct upstream_server *s, double q);

/* A new configuration (live options only). */
void upstream_set_conf(struct upstream *u, const struct conf *c);

#endif
