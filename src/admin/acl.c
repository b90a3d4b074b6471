/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the users: their passwords, their patterns, and for each command whether it is theirs.
 *
 * A rule on commands is applied to a bit set over all commands when it is given, so that a check is one bit; the rules
 * themselves are kept beside it, to be shown and saved as they were typed, less those that a later one made void. Changes are made to
 * a copy of the user, which takes his place when every rule was good. Passwords are kept as SHA-256, as Redis does, whose ACL files
 * and tools then work.
 * Invariant: there is always a user "default"; users stand in the order of their names. */
#include "admin/acl.h"

#include <stdio.h>

#include "admin/acl_user.h"
#include "admin/commands_table.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "config/config.h"

/* ---- lists of texts ---- */

static bool texts_add(struct acl_texts *t, const char *p, size_t len)
{
	struct acl_text *more = mem_realloc(t->at, (t->n + 1) * sizeof *more);

	if (!more)
		return false;
	t->at = more;
	if (!(t->at[t->n].p = mem_strndup(p, len)))
		return false;
	t->at[t->n].len = len;
	t->at[t->n++].access = 0;
	return true;
}

static void texts_remove(struct acl_texts *t, unsigned i)
{
	mem_free(t->at[i].p);
	memmove(t->at + i, t->at + i + 1, (--t->n - i) * sizeof *t->at);
}

static void texts_clear(struct acl_texts *t)
{
	while (t->n)
		texts_remove(t, t->n - 1);
	mem_free(t->at);
	t->at = NULL;
}

static int texts_find(const struct acl_texts *t, const char *p, size_t len)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].len == len && memcmp(t->at[i].p, p, len) == 0)
			return (int)i;
	return -1;
}

static bool texts_copy(struct acl_texts *to, const struct acl_texts *from)
{
	for (unsigned i = 0; i < from->n; i++) {
		if (!texts_add(to, from->at[i].p, from->at[i].len))
			return false;
		to->at[i].access = from->at[i].access;
	}
	return true;
}

/* ---- users ---- */

static void user_free(struct acl_user *u)
{
	if (!u)
		return;
	texts_clear(&u->passwords);
	texts_clear(&u->keys);
	texts_clear(&u->channels);
	texts_clear(&u->rules);
	mem_free(u->name);
	mem_free(u->allowed);
	mem_free(u);
}

static struct acl_user *user_new(const char *name, size_t len)
{
	struct acl_user *u = mem_calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->name = mem_strndup(name, len);
	u->allowed = mem_calloc(commands_table.n_ids / 8 + 1, 1);
	if (u->name && u->allowed)
		return u;
	user_free(u);
	return NULL;
}

static struct acl_user *user_copy(const struct acl_user *from)
{
	struct acl_user *u = user_new(from->name, strlen(from->name));

	if (!u)
		return NULL;
	u->on = from->on;
	u->nopass = from->nopass;
	u->all_keys = from->all_keys;
	u->all_channels = from->all_channels;
	memcpy(u->allowed, from->allowed, commands_table.n_ids / 8 + 1);
	if (texts_copy(&u->passwords, &from->passwords) && texts_copy(&u->keys, &from->keys) && texts_copy(&u->channels, &from->channels) &&
	    texts_copy(&u->rules, &from->rules))
		return u;
	user_free(u);
	return NULL;
}

/* What b has becomes a's, and the other way round; names stay. */
static void user_swap(struct acl_user *a, struct acl_user *b)
{
	struct acl_user was = *a;

	*a = *b;
	*b = was;
	b->next = a->next;
	a->next = was.next;
}

/* ---- rules on commands ---- */

static void allow(struct acl_user *u, const struct resp_command *c, bool yes)
{
	if (yes)
		u->allowed[c->id / 8] |= (uint8_t)(1u << c->id % 8);
	else
		u->allowed[c->id / 8] &= (uint8_t)~(1u << c->id % 8);
}

/* A command and its subcommands; category 0: any. */
static void allow_each(struct acl_user *u, const struct resp_command *c, uint32_t category, bool yes)
{
	for (unsigned i = 0; i <= c->n_subs; i++) {
		const struct resp_command *each = i == 0 ? c : &c->subs[i - 1];

		if (!category || ((const struct command_docs *)each->docs)->acl & category)
			allow(u, each, yes);
	}
}

static const struct resp_command *named(const char *p, size_t len)
{
	const struct resp_arg all = { p, len };

	for (unsigned i = 0; i < commands_table.n; i++) {
		const struct resp_command *c = &commands_table.commands[i];

		if (resp_arg_is(&all, c->full_name))
			return c;
		for (unsigned k = 0; k < c->n_subs; k++)
			if (resp_arg_is(&all, c->subs[k].full_name))
				return &c->subs[k];
	}
	return NULL;
}

/* Keeps the rule, in lower case and without those that it makes void. */
static bool keep_rule(struct acl_user *u, const char *p, size_t len)
{
	char text[80];

	if (len >= sizeof text)
		return false;
	for (size_t i = 0; i < len; i++)
		text[i] = (char)byte_lower((uint8_t)p[i]);
	if (len == 5 && memcmp(text + 1, "@all", 4) == 0)
		texts_clear(&u->rules);
	for (unsigned i = u->rules.n; i-- > 0;)
		if (u->rules.at[i].len == len && memcmp(u->rules.at[i].p + 1, text + 1, len - 1) == 0)
			texts_remove(&u->rules, i);
	return (len == 5 && memcmp(text, "-@all", 5) == 0) || texts_add(&u->rules, text, len);
}

static const char unknown_command[] = "Unknown command or category name in ACL";

/* NULL, or what is wrong. */
static const char *rule_command(struct acl_user *u, const char *p, size_t len)
{
	bool yes = *p == '+';
	const struct resp_arg category = { p + 2, len > 2 ? len - 2 : 0 };

	if (len > 1 && p[1] == '@') {
		uint32_t bit = acl_category(&category);

		if (!bit)
			return unknown_command;
		for (unsigned i = 0; i < commands_table.n; i++)
			allow_each(u, &commands_table.commands[i], bit == ACL_ALL ? 0 : bit, yes);
	} else {
		const struct resp_command *c = named(p + 1, len - 1);

		if (!c)
			return unknown_command;
		allow_each(u, c, 0, yes);
	}
	return keep_rule(u, p, len) ? NULL : "no memory";
}

/* ---- rules on keys, channels, passwords ---- */

static const char *rule_key(struct acl_user *u, const char *p, size_t len, unsigned access)
{
	if (u->all_keys)
		return "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try "
		       "'resetkeys' to start with an empty list of patterns";
	if (len == 1 && *p == '*' && access == (ACL_KEY_READ | ACL_KEY_WRITE)) {
		texts_clear(&u->keys);
		u->all_keys = true;
		return NULL;
	}
	int at = texts_find(&u->keys, p, len);
	if (at < 0 && !texts_add(&u->keys, p, len))
		return "no memory";
	u->keys.at[at < 0 ? (int)u->keys.n - 1 : at].access |= access;
	return NULL;
}

/* %R~pattern, %W~pattern, %RW~pattern */
static const char *rule_access(struct acl_user *u, const char *p, size_t len)
{
	unsigned access = 0;
	size_t i = 1;

	for (; i < len && p[i] != '~'; i++) {
		unsigned bit = byte_lower((uint8_t)p[i]) == 'r' ? ACL_KEY_READ : byte_lower((uint8_t)p[i]) == 'w' ? ACL_KEY_WRITE : 0;

		if (!bit || access & bit)
			return "Syntax error";
		access |= bit;
	}
	return i == len || !access ? "Syntax error" : rule_key(u, p + i + 1, len - i - 1, access);
}

static const char *rule_channel(struct acl_user *u, const char *p, size_t len)
{
	if (u->all_channels)
		return "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try "
		       "'resetchannels' to start with an empty list of channels";
	if (len == 1 && *p == '*') {
		texts_clear(&u->channels);
		u->all_channels = true;
		return NULL;
	}
	return texts_find(&u->channels, p, len) >= 0 || texts_add(&u->channels, p, len) ? NULL : "no memory";
}

static void hex_digest(char hex[65], const char *p, size_t len)
{
	uint8_t sum[32];

	hash_sha256(p, len, sum);
	for (unsigned i = 0; i < sizeof sum; i++)
		sprintf(hex + i * 2, "%02x", sum[i]);
}

static bool is_digest(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f')))
			return false;
	return len == 64;
}

/* >password <password #digest !digest */
static const char *rule_password(struct acl_user *u, const char *p, size_t len)
{
	char hex[65];
	const char *digest = p + 1;

	if (*p == '>' || *p == '<') {
		hex_digest(hex, p + 1, len - 1);
		digest = hex;
	} else if (!is_digest(p + 1, len - 1)) {
		return "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";
	}
	int at = texts_find(&u->passwords, digest, 64);
	if (*p == '<' || *p == '!') {
		if (at < 0)
			return "The password you are trying to remove from the user does not exist";
		texts_remove(&u->passwords, (unsigned)at);
		return NULL;
	}
	u->nopass = false;
	return at >= 0 || texts_add(&u->passwords, digest, 64) ? NULL : "no memory";
}

static const char *rule_word(struct acl_user *u, const struct resp_arg *r)
{
	if (resp_arg_is(r, "on") || resp_arg_is(r, "off")) {
		u->on = r->len == 2;
	} else if (resp_arg_is(r, "nopass") || resp_arg_is(r, "resetpass")) {
		texts_clear(&u->passwords);
		u->nopass = resp_arg_is(r, "nopass");
	} else if (resp_arg_is(r, "allkeys")) {
		texts_clear(&u->keys);
		u->all_keys = true;
	} else if (resp_arg_is(r, "resetkeys")) {
		texts_clear(&u->keys);
		u->all_keys = false;
	} else if (resp_arg_is(r, "allchannels") || resp_arg_is(r, "resetchannels")) {
		texts_clear(&u->channels);
		u->all_channels = resp_arg_is(r, "allchannels");
	} else if (resp_arg_is(r, "allcommands")) {
		return rule_command(u, "+@all", 5);
	} else if (resp_arg_is(r, "nocommands")) {
		return rule_command(u, "-@all", 5);
	} else if (resp_arg_is(r, "reset")) {
		texts_clear(&u->passwords);
		texts_clear(&u->keys);
		texts_clear(&u->channels);
		u->on = u->nopass = u->all_keys = u->all_channels = false;
		return rule_command(u, "-@all", 5);
	} else if (!resp_arg_is(r, "sanitize-payload") && !resp_arg_is(r, "clearselectors")) { /* payloads always are; there are no selectors */
		return r->len && *r->p == '(' ? "Selectors are not supported by this server" : "Syntax error";
	}
	return NULL;
}

static const char *rule(struct acl_user *u, const struct resp_arg *r)
{
	switch (r->len ? *r->p : 0) {
	case '+': case '-': return rule_command(u, r->p, r->len);
	case '~': return rule_key(u, r->p + 1, r->len - 1, ACL_KEY_READ | ACL_KEY_WRITE);
	case '%': return rule_access(u, r->p, r->len);
	case '&': return rule_channel(u, r->p + 1, r->len - 1);
	case '>': case '<': case '#': case '!': return rule_password(u, r->p, r->len);
	}
	return rule_word(u, r);
}

static bool text_is_plain(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)p[i] <= ' ' || p[i] == 127)
			return false;
	return true;
}

static int rules_apply(struct acl_user *u, unsigned n, const struct resp_arg *rules, char *err, size_t cap)
{
	for (unsigned i = 0; i < n; i++) {
		const struct resp_arg *r = &rules[i];
		/* a pattern with a blank could not be saved; a password is saved as its digest */
		bool plain = (r->len && (*r->p == '>' || *r->p == '<')) || text_is_plain(r->p, r->len);
		const char *wrong = plain ? rule(u, r) : "Syntax error";

		if (!wrong)
			continue;
		bool secret = r->len && strchr("><#!", *r->p);
		snprintf(err, cap, "Error in ACL SETUSER modifier '%.*s': %s", secret ? 1 : (int)(r->len < 128 ? r->len : 128), r->p, wrong);
		return ERR_BAD;
	}
	return 0;
}

/* ---- the set ---- */

static struct acl_user **place_of(struct acl_users *a, const char *name, size_t len)
{
	struct acl_user **at = &a->first;

	for (; *at; at = &(*at)->next) {
		size_t own = strlen((*at)->name);
		int order = memcmp((*at)->name, name, own < len ? own : len);

		if (order > 0 || (order == 0 && own >= len))
			break;
	}
	return at;
}

const struct acl_user *acl_find(const struct acl_users *a, const char *name, size_t len)
{
	struct acl_user *u = *place_of((struct acl_users *)(uintptr_t)a, name, len);

	return u && strlen(u->name) == len && memcmp(u->name, name, len) == 0 ? u : NULL;
}

int acl_set_user(struct acl_users *a, const char *name, size_t len, unsigned n, const struct resp_arg *rules, char *err, size_t cap)
{
	struct acl_user *old = (struct acl_user *)(uintptr_t)acl_find(a, name, len);

	if (len == 0 || !text_is_plain(name, len)) {
		snprintf(err, cap, "Usernames can't contain spaces or null characters");
		return ERR_BAD;
	}
	struct acl_user *u = old ? user_copy(old) : user_new(name, len);
	if (!u) {
		snprintf(err, cap, "no memory");
		return ERR_NOMEM;
	}
	int rc = rules_apply(u, n, rules, err, cap);
	if (rc == 0 && !old) {
		struct acl_user **at = place_of(a, name, len);
		u->next = *at;
		*at = u;
		return 0;
	}
	if (rc == 0)
		user_swap(old, u); /* in place: clients hold on to him */
	user_free(u);
	return rc;
}

bool acl_del_user(struct acl_users *a, const char *name, size_t len)
{
	struct acl_user **at = place_of(a, name, len), *u = *at;

	if (!u || u != acl_find(a, name, len))
		return false;
	*at = u->next;
	user_free(u);
	return true;
}

bool acl_set_default_password(struct acl_users *a, const char *password)
{
	struct acl_user *u = (struct acl_user *)(uintptr_t)acl_default(a);
	char hex[65];

	texts_clear(&u->passwords);
	u->nopass = *password == '\0';
	hex_digest(hex, password, strlen(password));
	return u->nopass || texts_add(&u->passwords, hex, 64);
}

/* One `user` line of the configuration; words may be quoted. */
static int add_line(struct acl_users *a, const char *line, char *err, size_t cap)
{
	enum { WORDS = 256 };
	char *words[WORDS], why[400];
	struct resp_arg rules[WORDS];
	size_t len = strlen(line) + 1;
	char *buf = mem_alloc(len);
	int n = buf ? conf_item_words(line, buf, len, words, WORDS) : ERR_NOMEM, rc = ERR_BAD;

	for (int i = 0; i < n; i++)
		rules[i] = (struct resp_arg){ words[i], strlen(words[i]) };
	if (n < 1)
		snprintf(err, cap, "user: a line of at most %d words is wanted: a name, then rules", WORDS);
	else if (acl_find(a, words[0], strlen(words[0])) && strcmp(words[0], "default") != 0)
		snprintf(err, cap, "user %s: there are two of that name", words[0]);
	else if ((rc = acl_set_user(a, words[0], strlen(words[0]), (unsigned)n - 1, rules + 1, why, sizeof why)) != 0)
		snprintf(err, cap, "user %s: %s", words[0], why);
	mem_free(buf);
	return rc;
}

struct acl_users *acl_users_new_plain(const struct conf *c, char *err, size_t cap)
{
	static const struct resp_arg open[] = { { "on", 2 }, { "nopass", 6 }, { "~*", 2 }, { "&*", 2 }, { "+@all", 5 } };
	struct acl_users *a = mem_calloc(1, sizeof *a);

	if (!a || acl_set_user(a, "default", 7, sizeof open / sizeof *open, open, err, cap) != 0 ||
	    !acl_set_default_password(a, c->requirepass)) {
		snprintf(err, cap, "no memory");
		acl_users_free(a);
		return NULL;
	}
	return a;
}

struct acl_users *acl_users_new(const struct conf *c, char *err, size_t cap)
{
	if (*c->aclfile && c->user.n) {
		snprintf(err, cap, "aclfile and user are both given: users stand in one place or in the other");
		return NULL;
	}
	if (*c->aclfile)
		return acl_load(c, err, cap);
	struct acl_users *a = acl_users_new_plain(c, err, cap);
	for (unsigned i = 0; a && i < c->user.n; i++)
		if (add_line(a, c->user.items[i], err, cap) != 0) {
			acl_users_free(a);
			a = NULL;
		}
	return a;
}

void acl_users_free(struct acl_users *a)
{
	if (!a)
		return;
	for (struct acl_user *u = a->first, *next; u; u = next) {
		next = u->next;
		user_free(u);
	}
	mem_free(a);
}

const struct acl_user *acl_default(const struct acl_users *a)
{
	return acl_find(a, "default", 7);
}

const struct acl_user *acl_first(const struct acl_users *a)
{
	return a->first;
}

const struct acl_user *acl_next(const struct acl_user *u)
{
	return u->next;
}
