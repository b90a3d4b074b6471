/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench echo` and `pith-bench echo-batch`: the floors. They send each packet back with QR set and do nothing else: what a UDP
 * server costs that does no work, one packet a system call and 32 at a time.
 * `pith-bench upstream`: answers every name of the mix, so that a resolver can be filled with it through DNS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "wire/wire.h"

enum { BUFFER = 8 << 20 };

int bench_echo(const struct bench_options *o)
{
	int fd = net_udp_socket(o->port, BUFFER);
	static uint8_t p[NET_PACKET];
	for (;;) {
		struct sockaddr_in from;
		socklen_t from_len = sizeof from;
		ssize_t n = recvfrom(fd, p, sizeof p, 0, (struct sockaddr *)&from, &from_len);
		if (n < DNS_HEADER_LEN)
			continue;
		p[2] |= 0x80;
		sendto(fd, p, (size_t)n, 0, (struct sockaddr *)&from, from_len);
	}
}

int bench_echo_batch(const struct bench_options *o)
{
	int fd = net_udp_socket(o->port, BUFFER);
	static struct net_batch b;
	net_batch_init(&b, true);
	for (;;) {
		net_batch_reset(&b);
		int n = recvmmsg(fd, b.msgs, NET_BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < n; i++) {
			b.iov[i].iov_len = b.msgs[i].msg_len;
			b.bytes[i][2] |= 0x80;
		}
		for (int sent = 0, k; sent < n && (k = sendmmsg(fd, b.msgs + sent, (unsigned)(n - sent), 0)) > 0;)
			sent += k;
	}
}

/* The answer to the query in p of len bytes, over it. Returns its length, 0: none. */
static size_t answer_mix(const struct bench_options *o, uint8_t *p, size_t len, bool stream)
{
	struct question q;
	unsigned rcode = 0;
	struct bench_msg m = { .len = 0 };
	if (question_parse(p, len, &q, &rcode) != QUESTION_OK)
		return 0;
	int64_t i = net_name_index(q.name);
	bool ours = false;
	if (i >= 0) {
		bench_message(&m, o->mix, (uint64_t)i);
		ours = m.name_len == q.name_len && memcmp(m.name, q.name, m.name_len) == 0;
	}
	struct dns_header h = { .id = q.id, .flags = (uint16_t)(FLAG_QR | FLAG_AA | FLAG_RA | (q.flags & FLAG_RD)), .qdcount = 1 };
	uint8_t out[NET_PACKET];
	struct msg_writer w;
	writer_begin(&w, out, sizeof out);
	writer_question(&w, q.wire, q.wire_len);
	if (ours && q.qtype == m.type) {
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
	if (w.err || (!stream && w.len > (q.edns.present ? 1232 : 512))) {
		writer_begin(&w, out, sizeof out);
		writer_question(&w, q.wire, q.wire_len);
		h.flags |= FLAG_TC;
		h.ancount = h.nscount = h.arcount = 0;
	}
	header_write(out, &h);
	memcpy(p, out, w.len);
	return w.len;
}

int bench_upstream(const struct bench_options *o)
{
	int fd = net_udp_socket(o->port, BUFFER);
	static struct net_batch b;
	net_batch_init(&b, true);
	for (;;) {
		net_batch_reset(&b);
		int n = recvmmsg(fd, b.msgs, NET_BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < n; i++) {
			size_t len = answer_mix(o, b.bytes[i], b.msgs[i].msg_len, false);
			b.iov[i].iov_len = len;
			if (!len)
				continue;
			struct msghdr *h = &b.msgs[i].msg_hdr;
			sendmsg(fd, h, 0);
		}
	}
}
