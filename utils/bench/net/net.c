/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns sockets and packet batches of the network benchmarks. */
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

void net_batch_init(struct net_batch *b, bool with_peer)
{
	memset(b, 0, sizeof *b);
	for (int i = 0; i < NET_BATCH; i++) {
		b->iov[i] = (struct iovec){ b->bytes[i], NET_PACKET };
		b->msgs[i].msg_hdr.msg_iov = &b->iov[i];
		b->msgs[i].msg_hdr.msg_iovlen = 1;
		if (with_peer) {
			b->msgs[i].msg_hdr.msg_name = &b->peer[i];
			b->msgs[i].msg_hdr.msg_namelen = sizeof b->peer[i];
		}
	}
}

void net_batch_reset(struct net_batch *b)
{
	for (int i = 0; i < NET_BATCH; i++)
		b->iov[i].iov_len = NET_PACKET;
}

struct sockaddr_in net_loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

int net_udp_socket(uint16_t port, int buffer_bytes)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = net_loopback(port);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		fprintf(stderr, "pith-bench: cannot bind 127.0.0.1:%u: ", port);
		perror("");
		exit(1);
	}
	/* Where the process may (root), beyond net.core's limits. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes) != 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
	return fd;
}

int64_t net_name_index(const uint8_t *name)
{
	int64_t i = 0;
	if (name[0] < 6 || name[0] > 63)
		return -1;
	for (int k = 5; k >= 0; k--) {
		uint8_t ch = name[name[0] - 5 + k];
		int digit = ch >= '0' && ch <= '9' ? ch - '0' : (ch | 0x20) >= 'a' && (ch | 0x20) <= 'z' ? (ch | 0x20) - 'a' + 10 : -1;
		if (digit < 0)
			return -1;
		i = i * 36 + digit;
	}
	return i;
}

size_t net_query(uint8_t *out, const struct bench_msg *m, uint16_t id, bool edns)
{
	int n = query_write(out, 128, id, FLAG_RD, m->name, m->name_len, m->type, edns ? 1232 : 0, false, NULL, 0);
	return n > 0 ? (size_t)n : 0;
}
