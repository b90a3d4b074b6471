/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the set of a worker's listeners, and saying plainly why an address cannot be had.
 *
 * Workers bind with SO_REUSEPORT, with which the kernel lets a second server of the same user onto a port that is taken, and hands it
 * half of the clients. So front_check binds each address once without it, before any worker does. */
#include "front/front.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "front/internal.h"
#include "front/tcp.h"

static const struct front *const kinds[] = { &front_udp, &front_tcp };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

struct listener {
	const struct front *kind;
	void *at;
};
struct front_set {
	struct front_context ctx;
	unsigned n;
	struct listener listeners[];
};

/* ---- addresses and sockets ---- */

socklen_t sockaddr_from_conf(const struct conf_addr *a, union sockaddr_any *out)
{
	memset(out, 0, sizeof *out);
	if (a->family == 4) {
		out->in4.sin_family = AF_INET;
		out->in4.sin_port = htons(a->port);
		memcpy(&out->in4.sin_addr, a->bytes, 4);
		return sizeof out->in4;
	}
	out->in6.sin6_family = AF_INET6;
	out->in6.sin6_port = htons(a->port);
	out->in6.sin6_scope_id = a->scope;
	memcpy(&out->in6.sin6_addr, a->bytes, 16);
	return sizeof out->in6;
}

const char *conf_addr_text(const struct conf_addr *a, char *buf, size_t cap)
{
	char addr[INET6_ADDRSTRLEN] = "";
	inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, addr, sizeof addr);
	snprintf(buf, cap, "%s@%u", addr, a->port);
	return buf;
}

bool conf_addr_is_any(const struct conf_addr *a)
{
	static const uint8_t any[16];
	return memcmp(a->bytes, any, a->family == 4 ? 4 : 16) == 0;
}

int socket_bind(const struct conf_addr *a, int socktype, bool reuse)
{
	union sockaddr_any sa;
	socklen_t len = sockaddr_from_conf(a, &sa);
	const int on = 1;
	int fd = socket(sa.any.sa_family, socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	/* TCP: connections of a server that just ended, in TIME_WAIT, are no obstacle. */
	if ((socktype != SOCK_STREAM || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0) &&
	    (!reuse || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0) &&
	    (a->family == 4 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0) && bind(fd, &sa.any, len) == 0)
		return fd;
	int e = errno;
	close(fd);
	errno = e;
	return -1;
}

/* ---- may we have the addresses? ---- */

/* This machine has no IPv6 (or IPv4) at all: the default "127.0.0.1 ::1" should serve there too. */
static bool family_is_missing(const struct conf_addr *a, int e)
{
	static const uint8_t loopback6[16] = { [15] = 1 };
	return e == EAFNOSUPPORT || (e == EADDRNOTAVAIL && a->family == 6 && memcmp(a->bytes, loopback6, 16) == 0);
}

static void bind_error(const struct conf_addr *a, const char *kind, int e, char *err, size_t cap)
{
	char text[64];
	conf_addr_text(a, text, sizeof text);
	if (e == EADDRINUSE)
		snprintf(err, cap, "dns-bind: another program has %s %s already (dns-port chooses another port)", kind, text);
	else if (e == EACCES)
		snprintf(err, cap, "dns-bind: %s %s: ports below 1024 need root or CAP_NET_BIND_SERVICE (dns-port chooses another port)",
			 kind, text);
	else if (e == EADDRNOTAVAIL)
		snprintf(err, cap, "dns-bind: this machine has no address %s", text);
	else
		snprintf(err, cap, "dns-bind: %s %s: %s", kind, text, strerror(e));
}

/* The i-th address of dns-bind. */
static int address_at(const struct conf *c, unsigned i, struct conf_addr *a, char *err, size_t cap)
{
	if (conf_addr_parse(c->dns_bind.items[i], (uint16_t)c->dns_port, a) == 0)
		return 0;
	snprintf(err, cap, "dns-bind: %s is no address", c->dns_bind.items[i]);
	return ERR_BAD;
}

int front_check(const struct conf *c, char *err, size_t cap)
{
	unsigned n_good = 0;
	for (unsigned i = 0; i < c->dns_bind.n; i++) {
		struct conf_addr a;
		bool missing = false;
		if (address_at(c, i, &a, err, cap) < 0)
			return ERR_BAD;
		for (unsigned k = 0; k < N_KINDS && !missing; k++) {
			int fd = socket_bind(&a, kinds[k]->socktype, false);
			if (fd >= 0) {
				close(fd);
				continue;
			}
			int e = errno;
			bind_error(&a, kinds[k]->name, e, err, cap);
			if (!family_is_missing(&a, e))
				return ERR_SYS;
			missing = true;
			log_warn("%s; left out", err);
		}
		n_good += !missing;
	}
	if (n_good)
		return 0;
	if (c->dns_bind.n == 0)
		snprintf(err, cap, "dns-bind: no address given");
	return ERR_SYS;
}

/* ---- a worker's listeners ---- */

static int listener_open(struct front_set *s, const struct front *kind, const struct conf_addr *a, char *err, size_t cap)
{
	int fd = socket_bind(a, kind->socktype, true);
	if (fd < 0) {
		int e = errno;
		bind_error(a, kind->name, e, err, cap);
		return family_is_missing(a, e) ? 0 : ERR_SYS;
	}
	struct listener l = { kind, kind->open(&s->ctx, fd, a) };
	if (!l.at) {
		snprintf(err, cap, "dns-bind: no memory or no descriptors for another listener");
		return ERR_NOMEM;
	}
	s->listeners[s->n++] = l;
	return 0;
}

struct front_set *front_open(struct worker *w, struct front_shared *shared, char *err, size_t cap)
{
	const struct conf *c = worker_conf(w);
	struct front_set *s = mem_calloc(1, sizeof *s + (size_t)c->dns_bind.n * N_KINDS * sizeof *s->listeners);
	if (!s) {
		snprintf(err, cap, "no memory");
		return NULL;
	}
	s->ctx = (struct front_context){
		.worker = w, .loop = worker_loop(w), .stats = worker_stats(w), .shared = shared,
		.udp_batch = (uint32_t)c->udp_batch, .udp_receive_buffer = c->udp_receive_buffer,
	};
	s->ctx.tcp_table = tcp_table_new(&s->ctx);
	if (!s->ctx.tcp_table) {
		snprintf(err, cap, "no memory");
		goto fail;
	}
	for (unsigned i = 0; i < c->dns_bind.n; i++) {
		struct conf_addr a;
		if (address_at(c, i, &a, err, cap) < 0)
			goto fail;
		for (unsigned k = 0; k < N_KINDS; k++) {
			if (listener_open(s, kinds[k], &a, err, cap) < 0)
				goto fail;
		}
	}
	return s;
fail:
	front_close(s);
	return NULL;
}

void front_close(struct front_set *s)
{
	if (!s)
		return;
	while (s->n) {
		struct listener l = s->listeners[--s->n];
		l.kind->close(l.at);
	}
	tcp_table_free(s->ctx.tcp_table);
	mem_free(s);
}
