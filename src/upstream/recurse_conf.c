/* SPDX-License-Identifier: BSD-3-Clause */
/* What libunbound is told.
 *
 * Its API sets options of the server: clause only, so zones need a configuration file: this text, which recurse.c hands over in memory.
 *
 *   caches     Each question is cached by Pith; what libunbound keeps is for its own use: delegations and glue (rrset), zone keys,
 *              server health (infra). Its message cache is of no use to us, and would answer a purge or a refresh with old data: 0.
 *              cache-max-ttl must not be 0, which would zero every TTL; it is as high as Pith's own may be set.
 *   local data localhost, 127.in-addr.arpa, test, invalid, onion and the private reverse zones (RFC 6303, RFC 6761) are answered
 *              from built-in data. A configured zone must not be shadowed by one of them: it is declared transparent, and
 *              built-in zones below it are switched off.
 *   chains     forward-zone is served by our own forwarder, and is told to libunbound all the same: a CNAME may lead into it.
 *   DNSSEC     A zone file without DNSKEY, and what is forwarded, is marked insecure: nobody outside need vouch for it, so
 *              it is answered with no network at all.
 *   loopback   is not asked unless query-loopback says so, or a zone's server is configured there by the operator.
 *
 * Invariant: nothing of our configuration enters the text unchecked: names come from name_to_text, addresses have been parsed,
 * paths are quoted and hold no quote. */
#include "upstream/recurse_conf.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "config/config.h"
#include "upstream/zones.h"

/* libunbound's built-in local zones that lie deep enough to be below something a person configures. */
static const char *const builtin_zones[] = {
	"localhost.", "127.in-addr.arpa.", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa.",
	"home.arpa.", "onion.", "test.", "invalid.", "10.in-addr.arpa.",
	"16.172.in-addr.arpa.", "17.172.in-addr.arpa.", "18.172.in-addr.arpa.", "19.172.in-addr.arpa.",
	"20.172.in-addr.arpa.", "21.172.in-addr.arpa.", "22.172.in-addr.arpa.", "23.172.in-addr.arpa.",
	"24.172.in-addr.arpa.", "25.172.in-addr.arpa.", "26.172.in-addr.arpa.", "27.172.in-addr.arpa.",
	"28.172.in-addr.arpa.", "29.172.in-addr.arpa.", "30.172.in-addr.arpa.", "31.172.in-addr.arpa.",
	"168.192.in-addr.arpa.", "0.in-addr.arpa.", "254.169.in-addr.arpa.", "2.0.192.in-addr.arpa.",
	"100.51.198.in-addr.arpa.", "113.0.203.in-addr.arpa.", "255.255.255.255.in-addr.arpa.",
	"0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa.", "d.f.ip6.arpa.",
	"8.e.f.ip6.arpa.", "9.e.f.ip6.arpa.", "a.e.f.ip6.arpa.", "b.e.f.ip6.arpa.", "8.b.d.0.1.0.0.2.ip6.arpa.",
};

struct writing {
	FILE *out;
	const struct conf *c;
	bool validate;
	char *err;
	size_t cap;
};

bool recurse_validates(const struct conf *c)
{
	return c->resolver == CONF_RESOLVER_RECURSE && c->dnssec_validation;
}

static bool is_loopback(const struct conf_addr *a)
{
	static const uint8_t one[16] = { [15] = 1 };

	return a->family == 6 ? memcmp(a->bytes, one, 16) == 0 : a->bytes[0] == 127;
}

struct reach {
	bool loopback, ip6;
};

static void reach_add(struct reach *r, const char *word)
{
	struct conf_addr a;

	if (conf_addr_parse(word, 53, &a) != 0)
		return;
	r->loopback |= is_loopback(&a);
	r->ip6 |= a.family == 6;
}

/* Of all addresses that libunbound is told. */
static struct reach reach_of(const struct conf *c)
{
	const struct conf_list *zones[] = { &c->forward_zone, &c->stub_zone };
	struct reach r = { false, false };
	struct zone_line z;
	char ignored[64];

	for (int k = 0; k < 2; k++) {
		for (unsigned i = 0; i < zones[k]->n; i++) {
			if (zone_line_parse(&z, "zone", zones[k]->items[i], ignored, sizeof ignored) != 0)
				continue;
			for (unsigned j = 0; j < z.n; j++)
				reach_add(&r, z.words[j]);
			zone_line_free(&z);
		}
	}
	for (unsigned i = 0; c->resolver == CONF_RESOLVER_FORWARD && i < c->forward_addr.n; i++)
		reach_add(&r, c->forward_addr.items[i]);
	return r;
}

/* Has this machine a way to the IPv6 Internet? Connecting a UDP socket sends nothing. */
static bool ip6_has_route(void)
{
	/* 2001:500:2::c, a root server. */
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(53),
				   .sin6_addr = { { { 0x20, 0x01, 0x05, 0x00, 0, 2, [15] = 0xc } } } };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;

	if (fd >= 0)
		close(fd);
	return yes;
}

/* `option: "path"`, made absolute. */
static int put_file(struct writing *w, const char *directive, const char *path, const char *indent)
{
	char full[4096];

	if (!file_find(path, full, sizeof full)) {
		snprintf(w->err, w->cap, "%s: cannot read %s: %s", directive, path, strerror(errno));
		return ERR_BAD;
	}
	for (const char *p = full; *p; p++) {
		if (*p == '"' || (unsigned char)*p < ' ') {
			snprintf(w->err, w->cap, "%s: %s: a quote or a control character in a file's name is not supported", directive, path);
			return ERR_BAD;
		}
	}
	fprintf(w->out, "%s \"%s\"\n", indent, full);
	return 0;
}

static int put_addrs(struct writing *w, const char *directive, const char *option, unsigned n, char *const *addrs)
{
	for (unsigned i = 0; i < n; i++) {
		struct conf_addr a;

		if (conf_addr_parse(addrs[i], 53, &a) != 0) {
			snprintf(w->err, w->cap, "%s: %s is no address (address[@port])", directive, addrs[i]);
			return ERR_BAD;
		}
		fprintf(w->out, "  %s: %s\n", option, addrs[i]);
	}
	return 0;
}

struct zone_facts {
	bool soa, signed_;
};

/* What stands in a zone file, word by word and without comments: no parser, but enough to tell these two. What is included counts as there. */
static struct zone_facts zone_look(const char *path)
{
	struct zone_facts facts = { false, false };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char *save = NULL;

		line[strcspn(line, ";")] = '\0';
		for (char *word = strtok_r(line, " \t\r\n()", &save); word; word = strtok_r(NULL, " \t\r\n()", &save)) {
			facts.soa |= strcasecmp(word, "SOA") == 0 || strcasecmp(word, "$INCLUDE") == 0;
			facts.signed_ |= strcasecmp(word, "DNSKEY") == 0;
		}
	}
	free(line);
	if (f)
		fclose(f);
	return facts;
}

/* In the server: clause: a configured zone is not shadowed by built-in data, and is trusted where nobody can vouch for it. */
static void put_open(struct writing *w, const struct zone_line *z, bool insecure)
{
	uint8_t name[NAME_MAX_LEN];

	fprintf(w->out, "  local-zone: \"%s\" transparent\n", z->text);
	for (size_t i = 0; i < sizeof builtin_zones / sizeof *builtin_zones; i++) {
		int len = name_from_text(builtin_zones[i], strlen(builtin_zones[i]), name);

		if (len != z->name_len && name_is_below(name, (size_t)len, z->name, z->name_len) && z->name_len > 1)
			fprintf(w->out, "  local-zone: \"%s\" nodefault\n", builtin_zones[i]);
	}
	if (insecure && w->validate)
		fprintf(w->out, "  domain-insecure: \"%s\"\n", z->text);
}

enum pass { PASS_SERVER, PASS_CLAUSE };

/* Is the zone inside of one that libunbound forwards? It would look there first. */
static bool is_forwarded(const struct writing *w, const struct zone_line *z)
{
	struct zone_line f;
	char ignored[64];
	bool found = w->c->resolver == CONF_RESOLVER_FORWARD && w->c->forward_addr.n > 0;

	for (unsigned i = 0; i < w->c->forward_zone.n && !found; i++) {
		if (zone_line_parse(&f, "forward-zone", w->c->forward_zone.items[i], ignored, sizeof ignored) != 0)
			continue;
		found = name_is_below(z->name, z->name_len, f.name, f.name_len);
		zone_line_free(&f);
	}
	return found;
}

static int put_zone_server(struct writing *w, const char *directive, const struct zone_line *z)
{
	bool insecure = strcmp(directive, "forward-zone") == 0;

	/* A quote in a name would end the string; no host name has one. */
	if (strchr(z->text, '"')) {
		snprintf(w->err, w->cap, "%s %s: a quote in a zone's name is not supported", directive, z->text);
		return ERR_BAD;
	}
	if (strcmp(directive, "auth-zone") == 0) {
		struct zone_facts facts = zone_look(z->words[0]);

		if (!facts.soa && access(z->words[0], R_OK) == 0) {
			snprintf(w->err, w->cap, "auth-zone %s: %s has no SOA record", z->text, z->words[0]);
			return ERR_BAD;
		}
		insecure = !facts.signed_;
	}
	put_open(w, z, insecure);
	return 0;
}

static int put_zone_clause(struct writing *w, const char *directive, const struct zone_line *z)
{
	if (strcmp(directive, "auth-zone") != 0) {
		fprintf(w->out, "%s:\n  name: \"%s\"\n", directive, z->text);
		return put_addrs(w, directive, directive[0] == 's' ? "stub-addr" : "forward-addr", z->n, z->words);
	}
	/* A stub without servers cuts a hole into the forwarded zone. */
	if (is_forwarded(w, z))
		fprintf(w->out, "stub-zone:\n  name: \"%s\"\n", z->text);
	fprintf(w->out, "auth-zone:\n  name: \"%s\"\n  for-downstream: no\n  for-upstream: yes\n  fallback-enabled: no\n", z->text);
	return put_file(w, directive, z->words[0], "  zonefile:");
}

static int put_zones(struct writing *w, enum pass pass)
{
	const struct {
		const char *directive;
		const struct conf_list *list;
	} all[] = { { "forward-zone", &w->c->forward_zone }, { "stub-zone", &w->c->stub_zone }, { "auth-zone", &w->c->auth_zone } };
	struct zone_line z;

	for (int k = 0; k < 3; k++) {
		for (unsigned i = 0; i < all[k].list->n; i++) {
			int rc;

			if (zone_line_parse(&z, all[k].directive, all[k].list->items[i], w->err, w->cap) != 0)
				return ERR_BAD;
			rc = (pass == PASS_SERVER ? put_zone_server : put_zone_clause)(w, all[k].directive, &z);
			zone_line_free(&z);
			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

static int put_root(struct writing *w)
{
	const struct conf *c = w->c;

	if (c->resolver == CONF_RESOLVER_FORWARD) {
		/* What a chain out of a zone file leads to is forwarded too. */
		if (c->forward_addr.n == 0)
			return 0;
		fprintf(w->out, "forward-zone:\n  name: \".\"\n");
		return put_addrs(w, "forward-addr", "forward-addr", c->forward_addr.n, c->forward_addr.items);
	}
	if (c->local_root[0] == '\0')
		return 0;
	fprintf(w->out, "auth-zone:\n  name: \".\"\n  for-downstream: no\n  for-upstream: yes\n  fallback-enabled: yes\n");
	return put_file(w, "local-root", c->local_root, "  zonefile:");
}

static void put_server(struct writing *w, unsigned sockets)
{
	struct reach reach = reach_of(w->c);
	unsigned range = sockets > 950 ? 950 : sockets;
	bool loopback = w->c->query_loopback || reach.loopback;

	fprintf(w->out,
		"server:\n"
		"  verbosity: 0\n  use-syslog: no\n  logfile: \"\"\n  chroot: \"\"\n  username: \"\"\n  directory: \"\"\n  pidfile: \"\"\n"
		"  module-config: \"%s\"\n"
		"  do-ip6: %s\n  do-not-query-localhost: %s\n"
		"  outgoing-range: %u\n  num-queries-per-thread: %u\n  outgoing-num-tcp: 64\n  incoming-num-tcp: 0\n"
		"  msg-cache-size: 0\n  msg-cache-slabs: 1\n  rrset-cache-size: 2m\n  rrset-cache-slabs: 1\n"
		"  key-cache-size: 1m\n  key-cache-slabs: 1\n  neg-cache-size: 256k\n  infra-cache-slabs: 1\n"
		"  cache-min-ttl: 0\n  cache-max-ttl: 15552000\n  cache-max-negative-ttl: 15552000\n"
		"  serve-expired: no\n  prefetch: no\n  minimal-responses: no\n  rrset-roundrobin: no\n  deny-any: no\n"
		"  qname-minimisation: yes\n  trust-anchor-signaling: no\n  root-key-sentinel: no\n  val-log-level: 2\n"
		"  harden-short-bufsize: yes\n  harden-large-queries: no\n  harden-glue: yes\n  harden-dnssec-stripped: yes\n"
		"  harden-below-nxdomain: yes\n  hide-identity: yes\n  hide-version: yes\n  hide-trustanchor: yes\n",
		w->validate ? "validator iterator" : "iterator", reach.ip6 || ip6_has_route() ? "yes" : "no", loopback ? "no" : "yes",
		range, range);
}

int recurse_conf_write(FILE *out, const struct conf *c, bool validate, unsigned sockets, char *err, size_t cap)
{
	struct writing w = { out, c, validate, err, cap };
	bool recurse = c->resolver == CONF_RESOLVER_RECURSE;

	put_server(&w, sockets);
	if (recurse && c->root_hints[0] && put_file(&w, "root-hints", c->root_hints, "  root-hints:") != 0)
		return ERR_BAD;
	if (validate && c->trust_anchor_file[0] && put_file(&w, "trust-anchor-file", c->trust_anchor_file, "  trust-anchor-file:") != 0)
		return ERR_BAD;
	if (put_zones(&w, PASS_SERVER) != 0 || put_zones(&w, PASS_CLAUSE) != 0 || put_root(&w) != 0)
		return ERR_BAD;
	if (fflush(out) != 0 || ferror(out)) {
		snprintf(err, cap, "libunbound's configuration could not be written: %s", strerror(errno));
		return ERR_BAD;
	}
	return 0;
}
