/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS over UDP (RFC 1035 §4.2.1): packets in by recvmmsg, down the road as a batch, out by sendmmsg.
 *
 * All memory is laid out when the socket is opened: a slot per packet of a batch for what comes in, what goes out, and for late
 * answers, which are collected over a turn of the loop and leave together. After UDP_ROUNDS full batches the socket yields to the back of
 * the loop, or a flood of hits would starve the misses. A slot is SLOT bytes, an odd number of cache lines: with 4096 all slots
 * would begin in the same set of the first-level cache.
 * Where a socket is bound to every address, the one that was asked is taken from each packet and put as the answer's source (IP_PKTINFO,
 * RFC 3542 §6), as a client drops answers from another. Errors that ICMP reports are another host's word, and ignored. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "front/internal.h"

enum {
	UDP_ROUNDS = 4,
	SLOT = 4096 + 64,
	CONTROL = CMSG_SPACE(sizeof(struct in6_pktinfo)), /* the larger of the two */
};
_Static_assert((int)CMSG_SPACE(sizeof(struct in_pktinfo)) <= (int)CONTROL, "room for either pktinfo");

/* A row of packets as the kernel wants them described. */
struct row {
	struct mmsghdr *hdr;
	struct iovec *iov;
	uint8_t (*control)[CONTROL];
	struct reply_to *to;
	uint8_t (*bytes)[SLOT];
};

struct udp {
	struct front_context ctx;
	struct io io;
	int fd;
	bool any;             /* bound to every address */
	unsigned cap;         /* slots of a row */
	struct query *queries;
	struct row in, out, late;
	unsigned n_late;
	struct deferred flush;
};

static void udp_reply(const struct reply_to *to, const uint8_t *msg, size_t len);

static const struct transport transport_udp = { .name = "udp", .queries = STAT_QUERIES_UDP, .reply = udp_reply };

/* ---- rows ---- */

static void row_free(struct row *r)
{
	mem_free(r->hdr);
	mem_free(r->iov);
	mem_free(r->control);
	mem_free(r->to);
	mem_free(r->bytes);
}

static int row_init(struct row *r, unsigned cap)
{
	r->hdr = mem_calloc(cap, sizeof *r->hdr);
	r->iov = mem_calloc(cap, sizeof *r->iov);
	r->control = mem_calloc(cap, sizeof *r->control);
	r->to = mem_calloc(cap, sizeof *r->to);
	r->bytes = mem_alloc(cap * sizeof *r->bytes);
	if (!r->hdr || !r->iov || !r->control || !r->to || !r->bytes)
		return ERR_NOMEM;
	for (unsigned i = 0; i < cap; i++) {
		r->iov[i] = (struct iovec){ r->bytes[i], SLOT };
		r->hdr[i].msg_hdr = (struct msghdr){ .msg_iov = &r->iov[i], .msg_iovlen = 1 };
	}
	return 0;
}

/* ---- the address that was asked ---- */

static void local_read(struct msghdr *h, struct reply_to *to)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;
			memcpy(&info, CMSG_DATA(c), sizeof info);
			memcpy(to->local, &info.ipi_spec_dst, 4);
			to->local_if = 0; /* the routing table knows the way back */
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;
			memcpy(&info, CMSG_DATA(c), sizeof info);
			memcpy(to->local, &info.ipi6_addr, 16);
			to->local_if = IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr) ? info.ipi6_ifindex : 0;
		}
	}
}

static void local_write(struct msghdr *h, uint8_t *control, const struct reply_to *to)
{
	bool v4 = to->client.any.sa_family == AF_INET;
	struct in_pktinfo info4 = { .ipi_ifindex = 0 };
	struct in6_pktinfo info6 = { .ipi6_ifindex = to->local_if };
	memcpy(&info4.ipi_spec_dst, to->local, 4);
	memcpy(&info6.ipi6_addr, to->local, 16);
	size_t len = v4 ? sizeof info4 : sizeof info6;
	h->msg_control = control;
	h->msg_controllen = CMSG_SPACE(len);
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	c->cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	c->cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), v4 ? (void *)&info4 : (void *)&info6, len);
}

/* ---- out ---- */

/* Describes the packet of len bytes at p as the row's i-th, to the client. */
static void row_put(const struct udp *u, struct row *r, unsigned i, const struct reply_to *to, uint8_t *p, size_t len)
{
	struct msghdr *h = &r->hdr[i].msg_hdr;
	r->iov[i] = (struct iovec){ p, len };
	h->msg_name = (void *)&to->client.any;
	h->msg_namelen = to->client.any.sa_family == AF_INET ? sizeof to->client.in4 : sizeof to->client.in6;
	h->msg_control = NULL;
	h->msg_controllen = 0;
	if (u->any)
		local_write(h, r->control[i], to);
}

static void row_send(struct udp *u, struct row *r, unsigned n)
{
	unsigned done = 0;
	while (done < n) {
		int sent = sendmmsg(u->fd, r->hdr + done, n - done, 0);
		if (sent > 0) {
			done += (unsigned)sent;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			stat_add(u->ctx.stats, STAT_DROP_SEND, n - done);
			return;
		} else if (errno != EINTR) { /* this one cannot be sent: no route, port 0, a firewall */
			stat_inc(u->ctx.stats, STAT_DROP_SEND);
			done++;
		}
	}
}

static void udp_flush(void *arg)
{
	struct udp *u = arg;
	row_send(u, &u->late, u->n_late);
	u->n_late = 0;
}

static void udp_reply(const struct reply_to *to, const uint8_t *msg, size_t len)
{
	struct udp *u = to->owner;
	struct row *r = &u->late;
	if (len == 0 || len > SLOT)
		return;
	if (u->n_late == u->cap)
		udp_flush(u);
	unsigned i = u->n_late++;
	r->to[i] = *to;
	memcpy(r->bytes[i], msg, len);
	row_put(u, r, i, &r->to[i], r->bytes[i], len);
	loop_defer(u->ctx.loop, &u->flush, udp_flush, u);
}

/* ---- in ---- */

static void udp_batch(struct udp *u, unsigned n)
{
	unsigned n_out = 0;
	for (unsigned i = 0; i < n; i++) {
		if (u->any)
			local_read(&u->in.hdr[i].msg_hdr, &u->in.to[i]);
		u->queries[i].len = u->in.hdr[i].msg_len;
	}
	query_batch(u->ctx.worker, u->queries, n);
	for (unsigned i = 0; i < n; i++) {
		if (u->queries[i].out_len)
			row_put(u, &u->out, n_out++, &u->in.to[i], u->queries[i].out, u->queries[i].out_len);
	}
	row_send(u, &u->out, n_out);
}

static int udp_receive(struct udp *u)
{
	for (unsigned i = 0; i < u->cap; i++) {
		struct msghdr *h = &u->in.hdr[i].msg_hdr;
		h->msg_namelen = sizeof u->in.to[i].client;
		h->msg_controllen = u->any ? CONTROL : 0;
	}
	return recvmmsg(u->fd, u->in.hdr, u->cap, MSG_DONTWAIT, NULL);
}

static void udp_ready(struct io *io, unsigned ready, void *arg)
{
	struct udp *u = arg;
	(void)ready;
	for (unsigned round = 0; round < UDP_ROUNDS; round++) {
		int n = udp_receive(u);
		if (n > 0)
			udp_batch(u, (unsigned)n);
		if (n < (int)u->cap)
			return;
	}
	io_yield(io);
}

/* ---- birth and end ---- */

static void udp_close(void *listener)
{
	struct udp *u = listener;
	loop_undefer(u->ctx.loop, &u->flush);
	io_end(&u->io);
	close(u->fd);
	row_free(&u->in);
	row_free(&u->out);
	row_free(&u->late);
	mem_free(u->queries);
	mem_free(u);
}

/* None of these is worth not starting for: what the kernel refuses is its default. */
static void socket_tune(int fd, const struct conf_addr *a, bool any, uint64_t receive_buffer)
{
	const int on = 1, size = (int)receive_buffer, omit4 = IP_PMTUDISC_OMIT, omit6 = IPV6_PMTUDISC_OMIT;
	if (size && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) != 0)
		log_verbose("udp-receive-buffer: %s", strerror(errno));
	/* A forged "fragmentation needed" shall not shrink our packets: path MTU is left out of it (RFC 9715 §3.1). */
	if ((a->family == 4 ? setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &omit4, sizeof omit4)
			    : setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &omit6, sizeof omit6)) != 0)
		log_verbose("cannot turn off path MTU discovery: %s", strerror(errno));
	if (any && (a->family == 4 ? setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on)
				   : setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)) != 0)
		log_warn("dns-bind: answers may carry another address than the one asked: %s", strerror(errno));
}

static void *udp_open(const struct front_context *ctx, int fd, const struct conf_addr *addr)
{
	struct udp *u = mem_calloc(1, sizeof *u);
	if (!u) {
		close(fd);
		return NULL;
	}
	u->ctx = *ctx;
	u->fd = fd;
	u->cap = ctx->udp_batch;
	u->any = conf_addr_is_any(addr);
	u->queries = mem_calloc(u->cap, sizeof *u->queries);
	if (!u->queries || row_init(&u->in, u->cap) < 0 || row_init(&u->out, u->cap) < 0 || row_init(&u->late, u->cap) < 0 ||
	    io_init(ctx->loop, &u->io, LOOP_FRONT, fd, udp_ready, u) < 0) {
		udp_close(u);
		return NULL;
	}
	for (unsigned i = 0; i < u->cap; i++) {
		struct msghdr *h = &u->in.hdr[i].msg_hdr;
		h->msg_name = &u->in.to[i].client;
		h->msg_control = u->any ? u->in.control[i] : NULL;
		u->in.to[i].via = &transport_udp;
		u->in.to[i].owner = u;
		u->queries[i].msg = u->in.bytes[i];
		u->queries[i].to = &u->in.to[i];
		u->queries[i].out = u->out.bytes[i];
	}
	socket_tune(fd, addr, u->any, ctx->udp_receive_buffer);
	io_want(&u->io, IO_READ);
	return u;
}

const struct front front_udp = { .name = "UDP", .socktype = SOCK_DGRAM, .open = udp_open, .close = udp_close };
