/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and deleting libunbound contexts.
 *
 * Thread: any worker, each for its own loop. */
#ifndef PITH_UPSTREAM_RECURSE_CTX_H
#define PITH_UPSTREAM_RECURSE_CTX_H

#include <stdbool.h>
#include <stddef.h>

struct conf;
struct loop;
struct ub_ctx;

/* A context on l, configured, all files read, ready for questions. NULL, and a sentence in err that names directive and file. */
struct ub_ctx *recurse_ctx_new(struct loop *l, const struct conf *c, bool validate, unsigned sockets, char *err, size_t cap);
/* Questions still inside may be called back. */
void recurse_ctx_delete(struct ub_ctx *ctx);

#endif
