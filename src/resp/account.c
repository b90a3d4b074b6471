/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the books on commands: calls and latencies by command, errors by code, the slow log, latency events.
 *
 * Everything is sized at the start or bounded, as all of it is fed by what clients send: slowlog-max-len entries of
 * RESP_SLOW_ARGS cut arguments, ERRORS_MAX codes. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "config/config.h"
#include "resp/client.h"
#include "stats/stats.h"

enum { ERRORS_MAX = 64 };

struct slow_log {
	struct resp_slow_entry **ring; /* cap of them; entry i from the newest is ring[(next - 1 - i) mod cap] */
	unsigned cap, n, next;
	uint64_t next_id;
};

int account_begin(struct resp_server *s, unsigned n_commands)
{
	s->stats = mem_calloc(n_commands, sizeof *s->stats);
	s->errors = mem_calloc(ERRORS_MAX, sizeof *s->errors);
	s->slow = mem_calloc(1, sizeof *s->slow);
	return s->stats && s->errors && s->slow ? 0 : ERR_NOMEM;
}

void account_end(struct resp_server *s)
{
	if (s->slow) {
		resp_slow_reset(s);
		mem_free(s->slow->ring);
	}
	mem_free(s->slow);
	mem_free(s->errors);
	mem_free(s->stats);
}

/* ---- commands ---- */

const struct resp_command_stats *resp_stats_of(const struct resp_server *s, const struct resp_command *c)
{
	return &s->stats[c->id];
}

double resp_latency_percentile(const struct resp_command_stats *st, double q)
{
	uint64_t total = 0, below = 0;

	for (unsigned i = 0; i < RESP_LATENCY_BUCKETS; i++)
		total += st->latency[i];
	for (unsigned i = 0; i < RESP_LATENCY_BUCKETS; i++)
		if ((below += st->latency[i]) > 0 && (double)below >= q * (double)total)
			return (double)(1ull << i);
	return 0;
}

static void event_add_sample(struct resp_latency_event *e, uint32_t ms)
{
	uint32_t now_s = (uint32_t)clock_wall_s();
	unsigned last = (e->next + RESP_EVENT_SAMPLES - 1) % RESP_EVENT_SAMPLES;

	if (ms > e->max_ms)
		e->max_ms = ms;
	if (e->n > 0 && e->at_s[last] == now_s) {
		if (ms > e->ms[last])
			e->ms[last] = ms;
		return;
	}
	e->at_s[e->next] = now_s;
	e->ms[e->next] = ms;
	e->next = (e->next + 1) % RESP_EVENT_SAMPLES;
	if (e->n < RESP_EVENT_SAMPLES)
		e->n++;
}

void account_command(struct resp_client *c, const struct resp_command *cmd, uint64_t usec, bool failed)
{
	struct resp_server *s = c->server;
	struct resp_command_stats *st = &s->stats[cmd->id];
	unsigned bucket = usec == 0 ? 0 : 64 - (unsigned)__builtin_clzll(usec);
	uint32_t threshold_ms = s->conf->latency_monitor_threshold;

	st->calls++;
	st->usec += usec;
	st->failed += failed;
	st->latency[bucket < RESP_LATENCY_BUCKETS ? bucket : RESP_LATENCY_BUCKETS - 1]++;
	stat_time(s->o.stats, HIST_COMMAND, usec);
	if (threshold_ms > 0 && usec >= threshold_ms * 1000ull)
		event_add_sample(&s->events[cmd->flags & RESP_CMD_FAST ? RESP_EVENT_FAST_COMMAND : RESP_EVENT_COMMAND],
				 (uint32_t)(usec / 1000));
}

const char *resp_event_name(enum resp_event e)
{
	return e == RESP_EVENT_FAST_COMMAND ? "fast-command" : "command";
}

struct resp_latency_event *resp_latency_event(struct resp_server *s, enum resp_event e)
{
	return &s->events[e];
}

/* ---- errors ---- */

void account_error(struct resp_server *s, const char *reply, size_t len)
{
	char code[sizeof s->errors->code];
	size_t n = 0;

	for (size_t i = 1; i < len && n < sizeof code - 1 && reply[i] > ' '; i++)
		code[n++] = reply[i];
	code[n] = '\0';
	for (unsigned i = 0; i < s->n_errors; i++)
		if (strcmp(s->errors[i].code, code) == 0) {
			s->errors[i].n++;
			return;
		}
	if (s->n_errors == ERRORS_MAX)
		return;
	strcpy(s->errors[s->n_errors].code, code);
	s->errors[s->n_errors++].n = 1;
}

const struct resp_error_count *resp_errors(const struct resp_server *s, unsigned *n)
{
	*n = s->n_errors;
	return s->errors;
}

void resp_stats_reset(struct resp_server *s)
{
	memset(s->stats, 0, s->o.table.n_ids * sizeof *s->stats);
	s->n_errors = 0;
}

/* ---- the slow log ---- */

/* The ring has as many places as slowlog-max-len says; a change of it keeps the newest. */
static bool slow_fit(struct slow_log *l, unsigned cap)
{
	struct resp_slow_entry **ring;
	unsigned keep = l->n < cap ? l->n : cap;

	if (cap == l->cap)
		return cap > 0;
	if (cap == 0 || !(ring = mem_calloc(cap, sizeof *ring)))
		return false;
	for (unsigned i = 0; i < l->n; i++) {
		struct resp_slow_entry *e = l->ring[(l->next + l->cap - 1 - i) % l->cap];

		if (i < keep)
			ring[keep - 1 - i] = e;
		else
			mem_free(e);
	}
	mem_free(l->ring);
	l->ring = ring;
	l->cap = cap;
	l->n = keep;
	l->next = keep % cap;
	return true;
}

/* One argument as the log keeps it: cut, with a note of how much is missing. */
static struct resp_arg slow_arg(const struct resp_arg *a, char *to)
{
	int note = 0;
	size_t n = a->len < RESP_SLOW_ARG_LEN ? a->len : RESP_SLOW_ARG_LEN;

	memcpy(to, a->p, n);
	if (n < a->len)
		note = sprintf(to + n, "... (%zu more bytes)", a->len - n);
	return (struct resp_arg){ .p = to, .len = n + (size_t)note };
}

static struct resp_slow_entry *slow_entry_new(const struct resp_client *c, const struct resp_command *cmd, unsigned argc,
					      const struct resp_arg *argv)
{
	unsigned kept = argc < RESP_SLOW_ARGS ? argc : RESP_SLOW_ARGS;
	const char *name = c->text[RESP_NAME] ? c->text[RESP_NAME] : "";
	size_t name_len = strlen(name) + 1, per_arg = RESP_SLOW_ARG_LEN + 48;
	struct resp_slow_entry *e = mem_calloc(1, sizeof *e + kept * per_arg + name_len);

	if (!e)
		return NULL;
	char *at = (char *)(e + 1);
	e->argc = kept;
	for (unsigned i = 0; i < kept; i++, at += per_arg) {
		e->argv[i] = slow_arg(&argv[i], at);
		if (i == RESP_SLOW_ARGS - 1 && argc > RESP_SLOW_ARGS)
			e->argv[i].len = (size_t)sprintf(at, "... (%u more arguments)", argc - RESP_SLOW_ARGS + 1);
	}
	if (argc == 0) { /* a command that ran in slices: its arguments are gone */
		e->argv[0] = (struct resp_arg){ .p = cmd->full_name, .len = strlen(cmd->full_name) };
		e->argc = 1;
	}
	e->name = memcpy(at, name, name_len);
	snprintf(e->peer, sizeof e->peer, "%s", c->peer);
	return e;
}

void account_slow(struct resp_client *c, const struct resp_command *cmd, unsigned argc, const struct resp_arg *argv, uint64_t usec)
{
	struct slow_log *l = c->server->slow;
	int64_t limit_us = c->server->conf->slowlog_log_slower_than;
	struct resp_slow_entry *e;

	if (__builtin_expect(limit_us < 0 || usec < (uint64_t)limit_us, 1) || (cmd->flags & RESP_CMD_SKIP_SLOWLOG))
		return;
	if (!slow_fit(l, (unsigned)c->server->conf->slowlog_max_len))
		return;
	if (cmd->flags & RESP_CMD_SENSITIVE)
		argc = 0;
	if (!(e = slow_entry_new(c, cmd, argc, argv)))
		return;
	e->id = l->next_id++;
	e->wall_s = clock_wall_s();
	e->usec = usec;
	if (l->n == l->cap)
		mem_free(l->ring[l->next]);
	else
		l->n++;
	l->ring[l->next] = e;
	l->next = (l->next + 1) % l->cap;
}

unsigned resp_slow_len(const struct resp_server *s)
{
	return s->slow->n;
}

const struct resp_slow_entry *resp_slow_at(const struct resp_server *s, unsigned i)
{
	const struct slow_log *l = s->slow;

	return i < l->n ? l->ring[(l->next + l->cap - 1 - i) % l->cap] : NULL;
}

void resp_slow_reset(struct resp_server *s)
{
	struct slow_log *l = s->slow;

	for (unsigned i = 0; i < l->n; i++)
		mem_free(l->ring[(l->next + l->cap - 1 - i) % l->cap]);
	l->n = l->next = 0;
}
