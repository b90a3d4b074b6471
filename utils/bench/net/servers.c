/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench echo`, `echo-batch` and `echo-tcp`: the floors. They send each packet back with QR set and do nothing else: what a
 * server costs that does no work, over UDP with one packet a system call or 32 at a time, over TCP with what one read brings. */
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

static size_t mark(void *arg, uint8_t *p, size_t len)
{
	(void)arg;
	if (len > 2)
		p[2] |= 0x80;
	return len;
}

int bench_echo_tcp(const struct bench_options *o)
{
	struct net_streams s;
	net_streams_init(&s, o->port, mark, NULL);
	for (;;)
		net_streams_turn(&s, -1);
}
