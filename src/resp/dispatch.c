/* SPDX-License-Identifier: BSD-3-Clause */
/* From words to a command's function: lookup, arity, authentication, and the books that are kept on each call.
 *
 * The order of the checks and the texts are Redis's, as clients match on them: unknown, arity, NOAUTH. The clock is read once
 * a command: the end of one is the beginning of the next. */
#include <ctype.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "resp/client.h"
#include "stats/stats.h"

enum { NAME_MAX_LOOKUP = 32 };

static uint32_t name_hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ byte_lower((uint8_t)name[i])) * 16777619u;
	return h ^ h >> 15;
}

static bool name_is(const char *lower, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (lower[i] == '\0' || (char)byte_lower((uint8_t)name[i]) != lower[i])
			return false;
	return lower[len] == '\0';
}

int dispatch_begin(struct resp_server *s, const struct resp_table *t)
{
	unsigned size = 16;

	while (size < t->n * 4)
		size *= 2;
	s->hash_mask = size - 1;
	if (!(s->by_hash = mem_calloc(size, sizeof(*s->by_hash))))
		return ERR_NOMEM;
	for (unsigned i = 0; i < t->n; i++) {
		uint32_t at = name_hash(t->commands[i].name, strlen(t->commands[i].name));

		while (s->by_hash[at & s->hash_mask])
			at++;
		s->by_hash[at & s->hash_mask] = &t->commands[i];
	}
	return 0;
}

void dispatch_end(struct resp_server *s)
{
	mem_free(s->by_hash);
}

const struct resp_command *resp_command_find(const struct resp_server *s, const char *name, size_t len)
{
	if (len == 0 || len > NAME_MAX_LOOKUP)
		return NULL;
	for (uint32_t at = name_hash(name, len);; at++) {
		const struct resp_command *c = s->by_hash[at & s->hash_mask];

		if (!c || name_is(c->name, name, len))
			return c;
	}
}

const struct resp_command *resp_subcommand_find(const struct resp_command *c, const char *name, size_t len)
{
	for (unsigned i = 0; i < c->n_subs; i++)
		if (name_is(c->subs[i].name, name, len))
			return &c->subs[i];
	return NULL;
}

bool resp_arg_is(const struct resp_arg *a, const char *word)
{
	for (size_t i = 0; i < a->len; i++)
		if (word[i] == '\0' || byte_lower((uint8_t)a->p[i]) != byte_lower((uint8_t)word[i]))
			return false;
	return word[a->len] == '\0';
}

bool resp_arg_int(const struct resp_arg *a, int64_t *n)
{
	return resp_number(a->p, a->len, n);
}

/* ---- refusals ---- */

static void reject_unknown(struct resp_call *r)
{
	char args[160];
	size_t len = 0;

	if (r->client->server->o.unknown && r->client->server->o.unknown(r))
		return;
	for (unsigned i = 1; i < r->argc && len < 128; i++) {
		int n = (int)(128 - len < r->argv[i].len ? 128 - len : r->argv[i].len);

		len += (size_t)snprintf(args + len, sizeof args - len, "'%.*s' ", n, r->argv[i].p);
	}
	args[len] = '\0';
	resp_errorf(r->out, "ERR unknown command '%.*s', with args beginning with: %s", (int)(r->argv[0].len < 128 ? r->argv[0].len : 128),
		    r->argv[0].p, args);
}

static void reject_unknown_sub(struct resp_call *r, const struct resp_command *container)
{
	char upper[NAME_MAX_LOOKUP + 1] = { 0 };

	for (size_t i = 0; i < sizeof upper - 1 && container->name[i]; i++)
		upper[i] = (char)toupper((unsigned char)container->name[i]);
	resp_errorf(r->out, "ERR unknown subcommand '%.*s'. Try %s HELP.", (int)(r->argv[1].len < 128 ? r->argv[1].len : 128), r->argv[1].p,
		    upper);
}

/* The command that is meant, or NULL and an error is written. *known: whom to blame in the statistics. */
static const struct resp_command *resolve(struct resp_call *r, const struct resp_command **known)
{
	const struct resp_command *cmd = resp_command_find(r->client->server, r->argv[0].p, r->argv[0].len);

	*known = cmd;
	if (!cmd) {
		reject_unknown(r);
		return NULL;
	}
	if (cmd->n_subs > 0 && r->argc > 1) {
		const struct resp_command *sub = resp_subcommand_find(cmd, r->argv[1].p, r->argv[1].len);

		if (!sub) {
			reject_unknown_sub(r, cmd);
			return NULL;
		}
		*known = cmd = sub;
	}
	bool fits = cmd->arity >= 0 ? r->argc == (unsigned)cmd->arity : r->argc >= (unsigned)-cmd->arity;
	if (!fits || !cmd->fn) {
		resp_errorf(r->out, "ERR wrong number of arguments for '%s' command", cmd->full_name);
		return NULL;
	}
	if (!r->client->authenticated && !(cmd->flags & RESP_CMD_NO_AUTH)) {
		resp_error(r->out, "NOAUTH Authentication required.");
		return NULL;
	}
	if (r->client->server->o.permit && !r->client->server->o.permit(r, cmd))
		return NULL;
	if (r->out->proto == 2 && resp_subscriptions(r->client) && !(cmd->flags & RESP_CMD_PUBSUB)) {
		resp_errorf(r->out, "ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
				    "context", cmd->full_name);
		return NULL;
	}
	return cmd;
}

/* A browser was led to send its request here: POST and Host: are no commands, and what follows is not to be run. */
static bool is_http(const struct resp_arg *a)
{
	return resp_arg_is(a, "post") || resp_arg_is(a, "host:");
}

/* ---- CLIENT PAUSE ---- */

bool dispatch_waits(const struct resp_client *c, unsigned argc, const struct resp_arg *argv)
{
	const struct resp_server *s = c->server;
	const struct resp_command *cmd = resp_command_find(s, argv[0].p, argv[0].len);

	if (clock_real_mono_ms() >= s->pause_until_ms)
		return false;
	if (cmd && cmd->n_subs && argc > 1)
		cmd = resp_subcommand_find(cmd, argv[1].p, argv[1].len);
	if (!cmd) /* its error can come at once */
		return false;
	return cmd->flags & RESP_CMD_UNPAUSE ? false : s->pause_writes ? cmd->flags & RESP_CMD_WRITE : true;
}

void pause_over(void *arg)
{
	struct resp_server *s = arg;

	s->pause_until_ms = 0;
	for (struct resp_client *c = resp_client_first(s); c; c = resp_client_next(c))
		if (c->paused) {
			c->paused = false;
			client_queue(c);
		}
}

void resp_pause(struct resp_server *s, uint64_t until_ms, bool writes_only)
{
	uint64_t now_ms = clock_real_mono_ms();

	if (until_ms <= now_ms) {
		timer_cancel(&s->pause);
		pause_over(s);
		return;
	}
	s->pause_writes = writes_only && (s->pause_until_ms == 0 || s->pause_writes);
	if (until_ms > s->pause_until_ms)
		s->pause_until_ms = until_ms;
	timer_set(&s->pause, s->pause_until_ms - now_ms);
}

/* ---- one call ---- */

/* CLIENT REPLY: takes back what was written when nobody wants to read it. */
static void reply_mode_apply(struct resp_client *c)
{
	switch (c->reply_mode) {
	case RESP_REPLY_ON:
		return;
	case RESP_REPLY_SKIPPING:
		c->reply_mode = RESP_REPLY_ON;
		break;
	case RESP_REPLY_SKIP:
		c->reply_mode = RESP_REPLY_SKIPPING;
		break;
	case RESP_REPLY_OFF:
		break;
	}
	c->out.len = c->reply_at;
}

static bool account_errors(struct resp_client *c)
{
	struct resp_server *s = c->server;

	if (c->out.errors == c->errors_before)
		return false;
	if (c->out.error_at < c->out.len)
		account_error(s, c->out.data + c->out.error_at, c->out.len - c->out.error_at);
	stat_add(s->o.stats, STAT_ERROR_REPLIES, c->out.errors - c->errors_before);
	return true;
}

uint64_t dispatch(struct resp_client *c, unsigned argc, const struct resp_arg *argv, uint64_t start_ns)
{
	struct resp_server *s = c->server;
	const struct resp_command *known, *cmd;
	struct resp_call r = { .client = c, .out = &c->out, .owner = s->o.owner, .argc = argc, .argv = argv };

	if (is_http(&argv[0])) {
		log_warn("client %s closed: it speaks HTTP", c->peer);
		client_end(c);
		return start_ns;
	}
	c->reply_at = c->out.len;
	c->errors_before = c->out.errors;
	c->commands++;
	stat_inc(s->o.stats, STAT_COMMANDS);
	if (!(cmd = resolve(&r, &known))) {
		if (known)
			s->stats[known->id].rejected++;
		account_errors(c);
		reply_mode_apply(c);
		return start_ns;
	}
	c->last = r.command = cmd;
	c->in_command = true;
	if (s->n_monitors && !(cmd->flags & RESP_CMD_SENSITIVE))
		monitor_feed(c, argc, argv);
	if (cmd->fn(&r) == STEP_PENDING)
		return clock_real_mono_ns();
	uint64_t now_ns = clock_real_mono_ns();
	account_command(c, cmd, (now_ns - start_ns) / 1000, account_errors(c));
	account_slow(c, cmd, argc, argv, (now_ns - start_ns) / 1000);
	reply_mode_apply(c);
	pubsub_release(c);
	return now_ns;
}

void dispatch_finish(struct resp_client *c)
{
	uint64_t usec = c->blocked_ns / 1000;

	account_command(c, c->last, usec, account_errors(c));
	account_slow(c, c->last, 0, NULL, usec);
	reply_mode_apply(c);
	pubsub_release(c);
}
