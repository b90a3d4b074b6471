/* SPDX-License-Identifier: BSD-3-Clause */
/* CLIENT: who is connected, by what name, and out with them. */
#include <stdio.h>

#include "admin/internal.h"
#include "base/clock.h"

static void wrong_flag(struct resp_call *r)
{
	resp_error(r->out, "ERR syntax error");
}

enum step cmd_client_id(struct resp_call *r)
{
	resp_int(r->out, (int64_t)resp_client_id(r->client));
	return STEP_DONE;
}

static enum step set_text(struct resp_call *r, enum resp_client_text which, const struct resp_arg *value)
{
	if (resp_client_set_text(r->client, which, value->p, value->len) != 0)
		resp_error(r->out, "ERR no memory");
	else
		resp_ok(r->out);
	return STEP_DONE;
}

enum step cmd_client_setname(struct resp_call *r)
{
	if (client_name_is_good(&r->argv[2]))
		return set_text(r, RESP_NAME, &r->argv[2]);
	resp_error(r->out, "ERR Client names cannot contain spaces, newlines or special characters.");
	return STEP_DONE;
}

enum step cmd_client_getname(struct resp_call *r)
{
	struct resp_client_info i;

	resp_client_info(r->client, &i);
	if (*i.name)
		resp_str(r->out, i.name);
	else
		resp_null(r->out);
	return STEP_DONE;
}

enum step cmd_client_setinfo(struct resp_call *r)
{
	const struct resp_arg *what = &r->argv[2], *value = &r->argv[3];
	bool name = resp_arg_is(what, "lib-name");

	if (!name && !resp_arg_is(what, "lib-ver")) {
		resp_errorf(r->out, "ERR Unrecognized option '%.*s'", (int)(what->len < 128 ? what->len : 128), what->p);
	} else if (!client_name_is_good(value)) {
		resp_errorf(r->out, "ERR %s cannot contain spaces, newlines or special characters.", name ? "lib-name" : "lib-ver");
	} else {
		return set_text(r, name ? RESP_LIB_NAME : RESP_LIB_VER, value);
	}
	return STEP_DONE;
}

/* ---- describing ---- */

static const char *user_name(const struct resp_client *c)
{
	const struct acl_user *u = resp_client_user(c);

	return u ? acl_name(u) : "(none)";
}

void client_line(struct resp_out *t, const struct resp_client *c)
{
	struct resp_client_info i;
	char flags[12], *f = flags;

	resp_client_info(c, &i);
	if (i.blocked)
		*f++ = 'b';
	if (i.closing)
		*f++ = 'c';
	if (i.no_evict)
		*f++ = 'e';
	if (i.no_touch)
		*f++ = 'T';
	if (i.monitor)
		*f++ = 'O';
	if (i.channels || i.patterns)
		*f++ = 'P';
	if (f == flags)
		*f++ = 'N';
	*f = '\0';
	text_addf(t,
		  "id=%llu addr=%s laddr=%s fd=%d name=%s age=%llu idle=%llu flags=%s db=0 sub=%u psub=%u ssub=0 multi=-1 qbuf=%zu "
		  "qbuf-free=%zu argv-mem=%zu multi-mem=0 rbs=0 rbp=0 obl=%zu oll=0 omem=0 tot-mem=%zu events=%s cmd=%s user=%s "
		  "redir=-1 resp=%u lib-name=%s lib-ver=%s tot-net-in=%llu tot-net-out=%llu tot-cmds=%llu\n",
		  (unsigned long long)i.id, i.peer, i.local, i.fd, i.name, (unsigned long long)i.age_s, (unsigned long long)i.idle_s, flags, i.channels, i.patterns,
		  i.in_used, i.in_free, i.args_mem, i.out_len, i.total_mem, i.out_len ? "rw" : "r", i.last,
		  user_name(c), i.proto, i.lib_name, i.lib_ver,
		  (unsigned long long)i.net_in, (unsigned long long)i.net_out, (unsigned long long)i.commands);
}

static enum step send_text(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;

	if (t->failed)
		resp_error(r->out, "ERR no memory");
	else
		resp_verbatim(r->out, "txt", t->data, t->len);
	return STEP_DONE;
}

enum step cmd_client_info(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;

	text_reset(t);
	client_line(t, r->client);
	return send_text(r);
}

/* Kinds of connections: there are normal ones and those with subscriptions; the others Redis has, and we never. */
enum { TYPE_NONE, TYPE_NORMAL, TYPE_PUBSUB, TYPE_ANY };

/* ERR_UNKNOWN when it is no kind. */
static int client_type(const struct resp_arg *a)
{
	if (resp_arg_is(a, "normal"))
		return TYPE_NORMAL;
	if (resp_arg_is(a, "pubsub"))
		return TYPE_PUBSUB;
	if (resp_arg_is(a, "master") || resp_arg_is(a, "replica") || resp_arg_is(a, "slave"))
		return TYPE_NONE;
	return ERR_UNKNOWN;
}

static bool is_of_type(const struct resp_client *c, int type)
{
	return type == TYPE_ANY || type == (resp_subscriptions(c) ? TYPE_PUBSUB : TYPE_NORMAL);
}

static void unknown_type(struct resp_call *r, const struct resp_arg *a)
{
	resp_errorf(r->out, "ERR Unknown client type '%.*s'", (int)(a->len < 128 ? a->len : 128), a->p);
}

static struct resp_client *by_id(struct resp_call *r, int64_t id)
{
	struct resp_client *c = resp_client_first(admin_of(r)->server);

	while (c && resp_client_id(c) != (uint64_t)id)
		c = resp_client_next(c);
	return c;
}

enum step cmd_client_list(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;
	int64_t id;
	int type = TYPE_ANY;

	text_reset(t);
	if (r->argc == 2 || (r->argc == 4 && resp_arg_is(&r->argv[2], "type"))) {
		if (r->argc == 4 && (type = client_type(&r->argv[3])) < 0) {
			unknown_type(r, &r->argv[3]);
			return STEP_DONE;
		}
		for (struct resp_client *c = resp_client_first(admin_of(r)->server); c; c = resp_client_next(c))
			if (is_of_type(c, type))
				client_line(t, c);
		return send_text(r);
	}
	if (r->argc < 4 || !resp_arg_is(&r->argv[2], "id")) {
		wrong_flag(r);
		return STEP_DONE;
	}
	for (unsigned i = 3; i < r->argc; i++)
		if (!resp_arg_int(&r->argv[i], &id) || id < 1) {
			resp_error(r->out, "ERR Invalid client ID");
			return STEP_DONE;
		}
	for (unsigned i = 3; i < r->argc; i++) {
		resp_arg_int(&r->argv[i], &id);
		struct resp_client *c = by_id(r, id);
		if (c)
			client_line(t, c);
	}
	return send_text(r);
}

/* ---- KILL ---- */

struct kill_filter {
	int64_t id, max_age_s; /* 0: any */
	int type;
	const struct resp_arg *addr, *laddr;
	const struct acl_user *user; /* NULL: any */
	bool skip_me;
};

static bool same_text(const struct resp_arg *a, const char *s)
{
	return strlen(s) == a->len && memcmp(a->p, s, a->len) == 0;
}

static bool kill_matches(const struct kill_filter *f, const struct resp_client *c, const struct resp_client *me)
{
	struct resp_client_info i;

	resp_client_info(c, &i);
	return (f->id == 0 || i.id == (uint64_t)f->id) && (f->max_age_s == 0 || i.age_s >= (uint64_t)f->max_age_s) && is_of_type(c, f->type) &&
	       (!f->addr || same_text(f->addr, i.peer)) && (!f->laddr || same_text(f->laddr, i.local)) && (!f->user || f->user == resp_client_user(c)) &&
	       !(f->skip_me && c == me);
}

/* One option and its value; false: the error is written. */
static bool kill_option(struct resp_call *r, struct kill_filter *f, const struct resp_arg *word, const struct resp_arg *value)
{
	if (resp_arg_is(word, "id")) {
		if (resp_arg_int(value, &f->id) && f->id > 0)
			return true;
		resp_error(r->out, "ERR client-id should be greater than 0");
	} else if (resp_arg_is(word, "maxage")) {
		if (resp_arg_int(value, &f->max_age_s) && f->max_age_s > 0)
			return true;
		resp_error(r->out, "ERR maxage is not an integer or out of range");
	} else if (resp_arg_is(word, "type")) {
		if ((f->type = client_type(value)) >= 0)
			return true;
		unknown_type(r, value);
	} else if (resp_arg_is(word, "addr")) {
		f->addr = value;
		return true;
	} else if (resp_arg_is(word, "laddr")) {
		f->laddr = value;
		return true;
	} else if (resp_arg_is(word, "user")) {
		if ((f->user = acl_find(admin_of(r)->acl, value->p, value->len)))
			return true;
		resp_errorf(r->out, "ERR No such user '%.*s'", (int)(value->len < 128 ? value->len : 128), value->p);
	} else if (resp_arg_is(word, "skipme") && (resp_arg_is(value, "yes") || resp_arg_is(value, "no"))) {
		f->skip_me = resp_arg_is(value, "yes");
		return true;
	} else {
		wrong_flag(r);
	}
	return false;
}

static int64_t kill_all(struct resp_call *r, const struct kill_filter *f)
{
	int64_t n = 0;

	for (struct resp_client *c = resp_client_first(admin_of(r)->server), *next; c; c = next) {
		next = resp_client_next(c);
		if (kill_matches(f, c, r->client)) {
			resp_client_kill(c, r->client);
			n++;
		}
	}
	return n;
}

enum step cmd_client_kill(struct resp_call *r)
{
	struct kill_filter f = { .type = TYPE_ANY, .skip_me = true };

	if (r->argc == 3) { /* the old form: an address, and oneself may be meant */
		f.addr = &r->argv[2];
		f.skip_me = false;
		if (kill_all(r, &f) > 0)
			resp_ok(r->out);
		else
			resp_error(r->out, "ERR No such client");
		return STEP_DONE;
	}
	if (r->argc % 2 != 0) {
		wrong_flag(r);
		return STEP_DONE;
	}
	for (unsigned i = 2; i + 1 < r->argc; i += 2)
		if (!kill_option(r, &f, &r->argv[i], &r->argv[i + 1]))
			return STEP_DONE;
	resp_int(r->out, kill_all(r, &f));
	return STEP_DONE;
}

/* ---- switches ---- */

/* ON 1, OFF 0, else ERR_BAD and an error is written. */
static int on_off(struct resp_call *r)
{
	if (resp_arg_is(&r->argv[2], "on"))
		return 1;
	if (resp_arg_is(&r->argv[2], "off"))
		return 0;
	wrong_flag(r);
	return ERR_BAD;
}

enum step cmd_client_no_evict(struct resp_call *r)
{
	int on = on_off(r);

	if (on >= 0) {
		resp_client_set_no_evict(r->client, on);
		resp_ok(r->out);
	}
	return STEP_DONE;
}

enum step cmd_client_no_touch(struct resp_call *r)
{
	int on = on_off(r);

	if (on >= 0) {
		resp_client_set_no_touch(r->client, on);
		resp_ok(r->out);
	}
	return STEP_DONE;
}

enum step cmd_client_reply(struct resp_call *r)
{
	if (resp_arg_is(&r->argv[2], "on")) {
		resp_client_set_reply(r->client, RESP_REPLY_ON);
		resp_ok(r->out);
	} else if (resp_arg_is(&r->argv[2], "off")) {
		resp_client_set_reply(r->client, RESP_REPLY_OFF);
	} else if (resp_arg_is(&r->argv[2], "skip")) {
		resp_client_set_reply(r->client, RESP_REPLY_SKIP);
	} else {
		wrong_flag(r);
	}
	return STEP_DONE;
}

/* ---- PAUSE, UNBLOCK, TRACKING ---- */

enum step cmd_client_pause(struct resp_call *r)
{
	bool writes = r->argc == 4 && resp_arg_is(&r->argv[3], "write");
	int64_t ms;

	if (r->argc > 4 || (r->argc == 4 && !writes && !resp_arg_is(&r->argv[3], "all"))) {
		resp_error(r->out, "ERR CLIENT PAUSE mode must be WRITE or ALL");
	} else if (!resp_arg_int(&r->argv[2], &ms) || ms > INT64_MAX / 2) {
		resp_error(r->out, "ERR timeout is not an integer or out of range");
	} else if (ms < 0) {
		resp_error(r->out, "ERR timeout is negative");
	} else {
		if (ms > 0)
			resp_pause(admin_of(r)->server, clock_real_mono_ms() + (uint64_t)ms, writes);
		resp_ok(r->out);
	}
	return STEP_DONE;
}

enum step cmd_client_unpause(struct resp_call *r)
{
	resp_pause(admin_of(r)->server, 0, false);
	resp_ok(r->out);
	return STEP_DONE;
}

/* Nothing blocks here in the sense of BLPOP: there is never anybody to wake. */
enum step cmd_client_unblock(struct resp_call *r)
{
	int64_t id;

	if (!resp_arg_int(&r->argv[2], &id))
		resp_error(r->out, "ERR value is not an integer or out of range");
	else if (r->argc > 4 || (r->argc == 4 && !resp_arg_is(&r->argv[3], "timeout") && !resp_arg_is(&r->argv[3], "error")))
		resp_error(r->out, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
	else
		resp_int(r->out, 0);
	return STEP_DONE;
}

enum step cmd_client_tracking(struct resp_call *r)
{
	if (r->argc == 3 && resp_arg_is(&r->argv[2], "off"))
		resp_ok(r->out);
	else
		resp_error(r->out, "ERR CLIENT TRACKING is not supported: what was read is kept by no client; notify-keyspace-events tells of changes");
	return STEP_DONE;
}

enum step cmd_client_trackinginfo(struct resp_call *r)
{
	resp_map(r->out, 3);
	resp_str(r->out, "flags");
	resp_set(r->out, 1);
	resp_str(r->out, "off");
	resp_str(r->out, "redirect");
	resp_int(r->out, -1);
	resp_str(r->out, "prefixes");
	resp_array(r->out, 0);
	return STEP_DONE;
}

enum step cmd_client_caching(struct resp_call *r)
{
	resp_error(r->out, "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled");
	return STEP_DONE;
}

enum step cmd_client_getredir(struct resp_call *r)
{
	resp_int(r->out, -1);
	return STEP_DONE;
}
