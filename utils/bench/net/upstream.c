/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench upstream`: answers every name of the mix over UDP and TCP, so that a resolver can be filled with it through DNS. It counts what it
 * was asked, and prints the counts on SIGUSR1 and when it is told to end: what a resolver asked here, its cache did not have.
 *
 * Its answers have at most 997 bytes, so that nobody who announces 1232 needs TCP; but some forward over what they were asked over. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "net.h"
#include "wire/wire.h"

enum { BUFFER = 8 << 20 };

struct upstream {
	const struct bench_options *o;
	uint64_t queries; /* for a name and type of the mix */
	uint64_t other;   /* anything else: root, health checks, other types */
};

/* With --ttl, the TTL of every record of the message of len bytes in p. */
static void set_ttls(uint8_t *p, size_t len, uint32_t ttl)
{
	struct msg_reader r;
	struct wire_rr rr;
	if (msg_begin(&r, p, len) != 0)
		return;
	while (msg_next(&r, &rr) == 1)
		store_be32(p + rr.rdata_off - 6, ttl);
}

/* The answer to the query in p of len bytes, over it, with at most limit bytes (0: what UDP allows). Returns its length, 0: none. */
static size_t answer_mix(struct upstream *u, uint8_t *p, size_t len, size_t limit)
{
	struct question q;
	unsigned rcode = 0;
	struct bench_msg m = { .len = 0 };
	if (question_parse(p, len, &q, &rcode) != QUESTION_OK)
		return 0;
	int64_t i = net_name_index(q.name);
	bool ours = false;
	if (i >= 0) {
		bench_message(&m, u->o->mix, (uint64_t)i);
		ours = m.name_len == q.name_len && memcmp(m.name, q.name, m.name_len) == 0;
	}
	bool hit = ours && q.qtype == m.type;
	*(hit ? &u->queries : &u->other) += 1;
	struct dns_header h = { .id = q.id, .flags = (uint16_t)(FLAG_QR | FLAG_AA | FLAG_RA | (q.flags & FLAG_RD)), .qdcount = 1 };
	uint8_t out[NET_PACKET];
	struct msg_writer w;
	writer_begin(&w, out, sizeof out);
	writer_question(&w, q.wire, q.wire_len);
	if (hit) {
		if (u->o->ttl)
			set_ttls(m.bytes, m.len, u->o->ttl);
		writer_bytes(&w, m.bytes + w.len, m.len - w.len);
		h.ancount = load_be16(m.bytes + 6);
	} else {
		/* NODATA for other types of a name of the mix, else NXDOMAIN; the zone is example. */
		static const uint8_t zone[] = "\7example", soa[] = "\2ns\7example\0\4host\7example\0\0\0\0\1\0\0\x0e\x10\0\0\3\x84\0\x12\x75\0\0\0\1\x2c";
		h.flags |= ours ? RCODE_NOERROR : RCODE_NXDOMAIN;
		writer_rr(&w, zone, sizeof zone, RRTYPE_SOA, CLASS_IN, 300, soa, sizeof soa - 1);
		h.nscount = 1;
	}
	if (q.edns.present) {
		writer_opt(&w, 1232, 0, q.edns.do_bit, NULL, 0);
		h.arcount = 1;
	}
	if (w.err || w.len > (limit ? limit : q.edns.present ? 1232 : 512)) {
		writer_begin(&w, out, sizeof out);
		writer_question(&w, q.wire, q.wire_len);
		h.flags |= FLAG_TC;
		h.ancount = h.nscount = h.arcount = 0;
	}
	header_write(out, &h);
	memcpy(p, out, w.len);
	return w.len;
}

static void answer_batch(struct upstream *u, int fd, struct net_batch *b)
{
	net_batch_reset(b);
	int n = recvmmsg(fd, b->msgs, NET_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		b->iov[i].iov_len = answer_mix(u, b->bytes[i], b->msgs[i].msg_len, 0);
		if (b->iov[i].iov_len)
			sendmsg(fd, &b->msgs[i].msg_hdr, 0);
	}
}

static size_t answer_stream(void *arg, uint8_t *p, size_t len)
{
	return answer_mix(arg, p, len, NET_PACKET);
}

/* Prints the counts; false when the signal says to end. */
static bool take_signal(const struct upstream *u, int fd)
{
	struct signalfd_siginfo si = { .ssi_signo = 0 };
	bool got = read(fd, &si, sizeof si) == (ssize_t)sizeof si;
	printf("{\"queries\": %" PRIu64 ", \"other\": %" PRIu64 "}\n", u->queries, u->other);
	fflush(stdout);
	return got && si.ssi_signo == SIGUSR1;
}

int bench_upstream(const struct bench_options *o)
{
	static struct net_batch b;
	struct upstream u = { .o = o };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	struct net_streams streams;
	net_streams_init(&streams, o->port, answer_stream, &u);
	struct pollfd fds[3] = { { .fd = net_udp_socket(o->port, BUFFER), .events = POLLIN },
				 { .fd = signalfd(-1, &set, SFD_CLOEXEC), .events = POLLIN },
				 { .fd = streams.ep, .events = POLLIN } };
	net_batch_init(&b, true);
	while (poll(fds, 3, -1) >= 0) {
		if (fds[1].revents && !take_signal(&u, fds[1].fd))
			break;
		if (fds[0].revents)
			answer_batch(&u, fds[0].fd, &b);
		if (fds[2].revents)
			net_streams_turn(&streams, 0);
	}
	close(fds[0].fd);
	close(fds[1].fd);
	return 0;
}
