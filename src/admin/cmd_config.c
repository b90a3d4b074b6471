/* SPDX-License-Identifier: BSD-3-Clause */
/* CONFIG: the configuration in force. A change makes a new one, which is swapped whole and handed to everybody. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"

enum { CONFIG_SET_MAX = 64, REASON_MAX = 400 };

/* ---- GET ---- */

struct collected {
	struct resp_out *t;   /* name NUL value NUL … */
	unsigned n;
	const struct conf *conf;
};

static void collect(void *arg, const char *name, const char *value)
{
	struct collected *c = arg;

	/* an option that two patterns match is told once */
	for (size_t at = 0; at < c->t->len; at += strlen(c->t->data + at) + 1, at += strlen(c->t->data + at) + 1)
		if (strcmp(c->t->data + at, name) == 0)
			return;
	resp_raw(c->t, name, strlen(name) + 1);
	resp_raw(c->t, value, strlen(value) + 1);
	c->n += !c->t->failed;
}

enum step cmd_config_get(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct collected c = { .t = &a->text };

	text_reset(c.t);
	for (unsigned i = 2; i < r->argc; i++) {
		char *glob = mem_strndup(r->argv[i].p, r->argv[i].len);

		if (glob)
			conf_get(a->conf, glob, collect, &c);
		mem_free(glob);
	}
	resp_map(r->out, c.n);
	for (size_t at = 0; at < c.t->len; at += strlen(c.t->data + at) + 1)
		resp_str(r->out, c.t->data + at);
	return STEP_DONE;
}

/* ---- SET ---- */

static void put_in_force(struct admin *a, struct conf *c)
{
	admin_set_conf(a, c);
	a->ctx.hooks.conf_changed(a->ctx.hooks.arg, c);
	conf_unref(c);
}

static void count_only(void *arg, const char *name, const char *value)
{
	(void)name;
	(void)value;
	++*(unsigned *)arg;
}

/* The errors that clients know, with the reason behind them. */
static void set_refused(struct resp_call *r, int why, const char *const *names, unsigned n, const char *reason)
{
	const char *colon = strstr(reason, ": ");

	for (unsigned i = 0; i < n && why == ERR_UNKNOWN; i++) {
		unsigned known = 0;

		conf_get(admin_of(r)->conf, names[i], count_only, &known);
		if (!known) {
			resp_errorf(r->out, "ERR Unknown option or number of arguments for CONFIG SET - '%.128s'", names[i]);
			return;
		}
	}
	if (colon)
		resp_errorf(r->out, "ERR CONFIG SET failed (possibly related to argument '%.*s') - %s", (int)(colon - reason), reason, colon + 2);
	else
		resp_errorf(r->out, "ERR CONFIG SET failed - %s", reason);
}

enum step cmd_config_set(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	const char *names[CONFIG_SET_MAX], *values[CONFIG_SET_MAX];
	unsigned n = (r->argc - 2) / 2;
	char reason[REASON_MAX] = "";
	struct conf *made = NULL;

	if (r->argc % 2 != 0 || n > CONFIG_SET_MAX) {
		resp_error(r->out, r->argc % 2 != 0 ? "ERR wrong number of arguments for 'config|set' command" : "ERR too many options at once");
		return STEP_DONE;
	}
	text_reset(&a->text);
	for (unsigned i = 2; i < r->argc; i++) { /* terminated copies, one behind the other */
		if (memchr(r->argv[i].p, '\0', r->argv[i].len)) {
			resp_error(r->out, "ERR CONFIG SET failed - a value may not hold a NUL byte");
			return STEP_DONE;
		}
		resp_raw(&a->text, r->argv[i].p, r->argv[i].len);
		resp_raw(&a->text, "", 1);
	}
	if (a->text.failed) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	const char *at = a->text.data;
	for (unsigned i = 0; i < n; i++) {
		names[i] = at;
		at += strlen(at) + 1;
		values[i] = at;
		at += strlen(at) + 1;
	}
	int got = conf_set(a->conf, n, names, values, &made, reason, sizeof reason);
	if (got != 0) {
		set_refused(r, got, names, n, reason);
		return STEP_DONE;
	}
	put_in_force(a, made);
	resp_ok(r->out);
	return STEP_DONE;
}

enum step cmd_config_rewrite(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	char reason[REASON_MAX] = "";

	if (!a->conf->path)
		resp_error(r->out, "ERR The server is running without a config file");
	else if (conf_rewrite(a->conf, reason, sizeof reason) != 0)
		resp_errorf(r->out, "ERR Rewriting config file: %s", reason);
	else
		resp_ok(r->out);
	return STEP_DONE;
}

enum step cmd_config_resetstat(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct cache_info c;

	stats_reset(a->ctx.stats);
	cache_info(a->ctx.cache, clock_s(), &c);
	a->expired_before = c.expired;
	a->evicted_before = c.evicted;
	a->peak_memory = 0;
	resp_stats_reset(a->server);
	info_sample(a);
	resp_ok(r->out);
	return STEP_DONE;
}
