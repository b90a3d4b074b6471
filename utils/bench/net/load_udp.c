/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the load generator's UDP sockets. Each in turn: fill the window in one system call, take what has come in another. A query
 * without an answer in 500 ms is lost and its place in the window free again; with --once it is 3 s, as resolvers ask upstream again by
 * themselves. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load.h"

enum { LOST_MS = 500, LOST_ONCE_MS = 3000, BUFFER = 1 << 20 };

struct client {
	int fd;
	unsigned busy;
	bool served;
	struct flight slot[LOAD_WINDOW];
};

static void send_queries(struct load *l, struct client *c, struct net_batch *b, unsigned most, double now)
{
	unsigned n = 0, place[NET_BATCH];
	for (unsigned i = 0; i < l->o->window && n < most && n < NET_BATCH; i++) {
		if (c->slot[i].busy)
			continue;
		b->iov[n].iov_len = load_query(l, &c->slot[i], i, b->bytes[n], now);
		if (!b->iov[n].iov_len)
			break;
		place[n++] = i;
	}
	int k = n ? sendmmsg(c->fd, b->msgs, n, MSG_DONTWAIT) : 0;
	unsigned sent = k > 0 ? (unsigned)k : 0;
	/* What the kernel did not take was never asked. */
	for (unsigned i = sent; i < n; i++)
		load_unsent(l, &c->slot[place[i]]);
	c->busy += sent;
}

static int take_answers(struct load *l, struct client *c, struct net_batch *b, double now)
{
	net_batch_reset(b);
	int k = recvmmsg(c->fd, b->msgs, NET_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < k; i++)
		if (load_answer(l, c->slot, b->bytes[i], b->msgs[i].msg_len, now)) {
			c->busy--;
			l->served += !c->served;
			c->served = true;
		}
	return k;
}

static void forget_lost(struct load *l, struct client *c, double now)
{
	double patience_s = (l->o->sequential ? LOST_ONCE_MS : LOST_MS) / 1e3;
	for (unsigned i = 0; i < l->o->window; i++)
		if (c->slot[i].busy && now - c->slot[i].sent_s > patience_s) {
			load_lost(l, &c->slot[i]);
			c->busy--;
		}
}

/* One turn over all clients. True when there was anything to do. */
static bool turn(struct load *l, struct client *clients, struct net_batch *out, struct net_batch *in)
{
	uint64_t sent = l->sent;
	bool worked = false;
	for (unsigned i = 0; i < l->o->sockets; i++) {
		struct client *c = &clients[i];
		double now = bench_now_s();
		unsigned most = load_due(l, now);
		/* At a given rate a client sends singly: what real ones do. */
		if (l->o->rate && most > 1)
			most = 1;
		if (c->busy < l->o->window && most)
			send_queries(l, c, out, most, now);
		if (c->busy && take_answers(l, c, in, now) > 0)
			worked = true;
	}
	return worked || l->sent != sent;
}

int load_udp(struct load *l)
{
	static struct net_batch out, in;
	struct client *clients = calloc(l->o->sockets, sizeof *clients);
	struct sockaddr_in to = net_loopback(l->o->port);
	int rc = 0;
	if (!clients)
		return 1;
	for (unsigned i = 0; i < l->o->sockets; i++) {
		clients[i].fd = net_udp_socket(0, BUFFER);
		if (connect(clients[i].fd, (struct sockaddr *)&to, sizeof to) != 0) {
			perror("pith-bench: connect");
			rc = 1;
		}
	}
	net_batch_init(&out, false);
	net_batch_init(&in, false);
	double now = l->from_s, last_lost = now;
	while (rc == 0 && !load_done(l, now)) {
		double before = now;
		bool worked = turn(l, clients, &out, &in);
		now = bench_now_s();
		if (!worked) {
			l->idle_s += now - before;
			sched_yield();
		}
		if (now - last_lost > 0.1) {
			last_lost = now;
			for (unsigned i = 0; i < l->o->sockets; i++)
				forget_lost(l, &clients[i], now);
		}
	}
	for (unsigned i = 0; i < l->o->sockets; i++)
		close(clients[i].fd);
	free(clients);
	return rc;
}
