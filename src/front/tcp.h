/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS connections over a stream: what accepting them (tcp.c) and serving them (tcp_conn.c) share.
 *
 * Thread: the worker's own. */
#ifndef PITH_FRONT_TCP_H
#define PITH_FRONT_TCP_H

#include "front/internal.h"

enum {
	TCP_BATCH = 16,            /* queries that go down the road together */
	TCP_FRAME_MAX = 2 + DNS_MSG_MAX,
	TCP_READ_SLICE = 16384,    /* bytes read in one callback */
	TCP_OUT_HIGH = 65536,      /* unsent bytes above which no further query is taken */
	TCP_OUT_MAX = 1048576,     /* unsent bytes above which a slow reader is cut */
	TCP_BUCKETS = 1024,
};

struct tcp_conn;

/* All connections of one worker, and the memory they share while one of them is served. */
struct tcp_table {
	struct front_context ctx;
	uint64_t seed;                      /* of the hash of addresses */
	struct tcp_conn **slots;            /* NULL: free */
	uint32_t *generations;
	uint32_t n_slots, first_free;       /* no slot below first_free is free */
	struct tcp_conn *by_addr[TCP_BUCKETS];
	struct query queries[TCP_BATCH];
	uint8_t in[TCP_FRAME_MAX];
	uint8_t out[TCP_BATCH][TCP_FRAME_MAX + 63]; /* an odd number of cache lines */
};

struct tcp_conn {
	struct tcp_table *table;
	struct tcp_conn *next_by_addr;
	struct io io;
	struct deferred turn;     /* answers came since it was last served */
	struct timer idle;
	struct reply_to to;       /* the way back; its handle is slot and generation */
	uint64_t active_ms;       /* last whole query taken or byte sent */
	uint8_t *in, *out;        /* what was read and not served; what is not sent yet */
	uint32_t in_len;
	uint32_t out_off, out_len, out_cap;
	uint32_t in_flight;       /* queries that wait for an answer */
	int fd;
	bool eof, dead;
};

/* NULL: no memory. */
struct tcp_table *tcp_table_new(const struct front_context *ctx);
/* Closes all connections. */
void tcp_table_free(struct tcp_table *t);
/* How many are open from this address. */
unsigned tcp_table_count(const struct tcp_table *t, const union sockaddr_any *client);
/* Serves the accepted socket fd, which it owns from now on, also when it fails (ERR_NOMEM, ERR_SYS). Takes back ctx.shared's count of
 * open connections when the connection ends, or could not begin. */
int tcp_conn_open(struct tcp_table *t, int fd, const union sockaddr_any *client);

#endif
