/* SPDX-License-Identifier: BSD-3-Clause */
/* For which subnet a question is asked (RFC 7871).
 *
 * Compiled from a configuration and replaced with it. Thread: the worker's own. */
#ifndef PITH_QUERY_ECS_H
#define PITH_QUERY_ECS_H

#include <sys/socket.h>

#include "cache/cache.h"
#include "config/config.h"
#include "policy/policy.h"

struct ecs_zone {
	uint8_t len;
	uint8_t name[NAME_MAX_LEN];
};

struct ecs_policy {
	bool on;               /* for any name at all */
	bool private;          /* private addresses are told too */
	uint8_t source_v4, source_v6;
	struct acl *clients;   /* whose own option is honoured */
	unsigned n;            /* zones; 0: every name */
	struct ecs_zone *zones;
};

/* 0, or an error and a sentence in err (*e is then empty). */
int ecs_policy_init(struct ecs_policy *e, const struct conf *c, char *err, size_t cap);
void ecs_policy_free(struct ecs_policy *e);
/* Is the subnet told of those who ask for this name? */
bool ecs_policy_covers(const struct ecs_policy *e, const uint8_t *name, size_t len);
/* The prefix to ask for: from the client's option (ecs, ecs_len; NULL: none) where it is honoured, else from its address. Family 1 with
 * 0 bits: nothing is to be told. trusted: the option counts whoever asks. */
void ecs_policy_prefix(const struct ecs_policy *e, const struct sockaddr *client, bool trusted, const uint8_t *ecs, size_t ecs_len,
		       struct ecs_prefix *out);

/* The value of the option that asks for the prefix: its length in out (ECS_OPTION_MAX bytes); 0 for a prefix of no bits. */
enum { ECS_OPTION_MAX = 20 };
uint16_t ecs_option(const struct ecs_prefix *p, uint8_t *out);
/* What a client is told the answer is good for, whose option is at ecs: bits of its subnet. scope is the entry's. */
uint8_t ecs_told_scope(const struct ecs_prefix *scope, const uint8_t *ecs, size_t ecs_len);

#endif
