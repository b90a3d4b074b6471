/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the checks of values with a form of their own. The form's name stands in the option's row, in the column values.
 *
 * The names of zones are checked by their text alone: this room stands below the one that knows the wire. */
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/internal.h"

/* Bytes of one label at *s, which is moved behind it; 0 when it is no label. */
static unsigned label_len(const char **s)
{
	const char *p = *s;
	unsigned len = 0;
	for (; *p && *p != '.'; len++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return 0;
		if (*p++ != '\\')
			continue;
		if (p[0] >= '0' && p[0] <= '9') { /* \DDD */
			if (p[1] < '0' || p[1] > '9' || p[2] < '0' || p[2] > '9' || (p[0] - '0') * 100 + (p[1] - '0') * 10 + p[2] - '0' > 255)
				return 0;
			p += 3;
		} else if (*p) {
			p++;
		} else {
			return 0;
		}
	}
	*s = p;
	return len <= 63 ? len : 0;
}

bool zone_is_valid(const char *s)
{
	unsigned total = 1;
	if (strcmp(s, ".") == 0)
		return true;
	do {
		unsigned len = label_len(&s);
		total += len + 1;
		if (len == 0 || total > 255)
			return false;
	} while (*s == '.' && *++s);
	return true;
}

char *path_resolve(const char *folder, const char *s)
{
	char cwd[PATH_MAX];
	struct text t = { 0 };
	if (*s != '/') {
		if (!folder)
			folder = getcwd(cwd, sizeof cwd) ? cwd : ".";
		text_puts(&t, folder);
		if (t.len > 0 && t.p[t.len - 1] != '/')
			text_puts(&t, "/");
	}
	text_puts(&t, s);
	if (t.failed) {
		text_free(&t);
		return NULL;
	}
	return t.p;
}

static int check_address(const struct option *o, const char *word, struct faults *f)
{
	struct conf_addr a;
	if (conf_addr_parse(word, 53, &a) == 0)
		return 0;
	return fault_add(f, o->name, "%s is no address (such as 9.9.9.9, 9.9.9.9@5353, 2620:fe::fe@53)", fault_show(word).text);
}

/* Of snapshots: none, or whole seconds. */
static bool period_is_valid(const char *word)
{
	uint64_t s;
	return !*word || (conf_seconds_parse(word, &s) == 0 && s >= 1 && s <= 604800);
}

int form_check_word(const struct option *o, const char *word, struct faults *f)
{
	struct conf_prefix prefix;
	struct conf_addr addr;
	if (strcmp(o->values, "prefix") == 0 && conf_prefix_parse(word, &prefix) != 0)
		return fault_add(f, o->name, "%s is no prefix (such as 192.0.2.0/24, 2001:db8::/32; bits behind the length must be 0)",
				 fault_show(word).text);
	if (strcmp(o->values, "address") == 0)
		return check_address(o, word, f);
	if (strcmp(o->values, "ip") == 0 && (strchr(word, '@') || conf_addr_parse(word, 0, &addr) != 0))
		return fault_add(f, o->name, "%s is no address (such as 127.0.0.1, ::1, 0.0.0.0)", fault_show(word).text);
	if (strcmp(o->values, "zones") == 0 && !zone_is_valid(word))
		return fault_add(f, o->name, "%s is no domain name", fault_show(word).text);
	if (strcmp(o->values, "events") == 0 && word[strspn(word, "KEAg$lshzxedtmn")])
		return fault_add(f, o->name, "%s: Invalid event class character. Use 'Ag$lshzxeKEtmdn'.", fault_show(word).text);
	if (strcmp(o->values, "folder") == 0 && !*word)
		return fault_add(f, o->name, "a folder is wanted (such as . or /var/lib/pith)");
	if (strcmp(o->values, "filename") == 0 && (!*word || strchr(word, '/') || strcmp(word, ".") == 0 || strcmp(word, "..") == 0))
		return fault_add(f, o->name, "%s is no plain file name", fault_show(word).text);
	if (strcmp(o->values, "period") == 0 && !period_is_valid(word))
		return fault_add(f, o->name, "%s is neither \"\" nor a time of whole seconds from 1s to 7d", fault_show(word).text);
	if (strcmp(o->values, "no") == 0 && strcasecmp(word, "no") != 0)
		return fault_add(f, o->name, "only no is possible: %s", o->help);
	if (o->max > 0 && (o->kind == KIND_STRING || o->kind == KIND_SECRET) && strlen(word) > (size_t)o->max)
		return fault_add(f, o->name, "longer than %lld bytes", (long long)o->max);
	return 0;
}

int form_check_zone(const struct option *o, struct conf_list *words, const char *folder, struct faults *f)
{
	if (strcmp(o->values, "user") == 0) /* the rules are the admin room's to read */
		return 0;
	if (!zone_is_valid(words->items[0]))
		return fault_add(f, o->name, "%s is no domain name", fault_show(words->items[0]).text);
	if (strcmp(o->values, "zone addresses") == 0) {
		if (words->n < 2)
			return fault_add(f, o->name, "at least one address is wanted behind the zone");
		for (unsigned i = 1; i < words->n; i++)
			if (check_address(o, words->items[i], f) != 0)
				return ERR_BAD;
		return 0;
	}
	if (words->n != 2 || !*words->items[1])
		return fault_add(f, o->name, "a zone and its file are wanted, and nothing else");
	char *path = path_resolve(folder, words->items[1]);
	if (!path)
		return ERR_NOMEM;
	mem_free(words->items[1]);
	words->items[1] = path;
	return 0;
}
