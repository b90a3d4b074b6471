/* SPDX-License-Identifier: BSD-3-Clause */
/* SLOWLOG and LATENCY: which commands took long. */
#include "admin/internal.h"
#include "base/alloc.h"

/* ---- SLOWLOG ---- */

enum step cmd_slowlog_len(struct resp_call *r)
{
	resp_int(r->out, resp_slow_len(admin_of(r)->server));
	return STEP_DONE;
}

enum step cmd_slowlog_reset(struct resp_call *r)
{
	resp_slow_reset(admin_of(r)->server);
	resp_ok(r->out);
	return STEP_DONE;
}

static void reply_slow(struct resp_out *o, const struct resp_slow_entry *e)
{
	resp_array(o, 6);
	resp_int(o, (int64_t)e->id);
	resp_int(o, (int64_t)e->wall_s);
	resp_int(o, (int64_t)e->usec);
	resp_array(o, e->argc);
	for (unsigned i = 0; i < e->argc; i++)
		resp_bulk(o, e->argv[i].p, e->argv[i].len);
	resp_str(o, e->peer);
	resp_str(o, e->name);
}

enum step cmd_slowlog_get(struct resp_call *r)
{
	struct resp_server *s = admin_of(r)->server;
	int64_t n = 10;

	if (r->argc > 3) {
		resp_error(r->out, "ERR wrong number of arguments for 'slowlog|get' command");
		return STEP_DONE;
	}
	if (r->argc == 3 && (!resp_arg_int(&r->argv[2], &n) || n < -1)) {
		resp_error(r->out, "ERR count should be greater than or equal to -1");
		return STEP_DONE;
	}
	if (n == -1 || n > resp_slow_len(s))
		n = resp_slow_len(s);
	resp_array(r->out, (size_t)n);
	for (unsigned i = 0; i < (unsigned)n; i++)
		reply_slow(r->out, resp_slow_at(s, i));
	return STEP_DONE;
}

/* ---- LATENCY ---- */

static unsigned last_of(const struct resp_latency_event *e)
{
	return (e->next + RESP_EVENT_SAMPLES - 1) % RESP_EVENT_SAMPLES;
}

enum step cmd_latency_latest(struct resp_call *r)
{
	struct resp_server *s = admin_of(r)->server;
	unsigned n = 0;

	for (unsigned i = 0; i < RESP_EVENTS; i++)
		n += resp_latency_event(s, i)->n > 0;
	resp_array(r->out, n);
	for (unsigned i = 0; i < RESP_EVENTS; i++) {
		const struct resp_latency_event *e = resp_latency_event(s, i);

		if (!e->n)
			continue;
		resp_array(r->out, 4);
		resp_str(r->out, resp_event_name(i));
		resp_int(r->out, e->at_s[last_of(e)]);
		resp_int(r->out, e->ms[last_of(e)]);
		resp_int(r->out, e->max_ms);
	}
	return STEP_DONE;
}

enum step cmd_latency_history(struct resp_call *r)
{
	for (unsigned i = 0; i < RESP_EVENTS; i++) {
		const struct resp_latency_event *e = resp_latency_event(admin_of(r)->server, i);

		if (!resp_arg_is(&r->argv[2], resp_event_name(i)))
			continue;
		resp_array(r->out, e->n);
		for (unsigned j = 0; j < e->n; j++) {
			unsigned at = (e->next + RESP_EVENT_SAMPLES - e->n + j) % RESP_EVENT_SAMPLES;

			resp_array(r->out, 2);
			resp_int(r->out, e->at_s[at]);
			resp_int(r->out, e->ms[at]);
		}
		return STEP_DONE;
	}
	resp_array(r->out, 0);
	return STEP_DONE;
}

enum step cmd_latency_reset(struct resp_call *r)
{
	int64_t n = 0;

	for (unsigned i = 0; i < RESP_EVENTS; i++) {
		struct resp_latency_event *e = resp_latency_event(admin_of(r)->server, i);
		bool meant = r->argc == 2;

		for (unsigned j = 2; j < r->argc; j++)
			meant |= resp_arg_is(&r->argv[j], resp_event_name(i));
		if (meant && e->n > 0) {
			*e = (struct resp_latency_event){ 0 };
			n++;
		}
	}
	resp_int(r->out, n);
	return STEP_DONE;
}

static void add_event(struct resp_out *t, const char *name, const struct resp_latency_event *e)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < e->n; i++)
		sum += e->ms[i];
	text_addf(t, "%s: %u seconds with a slow command, the worst %u ms, on average %llu ms.\n", name, e->n, e->max_ms,
		  (unsigned long long)(e->n ? sum / e->n : 0));
}

enum step cmd_latency_doctor(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct resp_out *t = &a->text;

	text_reset(t);
	if (a->conf->latency_monitor_threshold == 0)
		text_add(t, "Latency events are not recorded: CONFIG SET latency-monitor-threshold <milliseconds> turns that on. "
			    "LATENCY HISTOGRAM works without.\n");
	for (unsigned i = 0; i < RESP_EVENTS; i++)
		if (resp_latency_event(a->server, i)->n > 0)
			add_event(t, resp_event_name(i), resp_latency_event(a->server, i));
	if (t->len == 0)
		text_add(t, "No command was slow since the start or the last LATENCY RESET.\n");
	resp_verbatim(r->out, "txt", t->data, t->len);
	return STEP_DONE;
}

/* ---- HISTOGRAM ---- */

static void reply_histogram(struct resp_out *o, const struct resp_command *c, const struct resp_command_stats *st)
{
	unsigned filled = 0;
	uint64_t sum = 0;

	for (unsigned i = 0; i < RESP_LATENCY_BUCKETS; i++)
		filled += st->latency[i] > 0;
	resp_str(o, c->full_name);
	resp_map(o, 2);
	resp_str(o, "calls");
	resp_int(o, (int64_t)st->calls);
	resp_str(o, "histogram_usec");
	resp_map(o, filled);
	for (unsigned i = 0; i < RESP_LATENCY_BUCKETS; i++)
		if (st->latency[i]) {
			sum += st->latency[i];
			resp_int(o, (int64_t)1 << i);
			resp_int(o, (int64_t)sum);
		}
}

/* A command and its subcommands, those that were called. Returns how many; writes them when o is not NULL. */
static unsigned histograms_of(const struct resp_server *s, struct resp_out *o, const struct resp_command *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i <= c->n_subs; i++) {
		const struct resp_command *each = i == 0 ? c : &c->subs[i - 1];
		const struct resp_command_stats *st = resp_stats_of(s, each);

		if (!st->calls)
			continue;
		n++;
		if (o)
			reply_histogram(o, each, st);
	}
	return n;
}

static unsigned histograms(struct resp_call *r, struct resp_out *o)
{
	const struct resp_server *s = admin_of(r)->server;
	unsigned n = 0;

	for (unsigned i = 0; r->argc == 2 && i < commands_table.n; i++)
		n += histograms_of(s, o, &commands_table.commands[i]);
	for (unsigned i = 2; i < r->argc; i++) {
		const struct resp_arg *a = &r->argv[i];
		const char *bar = memchr(a->p, '|', a->len);
		const struct resp_command *c = resp_command_find(s, a->p, bar ? (size_t)(bar - a->p) : a->len);

		if (c && bar)
			c = resp_subcommand_find(c, bar + 1, a->len - (size_t)(bar + 1 - a->p));
		if (c)
			n += histograms_of(s, o, c);
	}
	return n;
}

enum step cmd_latency_histogram(struct resp_call *r)
{
	resp_map(r->out, histograms(r, NULL));
	histograms(r, r->out);
	return STEP_DONE;
}

/* ---- LATENCY GRAPH ---- */

/* Four rows of columns, one a second that had a slow command, oldest first; below the seconds since. */
static void add_graph(struct resp_out *t, const char *name, const struct resp_latency_event *e)
{
	uint32_t low = UINT32_MAX, high = 0;

	for (unsigned i = 0; i < e->n; i++) {
		low = e->ms[i] < low ? e->ms[i] : low;
		high = e->ms[i] > high ? e->ms[i] : high;
	}
	text_addf(t, "%s - high %u ms, low %u ms (all time high %u ms)\n", name, high, low, e->max_ms);
	for (unsigned row = 4; row > 0; row--) {
		for (unsigned j = 0; j < e->n; j++) {
			unsigned at = (e->next + RESP_EVENT_SAMPLES - e->n + j) % RESP_EVENT_SAMPLES;
			uint64_t height = high > low ? 1 + (uint64_t)(e->ms[at] - low) * 3 / (high - low) : 1;

			text_add(t, height == row ? "o" : height > row ? "|" : " ");
		}
		text_add(t, "\n");
	}
}

enum step cmd_latency_graph(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;

	for (unsigned i = 0; i < RESP_EVENTS; i++) {
		const struct resp_latency_event *e = resp_latency_event(admin_of(r)->server, i);

		if (!resp_arg_is(&r->argv[2], resp_event_name(i)) || e->n == 0)
			continue;
		text_reset(t);
		add_graph(t, resp_event_name(i), e);
		resp_verbatim(r->out, "txt", t->data, t->len);
		return STEP_DONE;
	}
	resp_errorf(r->out, "ERR No samples available for event '%.*s'", (int)(r->argv[2].len < 64 ? r->argv[2].len : 64), r->argv[2].p);
	return STEP_DONE;
}
