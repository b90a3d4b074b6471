/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench load`: a generator of DNS queries over UDP that checks every answer.
 *
 * Many sockets (source ports), each with a window of queries in flight: as an answer comes, the next query goes, sent and received
 * in batches, so that one processor of ours can keep a batching server on another busy. With --rate it paces itself instead and the
 * windows only bound what may be lost. An answer counts when ID and question match, RCODE is NOERROR and (but for the echo floors) it
 * has records. A query without an answer in 500 ms is lost and its place in the window free again. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "net.h"
#include "wire/wire.h"

enum { SOCKETS_MAX = 256, WINDOW_MAX = 64, LOST_MS = 500, BUFFER = 1 << 20 };

struct flight_slot {
	uint64_t index; /* of the mix */
	double sent_s;
	bool busy;
};

struct client {
	int fd;
	unsigned busy;
	struct flight_slot slot[WINDOW_MAX]; /* by the ID's low bits */
};

struct load {
	const struct bench_options *o;
	struct prng rnd;
	struct client *clients;
	uint64_t next, sent, answered, wrong, lost;
	double latency_sum;
	uint32_t latency_us[4096]; /* 4 µs a step; the last one is "longer" */
};

static uint64_t choose(struct load *l)
{
	if (l->o->sequential)
		return l->o->first + l->next++ % l->o->entries;
	return l->o->first + prng_next(&l->rnd) % l->o->entries;
}

static unsigned fill_window(struct load *l, struct client *c, struct net_batch *b, unsigned most, double now)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->o->window && n < most && n < NET_BATCH; i++) {
		struct flight_slot *s = &c->slot[i];
		struct bench_msg m;
		if (s->busy)
			continue;
		if (l->o->sequential && l->next >= l->o->entries)
			break;
		s->index = choose(l);
		bench_question(&m, l->o->mix, s->index);
		uint16_t id = (uint16_t)(((uint32_t)prng_next(&l->rnd) << 6) | i);
		b->iov[n].iov_len = net_query(b->bytes[n], &m, id, l->o->edns);
		s->sent_s = now;
		s->busy = true;
		n++;
	}
	if (!n)
		return 0;
	int k = sendmmsg(c->fd, b->msgs, n, 0);
	unsigned sent = k > 0 ? (unsigned)k : 0;
	/* What the kernel did not take was never asked. */
	for (unsigned i = sent; i < n; i++)
		c->slot[b->bytes[i][1] & (WINDOW_MAX - 1)].busy = false;
	c->busy += sent;
	l->sent += sent;
	return sent;
}

static void check(struct load *l, struct client *c, const uint8_t *p, size_t len, double now)
{
	struct flight_slot *s = &c->slot[len > 1 ? p[1] & (WINDOW_MAX - 1) : 0];
	struct bench_msg m;
	if (len < DNS_HEADER_LEN + 5u || !s->busy) {
		l->wrong += len < DNS_HEADER_LEN + 5u;
		return;
	}
	bench_question(&m, l->o->mix, s->index);
	bool good = (p[2] & 0x80) && (p[3] & 0x0f) == 0 && len >= DNS_HEADER_LEN + m.name_len + 4u &&
		    memcmp(p + DNS_HEADER_LEN, m.name, m.name_len) == 0 && (l->o->floor || load_be16(p + 6) > 0 || (p[2] & 2));
	s->busy = false;
	c->busy--;
	if (!good) {
		l->wrong++;
		return;
	}
	double us = (now - s->sent_s) * 1e6;
	unsigned step = (unsigned)(us / 4);
	l->latency_us[step < 4095 ? step : 4095]++;
	l->latency_sum += us;
	l->answered++;
}

static void forget_lost(struct load *l, struct client *c, double now)
{
	for (unsigned i = 0; i < l->o->window; i++)
		if (c->slot[i].busy && now - c->slot[i].sent_s > LOST_MS / 1e3) {
			c->slot[i].busy = false;
			c->busy--;
			l->lost++;
		}
}

static double percentile(const struct load *l, double q)
{
	uint64_t want = (uint64_t)((double)l->answered * q), sum = 0;
	for (int i = 0; i < 4096; i++)
		if ((sum += l->latency_us[i]) > want)
			return i * 4 + 2;
	return 0;
}

int bench_load(const struct bench_options *o)
{
	static struct net_batch out, in;
	struct load l = { .o = o };
	unsigned n = o->sockets;
	if (!n || n > SOCKETS_MAX || !o->window || o->window > WINDOW_MAX) {
		fprintf(stderr, "pith-bench: --sockets 1 to %d, --window 1 to %d\n", SOCKETS_MAX, WINDOW_MAX);
		return 2;
	}
	prng_seed(&l.rnd, o->seed);
	l.clients = calloc(n, sizeof *l.clients);
	if (!l.clients)
		return 1;
	struct sockaddr_in to = net_loopback(o->port);
	for (unsigned i = 0; i < n; i++) {
		l.clients[i].fd = net_udp_socket(0, BUFFER);
		if (connect(l.clients[i].fd, (struct sockaddr *)&to, sizeof to) != 0) {
			perror("pith-bench: connect");
			free(l.clients);
			return 1;
		}
	}
	net_batch_init(&out, false);
	net_batch_init(&in, false);
	double from = bench_now_s(), now = from, last_lost = from;
	bool done = false;
	while (!done) {
		for (unsigned i = 0; i < n; i++) {
			struct client *c = &l.clients[i];
			now = bench_now_s();
			unsigned most = NET_BATCH;
			if (o->rate) {
				double due = (now - from) * (double)o->rate - (double)l.sent;
				most = due < 1 ? 0 : due > NET_BATCH ? NET_BATCH : (unsigned)due;
				/* At a given rate a client sends singly: what real ones do. */
				most = most > 1 ? 1 : most;
			}
			if (c->busy < o->window && most)
				fill_window(&l, c, &out, most, now);
			if (!c->busy)
				continue;
			net_batch_reset(&in);
			int k = recvmmsg(c->fd, in.msgs, NET_BATCH, MSG_DONTWAIT, NULL);
			for (int j = 0; j < k; j++)
				check(&l, c, in.bytes[j], in.msgs[j].msg_len, now);
		}
		if (now - last_lost > 0.1) {
			last_lost = now;
			for (unsigned i = 0; i < n; i++)
				forget_lost(&l, &l.clients[i], now);
		}
		unsigned busy = 0;
		for (unsigned i = 0; i < n; i++)
			busy += l.clients[i].busy;
		done = o->sequential ? l.next >= o->entries && !busy : now - from >= o->seconds;
	}
	double spent = bench_now_s() - from;
	printf("{\"sent\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"lost\": %" PRIu64
	       ", \"seconds\": %.3f, \"per_s\": %.0f, \"mean_us\": %.1f, \"p50_us\": %.0f, \"p99_us\": %.0f}\n",
	       l.sent, l.answered, l.wrong, l.lost, spent, (double)l.answered / spent, l.latency_sum / (double)(l.answered + !l.answered),
	       percentile(&l, 0.5), percentile(&l, 0.99));
	for (unsigned i = 0; i < n; i++)
		close(l.clients[i].fd);
	free(l.clients);
	return 0;
}
