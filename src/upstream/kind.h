/* SPDX-License-Identifier: BSD-3-Clause */
/* What a way of asking looks like from the router: a struct of functions, and the heads that its objects begin with.
 *
 * forward and recurse are such ways. A job begins with struct upstream_job, so that cancelling finds the way it went;
 * a way begins with struct way. A route says what the router chose: for which zone, and how answers are labelled. */
#ifndef PITH_UPSTREAM_KIND_H
#define PITH_UPSTREAM_KIND_H

#include "upstream/upstream.h"

struct server_set;

/* enum entry_source of the cache room, which stands beside this room and not below it. */
enum { FROM_RECURSE = 1, FROM_FORWARD = 2, FROM_LOCAL = 3 };

struct route {
	struct way *way;
	struct server_set *servers; /* forward: whom to ask */
	const char *label;          /* recurse: struct upstream_reply's server */
	int source;                 /* FROM_* */
};

struct upstream_kind {
	const char *name;
	/* As upstream_start. r outlives the job. */
	enum step (*start)(const struct route *r, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job);
	void (*cancel)(struct upstream_job *job);
	unsigned (*pending)(const struct way *w);
	void (*set_conf)(struct way *w, const struct conf *c);
	void (*free)(struct way *w);
	void (*forget)(struct way *w); /* NULL: it remembers nothing */
};

struct way {
	const struct upstream_kind *kind;
};

struct upstream_job {
	struct way *way;
};

#endif
