/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands about the connection itself: PING ECHO QUIT RESET HELLO AUTH SELECT.
 *
 * Who may come in is acl.h's to say. */
#include <stdio.h>

#include "admin/internal.h"

enum step cmd_ping(struct resp_call *r)
{
	if (r->argc > 2)
		resp_error(r->out, "ERR wrong number of arguments for 'ping' command");
	else if (r->out->proto == 2 && resp_subscriptions(r->client)) { /* among messages it must look like one */
		resp_array(r->out, 2);
		resp_str(r->out, "pong");
		resp_bulk(r->out, r->argc == 2 ? r->argv[1].p : "", r->argc == 2 ? r->argv[1].len : 0);
	} else if (r->argc == 2)
		resp_bulk(r->out, r->argv[1].p, r->argv[1].len);
	else
		resp_raw(r->out, "+PONG\r\n", 7);
	return STEP_DONE;
}

enum step cmd_echo(struct resp_call *r)
{
	resp_bulk(r->out, r->argv[1].p, r->argv[1].len);
	return STEP_DONE;
}

enum step cmd_quit(struct resp_call *r)
{
	resp_ok(r->out);
	resp_client_close_after_reply(r->client);
	return STEP_DONE;
}

enum step cmd_reset(struct resp_call *r)
{
	resp_client_reset(r->client);
	resp_simple(r->out, "RESET");
	return STEP_DONE;
}

enum step cmd_select(struct resp_call *r)
{
	int64_t db;

	if (!resp_arg_int(&r->argv[1], &db))
		resp_error(r->out, "ERR value is not an integer or out of range");
	else if (db != 0)
		resp_error(r->out, "ERR DB index is out of range");
	else
		resp_ok(r->out);
	return STEP_DONE;
}

/* ---- authentication ---- */

/* user NULL: the password alone was given. False: the error is written. */
static bool authenticate(struct resp_call *r, const struct resp_arg *user, const struct resp_arg *password)
{
	const struct acl_users *acl = admin_of(r)->acl;
	const struct resp_arg standard = { "default", 7 };

	if (!user && acl_has_no_password(acl_default(acl))) {
		resp_error(r->out, "ERR AUTH <password> called without any password configured for the default user. "
				   "Are you sure your configuration is correct?");
		return false;
	}
	user = user ? user : &standard;
	const struct acl_user *u = acl_find(acl, user->p, user->len);
	if (!acl_accepts(u ? u : acl_default(acl), password) || !u) { /* who does not exist takes as long */
		acl_log_auth(admin_of(r), r->client, user->p, user->len, r->command->full_name);
		resp_error(r->out, "WRONGPASS invalid username-password pair or user is disabled.");
		return false;
	}
	resp_client_set_user(r->client, u);
	resp_client_set_authenticated(r->client, true);
	return true;
}

enum step cmd_auth(struct resp_call *r)
{
	if (r->argc > 3)
		resp_error(r->out, "ERR syntax error");
	else if (authenticate(r, r->argc == 3 ? &r->argv[1] : NULL, &r->argv[r->argc - 1]))
		resp_ok(r->out);
	return STEP_DONE;
}

/* ---- HELLO ---- */

bool client_name_is_good(const struct resp_arg *a)
{
	for (size_t i = 0; i < a->len; i++)
		if (a->p[i] < '!' || a->p[i] > '~')
			return false;
	return true;
}

static void hello_reply(struct resp_call *r)
{
	resp_map(r->out, 7);
	resp_str(r->out, "server");
	resp_str(r->out, "redis");
	resp_str(r->out, "version");
	resp_str(r->out, REDIS_VERSION);
	resp_str(r->out, "proto");
	resp_int(r->out, r->out->proto);
	resp_str(r->out, "id");
	resp_int(r->out, (int64_t)resp_client_id(r->client));
	resp_str(r->out, "mode");
	resp_str(r->out, "standalone");
	resp_str(r->out, "role");
	resp_str(r->out, "master");
	resp_str(r->out, "modules");
	resp_array(r->out, 0);
}

enum step cmd_hello(struct resp_call *r)
{
	int64_t proto = 0;
	const struct resp_arg *name = NULL;
	unsigned at = 2;

	if (r->argc > 1 && !resp_arg_int(&r->argv[1], &proto)) {
		resp_error(r->out, "ERR Protocol version is not an integer or out of range");
		return STEP_DONE;
	}
	if (r->argc > 1 && proto != 2 && proto != 3) {
		resp_error(r->out, "NOPROTO unsupported protocol version");
		return STEP_DONE;
	}
	while (at < r->argc) {
		unsigned more = r->argc - at - 1;

		if (resp_arg_is(&r->argv[at], "auth") && more >= 2) {
			if (!authenticate(r, &r->argv[at + 1], &r->argv[at + 2]))
				return STEP_DONE;
			at += 3;
		} else if (resp_arg_is(&r->argv[at], "setname") && more >= 1) {
			name = &r->argv[at + 1];
			if (!client_name_is_good(name)) {
				resp_error(r->out, "ERR Client names cannot contain spaces, newlines or special characters.");
				return STEP_DONE;
			}
			at += 2;
		} else {
			resp_errorf(r->out, "ERR Syntax error in HELLO option '%.*s'", (int)(r->argv[at].len < 128 ? r->argv[at].len : 128),
				    r->argv[at].p);
			return STEP_DONE;
		}
	}
	if (!resp_client_authenticated(r->client)) {
		resp_error(r->out, "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH "
				   "<user> <pass> option can be used to authenticate the client and select the RESP protocol version at the "
				   "same time");
		return STEP_DONE;
	}
	if (name && resp_client_set_text(r->client, RESP_NAME, name->p, name->len) != 0) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	if (proto)
		resp_client_set_proto(r->client, (uint8_t)proto);
	hello_reply(r);
	return STEP_DONE;
}
