/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS over TCP (RFC 7766), the listening side: who may connect, and how often.
 *
 * Listeners and connections are of the loop's back class, in turn with upstream's sockets: connections are many, and if
 * each could claim the front, together they would starve the misses they wait for. A connection over a limit is accepted and closed at
 * once, so that the client learns of it and the backlog stays free. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "front/internal.h"
#include "front/tcp.h"

enum {
	ACCEPT_MAX = 16,       /* in one callback */
	ACCEPT_PAUSE_MS = 100, /* without descriptors the listener stays readable: do not spin on it */
};

struct tcp {
	struct front_context ctx;
	struct io io;
	struct timer pause;
	int fd;
};

static void tcp_admit(struct tcp *t, int fd, const union sockaddr_any *client)
{
	const struct conf *c = worker_conf(t->ctx.worker);
	bool room = atomic_fetch_add(&t->ctx.shared->tcp_open, 1) < c->tcp_max_connections;
	if (room && tcp_table_count(t->ctx.tcp_table, client) < c->tcp_max_per_client) {
		stat_inc(t->ctx.stats, STAT_TCP_ACCEPTED);
		if (tcp_conn_open(t->ctx.tcp_table, fd, client) < 0)
			log_warn("no memory for another DNS connection");
		return;
	}
	atomic_fetch_sub(&t->ctx.shared->tcp_open, 1);
	stat_inc(t->ctx.stats, STAT_TCP_REJECTED);
	close(fd);
}

static void tcp_resume(void *arg)
{
	struct tcp *t = arg;
	io_want(&t->io, IO_READ);
}

static void tcp_ready(struct io *io, unsigned ready, void *arg)
{
	struct tcp *t = arg;
	(void)ready;
	for (unsigned i = 0; i < ACCEPT_MAX; i++) {
		union sockaddr_any client = { .any = { .sa_family = AF_UNSPEC } };
		socklen_t len = sizeof client;
		int fd = accept4(t->fd, &client.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			tcp_admit(t, fd, &client);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			log_warn("cannot accept DNS connections for now: no descriptors or no memory left");
			io_want(io, 0);
			timer_set(&t->pause, ACCEPT_PAUSE_MS);
			return;
		} else if (errno == EAGAIN) {
			return;
		} /* else that connection's own trouble */
	}
}

static void tcp_close(void *listener)
{
	struct tcp *t = listener;
	timer_cancel(&t->pause);
	io_end(&t->io);
	close(t->fd);
	mem_free(t);
}

static void *tcp_open(const struct front_context *ctx, int fd, const struct conf_addr *addr)
{
	struct tcp *t = mem_calloc(1, sizeof *t);
	(void)addr;
	if (!t) {
		close(fd);
		return NULL;
	}
	t->ctx = *ctx;
	t->fd = fd;
	timer_init(ctx->loop, &t->pause, tcp_resume, t);
	if (listen(fd, SOMAXCONN) != 0 || io_init(ctx->loop, &t->io, LOOP_BACK, fd, tcp_ready, t) < 0) {
		tcp_close(t);
		return NULL;
	}
	io_want(&t->io, IO_READ);
	return t;
}

const struct front front_tcp = { .name = "TCP", .socktype = SOCK_STREAM, .open = tcp_open, .close = tcp_close };
