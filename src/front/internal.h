/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the front room share: a listener's kind, and making sockets. */
#ifndef PITH_FRONT_INTERNAL_H
#define PITH_FRONT_INTERNAL_H

#include <sys/socket.h>

#include "front/front.h"

struct tcp_table;

/* What a listener stands in. Copied. */
struct front_context {
	struct worker *worker;
	struct loop *loop;           /* the worker's, kept here: listeners are closed when the worker is gone */
	struct stats_thread *stats;  /* likewise */
	struct front_shared *shared;
	struct tcp_table *tcp_table; /* connections of all listeners */
	uint32_t udp_batch;
	uint64_t udp_receive_buffer;
};

/* A kind of listener. A transport that stacks on another (TLS on TCP) is a further row. */
struct front {
	const char *name;
	int socktype;
	/* A listener on the bound socket fd, which it owns from now on, also when it fails: NULL, no memory or descriptors. */
	void *(*open)(const struct front_context *ctx, int fd, const struct conf_addr *addr);
	void (*close)(void *listener);
};
extern const struct front front_udp, front_tcp;

union sockaddr_any {
	struct sockaddr any;
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;
};
socklen_t sockaddr_from_conf(const struct conf_addr *a, union sockaddr_any *out);
/* "192.0.2.1@53" into buf, which is returned; 64 bytes suffice. */
const char *conf_addr_text(const struct conf_addr *a, char *buf, size_t cap);
bool conf_addr_is_any(const struct conf_addr *a);
/* A non-blocking socket bound to a; reuse: with SO_REUSEPORT, as workers share the address. The descriptor, or -1 and errno. */
int socket_bind(const struct conf_addr *a, int socktype, bool reuse);

#endif
