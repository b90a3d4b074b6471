/* SPDX-License-Identifier: BSD-3-Clause */
/* A DNS server on loopback for unit tests: a thread that hands each query, over UDP or TCP, to a function of the test's.
 *
 * One TCP connection at a time. The function answers by fake_answer or fake_send, now, later (it may keep copies), or never. */
#ifndef TESTS_FAKE_DNS_H
#define TESTS_FAKE_DNS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "unit.h"

enum { FAKE_MAX = 4096 };

struct fake;
struct fake_query {
	struct fake *fake;
	bool tcp;
	int fd;
	struct sockaddr_storage from;
	socklen_t from_len;
	uint8_t *msg;
	size_t len, question_end;
	unsigned nth; /* of this server, from 0 */
	bool edns;
};

struct fake {
	void (*serve)(struct fake_query *q);
	int udp, tcp, conn, quit[2];
	uint16_t port;
	char addr[64];
	pthread_t thread;
	atomic_uint seen, seen_tcp, conns;
	unsigned n;
	uint16_t ids[FAKE_MAX], ports[FAKE_MAX]; /* of queries by UDP */
	uint8_t held[64][512]; size_t held_len[64]; unsigned n_held;
};

static inline void fake_send(struct fake_query *q, const uint8_t *msg, size_t len)
{
	if (q->tcp) {
		uint8_t head[2];

		store_be16(head, (uint16_t)len);
		check(send(q->fd, head, 2, MSG_NOSIGNAL | MSG_MORE) == 2);
		check(send(q->fd, msg, len, MSG_NOSIGNAL) == (ssize_t)len);
		return;
	}
	sendto(q->fd, msg, len, 0, (struct sockaddr *)&q->from, q->from_len);
}

/* The reply with rcode and extra flags; with `a`, one A record 192.0.2.n; with `opt`, an OPT whose options are given. */
static inline size_t fake_reply(struct fake_query *q, uint8_t *out, unsigned flags, int a, bool opt, const uint8_t *opts, size_t opts_len)
{
	size_t n = q->question_end;

	memcpy(out, q->msg, n);
	store_be16(out + 2, (uint16_t)(0x8180 | flags));
	store_be16(out + 4, 1);
	store_be16(out + 6, a > 0);
	store_be16(out + 8, 0);
	store_be16(out + 10, opt);
	if (a > 0) {
		static const uint8_t rr[] = { 0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2 };

		memcpy(out + n, rr, sizeof rr);
		n += sizeof rr;
		out[n++] = (uint8_t)a;
	}
	if (opt) {
		static const uint8_t head[] = { 0, 0, 41, 4, 0xd0, 0, 0, 0, 0 };

		memcpy(out + n, head, sizeof head);
		n += sizeof head;
		store_be16(out + n, (uint16_t)opts_len);
		if (opts_len > 0)
			memcpy(out + n + 2, opts, opts_len);
		n += 2 + opts_len;
	}
	return n;
}

static inline void fake_answer(struct fake_query *q, unsigned flags, int a)
{
	uint8_t out[1024];

	fake_send(q, out, fake_reply(q, out, flags, a, q->edns, NULL, 0));
}

static inline void fake_query(struct fake *k, struct fake_query *q)
{
	size_t at = 12;

	while (at < q->len && q->msg[at])
		at += q->msg[at] + 1u;
	q->question_end = at + 5;
	q->edns = load_be16(q->msg + 10) == 1;
	q->nth = k->n++;
	if (!q->tcp && q->nth < FAKE_MAX) {
		k->ids[q->nth] = load_be16(q->msg);
		k->ports[q->nth] = q->from.ss_family == AF_INET ? ((struct sockaddr_in *)&q->from)->sin_port : ((struct sockaddr_in6 *)&q->from)->sin6_port;
	}
	atomic_fetch_add(q->tcp ? &k->seen_tcp : &k->seen, 1);
	k->serve(q);
}

static inline void fake_tcp(struct fake *k)
{
	static _Thread_local uint8_t buf[65538];
	uint8_t head[2];
	struct fake_query q = { .fake = k, .tcp = true, .fd = k->conn, .msg = buf };

	if (recv(k->conn, head, 2, MSG_WAITALL) == 2) {
		q.len = load_be16(head);
		if (recv(k->conn, buf, q.len, MSG_WAITALL) == (ssize_t)q.len) {
			fake_query(k, &q);
			return;
		}
	}
	close(k->conn);
	k->conn = -1;
}

static inline void *fake_run(void *arg)
{
	struct fake *k = arg;
	uint8_t buf[2048];

	for (;;) {
		struct pollfd p[] = { { k->quit[0], POLLIN, 0 }, { k->udp, POLLIN, 0 }, { k->conn >= 0 ? k->conn : k->tcp, POLLIN, 0 } };

		poll(p, 3, -1);
		if (p[0].revents)
			return NULL;
		if (p[1].revents) {
			struct fake_query q = { .fake = k, .fd = k->udp, .msg = buf, .from_len = sizeof q.from };
			ssize_t n = recvfrom(k->udp, buf, sizeof buf, 0, (struct sockaddr *)&q.from, &q.from_len);

			q.len = n > 0 ? (size_t)n : 0;
			if (q.len > 12)
				fake_query(k, &q);
		}
		if (p[2].revents && k->conn >= 0) {
			fake_tcp(k);
		} else if (p[2].revents) {
			k->conn = accept(k->tcp, NULL, NULL);
			atomic_fetch_add(&k->conns, 1);
		}
	}
}

static inline void fake_start_on(struct fake *k, void (*serve)(struct fake_query *), const char *ip)
{
	bool v6 = strchr(ip, ':') != NULL;
	int big = 4 << 20;

	memset(k, 0, sizeof *k);
	k->serve = serve;
	k->conn = -1;
	for (;;) {
		struct sockaddr_in6 a6 = { .sin6_family = AF_INET6 };
		struct sockaddr_in a4 = { .sin_family = AF_INET };
		struct sockaddr *sa = v6 ? (struct sockaddr *)&a6 : (struct sockaddr *)&a4;
		socklen_t len = v6 ? sizeof a6 : sizeof a4;

		inet_pton(v6 ? AF_INET6 : AF_INET, ip, v6 ? (void *)&a6.sin6_addr : (void *)&a4.sin_addr);
		k->udp = socket(sa->sa_family, SOCK_DGRAM, 0);
		k->tcp = socket(sa->sa_family, SOCK_STREAM, 0);
		setsockopt(k->udp, SOL_SOCKET, SO_RCVBUF, &big, sizeof big);
		check(bind(k->udp, sa, len) == 0);
		check(getsockname(k->udp, sa, &len) == 0);
		if (bind(k->tcp, sa, len) == 0 && listen(k->tcp, 8) == 0) {
			k->port = ntohs(v6 ? a6.sin6_port : a4.sin_port);
			break;
		}
		close(k->udp);
		close(k->tcp);
	}
	snprintf(k->addr, sizeof k->addr, "%s@%u", ip, k->port);
	check(pipe(k->quit) == 0);
	check(pthread_create(&k->thread, NULL, fake_run, k) == 0);
}

static inline void fake_start(struct fake *k, void (*serve)(struct fake_query *))
{
	fake_start_on(k, serve, "127.0.0.1");
}

static inline void fake_stop(struct fake *k)
{
	check(write(k->quit[1], "q", 1) == 1);
	pthread_join(k->thread, NULL);
	close(k->udp);
	close(k->tcp);
	if (k->conn >= 0)
		close(k->conn);
	close(k->quit[0]);
	close(k->quit[1]);
}

#endif
