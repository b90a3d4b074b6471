/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the questions put to a user: may he come in, may he run this, and how does he look. */
#include <string.h>

#include "admin/acl_user.h"
#include "admin/internal.h"
#include "base/hash.h"

const char *acl_name(const struct acl_user *u)
{
	return u->name;
}

bool acl_is_open(const struct acl_user *u)
{
	return u->on && u->nopass;
}

bool acl_has_no_password(const struct acl_user *u)
{
	return u->nopass;
}

bool acl_accepts(const struct acl_user *u, const struct resp_arg *password)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum[32];
	unsigned good = 0;

	hash_sha256(password->p, password->len, sum);
	for (unsigned i = 0; i < u->passwords.n; i++) { /* all of them, to the end */
		unsigned differ = 0;

		for (unsigned k = 0; k < 64; k++)
			differ |= (unsigned char)u->passwords.at[i].p[k] ^ (unsigned char)digits[sum[k / 2] >> (k % 2 ? 0 : 4) & 15];
		good |= differ == 0;
	}
	return u->on && (u->nopass || good);
}

/* ---- what is allowed ---- */

static bool key_is_allowed(const struct acl_user *u, const char *key, size_t len, unsigned access)
{
	/* with no access wanted (EXISTS), one of either kind will do */
	for (unsigned i = 0; i < u->keys.n; i++)
		if ((access ? (u->keys.at[i].access & access) == access : true) && glob_match(u->keys.at[i].p, u->keys.at[i].len, key, len, true))
			return true;
	return u->all_keys;
}

bool acl_reads_all(const struct acl_user *u)
{
	return u->all_keys;
}

bool acl_reads(const struct acl_user *u, const char *key, size_t len)
{
	return key_is_allowed(u, key, len, ACL_KEY_READ);
}

/* In its canonical form when it is a key, else as it stands. */
static bool arg_is_allowed(const struct admin *a, const struct acl_user *u, const struct resp_arg *key, unsigned access)
{
	char text[CACHE_KEY_TEXT_MAX];
	struct cache_key_buf b;
	int len = cache_key_from_text(a->ctx.cache, &b, key->p, key->len) == 0 ? cache_key_to_text(&b.key, text, sizeof text) : ERR_BAD;

	return len >= 0 ? key_is_allowed(u, text, (size_t)len, access) : key_is_allowed(u, key->p, key->len, access);
}

static bool channel_is_allowed(const struct acl_user *u, const struct resp_arg *channel, bool pattern)
{
	for (unsigned i = 0; i < u->channels.n; i++) {
		const struct acl_text *t = &u->channels.at[i];

		/* a pattern is allowed only as it stands: what it would fit cannot be told */
		if (pattern ? t->len == channel->len && memcmp(t->p, channel->p, t->len) == 0 : glob_match(t->p, t->len, channel->p, channel->len, false))
			return true;
	}
	return u->all_channels;
}

static enum acl_verdict check_keys(const struct admin *a, const struct acl_user *u, const struct resp_command *c, unsigned argc,
				   const struct resp_arg *argv, const struct resp_arg **object)
{
	const struct command_docs *d = c->docs;

	if (c->flags & RESP_CMD_ALL_KEYS)
		return ACL_NO_KEY;
	for (unsigned s = 0; s < d->n_keys; s++) {
		const struct command_key_spec *k = &d->keys[s];
		unsigned last = k->last < 0 ? argc + (unsigned)k->last : (unsigned)(k->pos + k->last);
		unsigned access = (k->flags & KEY_ACCESS ? ACL_KEY_READ : 0u) |
				  (k->flags & (KEY_UPDATE | KEY_INSERT | KEY_DELETE) ? ACL_KEY_WRITE : 0u);

		for (unsigned i = (unsigned)k->pos; i <= last && i < argc; i += (unsigned)k->step)
			if (!arg_is_allowed(a, u, &argv[i], access)) {
				*object = &argv[i];
				return ACL_NO_KEY;
			}
	}
	return ACL_OK;
}

static enum acl_verdict check_channels(const struct acl_user *u, const struct resp_command *c, unsigned argc, const struct resp_arg *argv,
				       const struct resp_arg **object)
{
	bool publish = c->fn == cmd_publish, pattern = c->fn == cmd_psubscribe;

	if (!publish && !pattern && c->fn != cmd_subscribe)
		return ACL_OK;
	for (unsigned i = 1; i < (publish ? 2 : argc); i++)
		if (!channel_is_allowed(u, &argv[i], pattern)) {
			*object = &argv[i];
			return ACL_NO_CHANNEL;
		}
	return ACL_OK;
}

enum acl_verdict acl_check(const struct admin *a, const struct acl_user *u, const struct resp_command *c, unsigned argc,
			   const struct resp_arg *argv, const struct resp_arg **object)
{
	enum acl_verdict v = ACL_OK;

	*object = NULL;
	if (!(u->allowed[c->id / 8] >> c->id % 8 & 1) && !(c->flags & RESP_CMD_NO_AUTH))
		return ACL_NO_COMMAND;
	if (!u->all_keys)
		v = check_keys(a, u, c, argc, argv, object);
	if (v == ACL_OK && !u->all_channels)
		v = check_channels(u, c, argc, argv, object);
	return v;
}

/* ---- how he looks ---- */

static void add_patterns(struct resp_out *t, const struct acl_user *u)
{
	if (u->all_keys)
		text_add(t, " ~*");
	for (unsigned i = 0; i < u->keys.n; i++)
		text_addf(t, " %s~%s", u->keys.at[i].access == ACL_KEY_READ ? "%R" : u->keys.at[i].access == ACL_KEY_WRITE ? "%W" : "",
			  u->keys.at[i].p);
}

static void add_channels(struct resp_out *t, const struct acl_user *u)
{
	if (u->all_channels)
		text_add(t, " &*");
	for (unsigned i = 0; i < u->channels.n; i++)
		text_addf(t, " &%s", u->channels.at[i].p);
}

static void add_rules(struct resp_out *t, const struct acl_user *u)
{
	if (u->rules.n == 0 || strcmp(u->rules.at[0].p, "+@all") != 0)
		text_add(t, " -@all");
	for (unsigned i = 0; i < u->rules.n; i++)
		text_addf(t, " %s", u->rules.at[i].p);
}

void acl_describe(const struct acl_user *u, struct resp_out *t)
{
	text_addf(t, "user %s %s%s", u->name, u->on ? "on" : "off", u->nopass ? " nopass" : "");
	for (unsigned i = 0; i < u->passwords.n; i++)
		text_addf(t, " #%s", u->passwords.at[i].p);
	add_patterns(t, u);
	if (!u->all_channels)
		text_add(t, " resetchannels");
	add_channels(t, u);
	add_rules(t, u);
}

static void reply_part(struct resp_out *o, const char *name, void (*add)(struct resp_out *t, const struct acl_user *u), const struct acl_user *u)
{
	struct resp_out t;

	resp_out_init(&t, 2, o->limit);
	add(&t, u);
	resp_str(o, name);
	resp_bulk(o, t.len ? t.data + 1 : "", t.len ? t.len - 1 : 0); /* less the first blank */
	o->failed |= t.failed;
	resp_out_free(&t);
}

void acl_reply(const struct acl_user *u, struct resp_out *o)
{
	resp_map(o, 6);
	resp_str(o, "flags");
	resp_set(o, 1u + u->nopass);
	resp_str(o, u->on ? "on" : "off");
	if (u->nopass)
		resp_str(o, "nopass");
	resp_str(o, "passwords");
	resp_array(o, u->passwords.n);
	for (unsigned i = 0; i < u->passwords.n; i++)
		resp_bulk(o, u->passwords.at[i].p, 64);
	reply_part(o, "commands", add_rules, u);
	reply_part(o, "keys", add_patterns, u);
	reply_part(o, "channels", add_channels, u);
	resp_str(o, "selectors");
	resp_array(o, 0);
}
