/* SPDX-License-Identifier: BSD-3-Clause */
/* What the network benchmarks share: batches of packets, sockets on loopback. Everything here talks to 127.0.0.0/8 only. */
#ifndef PITH_BENCH_NET_H
#define PITH_BENCH_NET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "../bench.h"

enum { NET_BATCH = 32, NET_PACKET = 2048 };

/* A batch for recvmmsg and sendmmsg, each packet with room for NET_PACKET bytes and a peer's address. */
struct net_batch {
	struct mmsghdr msgs[NET_BATCH];
	struct iovec iov[NET_BATCH];
	struct sockaddr_in peer[NET_BATCH];
	uint8_t bytes[NET_BATCH][NET_PACKET];
};
/* Every packet empty and ready to be received into; with_peer: their addresses are wanted, or set by the caller. */
void net_batch_init(struct net_batch *b, bool with_peer);
/* Room again for what the next receive brings. */
void net_batch_reset(struct net_batch *b);

/* A UDP socket bound to 127.0.0.1:port (0: any); exits with a sentence when it cannot be. */
int net_udp_socket(uint16_t port, int buffer_bytes);
struct sockaddr_in net_loopback(uint16_t port);
/* Index of the mix that a name was made from (the first label's last six characters), or -1. */
int64_t net_name_index(const uint8_t *name);
/* A query for a question of the mix into out (at least 128 bytes); its length. */
size_t net_query(uint8_t *out, const struct bench_msg *m, uint16_t id, bool edns);

/* A server of length-prefixed messages over TCP on 127.0.0.1:port. answer works on the message of len bytes in p, NET_PACKET bytes of
 * room, and returns the length of what is to be sent in its place, 0: nothing. */
typedef size_t net_answer(void *arg, uint8_t *p, size_t len);
struct net_streams {
	int ep, listener; /* ep is ready when a turn has something to do */
	net_answer *answer;
	void *arg;
};
/* Exits with a sentence when it cannot listen. */
void net_streams_init(struct net_streams *s, uint16_t port, net_answer *answer, void *arg);
/* Waits so long (-1: for ever), answers what has come. */
void net_streams_turn(struct net_streams *s, int timeout_ms);

#endif
