/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the choice of the subnet that a question is asked for.
 *
 * A client's own option counts where ecs-clients has the client: it is cut to the lengths that we tell at most (RFC 7871 §7.1.1), and one
 * of no bits is a client's wish that nothing be told (§7.1.2). Else it is the client's address, cut likewise; addresses that mean
 * nothing to the servers out there (private, loopback, link-local: §11.1) are not told, unless ecs-private says that the
 * servers are in here too.
 * Those of whom nothing is told are asked for without the option, and their answers kept apart: what a server says to our own address is
 * not what it says to everybody. */
#include "query/ecs.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/bytes.h"

enum { FAMILY_V4 = 1, FAMILY_V6 = 2 };

/* ---- compiling ---- */

static int zones_init(struct ecs_policy *e, const struct conf_list *words, char *err, size_t cap)
{
	e->zones = mem_calloc(words->n, sizeof *e->zones);
	if (!e->zones) {
		snprintf(err, cap, "no memory");
		return ERR_NOMEM;
	}
	for (unsigned i = 0; i < words->n; i++) {
		uint8_t name[NAME_MAX_LEN];
		int len = name_from_text(words->items[i], strlen(words->items[i]), name);
		if (len < 0) {
			snprintf(err, cap, "ecs-forward: %s is no domain name", words->items[i]);
			return ERR_BAD;
		}
		name_lower(e->zones[i].name, name, (size_t)len);
		e->zones[i].len = (uint8_t)len;
		e->n++;
	}
	return 0;
}

int ecs_policy_init(struct ecs_policy *e, const struct conf *c, char *err, size_t cap)
{
	const struct conf_list *words = &c->ecs_forward;
	bool one = words->n == 1, yes = one && strcasecmp(words->items[0], "yes") == 0;
	bool no = words->n == 0 || (one && strcasecmp(words->items[0], "no") == 0);
	*e = (struct ecs_policy){ .on = !no, .private = c->ecs_private, .source_v4 = (uint8_t)c->ecs_source_v4,
				  .source_v6 = (uint8_t)c->ecs_source_v6 };
	if (no)
		return 0;
	int rc = yes ? 0 : zones_init(e, words, err, cap);
	if (rc == 0 && !(e->clients = acl_new(&c->ecs_clients, err, cap)))
		rc = ERR_BAD;
	if (rc < 0)
		ecs_policy_free(e);
	return rc;
}

void ecs_policy_free(struct ecs_policy *e)
{
	acl_free(e->clients);
	mem_free(e->zones);
	*e = (struct ecs_policy){ 0 };
}

/* ---- asking ---- */

bool ecs_policy_covers(const struct ecs_policy *e, const uint8_t *name, size_t len)
{
	bool covered = e->n == 0;
	for (unsigned i = 0; i < e->n && !covered; i++)
		covered = name_is_below(name, len, e->zones[i].name, e->zones[i].len);
	return e->on && covered;
}

/* The client's address and its family, or 0: it has none. */
static unsigned client_address(const struct sockaddr *sa, uint8_t addr[16])
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	memset(addr, 0, 16);
	if (sa->sa_family == AF_INET) {
		memcpy(addr, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, 4);
		return FAMILY_V4;
	}
	if (sa->sa_family != AF_INET6)
		return 0;
	memcpy(addr, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, 16);
	if (memcmp(addr, mapped, sizeof mapped) != 0)
		return FAMILY_V6;
	memmove(addr, addr + 12, 4);
	memset(addr + 4, 0, 12);
	return FAMILY_V4;
}

/* Addresses without a meaning beyond a site or a link: RFC 6890's of both families. */
static bool address_is_private(unsigned family, const uint8_t *a)
{
	if (family == FAMILY_V4)
		return a[0] == 0 || a[0] == 10 || a[0] == 127 || (a[0] == 100 && a[1] >> 6 == 1) || (a[0] == 169 && a[1] == 254) ||
		       (a[0] == 172 && a[1] >> 4 == 1) || (a[0] == 192 && a[1] == 168);
	/* Beyond 2000::/3 nothing is global. */
	return a[0] >> 5 != 1;
}

static void set_prefix(struct ecs_prefix *out, const struct ecs_policy *e, unsigned family, const uint8_t *addr, unsigned bits)
{
	unsigned most = family == FAMILY_V4 ? e->source_v4 : e->source_v6;
	*out = (struct ecs_prefix){ .family = (uint8_t)family, .bits = (uint8_t)bits };
	memcpy(out->addr, addr, (bits + 7) / 8);
	ecs_prefix_cut(out, bits < most ? bits : most);
	if (out->bits == 0)
		*out = (struct ecs_prefix){ .family = FAMILY_V4 };
}

void ecs_policy_prefix(const struct ecs_policy *e, const struct sockaddr *client, bool trusted, const uint8_t *ecs, size_t ecs_len,
		       struct ecs_prefix *out)
{
	uint8_t addr[16];
	unsigned family = client_address(client, addr);
	/* The parser has checked the option's lengths against its family. */
	if (ecs && ecs_len >= 4 && (trusted || (family && acl_allows(e->clients, family == FAMILY_V4 ? 4 : 6, addr)))) {
		set_prefix(out, e, load_be16(ecs) == FAMILY_V6 ? FAMILY_V6 : FAMILY_V4, ecs + 4, ecs[2]);
		return;
	}
	if (!family || (!e->private && address_is_private(family, addr)))
		*out = (struct ecs_prefix){ .family = FAMILY_V4 };
	else
		set_prefix(out, e, family, addr, family == FAMILY_V4 ? 32 : 128);
}

/* ---- options ---- */

uint16_t ecs_option(const struct ecs_prefix *p, uint8_t *out)
{
	size_t n = ((size_t)p->bits + 7) / 8;
	if (!p->family || !p->bits)
		return 0;
	store_be16(out, p->family);
	out[2] = p->bits;
	out[3] = 0;
	memcpy(out + 4, p->addr, n);
	return (uint16_t)(4 + n);
}

uint8_t ecs_told_scope(const struct ecs_prefix *scope, const uint8_t *ecs, size_t ecs_len)
{
	struct ecs_prefix own = { .bits = ecs[2] };
	if (!scope->family || !scope->bits)
		return 0;
	memcpy(own.addr, ecs + 4, ecs_len - 4);
	ecs_prefix_cut(&own, scope->bits);
	/* For another subnet than the client's option says (it was not honoured): good for nobody else that may stand behind it. */
	if (load_be16(ecs) != scope->family || own.bits < scope->bits || memcmp(own.addr, scope->addr, sizeof own.addr) != 0)
		return ecs[2];
	return scope->bits;
}
