/* SPDX-License-Identifier: BSD-3-Clause */
/* COMMAND: what the table says of each command, in the shapes that clients parse. And HELP of every container. */
#include <ctype.h>
#include <stdio.h>

#include "admin/acl_user.h"
#include "admin/internal.h"
#include "base/bytes.h"

struct bit_name {
	uint32_t bit;
	const char *name;
};

static const struct bit_name flag_names[] = {
	{ RESP_CMD_WRITE, "write" }, { RESP_CMD_READONLY, "readonly" }, { RESP_CMD_ADMIN, "admin" }, { RESP_CMD_NOSCRIPT, "noscript" },
	{ RESP_CMD_BLOCKING, "blocking" }, { RESP_CMD_LOADING, "loading" }, { RESP_CMD_STALE, "stale" },
	{ RESP_CMD_SKIP_SLOWLOG, "skip_slowlog" }, { RESP_CMD_FAST, "fast" }, { RESP_CMD_NO_AUTH, "no_auth" },
	{ RESP_CMD_PUBSUB, "pubsub" },
};
static const struct bit_name acl_names[] = {
	{ ACL_KEYSPACE, "keyspace" }, { ACL_READ, "read" }, { ACL_WRITE, "write" }, { ACL_STRING, "string" }, { ACL_DNS, "dns" },
	{ ACL_ADMIN, "admin" }, { ACL_FAST, "fast" }, { ACL_SLOW, "slow" }, { ACL_BLOCKING, "blocking" }, { ACL_DANGEROUS, "dangerous" },
	{ ACL_CONNECTION, "connection" }, { ACL_PUBSUB, "pubsub" },
};
static const struct bit_name key_names[] = {
	{ KEY_RO, "RO" }, { KEY_RW, "RW" }, { KEY_OW, "OW" }, { KEY_RM, "RM" }, { KEY_ACCESS, "access" }, { KEY_UPDATE, "update" },
	{ KEY_INSERT, "insert" }, { KEY_DELETE, "delete" },
};
static const struct bit_name arg_names[] = {
	{ ARG_OPTIONAL, "optional" }, { ARG_MULTIPLE, "multiple" }, { ARG_MULTIPLE_TOKEN, "multiple_token" },
};
enum { FLAG_NAMES = sizeof flag_names / sizeof *flag_names, ACL_NAMES = sizeof acl_names / sizeof *acl_names,
       KEY_NAMES = sizeof key_names / sizeof *key_names, ARG_NAMES = sizeof arg_names / sizeof *arg_names };

static void reply_bits(struct resp_out *o, uint32_t bits, const struct bit_name *names, unsigned n, const char *prefix)
{
	resp_set(o, (size_t)__builtin_popcount(bits));
	for (unsigned i = 0; i < n; i++)
		if (bits & names[i].bit) {
			char text[32];

			snprintf(text, sizeof text, "%s%s", prefix, names[i].name);
			resp_simple(o, text);
		}
}

/* ---- ACL categories ---- */

uint32_t acl_category(const struct resp_arg *name)
{
	for (unsigned i = 0; i < ACL_NAMES; i++)
		if (resp_arg_is(name, acl_names[i].name))
			return acl_names[i].bit;
	return resp_arg_is(name, "all") ? ACL_ALL : 0;
}

void acl_categories_reply(struct resp_out *o)
{
	resp_array(o, ACL_NAMES);
	for (unsigned i = 0; i < ACL_NAMES; i++)
		resp_str(o, acl_names[i].name);
}

static unsigned in_category(const struct resp_command *c, uint32_t bit, struct resp_out *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i <= c->n_subs; i++) {
		const struct resp_command *each = i == 0 ? c : &c->subs[i - 1];

		if (!(((const struct command_docs *)each->docs)->acl & bit) || !each->fn)
			continue;
		n++;
		if (o)
			resp_str(o, each->full_name);
	}
	return n;
}

void acl_category_reply(struct resp_out *o, uint32_t bit)
{
	unsigned n = 0;

	for (unsigned i = 0; i < commands_table.n; i++)
		n += in_category(&commands_table.commands[i], bit, NULL);
	resp_array(o, n);
	for (unsigned i = 0; i < commands_table.n; i++)
		in_category(&commands_table.commands[i], bit, o);
}

/* ---- INFO ---- */

static void reply_key_spec(struct resp_out *o, const struct command_key_spec *k)
{
	resp_map(o, 3);
	resp_str(o, "flags");
	reply_bits(o, k->flags, key_names, KEY_NAMES, "");
	resp_str(o, "begin_search");
	resp_map(o, 2);
	resp_str(o, "type");
	resp_str(o, "index");
	resp_str(o, "spec");
	resp_map(o, 1);
	resp_str(o, "index");
	resp_int(o, k->pos);
	resp_str(o, "find_keys");
	resp_map(o, 2);
	resp_str(o, "type");
	resp_str(o, "range");
	resp_str(o, "spec");
	resp_map(o, 3);
	resp_str(o, "lastkey");
	resp_int(o, k->last);
	resp_str(o, "keystep");
	resp_int(o, k->step);
	resp_str(o, "limit");
	resp_int(o, k->limit);
}

static void reply_info(struct resp_out *o, const struct resp_command *c)
{
	const struct command_docs *d = c->docs;
	const struct command_key_spec *k = d->keys;
	uint32_t shown = 0;

	for (unsigned i = 0; i < FLAG_NAMES; i++)
		shown |= c->flags & flag_names[i].bit;
	resp_array(o, 10);
	resp_str(o, c->full_name);
	resp_int(o, c->arity);
	reply_bits(o, shown, flag_names, FLAG_NAMES, "");
	resp_int(o, k ? k->pos : 0);
	resp_int(o, k ? (k->last < 0 ? k->last : k->pos + k->last) : 0);
	resp_int(o, k ? k->step : 0);
	reply_bits(o, d->acl, acl_names, ACL_NAMES, "@");
	resp_set(o, d->n_tips);
	for (unsigned i = 0; i < d->n_tips; i++)
		resp_str(o, d->tips[i]);
	resp_set(o, d->n_keys);
	for (unsigned i = 0; i < d->n_keys; i++)
		reply_key_spec(o, &d->keys[i]);
	resp_set(o, c->n_subs);
	for (unsigned i = 0; i < c->n_subs; i++)
		reply_info(o, &c->subs[i]);
}

/* "get", or "config|get". */
static const struct resp_command *find(struct resp_call *r, const struct resp_arg *a)
{
	const char *bar = memchr(a->p, '|', a->len);
	size_t len = bar ? (size_t)(bar - a->p) : a->len;
	const struct resp_command *c = resp_command_find(admin_of(r)->server, a->p, len);

	return c && bar ? resp_subcommand_find(c, bar + 1, a->len - len - 1) : c;
}

enum step cmd_command(struct resp_call *r)
{
	resp_array(r->out, commands_table.n);
	for (unsigned i = 0; i < commands_table.n; i++)
		reply_info(r->out, &commands_table.commands[i]);
	return STEP_DONE;
}

enum step cmd_command_info(struct resp_call *r)
{
	if (r->argc == 2)
		return cmd_command(r);
	resp_array(r->out, r->argc - 2);
	for (unsigned i = 2; i < r->argc; i++) {
		const struct resp_command *c = find(r, &r->argv[i]);

		if (c)
			reply_info(r->out, c);
		else
			resp_null_array(r->out);
	}
	return STEP_DONE;
}

enum step cmd_command_count(struct resp_call *r)
{
	resp_int(r->out, commands_table.n);
	return STEP_DONE;
}

/* ---- DOCS ---- */

static void reply_args(struct resp_out *o, const struct command_arg *args, unsigned n)
{
	resp_array(o, n);
	for (unsigned i = 0; i < n; i++) {
		const struct command_arg *a = &args[i];

		resp_map(o, 2u + (a->key_spec >= 0) + !!a->token + !!a->display + !!a->flags + !!a->n_args);
		resp_str(o, "name");
		resp_str(o, a->name);
		resp_str(o, "type");
		resp_str(o, a->type);
		if (a->display) {
			resp_str(o, "display_text");
			resp_str(o, a->display);
		}
		if (a->key_spec >= 0) {
			resp_str(o, "key_spec_index");
			resp_int(o, a->key_spec);
		}
		if (a->token) {
			resp_str(o, "token");
			resp_str(o, a->token);
		}
		if (a->flags) {
			resp_str(o, "flags");
			reply_bits(o, a->flags, arg_names, ARG_NAMES, "");
		}
		if (a->n_args) {
			resp_str(o, "arguments");
			reply_args(o, a->args, a->n_args);
		}
	}
}

static void reply_docs(struct resp_out *o, const struct resp_command *c)
{
	const struct command_docs *d = c->docs;

	resp_str(o, c->full_name);
	resp_map(o, 4u + !!d->n_args + !!c->n_subs);
	resp_str(o, "summary");
	resp_str(o, d->summary);
	resp_str(o, "since");
	resp_str(o, d->since);
	resp_str(o, "group");
	resp_str(o, d->group);
	resp_str(o, "complexity");
	resp_str(o, d->complexity);
	if (d->n_args) {
		resp_str(o, "arguments");
		reply_args(o, d->args, d->n_args);
	}
	if (c->n_subs) {
		resp_str(o, "subcommands");
		resp_map(o, c->n_subs);
		for (unsigned i = 0; i < c->n_subs; i++)
			reply_docs(o, &c->subs[i]);
	}
}

enum step cmd_command_docs(struct resp_call *r)
{
	unsigned n = 0;

	if (r->argc == 2) {
		resp_map(r->out, commands_table.n);
		for (unsigned i = 0; i < commands_table.n; i++)
			reply_docs(r->out, &commands_table.commands[i]);
		return STEP_DONE;
	}
	for (unsigned i = 2; i < r->argc; i++)
		n += find(r, &r->argv[i]) != NULL;
	resp_map(r->out, n);
	for (unsigned i = 2; i < r->argc; i++) {
		const struct resp_command *c = find(r, &r->argv[i]);

		if (c)
			reply_docs(r->out, c);
	}
	return STEP_DONE;
}

/* ---- LIST ---- */

enum filter { FILTER_NONE, FILTER_MODULE, FILTER_ACLCAT, FILTER_PATTERN };

static bool listed(const struct resp_command *c, enum filter f, const struct resp_arg *value)
{
	const struct command_docs *d = c->docs;

	switch (f) {
	case FILTER_NONE:
		return true;
	case FILTER_MODULE:
		return false; /* there are none */
	case FILTER_PATTERN:
		return glob_match(value->p, value->len, c->full_name, strlen(c->full_name), true);
	case FILTER_ACLCAT:
		for (unsigned i = 0; i < ACL_NAMES; i++)
			if ((d->acl & acl_names[i].bit) && resp_arg_is(value, acl_names[i].name))
				return true;
	}
	return false;
}

/* Redis lists subcommands by their full names when a filter is set. */
static unsigned list(struct resp_out *o, enum filter f, const struct resp_arg *value, bool write)
{
	unsigned n = 0;

	for (unsigned i = 0; i < commands_table.n; i++) {
		const struct resp_command *c = &commands_table.commands[i];

		for (unsigned j = 0; j <= (f == FILTER_NONE ? 0 : c->n_subs); j++) {
			const struct resp_command *each = j == 0 ? c : &c->subs[j - 1];

			if (!listed(each, f, value))
				continue;
			n++;
			if (write)
				resp_str(o, each->full_name);
		}
	}
	return n;
}

enum step cmd_command_list(struct resp_call *r)
{
	enum filter f = FILTER_NONE;
	const struct resp_arg *value = NULL;

	if (r->argc > 2) {
		if (r->argc == 5 && resp_arg_is(&r->argv[2], "filterby")) {
			f = resp_arg_is(&r->argv[3], "module") ? FILTER_MODULE : resp_arg_is(&r->argv[3], "aclcat") ? FILTER_ACLCAT :
			    resp_arg_is(&r->argv[3], "pattern") ? FILTER_PATTERN : FILTER_NONE;
			value = &r->argv[4];
		}
		if (f == FILTER_NONE) {
			resp_error(r->out, "ERR syntax error");
			return STEP_DONE;
		}
	}
	resp_set(r->out, list(r->out, f, value, false));
	list(r->out, f, value, true);
	return STEP_DONE;
}

/* ---- GETKEYS ---- */

/* The command whose words begin at argv[2], checked as if it were to be run; NULL: the error is written. */
static const struct resp_command *inner_command(struct resp_call *r, unsigned *argc, const struct resp_arg **argv)
{
	*argc = r->argc - 2;
	*argv = r->argv + 2;
	const struct resp_command *c = resp_command_find(admin_of(r)->server, (*argv)->p, (*argv)->len);
	if (c && c->n_subs && *argc > 1)
		c = resp_subcommand_find(c, (*argv)[1].p, (*argv)[1].len);
	if (!c) {
		resp_error(r->out, "ERR Invalid command specified");
		return NULL;
	}
	if (c->arity >= 0 ? *argc != (unsigned)c->arity : *argc < (unsigned)-c->arity) {
		resp_error(r->out, "ERR Invalid number of arguments specified for command");
		return NULL;
	}
	if (!((const struct command_docs *)c->docs)->n_keys) {
		resp_error(r->out, "ERR The command has no key arguments");
		return NULL;
	}
	return c;
}

static enum step get_keys(struct resp_call *r, bool flags)
{
	const struct resp_arg *argv;
	unsigned argc;
	const struct resp_command *c = inner_command(r, &argc, &argv);

	if (!c)
		return STEP_DONE;
	const struct command_key_spec *k = ((const struct command_docs *)c->docs)->keys;
	unsigned last = k->last < 0 ? argc + (unsigned)k->last : (unsigned)(k->pos + k->last);
	resp_array(r->out, (last - (unsigned)k->pos) / (unsigned)k->step + 1);
	for (unsigned i = (unsigned)k->pos; i <= last; i += (unsigned)k->step) {
		if (flags)
			resp_array(r->out, 2);
		resp_bulk(r->out, argv[i].p, argv[i].len);
		if (flags)
			reply_bits(r->out, k->flags, key_names, KEY_NAMES, "");
	}
	return STEP_DONE;
}

enum step cmd_command_getkeys(struct resp_call *r)
{
	return get_keys(r, false);
}

enum step cmd_command_getkeysandflags(struct resp_call *r)
{
	return get_keys(r, true);
}

/* ---- HELP ---- */

/* "[MATCH pattern]" and the like, of one argument. */
static void add_arg(struct resp_out *t, const struct command_arg *a)
{
	bool oneof = strcmp(a->type, "oneof") == 0, token_only = strcmp(a->type, "pure-token") == 0;

	text_add(t, a->flags & ARG_OPTIONAL ? " [" : " ");
	if (a->token)
		text_addf(t, "%s%s", a->token, token_only ? "" : " ");
	for (unsigned i = 0; i < a->n_args; i++) {
		size_t before = t->len;

		if (i > 0 && oneof)
			text_add(t, "|");
		add_arg(t, &a->args[i]);
		/* the blank that the inner one began with, where none belongs */
		if ((i == 0 || oneof) && !t->failed && t->len > before) {
			size_t blank = before + (i > 0 && oneof);

			memmove(t->data + blank, t->data + blank + 1, t->len - blank - 1);
			t->len--;
		}
	}
	if (!a->n_args && !token_only)
		text_addf(t, "<%s>", a->display ? a->display : a->name);
	if (a->flags & ARG_MULTIPLE)
		text_add(t, " ...");
	if (a->flags & ARG_OPTIONAL)
		text_add(t, "]");
}

enum step cmd_help(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;
	const struct resp_command *c = resp_command_find(admin_of(r)->server, r->argv[0].p, r->argv[0].len);
	char name[32] = { 0 };

	for (size_t i = 0; i < sizeof name - 1 && c->name[i]; i++)
		name[i] = (char)toupper((unsigned char)c->name[i]);
	resp_array(r->out, 1 + 2 * (size_t)c->n_subs);
	text_reset(t);
	text_addf(t, "%s <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", name);
	resp_raw(r->out, "+", 1);
	resp_raw(r->out, t->data, t->len);
	resp_raw(r->out, "\r\n", 2);
	for (unsigned i = 0; i < c->n_subs; i++) {
		const struct command_docs *d = c->subs[i].docs;

		text_reset(t);
		text_add(t, "+");
		for (const char *p = c->subs[i].name; *p; p++)
			text_addf(t, "%c", toupper((unsigned char)*p));
		for (unsigned j = 0; j < d->n_args; j++)
			add_arg(t, &d->args[j]);
		text_addf(t, "\r\n+    %s\r\n", d->summary);
		resp_raw(r->out, t->data, t->len);
	}
	return STEP_DONE;
}
