/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what a client has told about itself, and the list of clients as the commands of connections see it. */
#include "base/alloc.h"
#include "base/clock.h"
#include "config/config.h"
#include "resp/client.h"

static const char *text_of(const struct resp_client *c, enum resp_client_text which)
{
	return c->text[which] ? c->text[which] : "";
}

void resp_client_info(const struct resp_client *c, struct resp_client_info *i)
{
	uint64_t now_ms = clock_real_mono_ms();

	*i = (struct resp_client_info){
		.id = c->id,
		.age_s = (now_ms - c->born_ms) / 1000,
		.idle_s = (now_ms - c->active_ms) / 1000,
		.fd = c->io.fd,
		.peer = c->peer,
		.local = c->local,
		.name = text_of(c, RESP_NAME),
		.lib_name = text_of(c, RESP_LIB_NAME),
		.lib_ver = text_of(c, RESP_LIB_VER),
		.last = c->last ? c->last->full_name : "NULL",
		.proto = c->out.proto,
		.authenticated = c->authenticated,
		.no_evict = c->no_evict,
		.no_touch = c->no_touch,
		.blocked = c->blocked,
		.closing = c->closing,
		.monitor = c->monitor || c->stream,
		.channels = c->n_subs[RESP_CHANNEL],
		.patterns = c->n_subs[RESP_PATTERN],
		.in_used = c->in.len - c->in.off,
		.in_free = c->in.cap - c->in.len,
		.out_len = c->out.len - c->sent,
		.args_mem = c->parser.cap * sizeof *c->parser.spans,
		.total_mem = client_memory(c),
		.net_in = c->net_in,
		.net_out = c->net_out,
		.commands = c->commands,
	};
}

struct resp_server *resp_client_server(const struct resp_client *c)
{
	return c->server;
}

uint64_t resp_client_id(const struct resp_client *c)
{
	return c->id;
}

bool resp_client_authenticated(const struct resp_client *c)
{
	return c->authenticated;
}

bool resp_client_no_touch(const struct resp_client *c)
{
	return c->no_touch;
}

void resp_client_set_authenticated(struct resp_client *c, bool yes)
{
	c->authenticated = yes;
}

const void *resp_client_user(const struct resp_client *c)
{
	return c->user;
}

void resp_client_set_user(struct resp_client *c, const void *user)
{
	c->user = user;
}

void client_greet(struct resp_client *c)
{
	const struct resp_server *s = c->server;

	c->user = NULL;
	c->authenticated = *s->conf->requirepass == '\0';
	if (s->o.greet)
		s->o.greet(s->o.owner, c);
}

void resp_client_set_proto(struct resp_client *c, uint8_t proto)
{
	c->out.proto = proto;
}

int resp_client_set_text(struct resp_client *c, enum resp_client_text which, const char *p, size_t len)
{
	char *copy = NULL;

	if (len > 0 && !(copy = mem_strndup(p, len)))
		return ERR_NOMEM;
	mem_free(c->text[which]);
	c->text[which] = copy;
	return 0;
}

void resp_client_set_no_evict(struct resp_client *c, bool yes)
{
	c->no_evict = yes;
}

void resp_client_set_no_touch(struct resp_client *c, bool yes)
{
	c->no_touch = yes;
}

void resp_client_set_reply(struct resp_client *c, enum resp_reply_mode m)
{
	c->reply_mode = m;
}

void resp_client_reset(struct resp_client *c)
{
	pubsub_client_end(c);
	c->held.len = 0;
	resp_client_set_text(c, RESP_NAME, NULL, 0);
	c->out.proto = 2;
	c->no_evict = c->no_touch = false;
	c->reply_mode = RESP_REPLY_ON;
	client_greet(c);
}

void resp_client_close_after_reply(struct resp_client *c)
{
	c->closing = true;
}

void resp_client_kill(struct resp_client *c, const struct resp_client *by)
{
	if (c == by)
		c->closing = true;
	else
		client_end(c);
}

struct resp_client *resp_client_first(const struct resp_server *s)
{
	struct resp_client *c = s->clients;

	while (c && c->ended)
		c = c->next;
	return c;
}

struct resp_client *resp_client_next(const struct resp_client *c)
{
	struct resp_client *next = c->next;

	while (next && next->ended)
		next = next->next;
	return next;
}
