/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS over TCP (RFC 7766), one connection: two bytes of length, then a message, both ways, any number of times.
 *
 * A connection is served in turns: send what waits, read a slice, take down the road as many whole queries as the limits allow, send
 * what was answered with one writev. Answers that come later are appended and start another turn, so they leave in the order they
 * are ready (RFC 7766 §6.2.1.1). While served, a connection works in the table's buffers; its own memory holds only what is unfinished,
 * which for most connections is nothing.
 * Limits: tcp-max-pipelined queries in flight and TCP_OUT_HIGH unsent bytes stop the reading, so TCP itself holds the client back;
 * TCP_OUT_MAX unsent bytes, or tcp-idle-timeout without a byte taken, cut a slow reader. A client that has closed its side still gets
 * what it asked for (RFC 7766 §6.2.3 by way of RFC 9293 §3.6).
 * Invariant: a connection is freed only at the end of a turn or of its timer; queries in flight hold its slot and generation, never its
 * address. */
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "front/tcp.h"

static void conn_reply(const struct reply_to *to, const uint8_t *msg, size_t len);

static const struct transport transport_tcp = { .name = "tcp", .queries = STAT_QUERIES_TCP, .stream = true, .reply = conn_reply };

/* ---- the table ---- */

struct tcp_table *tcp_table_new(const struct front_context *ctx)
{
	struct tcp_table *t = mem_calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->ctx = *ctx;
	random_bytes(&t->seed, sizeof t->seed);
	return t;
}

static const void *client_addr(const union sockaddr_any *a, size_t *len)
{
	bool v4 = a->any.sa_family == AF_INET;
	*len = v4 ? 4 : 16;
	return v4 ? (const void *)&a->in4.sin_addr : (const void *)&a->in6.sin6_addr;
}

static unsigned client_bucket(const struct tcp_table *t, const union sockaddr_any *a)
{
	uint64_t words[2] = { 0, 0 };
	size_t len;
	const void *p = client_addr(a, &len);
	memcpy(words, p, len);
	return hash_mix(hash_mix(t->seed, words[0]), words[1]) % TCP_BUCKETS;
}

static bool client_equal(const struct tcp_conn *c, const union sockaddr_any *a)
{
	size_t len;
	const void *p = client_addr(a, &len);
	return c->to.client.any.sa_family == a->any.sa_family &&
	       memcmp(a->any.sa_family == AF_INET ? (const void *)&c->to.client.in4.sin_addr : &c->to.client.in6.sin6_addr, p, len) == 0;
}

unsigned tcp_table_count(const struct tcp_table *t, const union sockaddr_any *client)
{
	unsigned n = 0;
	for (const struct tcp_conn *c = t->by_addr[client_bucket(t, client)]; c; c = c->next_by_addr)
		n += client_equal(c, client);
	return n;
}

static int table_grow(struct tcp_table *t)
{
	uint32_t n = t->n_slots ? 2 * t->n_slots : 64;
	struct tcp_conn **slots = mem_realloc(t->slots, n * sizeof *slots);
	if (!slots)
		return ERR_NOMEM;
	t->slots = slots;
	uint32_t *generations = mem_realloc(t->generations, n * sizeof *generations);
	if (!generations)
		return ERR_NOMEM;
	t->generations = generations;
	memset(slots + t->n_slots, 0, (n - t->n_slots) * sizeof *slots);
	memset(generations + t->n_slots, 0, (n - t->n_slots) * sizeof *generations);
	t->n_slots = n;
	return 0;
}

static int table_add(struct tcp_table *t, struct tcp_conn *c, const union sockaddr_any *client)
{
	while (t->first_free < t->n_slots && t->slots[t->first_free])
		t->first_free++;
	if (t->first_free == t->n_slots && table_grow(t) < 0)
		return ERR_NOMEM;
	uint32_t slot = t->first_free++;
	struct tcp_conn **bucket = &t->by_addr[client_bucket(t, client)];
	t->slots[slot] = c;
	c->to.handle = (uint64_t)++t->generations[slot] << 32 | slot;
	c->next_by_addr = *bucket;
	*bucket = c;
	return 0;
}

static void table_remove(struct tcp_table *t, struct tcp_conn *c)
{
	union sockaddr_any client;
	uint32_t slot = (uint32_t)c->to.handle;
	memcpy(&client, &c->to.client, sizeof client);
	struct tcp_conn **at = &t->by_addr[client_bucket(t, &client)];
	while (*at != c)
		at = &(*at)->next_by_addr;
	*at = c->next_by_addr;
	t->slots[slot] = NULL;
	if (slot < t->first_free)
		t->first_free = slot;
}

/* ---- out ---- */

static void conn_close(struct tcp_conn *c)
{
	struct tcp_table *t = c->table;
	table_remove(t, c);
	loop_undefer(t->ctx.loop, &c->turn);
	timer_cancel(&c->idle);
	io_end(&c->io);
	close(c->fd);
	atomic_fetch_sub(&t->ctx.shared->tcp_open, 1);
	stat_add(t->ctx.stats, STAT_TCP_OPEN, -1);
	mem_free(c->in);
	mem_free(c->out);
	mem_free(c);
}

/* Keeps n bytes for later; one that reads too slowly is cut. */
static void conn_append(struct tcp_conn *c, const void *p, size_t n)
{
	if (c->out_off && (c->out_len == 0 || c->out_off + c->out_len + n > c->out_cap)) {
		memmove(c->out, c->out + c->out_off, c->out_len);
		c->out_off = 0;
	}
	if (c->out_len + n > c->out_cap) {
		size_t cap = 2 * (c->out_len + n);
		uint8_t *out = c->out_len + n <= TCP_OUT_MAX ? mem_realloc(c->out, cap) : NULL;
		if (!out) {
			c->dead = true;
			return;
		}
		c->out = out;
		c->out_cap = (uint32_t)cap;
	}
	memcpy(c->out + c->out_off + c->out_len, p, n);
	c->out_len += (uint32_t)n;
}

/* How many of these bytes the kernel took; anything but a full buffer ends the connection. */
static size_t conn_write(struct tcp_conn *c, struct iovec *iov, int n)
{
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = (size_t)n };
	ssize_t sent = sendmsg(c->fd, &h, MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		c->dead = true;
	if (sent > 0)
		c->active_ms = clock_real_mono_ms();
	return sent > 0 ? (size_t)sent : 0;
}

static void conn_flush(struct tcp_conn *c)
{
	struct iovec iov = { c->out + c->out_off, c->out_len };
	size_t sent = conn_write(c, &iov, 1);
	c->out_off += (uint32_t)sent;
	c->out_len -= (uint32_t)sent;
	if (c->out_len)
		return;
	mem_free(c->out);
	c->out = NULL;
	c->out_off = c->out_cap = 0;
}

/* Sends at once what it can, behind what is waiting already. */
static void conn_send(struct tcp_conn *c, struct iovec *iov, int n)
{
	size_t sent = c->out_len ? 0 : conn_write(c, iov, n);
	for (int i = 0; i < n && !c->dead; i++) {
		size_t skip = sent < iov[i].iov_len ? sent : iov[i].iov_len;
		sent -= skip;
		if (skip < iov[i].iov_len)
			conn_append(c, (uint8_t *)iov[i].iov_base + skip, iov[i].iov_len - skip);
	}
}

/* ---- in ---- */

static bool conn_is_full(const struct tcp_conn *c)
{
	return c->in_flight >= worker_conf(c->table->ctx.worker)->tcp_max_pipelined || c->out_len >= TCP_OUT_HIGH;
}

/* Cuts the next whole queries out of p; returns how many, *used: their bytes. */
static unsigned frames_cut(struct tcp_conn *c, const uint8_t *p, size_t len, size_t *used, unsigned max)
{
	struct tcp_table *t = c->table;
	unsigned n = 0;
	*used = 0;
	while (n < max && len - *used >= 2 && len - *used - 2 >= load_be16(p + *used)) {
		struct query *q = &t->queries[n];
		q->len = load_be16(p + *used);
		q->msg = p + *used + 2;
		q->to = &c->to;
		q->out = t->out[n++] + 2;
		*used += 2 + q->len;
	}
	return n;
}

static void frames_answer(struct tcp_conn *c, unsigned n)
{
	struct tcp_table *t = c->table;
	struct iovec iov[TCP_BATCH];
	int n_iov = 0;
	for (unsigned i = 0; i < n; i++) {
		c->in_flight += t->queries[i].pending;
		if (!t->queries[i].out_len)
			continue;
		store_be16(t->out[i], (uint16_t)t->queries[i].out_len);
		iov[n_iov++] = (struct iovec){ t->out[i], 2 + t->queries[i].out_len };
	}
	if (n_iov)
		conn_send(c, iov, n_iov);
}

/* Takes queries from p as long as the limits allow; returns the bytes used. */
static size_t conn_take(struct tcp_conn *c, const uint8_t *p, size_t len)
{
	size_t done = 0;
	while (!c->dead && !conn_is_full(c)) {
		size_t used, room = (size_t)worker_conf(c->table->ctx.worker)->tcp_max_pipelined - c->in_flight;
		unsigned n = frames_cut(c, p + done, len - done, &used, room < TCP_BATCH ? (unsigned)room : TCP_BATCH);
		if (n == 0)
			break;
		c->active_ms = clock_real_mono_ms();
		query_batch(c->table->ctx.worker, c->table->queries, n);
		frames_answer(c, n);
		done += used;
	}
	return done;
}

static void conn_keep(struct tcp_conn *c, const uint8_t *p, size_t len)
{
	if (len == 0) {
		mem_free(c->in);
		c->in = NULL;
	} else {
		uint8_t *in = mem_realloc(c->in, len);
		if (!in) {
			c->dead = true;
			return;
		}
		c->in = memcpy(in, p, len);
	}
	c->in_len = (uint32_t)len;
}

static void conn_serve(struct tcp_conn *c, bool readable)
{
	uint8_t *in = c->table->in;
	size_t len = c->in_len, room = TCP_FRAME_MAX - len;
	if (readable && !c->eof && !conn_is_full(c) && room) {
		ssize_t n = recv(c->fd, in + len, room < TCP_READ_SLICE ? room : TCP_READ_SLICE, 0);
		c->eof = n == 0;
		c->dead = n < 0 && errno != EAGAIN && errno != EINTR;
		if (n > 0)
			len += (size_t)n;
	}
	if (c->dead || len == 0)
		return;
	if (c->in_len)
		memcpy(in, c->in, c->in_len);
	size_t used = conn_take(c, in, len);
	if (!c->dead && (used || len > c->in_len))
		conn_keep(c, in + used, len - used);
}

/* One turn. c may be gone afterwards. */
static void conn_turn(struct tcp_conn *c, bool readable)
{
	if (c->out_len)
		conn_flush(c);
	if (!c->dead)
		conn_serve(c, readable);
	if (c->dead || (c->eof && c->in_flight == 0 && c->out_len == 0)) {
		conn_close(c);
		return;
	}
	io_want(&c->io, (c->eof || conn_is_full(c) ? 0 : IO_READ) | (c->out_len ? IO_WRITE : 0));
}

static void conn_ready(struct io *io, unsigned ready, void *arg)
{
	(void)io;
	conn_turn(arg, ready & IO_READ);
}

static void conn_later(void *arg)
{
	conn_turn(arg, false);
}

static void conn_reply(const struct reply_to *to, const uint8_t *msg, size_t len)
{
	struct tcp_table *t = to->owner;
	uint32_t slot = (uint32_t)to->handle;
	struct tcp_conn *c = slot < t->n_slots ? t->slots[slot] : NULL;
	if (!c || c->to.handle != to->handle)
		return; /* the client has gone */
	uint8_t prefix[2];
	store_be16(prefix, (uint16_t)len);
	c->in_flight--;
	if (len && !c->dead)
		conn_append(c, prefix, 2);
	if (len && !c->dead)
		conn_append(c, msg, len);
	loop_defer(t->ctx.loop, &c->turn, conn_later, c);
}

/* ---- birth and end ---- */

/* The timer is set once and looks back when it fires: a busy connection does not move it with each query. */
static void conn_idle(void *arg)
{
	struct tcp_conn *c = arg;
	uint64_t limit_ms = worker_conf(c->table->ctx.worker)->tcp_idle_timeout, idle_ms = clock_real_mono_ms() - c->active_ms;
	if (idle_ms < limit_ms)
		timer_set(&c->idle, limit_ms - idle_ms);
	else if (c->in_flight && c->out_len == 0)
		timer_set(&c->idle, limit_ms);
	else
		conn_close(c);
}

int tcp_conn_open(struct tcp_table *t, int fd, const union sockaddr_any *client)
{
	const int on = 1;
	struct tcp_conn *c = mem_calloc(1, sizeof *c);
	if (!c || table_add(t, c, client) < 0) {
		mem_free(c);
		close(fd);
		atomic_fetch_sub(&t->ctx.shared->tcp_open, 1);
		return ERR_NOMEM;
	}
	c->table = t;
	c->fd = fd;
	c->to.via = &transport_tcp;
	c->to.owner = t;
	memcpy(&c->to.client, client, sizeof c->to.client);
	c->active_ms = clock_real_mono_ms();
	stat_inc(t->ctx.stats, STAT_TCP_OPEN);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* answers are whole when written; a refusal costs only time */
	timer_init(t->ctx.loop, &c->idle, conn_idle, c);
	if (io_init(t->ctx.loop, &c->io, LOOP_BACK, fd, conn_ready, c) < 0) {
		conn_close(c);
		return ERR_SYS;
	}
	timer_set(&c->idle, worker_conf(t->ctx.worker)->tcp_idle_timeout);
	io_want(&c->io, IO_READ);
	return 0;
}

void tcp_table_free(struct tcp_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n_slots; i++) {
		if (t->slots[i])
			conn_close(t->slots[i]);
	}
	mem_free(t->slots);
	mem_free(t->generations);
	mem_free(t);
}
