/* SPDX-License-Identifier: BSD-3-Clause */
/* Which scope lengths a name's entries have, so that a question from a subnet finds the one for it.
 *
 * Thread: any. */
#ifndef PITH_CACHE_ECS_H
#define PITH_CACHE_ECS_H

#include "cache/cache.h"

struct ecs_index;

/* An entry with the prefix of k was stored. */
void ecs_note(struct cache *c, const struct cache_key *k);
void ecs_free(struct ecs_index *x);

#endif
