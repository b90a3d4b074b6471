/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the policy room: what a question meets before the cache.
 *
 * A policy looks and returns a verdict; it never answers and never waits. What stands here is compiled once from a configuration,
 * is never changed, and is replaced whole. So far there is one: allow-query, who may ask at all. */
#ifndef PITH_POLICY_POLICY_H
#define PITH_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"
#include "config/config.h"

enum verdict {
	VERDICT_PASS,
	VERDICT_REFUSE, /* answer REFUSED */
};

struct policy;

/* Compiles the configuration's rules. NULL and a sentence in err: a prefix is malformed, or no memory. Thread: any. */
struct policy *policy_new(const struct conf *c, char *err, size_t cap);
void policy_free(struct policy *p);
/* What becomes of a question from this address (AF_INET or AF_INET6; an IPv4-mapped IPv6 address counts as IPv4). Thread: any. */
enum verdict policy_verdict(const struct policy *p, const struct sockaddr *client);

/* ---- one list of prefixes ---- */

struct acl;

/* Items hold one or more prefixes, separated by blanks. An empty list allows nobody. NULL and a sentence in err. */
struct acl *acl_new(const struct conf_list *list, char *err, size_t cap);
void acl_free(struct acl *a);
/* family 4 or 6, address in network order. */
bool acl_allows(const struct acl *a, unsigned family, const uint8_t *addr);

#endif
