/* SPDX-License-Identifier: BSD-3-Clause */
/* One TCP connection to a server.
 *
 * Opened by the first query that needs it, kept while queries are under way and STREAM_IDLE_MS longer, so that a row of truncated
 * answers pays one handshake. Deadlines are the queries' own: a stream has none but for idling.
 * When it breaks, its queries move to `losing` and are told one by one, as each may cancel others or ask anew, on this very
 * stream.
 *
 * Invariant: pending counts by_id; in and out are held only while fd is open. */
#include "upstream/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/must.h"
#include "base/random.h"
#include "upstream/figures.h"

enum { IN_CAP = 2 + 65535, READS = 16, ID_TRIES = 64 };

static void stream_close(struct stream *st)
{
	if (st->fd < 0)
		return;
	io_end(&st->io);
	close(st->fd);
	st->fd = -1;
	timer_cancel(&st->idle);
	mem_free(st->in);
	mem_free(st->out);
	st->in = st->out = NULL;
	st->in_len = st->out_len = st->out_off = st->out_cap = 0;
	st->broken = false;
	if (st->gauge)
		figure_move(st->gauge, -1);
}

void stream_break(struct stream *st)
{
	bool reused = st->answered;
	struct stream_slot *s;

	if (st->held) {
		st->broken = true;
		return;
	}
	stream_close(st);
	for (int i = 0; i < STREAM_BUCKETS; i++) {
		while ((s = st->by_id[i]) != NULL) {
			st->by_id[i] = s->next;
			s->next = st->losing;
			s->lost = true;
			st->losing = s;
			st->pending--;
		}
	}
	while ((s = st->losing) != NULL) {
		st->losing = s->next;
		s->stream = NULL;
		s->lost = false;
		st->events->lost(s, reused, st->arg);
	}
}

static void stream_idle(void *arg)
{
	struct stream *st = arg;

	if (st->pending == 0)
		stream_close(st);
}

/* Writes what it can. False: the connection is broken. */
static bool stream_flush(struct stream *st)
{
	while (st->out_off < st->out_len) {
		ssize_t n = send(st->fd, st->out + st->out_off, st->out_len - st->out_off, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0)
			return false;
		st->out_off += (size_t)n;
	}
	if (st->out_off == st->out_len)
		st->out_off = st->out_len = 0;
	io_want(&st->io, IO_READ | (st->out_len ? IO_WRITE : 0));
	return true;
}

/* Hands on every whole message in the buffer. */
static void stream_messages(struct stream *st)
{
	size_t at = 0;

	st->held = true;
	while (!st->broken && st->in_len - at >= 2) {
		size_t len = load_be16(st->in + at);

		if (st->in_len - at < 2 + len)
			break;
		st->answered = true;
		st->events->message(st, st->in + at + 2, len, st->arg);
		at += 2 + len;
	}
	st->held = false;
	memmove(st->in, st->in + at, st->in_len - at);
	st->in_len -= at;
}

static bool stream_read(struct stream *st)
{
	for (int i = 0; i < READS; i++) {
		ssize_t n = recv(st->fd, st->in + st->in_len, IN_CAP - st->in_len, 0);

		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		st->in_len += (size_t)n;
		stream_messages(st);
		if (st->broken)
			return false;
	}
	return true;
}

static void stream_ready(struct io *io, unsigned ready, void *arg)
{
	struct stream *st = arg;

	(void)io;
	if (st->connecting) {
		int error = 0;
		socklen_t len = sizeof error;

		if (getsockopt(st->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) {
			stream_break(st);
			return;
		}
		st->connecting = false;
	}
	if (((ready & IO_READ) && !stream_read(st)) || !stream_flush(st))
		stream_break(st);
}

void stream_init(struct stream *st, struct loop *l, const struct sockaddr_storage *sa, socklen_t sa_len,
		 const struct stream_events *events, void *arg)
{
	memset(st, 0, sizeof *st);
	st->loop = l;
	st->sa = sa;
	st->sa_len = sa_len;
	st->events = events;
	st->arg = arg;
	st->fd = -1;
	timer_init(l, &st->idle, stream_idle, st);
}

void stream_end(struct stream *st)
{
	must(st->pending == 0 && st->losing == NULL);
	stream_close(st);
}

static int stream_open(struct stream *st)
{
	int one = 1;

	st->in = mem_alloc(IN_CAP);
	if (st->in == NULL)
		return ERR_NOMEM;
	st->fd = socket(st->sa->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (st->fd < 0)
		goto failed;
	(void)setsockopt(st->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (connect(st->fd, (const struct sockaddr *)st->sa, st->sa_len) != 0 && errno != EINPROGRESS)
		goto failed;
	if (io_init(st->loop, &st->io, LOOP_BACK, st->fd, stream_ready, st) != 0)
		goto failed;
	st->connecting = true;
	st->answered = false;
	io_want(&st->io, IO_WRITE);
	if (st->gauge)
		figure_move(st->gauge, 1);
	return 0;
failed:
	if (st->fd >= 0)
		close(st->fd);
	st->fd = -1;
	mem_free(st->in);
	st->in = NULL;
	return ERR_SYS;
}

static int out_append(struct stream *st, const uint8_t *msg, size_t len)
{
	size_t want = st->out_len + 2 + len;

	if (want > st->out_cap) {
		size_t cap = want < 2048 ? 4096 : want * 2;
		uint8_t *p = mem_realloc(st->out, cap);

		if (p == NULL)
			return ERR_NOMEM;
		st->out = p;
		st->out_cap = cap;
	}
	store_be16(st->out + st->out_len, (uint16_t)len);
	memcpy(st->out + st->out_len + 2, msg, len);
	st->out_len = want;
	return 0;
}

int stream_send(struct stream *st, struct stream_slot *s, uint8_t *msg, size_t len)
{
	uint16_t id;
	int err, tries = 0;

	if (st->broken)
		return ERR_BUSY;
	if (st->fd < 0 && (err = stream_open(st)) != 0)
		return err;
	if (st->pending == 0)
		timer_set(&st->idle, STREAM_IDLE_MS);
	do
		id = (uint16_t)random_u32();
	while (stream_find(st, id) && ++tries < ID_TRIES);
	if (tries == ID_TRIES)
		return ERR_BUSY;
	store_be16(msg, id);
	if ((err = out_append(st, msg, len)) != 0)
		return err;
	s->id = id;
	s->stream = st;
	s->next = st->by_id[id % STREAM_BUCKETS];
	st->by_id[id % STREAM_BUCKETS] = s;
	st->pending++;
	timer_cancel(&st->idle);
	/* Written when the loop comes round: a broken connection is never found out inside of this call. */
	if (!st->connecting)
		io_want(&st->io, IO_READ | IO_WRITE);
	return 0;
}

void stream_release(struct stream_slot *s)
{
	struct stream *st = s->stream;
	struct stream_slot **at;

	if (st == NULL)
		return;
	for (at = s->lost ? &st->losing : &st->by_id[s->id % STREAM_BUCKETS]; *at != s; at = &(*at)->next)
		must(*at != NULL);
	*at = s->next;
	s->stream = NULL;
	if (s->lost) {
		s->lost = false;
		return;
	}
	if (--st->pending == 0 && st->fd >= 0)
		timer_set(&st->idle, STREAM_IDLE_MS);
}

struct stream_slot *stream_find(const struct stream *st, uint16_t id)
{
	struct stream_slot *s = st->by_id[id % STREAM_BUCKETS];

	while (s && s->id != id)
		s = s->next;
	return s;
}
