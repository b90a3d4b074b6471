/* SPDX-License-Identifier: BSD-3-Clause */
/* The router: which way a question goes.
 *
 * Zones of forward-zone, stub-zone and auth-zone, the longest that the name is in; else `resolver`. A DS record belongs to the parent's side of
 * a cut (RFC 4035 §3.1.4.1), so DS of a zone's own name goes where the parent goes. Ways are made only where something
 * leads there: without `resolver recurse`, stub-zone or auth-zone no libunbound context exists.
 *
 * Invariant: zones are ordered by falling number of labels, so the first match is the longest. */
#include "upstream/upstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "config/config.h"
#include "loop/loop.h"
#include "upstream/forward.h"
#include "upstream/kind.h"
#include "upstream/recurse.h"
#include "upstream/servers.h"
#include "upstream/zones.h"
#include "wire/wire.h"

struct zone_route {
	struct route route;
	uint8_t name_len;
	unsigned labels;
	uint8_t name[NAME_MAX_LEN];
	char label[NAME_MAX_TEXT + 24]; /* "forward-zone corp.example." */
};

struct upstream {
	struct way *forward, *recurse; /* NULL: nothing leads there */
	struct route otherwise;
	unsigned n;
	struct zone_route *zones;
};

/* The sockets one worker's way may open: the descriptors of the process belong to listeners and clients too. */
static unsigned socket_share(const struct conf *c)
{
	struct rlimit r = { 1024, 1024 };
	uint64_t workers = c->dns_threads > 0 ? (uint64_t)c->dns_threads : thread_cpus(), share;

	(void)getrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > 1000000)
		r.rlim_cur = 1000000;
	share = r.rlim_cur / 4 / (workers ? workers : 1);
	return share < 32 ? 32 : share > 2048 ? 2048 : (unsigned)share;
}

static int servers_add(struct way *w, const char *what, const char *zone, unsigned n, char *const *addrs, struct route *r, char *err, size_t cap)
{
	unsigned bad = n;

	if (n > SERVERS_MAX) {
		snprintf(err, cap, "%s: more than %d addresses", what, SERVERS_MAX);
		return ERR_BAD;
	}
	r->way = w;
	r->source = FROM_FORWARD;
	r->servers = forward_add_servers(w, zone, n, addrs, &bad);
	if (r->servers == NULL && bad < n)
		snprintf(err, cap, "%s: %s is no address (address[@port])", what, addrs[bad]);
	else if (r->servers == NULL)
		snprintf(err, cap, "%s: no memory", what);
	return r->servers ? 0 : ERR_BAD;
}

static int zones_add(struct upstream *u, const char *directive, const struct conf_list *list, char *err, size_t cap)
{
	struct zone_line z;

	for (unsigned i = 0; i < list->n; i++) {
		struct zone_route *zr = &u->zones[u->n];
		int rc = 0;

		if (zone_line_parse(&z, directive, list->items[i], err, cap) != 0)
			return ERR_BAD;
		for (unsigned k = 0; k < u->n && rc == 0; k++) {
			if (name_equal(u->zones[k].name, u->zones[k].name_len, z.name, z.name_len)) {
				snprintf(err, cap, "%s %s: this zone is configured twice", directive, z.text);
				rc = ERR_BAD;
			}
		}
		memcpy(zr->name, z.name, z.name_len);
		zr->name_len = z.name_len;
		zr->labels = name_labels(z.name);
		if (rc == 0 && strcmp(directive, "forward-zone") == 0) {
			snprintf(zr->label, sizeof zr->label, "forward-zone %s", z.text);
			rc = servers_add(u->forward, zr->label, NULL, z.n, z.words, &zr->route, err, cap);
		} else {
			bool file = strcmp(directive, "auth-zone") == 0;

			snprintf(zr->label, sizeof zr->label, file ? "%s zone file" : "recurse, stub-zone %s", z.text);
			zr->route = (struct route){ .way = u->recurse, .label = zr->label, .source = file ? FROM_LOCAL : FROM_RECURSE };
		}
		zone_line_free(&z);
		if (rc != 0)
			return rc;
		u->n++;
	}
	return 0;
}

static int more_labels(const void *a, const void *b)
{
	const struct zone_route *x = a, *y = b;

	return (x->labels < y->labels) - (x->labels > y->labels);
}

/* The ways that something leads to, then the default route. */
static int ways_make(struct upstream *u, struct loop *l, const struct conf *c, struct stats_thread *stats, char *err, size_t cap)
{
	unsigned sockets = socket_share(c);

	if (c->resolver == CONF_RESOLVER_FORWARD || c->forward_zone.n > 0) {
		u->forward = forward_new(l, c, stats, sockets);
		if (u->forward == NULL) {
			snprintf(err, cap, "no memory for the forwarder");
			return ERR_BAD;
		}
	}
	if (c->resolver == CONF_RESOLVER_RECURSE || c->stub_zone.n > 0 || c->auth_zone.n > 0) {
		/* It may have several contexts. */
		u->recurse = recurse_new(l, c, stats, sockets / 2, err, cap);
		if (u->recurse == NULL)
			return ERR_BAD;
	}
	u->otherwise = (struct route){ .way = u->recurse, .label = "recurse", .source = FROM_RECURSE };
	if (c->resolver != CONF_RESOLVER_FORWARD)
		return 0;
	/* None may be given, where zones are all there is: other names fail, and say why. */
	return servers_add(u->forward, "forward-addr", ".", c->forward_addr.n, c->forward_addr.items, &u->otherwise, err, cap);
}

static void zone_label(struct zone_route *z)
{
	z->route.label = z->label;
	if (z->route.servers)
		z->route.servers->zone = strchr(z->label, ' ') + 1;
}

struct upstream *upstream_new(struct loop *l, const struct conf *c, struct stats_thread *stats, char *err, size_t cap)
{
	struct upstream *u = mem_calloc(1, sizeof *u);
	unsigned n = c->forward_zone.n + c->stub_zone.n + c->auth_zone.n;

	if (cap > 0)
		err[0] = '\0';
	if (u)
		u->zones = mem_calloc(n + 1, sizeof *u->zones);
	if (u == NULL || u->zones == NULL) {
		snprintf(err, cap, "no memory for the upstream side");
		mem_free(u);
		return NULL;
	}
	if (ways_make(u, l, c, stats, err, cap) != 0 || zones_add(u, "forward-zone", &c->forward_zone, err, cap) != 0 ||
	    zones_add(u, "stub-zone", &c->stub_zone, err, cap) != 0 || zones_add(u, "auth-zone", &c->auth_zone, err, cap) != 0) {
		upstream_free(u);
		return NULL;
	}
	qsort(u->zones, u->n, sizeof *u->zones, more_labels);
	/* Labels lie in the array, which now stands as it stays. */
	for (unsigned i = 0; i < u->n; i++)
		zone_label(&u->zones[i]);
	return u;
}

void upstream_free(struct upstream *u)
{
	if (u == NULL)
		return;
	if (u->forward)
		u->forward->kind->free(u->forward);
	if (u->recurse)
		u->recurse->kind->free(u->recurse);
	mem_free(u->zones);
	mem_free(u);
}

static const struct route *route_find(const struct upstream *u, const uint8_t *name, uint8_t name_len, uint16_t type)
{
	for (unsigned i = 0; i < u->n; i++) {
		const struct zone_route *z = &u->zones[i];

		if (type == RRTYPE_DS && name_len == z->name_len && name_len > 1)
			continue;
		if (name_is_below(name, name_len, z->name, z->name_len))
			return &z->route;
	}
	return &u->otherwise;
}

enum step upstream_start(struct upstream *u, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job)
{
	const struct route *r = route_find(u, a->name, a->name_len, a->type);

	return r->way->kind->start(r, a, done, arg, job);
}

bool upstream_takes_ecs(const struct upstream *u, const uint8_t *name, uint8_t name_len, uint16_t type)
{
	return u->forward && route_find(u, name, name_len, type)->way == u->forward;
}

void upstream_cancel(struct upstream *u, struct upstream_job *job)
{
	(void)u;
	job->way->kind->cancel(job);
}

unsigned upstream_pending(const struct upstream *u)
{
	unsigned n = 0;

	if (u->forward)
		n += u->forward->kind->pending(u->forward);
	if (u->recurse)
		n += u->recurse->kind->pending(u->recurse);
	return n;
}

void upstream_set_conf(struct upstream *u, const struct conf *c)
{
	if (u->forward)
		u->forward->kind->set_conf(u->forward, c);
	if (u->recurse)
		u->recurse->kind->set_conf(u->recurse, c);
}

void upstream_forget(struct upstream *u)
{
	if (u->recurse && u->recurse->kind->forget)
		u->recurse->kind->forget(u->recurse);
}

bool upstream_add_server(const struct upstream *u, unsigned i, struct upstream_server *sum)
{
	return u->forward && forward_add_figures(u->forward, i, sum);
}
