/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns a connection: its buffers, when it is read from, when it is written to, when it goes.
 *
 * One read, all commands in it, one write. The buffers belong to the server and are lent for that long; a client keeps one
 * only while something is left in it: half a command (then exactly its bytes), or replies that the peer does not take.
 * Invariants: a client is read from only while it is not blocked, not closing, owes less than CLIENT_SOFT_OUT and has no whole
 * command waiting; `blocked` means exactly one command is under way, and its `drop` has not come yet. */
#include "resp/client.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "stats/stats.h"

static void client_ready(struct io *io, unsigned ready, void *arg);

/* ---- birth and death ---- */

struct resp_client *client_new(struct resp_server *s, int fd, const char *peer, const char *local)
{
	struct resp_client *c = mem_calloc(1, sizeof *c);

	if (!c || io_init(s->loop, &c->io, LOOP_BACK, fd, client_ready, c) != 0) {
		mem_free(c);
		close(fd);
		return NULL;
	}
	c->server = s;
	c->id = ++s->next_id;
	c->born_ms = c->active_ms = clock_real_mono_ms();
	snprintf(c->peer, sizeof c->peer, "%s", peer);
	snprintf(c->local, sizeof c->local, "%s", local);
	resp_parser_init(&c->parser);
	resp_out_init(&c->out, 2, s->conf->output_buffer_limit);
	c->prev = s->clients_last;
	if (c->prev)
		c->prev->next = c;
	else
		s->clients = c;
	s->clients_last = c;
	s->n_clients++;
	stat_inc(s->o.stats, STAT_CONNECTIONS);
	stat_inc(s->o.stats, STAT_CLIENTS);
	client_greet(c);
	io_want(&c->io, IO_READ);
	return c;
}

void client_unblock(struct resp_client *c)
{
	void (*drop)(void *) = c->drop;
	void *state = c->state;

	if (!c->blocked)
		return;
	c->blocked = false;
	c->slice = NULL;
	c->drop = NULL;
	c->state = NULL;
	c->server->n_blocked--;
	if (drop)
		drop(state);
}

void client_end(struct resp_client *c)
{
	struct resp_server *s = c->server;
	int fd = c->io.fd;

	if (c->ended)
		return;
	c->ended = true;
	io_end(&c->io);
	close(fd);
	client_unblock(c);
	pubsub_client_end(c);
	s->n_clients--;
	s->n_ended++;
	stat_add(s->o.stats, STAT_CLIENTS, -1);
	client_queue(c); /* so that a turn comes, and with it the sweep */
}

static void client_free(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (c->prev)
		c->prev->next = c->next;
	else
		s->clients = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		s->clients_last = c->prev;
	if (s->timeout_at == c)
		s->timeout_at = c->next;
	for (unsigned i = 0; i < RESP_TEXTS; i++)
		mem_free(c->text[i]);
	mem_free(c->in.data);
	resp_out_free(&c->out);
	resp_out_free(&c->held);
	resp_parser_free(&c->parser);
	mem_free(c);
}

void client_sweep(struct resp_server *s)
{
	for (struct resp_client *c = s->clients, *next; c && s->n_ended; c = next) {
		next = c->next;
		if (c->ended && !c->in_turn) {
			client_free(c);
			s->n_ended--;
		}
	}
}

size_t client_memory(const struct resp_client *c)
{
	size_t n = sizeof *c + c->in.cap + c->out.cap + c->held.cap + c->parser.cap * sizeof *c->parser.spans;

	for (unsigned i = 0; i < RESP_TEXTS; i++)
		n += c->text[i] ? strlen(c->text[i]) + 1 : 0;
	return n;
}

/* ---- buffers, lent and taken back ---- */

void client_lend_out(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (!c->out.data && s->spare_out.data && s->spare_out.cap <= c->out.limit) {
		c->out.data = s->spare_out.data;
		c->out.cap = s->spare_out.cap;
		s->spare_out = (struct resp_out){ 0 };
	}
}

void client_take_back_out(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (c->sent < c->out.len)
		return;
	c->sent = c->out.len = c->reply_at = 0;
	if (!c->out.data)
		return;
	if (!s->spare_out.data && c->out.cap <= CLIENT_KEEP) {
		s->spare_out.data = c->out.data;
		s->spare_out.cap = c->out.cap;
	} else {
		mem_free(c->out.data);
	}
	c->out.data = NULL;
	c->out.cap = 0;
}

static void in_take_back(struct resp_client *c)
{
	struct resp_server *s = c->server;
	size_t left = c->in.len - c->in.off;

	if (!c->in.data)
		return;
	if (left > CLIENT_READ / 4 || (left > 0 && c->in.cap <= left * 2)) {
		/* a large rest stays where it is, at the front */
		if (c->in.off) {
			memmove(c->in.data, c->in.data + c->in.off, left);
			c->in.len = left;
			c->in.off = 0;
		}
		return;
	}
	char *rest = NULL;
	if (left > 0) {
		if (!(rest = mem_alloc(left))) {
			client_end(c);
			return;
		}
		memcpy(rest, c->in.data + c->in.off, left);
	}
	if (!s->spare_in.data && c->in.cap <= CLIENT_KEEP)
		s->spare_in = (struct client_in){ .data = c->in.data, .cap = c->in.cap };
	else
		mem_free(c->in.data);
	c->in = (struct client_in){ .data = rest, .len = left, .cap = left };
}

/* Room for one read behind what waits. */
static bool in_room(struct resp_client *c)
{
	struct resp_server *s = c->server;
	struct client_in *in = &c->in;
	size_t need = in->len - in->off + CLIENT_READ;

	if (in->cap - in->off >= need)
		return true;
	struct client_in to = { 0 };
	if (s->spare_in.cap >= need) {
		to = s->spare_in;
		s->spare_in = (struct client_in){ 0 };
	} else {
		to.cap = need > in->cap * 2 || in->cap == 0 ? need : in->cap * 2;
		if (!(to.data = mem_alloc(to.cap)))
			return false;
	}
	to.len = in->len - in->off;
	if (to.len)
		memcpy(to.data, in->data + in->off, to.len);
	mem_free(in->data);
	*in = to;
	return true;
}

/* ---- reading and writing ---- */

static void client_read(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (!in_room(c)) {
		log_warn("client %s closed: no memory for its commands", c->peer);
		client_end(c);
		return;
	}
	size_t room = c->in.cap - c->in.len;
	ssize_t n = read(c->io.fd, c->in.data + c->in.len, room);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			client_end(c);
		return;
	}
	if (n == 0) {
		c->eof = true; /* a half-closed connection still gets its answers */
		return;
	}
	c->in.len += (size_t)n;
	c->net_in += (uint64_t)n;
	c->active_ms = clock_real_mono_ms();
	stat_add(s->o.stats, STAT_NET_IN, n);
}

static void client_write(struct resp_client *c)
{
	size_t left = c->out.len - c->sent;

	if (left == 0)
		return;
	ssize_t n = send(c->io.fd, c->out.data + c->sent, left < CLIENT_WRITE ? left : CLIENT_WRITE, MSG_NOSIGNAL);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			client_end(c);
		return;
	}
	c->sent += (size_t)n;
	c->net_out += (uint64_t)n;
	c->active_ms = clock_real_mono_ms();
	stat_add(c->server->o.stats, STAT_NET_OUT, n);
	/* what was sent is let go once the rest is small: moving 60 MB would stall everybody */
	if (c->sent < c->out.len && c->sent > c->out.cap / 2 && c->out.len - c->sent <= CLIENT_SOFT_OUT) {
		memmove(c->out.data, c->out.data + c->sent, c->out.len - c->sent);
		c->out.len -= c->sent;
		c->reply_at = c->reply_at > c->sent ? c->reply_at - c->sent : 0;
		c->sent = 0;
	}
}

/* ---- one turn ---- */

static bool may_run(const struct resp_client *c)
{
	return !c->ended && !c->blocked && !c->closing && !c->paused && c->out.len - c->sent < CLIENT_SOFT_OUT;
}

static void protocol_error(struct resp_client *c)
{
	resp_errorf(&c->out, "ERR %s", c->parser.why);
	account_error(c->server, c->out.data + c->out.error_at, c->out.len - c->out.error_at);
	stat_inc(c->server->o.stats, STAT_ERROR_REPLIES);
	log_verbose("client %s closed: %s", c->peer, c->parser.why);
	c->closing = true;
}

static bool argv_room(struct resp_server *s, unsigned argc)
{
	if (argc <= s->argv_cap)
		return true;
	struct resp_arg *argv = mem_realloc(s->argv, argc * sizeof *argv);
	if (!argv)
		return false;
	s->argv = argv;
	s->argv_cap = argc;
	return true;
}

static uint64_t run_command(struct resp_client *c, size_t used, uint64_t now_ns)
{
	struct resp_server *s = c->server;
	const char *at = c->in.data + c->in.off;
	unsigned argc = c->parser.argc;

	if (argc > 0 && !argv_room(s, argc)) {
		resp_error(&c->out, "ERR no memory for so many arguments");
		c->closing = true;
	} else if (argc > 0) {
		for (unsigned i = 0; i < argc; i++)
			s->argv[i] = (struct resp_arg){ .p = at + c->parser.spans[i].off, .len = c->parser.spans[i].len };
		if (s->pause_until_ms && dispatch_waits(c, argc, s->argv)) {
			c->paused = true; /* parsed and whole, it stays where it is */
			c->ready = used;
			return now_ns;
		}
		now_ns = dispatch(c, argc, s->argv, now_ns);
	}
	resp_parser_reset(&c->parser);
	c->in.off += used;
	return now_ns;
}

/* Parses and runs commands. True: it stopped for another reason than that the next command is not whole. */
static bool run_commands(struct resp_client *c)
{
	uint64_t now_ns = clock_real_mono_ns(), until_ns = now_ns + CLIENT_BATCH_NS;

	if (c->ready && may_run(c)) {
		size_t used = c->ready;

		c->ready = 0;
		now_ns = run_command(c, used, now_ns);
	}
	while (may_run(c)) {
		size_t used = 0;

		if (c->in.off == c->in.len)
			return false;
		if (now_ns >= until_ns)
			return true;
		switch (resp_parse(&c->parser, c->in.data + c->in.off, c->in.len - c->in.off, c->authenticated, &used)) {
		case PARSE_OK:
			now_ns = run_command(c, used, now_ns);
			break;
		case PARSE_BAD:
			protocol_error(c);
			return false;
		case PARSE_MORE:
			if (c->in.len - c->in.off > c->server->conf->query_buffer_limit) {
				log_warn("client %s closed: a command larger than client-query-buffer-limit", c->peer);
				stat_inc(c->server->o.stats, STAT_QUERY_LIMIT);
				client_end(c);
			} else if (c->eof) {
				c->closing = true; /* the rest of it will never come */
			}
			return false;
		}
	}
	return c->in.off < c->in.len;
}

void client_cut_if_failed(struct resp_client *c)
{
	if (!c->out.failed || c->ended)
		return;
	log_warn("client %s (%s) closed: more than client-output-buffer-limit waits for it", c->peer, c->last ? c->last->full_name : "-");
	stat_inc(c->server->o.stats, STAT_OUTPUT_LIMIT);
	client_end(c);
}

void client_serve(struct resp_client *c)
{
	client_lend_out(c);
	c->out.limit = c->server->conf->output_buffer_limit;
	bool stopped = run_commands(c);
	client_cut_if_failed(c);
	if (!c->ended)
		client_write(c);
	if (c->ended)
		return;
	size_t owed = c->out.len - c->sent;
	if (c->eof && !c->blocked && !c->paused && c->in.off == c->in.len)
		c->closing = true;
	if (owed == 0 && c->closing) {
		client_end(c);
		return;
	}
	client_take_back_out(c);
	in_take_back(c);
	if (c->ended)
		return;
	if (stopped && may_run(c))
		client_queue(c);
	io_want(&c->io, (may_run(c) && !c->in_turn && !c->eof ? IO_READ : 0) | (owed ? IO_WRITE : 0));
}

static void client_ready(struct io *io, unsigned ready, void *arg)
{
	struct resp_client *c = arg;
	struct resp_server *s = c->server;

	(void)io;
	if (ready & IO_READ)
		client_read(c);
	if (!c->ended && (ready & IO_WRITE))
		client_write(c);
	if (!c->ended)
		client_serve(c);
	client_sweep(s);
}
