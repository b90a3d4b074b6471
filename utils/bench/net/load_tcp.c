/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the load generator's TCP connections: long-lived, each with a window of length-prefixed queries in flight (RFC 7766), answers in
 * any order. What is free in a window goes out in one write. A connection that the server closes loses what was in flight on it and is
 * opened again a tenth of a second later; that it was is counted. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/bytes.h"
#include "load.h"

enum { IN_SIZE = 65536 + 2, OUT_SIZE = LOAD_WINDOW * 130 };

struct conn {
	int fd; /* -1: closed */
	unsigned busy;
	bool served;
	size_t in_len, out_len, out_off;
	struct flight slot[LOAD_WINDOW];
	uint8_t in[IN_SIZE];
	uint8_t out[OUT_SIZE];
};

static int conn_open(struct load *l, struct conn *c, int ep)
{
	struct sockaddr_in to = net_loopback(l->o->port);
	int one = 1;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return -1;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };
	if ((connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) ||
	    epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev) != 0) {
		close(c->fd);
		c->fd = -1;
		return -1;
	}
	c->in_len = c->out_len = c->out_off = 0;
	return 0;
}

static void conn_close(struct load *l, struct conn *c)
{
	for (unsigned i = 0; i < LOAD_WINDOW; i++)
		if (c->slot[i].busy)
			load_lost(l, &c->slot[i]);
	c->busy = 0;
	close(c->fd);
	c->fd = -1;
	l->closed++;
}

/* Takes the whole answers at the front of what has come, and moves the rest there. */
static void take_answers(struct load *l, struct conn *c, double now)
{
	size_t at = 0;
	while (c->in_len - at >= 2) {
		size_t n = load_be16(c->in + at);
		if (c->in_len - at < n + 2)
			break;
		if (load_answer(l, c->slot, c->in + at + 2, n, now))
			c->busy--;
		at += n + 2;
		l->served += !c->served;
		c->served = true;
	}
	memmove(c->in, c->in + at, c->in_len - at);
	c->in_len -= at;
}

static void conn_read(struct load *l, struct conn *c, double now)
{
	ssize_t n = recv(c->fd, c->in + c->in_len, sizeof c->in - c->in_len, 0);
	if (n > 0) {
		c->in_len += (size_t)n;
		take_answers(l, c, now);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		conn_close(l, c);
	}
}

static void conn_flush(struct load *l, struct conn *c)
{
	ssize_t n = send(c->fd, c->out + c->out_off, c->out_len - c->out_off, MSG_NOSIGNAL);
	if (n > 0)
		c->out_off += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR && errno != ENOTCONN)
		conn_close(l, c);
	if (c->out_off == c->out_len)
		c->out_off = c->out_len = 0;
}

static void conn_fill(struct load *l, struct conn *c, unsigned most, double now)
{
	for (unsigned i = 0; i < l->o->window && most; i++) {
		if (c->slot[i].busy)
			continue;
		size_t n = load_query(l, &c->slot[i], i, c->out + c->out_len + 2, now);
		if (!n)
			break;
		store_be16(c->out + c->out_len, (uint16_t)n);
		c->out_len += n + 2;
		c->busy++;
		most--;
	}
}

/* One turn: what has come, then what may go. True when there was anything to do. */
static bool turn(struct load *l, struct conn *conns, int ep, double now)
{
	struct epoll_event ev[LOAD_CLIENTS];
	uint64_t sent = l->sent;
	int n = epoll_wait(ep, ev, LOAD_CLIENTS, 0);
	for (int i = 0; i < n; i++)
		conn_read(l, ev[i].data.ptr, now);
	for (unsigned i = 0; i < l->o->sockets; i++) {
		struct conn *c = &conns[(i + sent) % l->o->sockets]; /* at a slow rate all get their turn */
		if (c->fd < 0)
			continue;
		unsigned most = load_due(l, now);
		if (l->o->rate && most > 1)
			most = 1;
		/* The output buffer has room for one window: fill it only when it is empty. */
		if (!c->out_len && c->busy < l->o->window && most)
			conn_fill(l, c, most, now);
		if (c->out_len)
			conn_flush(l, c);
	}
	return n > 0 || l->sent != sent;
}

int load_tcp(struct load *l)
{
	struct conn *conns = calloc(l->o->sockets, sizeof *conns);
	int ep = epoll_create1(EPOLL_CLOEXEC), rc = 0;
	if (!conns || ep < 0)
		rc = 1;
	for (unsigned i = 0; rc == 0 && i < l->o->sockets; i++)
		if (conn_open(l, &conns[i], ep) != 0) {
			perror("pith-bench: connect");
			rc = 1;
		}
	double now = l->from_s, last_open = now;
	while (rc == 0 && !load_done(l, now)) {
		double before = now;
		bool worked = turn(l, conns, ep, now);
		now = bench_now_s();
		if (!worked) {
			l->idle_s += now - before;
			sched_yield();
		}
		if (now - last_open > 0.1) {
			last_open = now;
			for (unsigned i = 0; i < l->o->sockets; i++)
				if (conns[i].fd < 0)
					conn_open(l, &conns[i], ep);
		}
	}
	for (unsigned i = 0; conns && i < l->o->sockets; i++)
		if (conns[i].fd > 0)
			close(conns[i].fd);
	if (ep >= 0)
		close(ep);
	free(conns);
	return rc;
}
