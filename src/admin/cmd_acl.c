/* SPDX-License-Identifier: BSD-3-Clause */
/* ACL: users as commands see them, and the log of what was refused.
 *
 * A user who is deleted, or whose line has changed when the file is loaded anew, loses his connections: what they may do hangs
 * from him. The log keeps the newest acllog-max-len refusals; the same one again within a minute only counts up. */
#include <stdio.h>

#include "admin/acl_user.h"
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"

/* ---- the log ---- */

enum { LOG_SAME_MS = 60000, LOG_OBJECT_MAX = 128 };

struct acl_log {
	struct acl_log *next; /* older */
	const char *reason;
	char *object, *user, *client;
	uint64_t n, at_ms;
};

static void log_free_entry(struct acl_log *l)
{
	mem_free(l->object);
	mem_free(l->user);
	mem_free(l->client);
	mem_free(l);
}

void acl_log_free(struct admin *a)
{
	for (struct acl_log *l = a->acl_log, *next; l; l = next) {
		next = l->next;
		log_free_entry(l);
	}
	a->acl_log = NULL;
}

static void log_trim(struct admin *a, uint64_t keep)
{
	struct acl_log **at = &a->acl_log;

	while (*at && keep-- > 0)
		at = &(*at)->next;
	while (*at) {
		struct acl_log *l = *at;

		*at = l->next;
		log_free_entry(l);
	}
}

static bool log_again(struct admin *a, const char *reason, const char *object, size_t len, const char *user, size_t user_len)
{
	uint64_t now_ms = clock_real_mono_ms();

	for (struct acl_log *l = a->acl_log; l; l = l->next)
		if (l->reason == reason && now_ms - l->at_ms < LOG_SAME_MS && strlen(l->object) == len && memcmp(l->object, object, len) == 0 &&
		    strlen(l->user) == user_len && memcmp(l->user, user, user_len) == 0) {
			l->n++;
			l->at_ms = now_ms;
			return true;
		}
	return false;
}

/* Without memory it is not logged: the refusal stands all the same. */
static void log_add(struct admin *a, struct resp_client *c, const char *reason, const char *object, size_t len, const char *user, size_t user_len)
{
	struct acl_log *l;

	len = len < LOG_OBJECT_MAX ? len : LOG_OBJECT_MAX;
	user_len = user_len < LOG_OBJECT_MAX ? user_len : LOG_OBJECT_MAX;
	if (a->conf->acllog_max_len == 0 || log_again(a, reason, object, len, user, user_len) || !(l = mem_calloc(1, sizeof *l)))
		return;
	struct resp_out t;
	resp_out_init(&t, 2, 65536);
	client_line(&t, c);
	*l = (struct acl_log){ .next = a->acl_log, .reason = reason, .n = 1, .at_ms = clock_real_mono_ms(), .object = mem_strndup(object, len),
			       .user = mem_strndup(user, user_len), .client = mem_strndup(t.data ? t.data : "", t.len ? t.len - 1 : 0) };
	resp_out_free(&t);
	if (!l->object || !l->user || !l->client) {
		log_free_entry(l);
		return;
	}
	a->acl_log = l;
	log_trim(a, (uint64_t)a->conf->acllog_max_len);
}

void acl_log_add(struct admin *a, struct resp_client *c, enum acl_verdict why, const char *object, size_t len)
{
	static const char *const reasons[] = { [ACL_NO_COMMAND] = "command", [ACL_NO_KEY] = "key", [ACL_NO_CHANNEL] = "channel" };
	const struct acl_user *u = resp_client_user(c);

	log_add(a, c, reasons[why], object, len, u ? acl_name(u) : "", u ? strlen(acl_name(u)) : 0);
}

void acl_log_auth(struct admin *a, struct resp_client *c, const char *user, size_t len, const char *command)
{
	static const char auth[] = "auth";

	log_add(a, c, auth, command, strlen(command), user, len);
}

enum step cmd_acl_log(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	int64_t most = 10, n = 0;

	if (r->argc > 3) {
		resp_error(r->out, "ERR wrong number of arguments for 'acl|log' command");
		return STEP_DONE;
	}
	if (r->argc == 3 && resp_arg_is(&r->argv[2], "reset")) {
		log_trim(a, 0);
		resp_ok(r->out);
		return STEP_DONE;
	}
	if (r->argc == 3 && (!resp_arg_int(&r->argv[2], &most) || most < 0)) {
		resp_error(r->out, "ERR value is not an integer or out of range");
		return STEP_DONE;
	}
	for (const struct acl_log *l = a->acl_log; l && n < most; l = l->next)
		n++;
	resp_array(r->out, (size_t)n);
	for (const struct acl_log *l = a->acl_log; l && n > 0; l = l->next, n--) {
		resp_map(r->out, 7);
		resp_str(r->out, "count");
		resp_int(r->out, (int64_t)l->n);
		resp_str(r->out, "reason");
		resp_str(r->out, l->reason);
		resp_str(r->out, "context");
		resp_str(r->out, "toplevel");
		resp_str(r->out, "object");
		resp_str(r->out, l->object);
		resp_str(r->out, "username");
		resp_str(r->out, l->user);
		resp_str(r->out, "age-seconds");
		resp_double(r->out, (double)(clock_real_mono_ms() - l->at_ms) / 1000);
		resp_str(r->out, "client-info");
		resp_str(r->out, l->client);
	}
	return STEP_DONE;
}

/* ---- users ---- */

enum step cmd_acl_whoami(struct resp_call *r)
{
	const struct acl_user *u = resp_client_user(r->client);

	resp_str(r->out, acl_name(u));
	return STEP_DONE;
}

static enum step list(struct resp_call *r, bool whole)
{
	struct admin *a = admin_of(r);
	size_t n = 0;

	for (const struct acl_user *u = acl_first(a->acl); u; u = acl_next(u))
		n++;
	resp_array(r->out, n);
	for (const struct acl_user *u = acl_first(a->acl); u; u = acl_next(u)) {
		text_reset(&a->text);
		if (whole)
			acl_describe(u, &a->text);
		else
			text_add(&a->text, acl_name(u));
		resp_bulk(r->out, a->text.data, a->text.len);
	}
	return STEP_DONE;
}

enum step cmd_acl_list(struct resp_call *r)
{
	return list(r, true);
}

enum step cmd_acl_users(struct resp_call *r)
{
	return list(r, false);
}

enum step cmd_acl_getuser(struct resp_call *r)
{
	const struct acl_user *u = acl_find(admin_of(r)->acl, r->argv[2].p, r->argv[2].len);

	if (u)
		acl_reply(u, r->out);
	else
		resp_null_array(r->out);
	return STEP_DONE;
}

enum step cmd_acl_setuser(struct resp_call *r)
{
	char why[400];

	if (acl_set_user(admin_of(r)->acl, r->argv[2].p, r->argv[2].len, r->argc - 3, r->argv + 3, why, sizeof why) == 0)
		resp_ok(r->out);
	else
		resp_errorf(r->out, "ERR %s", why);
	return STEP_DONE;
}

/* Whoever came in as this user is sent away. */
static void send_away(struct resp_call *r, const struct acl_user *u)
{
	for (struct resp_client *c = resp_client_first(admin_of(r)->server), *next; c; c = next) {
		next = resp_client_next(c);
		if (resp_client_user(c) != u)
			continue;
		resp_client_set_user(c, NULL);
		resp_client_set_authenticated(c, false);
		resp_client_kill(c, r->client);
	}
}

enum step cmd_acl_deluser(struct resp_call *r)
{
	struct acl_users *acl = admin_of(r)->acl;
	int64_t n = 0;

	for (unsigned i = 2; i < r->argc; i++)
		if (acl_find(acl, r->argv[i].p, r->argv[i].len) == acl_default(acl)) {
			resp_error(r->out, "ERR The 'default' user cannot be removed");
			return STEP_DONE;
		}
	for (unsigned i = 2; i < r->argc; i++) {
		const struct acl_user *u = acl_find(acl, r->argv[i].p, r->argv[i].len);

		if (u)
			send_away(r, u);
		n += acl_del_user(acl, r->argv[i].p, r->argv[i].len);
	}
	resp_int(r->out, n);
	return STEP_DONE;
}

/* ---- the file ---- */

static bool has_file(struct resp_call *r)
{
	if (*admin_of(r)->conf->aclfile)
		return true;
	resp_error(r->out, "ERR This server is not configured to use an ACL file: set aclfile, or write user lines into the configuration");
	return false;
}

enum step cmd_acl_save(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	char why[400];

	if (!has_file(r))
		return STEP_DONE;
	if (acl_save(a->acl, a->conf->aclfile, why, sizeof why) == 0)
		resp_ok(r->out);
	else
		resp_errorf(r->out, "ERR There was an error trying to save the ACLs: %s", why);
	return STEP_DONE;
}

static bool same_user(struct admin *a, const struct acl_user *u, const struct acl_user *v)
{
	struct resp_out other;

	resp_out_init(&other, 2, 16 * 1024 * 1024);
	text_reset(&a->text);
	acl_describe(u, &a->text);
	acl_describe(v, &other);
	bool same = !other.failed && !a->text.failed && other.len == a->text.len && memcmp(other.data, a->text.data, other.len) == 0;
	resp_out_free(&other);
	return same;
}

enum step cmd_acl_load(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct acl_users *old = a->acl, *fresh;
	char why[700];

	if (!has_file(r))
		return STEP_DONE;
	if (!(fresh = acl_load(a->conf, why, sizeof why))) {
		resp_errorf(r->out, "ERR %s", why);
		return STEP_DONE;
	}
	a->acl = fresh;
	for (const struct acl_user *u = acl_first(old); u; u = acl_next(u)) {
		const struct acl_user *now = acl_find(fresh, acl_name(u), strlen(acl_name(u)));
		bool stays = now && (now == acl_default(fresh) || same_user(a, u, now));

		for (struct resp_client *c = resp_client_first(a->server); stays && c; c = resp_client_next(c))
			if (resp_client_user(c) == u)
				resp_client_set_user(c, now);
		if (!stays)
			send_away(r, u);
	}
	acl_users_free(old);
	resp_ok(r->out);
	return STEP_DONE;
}

/* ---- the rest ---- */

enum step cmd_acl_cat(struct resp_call *r)
{
	uint32_t bit = r->argc == 3 ? acl_category(&r->argv[2]) : 0;

	if (r->argc > 3)
		resp_error(r->out, "ERR wrong number of arguments for 'acl|cat' command");
	else if (r->argc == 2)
		acl_categories_reply(r->out);
	else if (!bit || bit == ACL_ALL)
		resp_errorf(r->out, "ERR Unknown category '%.*s'", (int)(r->argv[2].len < 128 ? r->argv[2].len : 128), r->argv[2].p);
	else
		acl_category_reply(r->out, bit);
	return STEP_DONE;
}

enum step cmd_acl_genpass(struct resp_call *r)
{
	int64_t bits = 256;
	uint8_t bytes[512];
	char hex[1025];

	if (r->argc > 3) {
		resp_error(r->out, "ERR wrong number of arguments for 'acl|genpass' command");
		return STEP_DONE;
	}
	if (r->argc == 3 && (!resp_arg_int(&r->argv[2], &bits) || bits < 1 || bits > 4096)) {
		resp_error(r->out, "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096");
		return STEP_DONE;
	}
	size_t digits = (size_t)(bits + 3) / 4;
	random_bytes(bytes, sizeof bytes);
	for (size_t i = 0; i < digits; i++)
		sprintf(hex + i, "%x", bytes[i / 2] >> (i % 2 ? 0 : 4) & 15);
	resp_bulk(r->out, hex, digits);
	return STEP_DONE;
}

enum step cmd_acl_dryrun(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	const struct acl_user *u = acl_find(a->acl, r->argv[2].p, r->argv[2].len);
	const struct resp_arg *argv = r->argv + 3, *object;
	unsigned argc = r->argc - 3;
	const struct resp_command *c = resp_command_find(a->server, argv[0].p, argv[0].len);
	int shown = (int)(argv[0].len < 128 ? argv[0].len : 128);

	if (!u) {
		resp_errorf(r->out, "ERR User '%.*s' not found", (int)(r->argv[2].len < 128 ? r->argv[2].len : 128), r->argv[2].p);
		return STEP_DONE;
	}
	if (c && c->n_subs && argc > 1)
		c = resp_subcommand_find(c, argv[1].p, argv[1].len);
	if (!c) {
		resp_errorf(r->out, "ERR Command '%.*s' not found", shown, argv[0].p);
		return STEP_DONE;
	}
	if (c->arity >= 0 ? argc != (unsigned)c->arity : argc < (unsigned)-c->arity) {
		resp_errorf(r->out, "ERR wrong number of arguments for '%s' command", c->full_name);
		return STEP_DONE;
	}
	switch (acl_check(a, u, c, argc, argv, &object)) {
	case ACL_OK:
		resp_ok(r->out);
		break;
	case ACL_NO_COMMAND:
		resp_strf(r->out, "This user has no permissions to run the '%s' command", c->full_name);
		break;
	case ACL_NO_KEY:
		if (object)
			resp_strf(r->out, "This user has no permissions to access the '%.*s' key", (int)(object->len < 256 ? object->len : 256), object->p);
		else
			resp_strf(r->out, "This user has no permissions to access all keys, which the '%s' command wants", c->full_name);
		break;
	case ACL_NO_CHANNEL:
		resp_strf(r->out, "This user has no permissions to access the '%.*s' channel", (int)(object->len < 256 ? object->len : 256), object->p);
		break;
	}
	return STEP_DONE;
}

bool acl_permit(struct resp_call *r, const struct resp_command *c)
{
	struct admin *a = r->owner;
	const struct acl_user *u = resp_client_user(r->client);
	const struct resp_arg *object = NULL;
	enum acl_verdict v = u ? acl_check(a, u, c, r->argc, r->argv, &object) : ACL_OK; /* nobody yet: what needs no login */

	switch (v) {
	case ACL_OK:
		return true;
	case ACL_NO_COMMAND:
		resp_errorf(r->out, "NOPERM this user has no permissions to run the '%s' command", c->full_name);
		break;
	case ACL_NO_KEY:
		resp_error(r->out, object ? "NOPERM this user has no permissions to access one of the keys used as arguments"
					  : "NOPERM this user has no permissions to access all keys, which this command wants");
		break;
	case ACL_NO_CHANNEL:
		resp_error(r->out, "NOPERM this user has no permissions to access one of the channels used as arguments");
		break;
	}
	acl_log_add(a, r->client, v, object ? object->p : c->full_name, object ? object->len : strlen(c->full_name));
	return false;
}

void acl_greet(void *owner, struct resp_client *c)
{
	struct admin *a = owner;
	bool open = acl_is_open(acl_default(a->acl));

	resp_client_set_user(c, open ? acl_default(a->acl) : NULL);
	resp_client_set_authenticated(c, open);
}
