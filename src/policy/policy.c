/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the order in which policies are asked, and the compiled whole of them. */
#include "policy/policy.h"

#include <netinet/in.h>
#include <stdio.h>

#include "base/alloc.h"

struct policy {
	struct acl *allow_query;
};

struct policy *policy_new(const struct conf *c, char *err, size_t cap)
{
	struct policy *p = mem_calloc(1, sizeof *p);
	char why[160];
	if (!p) {
		snprintf(err, cap, "no memory");
		return NULL;
	}
	p->allow_query = acl_new(&c->allow_query, why, sizeof why);
	if (!p->allow_query) {
		snprintf(err, cap, "allow-query: %s", why);
		policy_free(p);
		return NULL;
	}
	return p;
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	acl_free(p->allow_query);
	mem_free(p);
}

enum verdict policy_verdict(const struct policy *p, const struct sockaddr *client)
{
	bool may = false;
	if (client->sa_family == AF_INET) {
		const struct sockaddr_in *in4 = (const struct sockaddr_in *)(const void *)client;
		may = acl_allows(p->allow_query, 4, (const uint8_t *)&in4->sin_addr);
	} else if (client->sa_family == AF_INET6) {
		const uint8_t *addr = ((const struct sockaddr_in6 *)(const void *)client)->sin6_addr.s6_addr;
		bool mapped = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)addr);
		may = acl_allows(p->allow_query, mapped ? 4 : 6, mapped ? addr + 12 : addr);
	}
	return may ? VERDICT_PASS : VERDICT_REFUSE;
}
