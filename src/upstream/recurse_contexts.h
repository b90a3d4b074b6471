/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's libunbound contexts, and which one a question goes to.
 *
 * Thread: the worker's own. */
#ifndef PITH_UPSTREAM_RECURSE_CONTEXTS_H
#define PITH_UPSTREAM_RECURSE_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"
#include "upstream/upstream.h"

struct ub_ctx;

enum { CTX_FIRST, CTX_SECOND, CTX_CD, CTX_COUNT };
enum { TURNED_BITS = 8192, FORGET_EVERY_MS = 1000 };

struct context {
	struct ub_ctx *ctx;
	struct contexts *all;
	struct context *next;    /* of the retired */
	struct deferred bury;
	unsigned inside;         /* questions that libunbound holds */
	bool retired;
};

struct contexts {
	struct loop *loop;
	const struct conf *conf;
	unsigned sockets;
	bool validates;
	struct context *at[CTX_COUNT]; /* NULL: not needed yet; the first always stands */
	struct context *retired;
	bool forget;                   /* asked for, not done yet: the owner sets it */
	uint64_t forgot_ms;
	uint8_t turned[TURNED_BITS / 8];
};

/* Makes the first context. 0, or ERR_BAD and a sentence in err. */
int contexts_open(struct contexts *all, struct loop *l, const struct conf *c, unsigned sockets, char *err, size_t cap);
/* Deletes all; what is inside may be called back, and may call context_leave. */
void contexts_close(struct contexts *all);
/* Where to put this question; turn: not where it was answered the last time. NULL: that context cannot be made. */
struct context *context_pick(struct contexts *all, const struct upstream_ask *a, bool turn);
/* A question goes in, or is out again. Both may be called in libunbound's callback. */
void context_enter(struct context *k);
void context_leave(struct context *k);

#endif
