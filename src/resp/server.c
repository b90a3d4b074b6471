/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the listeners, the list of clients and their once-a-second care.
 *
 * Running out of descriptors must not spin: a listener that cannot accept rests for ACCEPT_PAUSE_MS. Idle clients are looked for
 * a few thousand at a time, from where the last search ended. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "resp/client.h"
#include "stats/stats.h"

enum { ACCEPT_BATCH = 64, ACCEPT_PAUSE_MS = 100, BACKLOG = 511, CRON_MS = 1000, CRON_CLIENTS = 5000 };

union address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

/* ---- listening ---- */

static socklen_t address_fill(union address *a, const struct conf_addr *from)
{
	memset(a, 0, sizeof *a);
	if (from->family == 4) {
		a->in.sin_family = AF_INET;
		a->in.sin_port = htons(from->port);
		memcpy(&a->in.sin_addr, from->bytes, 4);
		return sizeof a->in;
	}
	a->in6.sin6_family = AF_INET6;
	a->in6.sin6_port = htons(from->port);
	a->in6.sin6_scope_id = from->scope;
	memcpy(&a->in6.sin6_addr, from->bytes, 16);
	return sizeof a->in6;
}

static void address_text(char *buf, size_t cap, const union address *a)
{
	char ip[INET6_ADDRSTRLEN] = "?";

	if (a->sa.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->in6.sin6_addr, ip, sizeof ip);
		snprintf(buf, cap, "[%s]:%u", ip, ntohs(a->in6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->in.sin_addr, ip, sizeof ip);
		snprintf(buf, cap, "%s:%u", ip, ntohs(a->in.sin_port));
	}
}

/* A listening socket, or -1 and errno. */
static int listen_on(const union address *a, socklen_t len)
{
	int on = 1, fd = socket(a->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (a->sa.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (bind(fd, &a->sa, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

static void listener_ready(struct io *io, unsigned ready, void *arg);

/* 0; 1 when the machine has no such address family (then the others will do); ERR_BAD and err says why. */
static int listener_add(struct resp_server *s, const char *text, char *err, size_t cap)
{
	struct conf_addr addr;
	union address a;

	if (conf_addr_parse(text, (uint16_t)s->conf->port, &addr) != 0) {
		snprintf(err, cap, "bind: \"%s\" is no address", text);
		return ERR_BAD;
	}
	socklen_t len = address_fill(&a, &addr);
	int fd = listen_on(&a, len);
	if (fd < 0 && addr.family == 6 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
		log_notice("RESP: no IPv6 on this machine, %s left out", text);
		return 1;
	}
	if (fd < 0) {
		snprintf(err, cap, "cannot listen on %s port %u for RESP: %s", text, addr.port, strerror(errno));
		return ERR_BAD;
	}
	struct listener *l = mem_calloc(1, sizeof *l);
	if (!l || io_init(s->loop, &l->io, LOOP_BACK, fd, listener_ready, l) != 0) {
		snprintf(err, cap, "no memory");
		close(fd);
		mem_free(l);
		return ERR_BAD;
	}
	l->server = s;
	l->next = s->listeners;
	s->listeners = l;
	io_want(&l->io, IO_READ);
	return 0;
}

static int listen_all(struct resp_server *s, char *err, size_t cap)
{
	unsigned absent = 0;

	if (s->conf->port == 0)
		return 0;
	for (unsigned i = 0; i < s->conf->bind.n; i++) {
		int got = listener_add(s, s->conf->bind.items[i], err, cap);

		if (got < 0)
			return got;
		absent += got == 1;
	}
	if (absent > 0 && absent == s->conf->bind.n) {
		snprintf(err, cap, "no address of `bind` exists on this machine");
		return ERR_BAD;
	}
	return 0;
}

static void listeners_want(struct resp_server *s, unsigned want)
{
	for (struct listener *l = s->listeners; l; l = l->next)
		io_want(&l->io, want);
}

static void accept_again(void *arg)
{
	listeners_want(arg, IO_READ);
}

static void keepalive(int fd, uint32_t seconds)
{
	int on = 1, idle = (int)seconds, between = seconds >= 3 ? (int)(seconds / 3) : 1, times = 3;

	if (seconds == 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

static void greet(struct resp_server *s, int fd, const union address *from)
{
	static const char full[] = "-ERR max number of clients reached\r\n";
	char peer[64], local[64] = "?:0";
	union address here;
	socklen_t len = sizeof here;
	int on = 1;

	if (s->n_clients >= (unsigned)s->conf->maxclients) {
		ssize_t n = send(fd, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		(void)n;
		close(fd);
		stat_inc(s->o.stats, STAT_REJECTED_CONNECTIONS);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	keepalive(fd, s->conf->tcp_keepalive);
	address_text(peer, sizeof peer, from);
	if (getsockname(fd, &here.sa, &len) == 0)
		address_text(local, sizeof local, &here);
	if (!client_new(s, fd, peer, local))
		log_warn("client %s not accepted: no memory", peer);
}

static void listener_ready(struct io *io, unsigned ready, void *arg)
{
	struct listener *l = arg;
	struct resp_server *s = l->server;

	(void)ready;
	for (unsigned i = 0; i < ACCEPT_BATCH; i++) {
		union address from;
		socklen_t len = sizeof from;
		int fd = accept4(io->fd, &from.sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			greet(s, fd, &from);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno != EAGAIN) {
			log_warn("cannot accept RESP connections: %s", strerror(errno));
			listeners_want(s, 0);
			timer_set(&s->accept_pause, ACCEPT_PAUSE_MS);
		}
		return;
	}
}

/* ---- care ---- */

static void cron(void *arg)
{
	struct resp_server *s = arg;
	uint64_t now_ms = clock_real_mono_ms(), limit_ms = s->conf->timeout * 1000ull;
	struct resp_client *c = s->timeout_at ? s->timeout_at : s->clients;

	for (unsigned i = 0; limit_ms > 0 && c && i < CRON_CLIENTS; i++, c = c->next)
		if (!c->ended && !c->blocked && !c->paused && !c->stream && !c->monitor && !resp_subscriptions(c) && now_ms - c->active_ms > limit_ms) {
			log_verbose("client %s closed: idle", c->peer);
			client_end(c);
		}
	s->timeout_at = c;
	client_sweep(s);
	timer_set(&s->cron, CRON_MS);
}

/* ---- the server ---- */

struct resp_server *resp_server_new(const struct resp_options *o, char *err, size_t cap)
{
	struct resp_server *s = mem_calloc(1, sizeof *s);

	snprintf(err, cap, "no memory");
	if (!s)
		return NULL;
	s->o = *o;
	s->loop = o->loop;
	s->conf = conf_ref(o->conf);
	s->o.conf = NULL;
	timer_init(s->loop, &s->turn, server_turn, s);
	timer_init(s->loop, &s->cron, cron, s);
	timer_init(s->loop, &s->accept_pause, accept_again, s);
	timer_init(s->loop, &s->pause, pause_over, s);
	if (dispatch_begin(s, &o->table) != 0 || account_begin(s, o->table.n_ids) != 0 || listen_all(s, err, cap) != 0) {
		resp_server_free(s);
		return NULL;
	}
	timer_set(&s->cron, CRON_MS);
	err[0] = '\0';
	return s;
}

void resp_server_free(struct resp_server *s)
{
	if (!s)
		return;
	timer_cancel(&s->cron);
	timer_cancel(&s->accept_pause);
	timer_cancel(&s->pause);
	for (struct resp_client *c = s->clients; c; c = c->next)
		client_end(c);
	timer_cancel(&s->turn);
	for (struct resp_client *c = s->clients; c; c = c->next)
		c->in_turn = false;
	client_sweep(s);
	for (struct listener *l = s->listeners, *next; l; l = next) {
		int fd = l->io.fd;

		next = l->next;
		io_end(&l->io);
		close(fd);
		mem_free(l);
	}
	mem_free(s->spare_in.data);
	mem_free(s->spare_out.data);
	mem_free(s->argv);
	pubsub_end(s);
	dispatch_end(s);
	account_end(s);
	conf_unref(s->conf);
	mem_free(s);
}

void resp_server_set_conf(struct resp_server *s, const struct conf *c)
{
	const struct conf *old = s->conf;

	s->conf = conf_ref(c);
	conf_unref(old);
}

unsigned resp_clients(const struct resp_server *s)
{
	return s->n_clients;
}

unsigned resp_clients_blocked(const struct resp_server *s)
{
	return s->n_blocked;
}

struct resp_memory resp_clients_memory(const struct resp_server *s)
{
	struct resp_memory m = { .total = s->spare_in.cap + s->spare_out.cap };

	for (const struct resp_client *c = s->clients; c; c = c->next) {
		m.total += client_memory(c);
		m.largest_in = c->in.cap > m.largest_in ? c->in.cap : m.largest_in;
		m.largest_out = c->out.cap > m.largest_out ? c->out.cap : m.largest_out;
	}
	return m;
}
