/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns CONFIG GET and CONFIG SET. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "config/internal.h"

int conf_get(const struct conf *c, const char *glob, void (*fn)(void *arg, const char *name, const char *value), void *arg)
{
	int n = 0;
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		const struct option *o = &options[i];
		struct text t = { 0 };
		if (!glob_match(glob, strlen(glob), o->name, strlen(o->name), true))
			continue;
		field_put_plain(&t, c, o);
		if (t.failed) {
			text_free(&t);
			return ERR_NOMEM;
		}
		fn(arg, o->name, t.p);
		text_free(&t);
		n++;
	}
	return n;
}

/* The zones of a value, one a line. */
static int set_zone_lines(struct conf *c, const struct option *o, const char *value, const char *folder, struct faults *f)
{
	struct conf_list none = { 0 };
	int rc = field_assign(c, o, &none, false, folder, f);
	while (rc == 0 && *value) {
		size_t len = strcspn(value, "\n");
		struct conf_list words = { 0 };
		const char *fault;
		rc = words_split(value, len, &words, &fault);
		if (rc == ERR_BAD)
			fault_add(f, o->name, "%s", fault);
		else if (rc == 0)
			rc = field_assign(c, o, &words, true, folder, f);
		list_free(&words);
		value += len + (value[len] == '\n');
	}
	return rc;
}

static int set_one(struct conf *c, const struct option *o, const char *value, struct faults *f)
{
	struct conf_list words = { 0 };
	const char *fault;
	char buf[4096];
	const char *folder = conf_folder(c, buf, sizeof buf);
	int rc;
	if (option_is_zone_lines(o))
		return set_zone_lines(c, o, value, folder, f);
	if (o->kind == KIND_WORDS || o->kind == KIND_LINES) {
		rc = words_split(value, strlen(value), &words, &fault);
		if (rc == ERR_BAD)
			fault_add(f, o->name, "%s", fault);
	} else {
		rc = list_add_copy(&words, value, strlen(value));
	}
	if (rc == 0)
		rc = field_assign(c, o, &words, false, folder, f);
	list_free(&words);
	return rc;
}

/* May these be set? Names first, so that an unknown one is told before a value. */
static int check_names(unsigned n, const char *const *names, struct faults *f)
{
	for (unsigned i = 0; i < n; i++) {
		const struct option *o = option_find(names[i]);
		if (!o) {
			const char *nearest = option_nearest(names[i]);
			fault_add(f, NULL, nearest ? "unknown option %s; did you mean \"%s\"?" : "unknown option %s",
				  fault_show(names[i]).text, nearest ? nearest : "");
			return ERR_UNKNOWN;
		}
		if (!o->live) {
			fault_add(f, o->name, "cannot change while the server runs: put it into the file and restart");
			return ERR_REFUSED;
		}
		for (unsigned j = 0; j < i; j++)
			if (strcasecmp(names[i], names[j]) == 0)
				return fault_add(f, o->name, "given twice");
	}
	return 0;
}

int conf_set(const struct conf *c, unsigned n, const char *const *names, const char *const *values, struct conf **out, char *err,
	     size_t cap)
{
	struct faults f;
	struct conf *fresh = NULL;
	faults_init(&f, err, cap);
	int rc = check_names(n, names, &f);
	if (rc != 0)
		return rc;
	fresh = conf_clone(c);
	rc = fresh ? 0 : ERR_NOMEM;
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = set_one(fresh, option_find(names[i]), values[i], &f);
	if (rc == 0)
		rc = check_values(fresh, NULL, &f);
	if (rc == 0) {
		*out = fresh;
		return 0;
	}
	if (rc == ERR_NOMEM)
		fault_add(&f, NULL, "no memory");
	conf_unref(fresh);
	return rc;
}
