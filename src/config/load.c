/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the making of a struct conf: defaults, then the file, then the command line; its references; the reload.
 *
 * Of a repeatable directive the first explicit line replaces the default, further lines add; the command line replaces the
 * file's in the same way. Of any other directive the last line counts, as in redis.conf. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "config/internal.h"

static void conf_free(struct conf *c)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		field_free(c, &options[i]);
	list_free(&c->args);
	mem_free(c->path);
	mem_free(c);
}

static int assign_default(struct conf *c, const struct option *o)
{
	struct conf_list words = { 0 };
	struct faults f;
	char err[256];
	const char *fault;
	bool list = o->kind == KIND_WORDS || o->kind == KIND_LINES;
	int rc = list ? words_split(o->dflt, strlen(o->dflt), &words, &fault) : list_add_copy(&words, o->dflt, strlen(o->dflt));
	faults_init(&f, err, sizeof err);
	if (rc == 0)
		rc = field_assign(c, o, &words, false, NULL, &f);
	must(rc == 0 || rc == ERR_NOMEM); /* the rows are ours */
	list_free(&words);
	return rc;
}

struct conf *conf_new(void)
{
	struct conf *c = mem_calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->refs = 1;
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (assign_default(c, &options[i]) != 0) {
			conf_free(c);
			return NULL;
		}
	}
	return c;
}

struct conf *conf_clone(const struct conf *from)
{
	struct conf *c = mem_calloc(1, sizeof *c);
	int rc = 0;
	if (!c)
		return NULL;
	c->refs = 1;
	if (from->path && !(c->path = mem_strdup(from->path)))
		rc = ERR_NOMEM;
	if (rc == 0)
		rc = list_copy(&c->args, &from->args);
	for (unsigned i = 0; i < OPTION_COUNT && rc == 0; i++)
		rc = field_copy(c, from, &options[i]);
	if (rc == 0)
		return c;
	conf_free(c);
	return NULL;
}

const struct conf *conf_ref(const struct conf *c)
{
	__atomic_fetch_add((unsigned *)(uintptr_t)&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void conf_unref(const struct conf *c)
{
	if (c && __atomic_sub_fetch((unsigned *)(uintptr_t)&c->refs, 1, __ATOMIC_ACQ_REL) == 0)
		conf_free((struct conf *)(uintptr_t)c);
}

const char *conf_folder(const struct conf *c, char *buf, size_t cap)
{
	if (!c->path)
		return NULL;
	snprintf(buf, cap, "%s", c->path);
	char *slash = strrchr(buf, '/');
	if (!slash)
		return NULL;
	slash[slash == buf] = '\0';
	return buf;
}

/* ---- directives ---- */

/* words: the value's. command_line and line are those of f. */
static int load_directive(struct conf *c, const char *name, const struct conf_list *words, const char *folder,
			  struct origin *origins, struct faults *f)
{
	const struct option *o = option_find(name);
	if (!o) {
		const char *nearest = option_nearest(name);
		const char *dashes = f->command_line ? "--" : "";
		if (nearest)
			fault_add(f, NULL, "unknown directive \"%s%.60s\"; did you mean \"%s%s\"?", dashes, name, dashes, nearest);
		else
			fault_add(f, NULL, "unknown directive \"%s%.60s\"", dashes, name);
		return 0;
	}
	struct origin *from = &origins[o - options];
	if (words->n == 0) {
		fault_add(f, o->name, "a value is missing");
		return 0;
	}
	bool add = f->command_line ? from->command_line : from->line > 0;
	int rc = field_assign(c, o, words, add, folder, f);
	from->command_line = f->command_line;
	from->line = f->line;
	return rc == ERR_NOMEM ? rc : 0;
}

/* Splits the directive's name off: words keeps the values. */
static char *take_name(struct conf_list *words)
{
	char *name = words->items[0];
	words->n--;
	memmove(words->items, words->items + 1, words->n * sizeof *words->items);
	return name;
}

int load_text(struct conf *c, const char *text, size_t len, const char *folder, struct origin *origins, struct faults *f)
{
	struct reader r;
	int rc = 0;
	reader_init(&r, text, len);
	while (rc == 0 && reader_next(&r)) {
		struct conf_list words = { 0 };
		const char *fault;
		f->line = r.number;
		rc = reader_words(&r, &words, &fault);
		if (rc == ERR_BAD) {
			fault_add(f, NULL, "%s", fault);
			rc = 0;
		} else if (rc == 0 && words.n > 0) {
			char *name = take_name(&words);
			rc = load_directive(c, name, &words, folder, origins, f);
			mem_free(name);
		}
		list_free(&words);
	}
	f->line = 0;
	return rc;
}

/* ---- the command line ---- */

/* The words behind --name at args[*i], up to the next; *i is moved there. One word alone may hold several, quoted or not, for
 * an option that is a list. */
static int take_args(const struct conf_list *args, unsigned *i, const char *inline_value, bool list, struct conf_list *words,
		     const char **fault)
{
	int rc = inline_value ? list_add_copy(words, inline_value, strlen(inline_value)) : 0;
	for (*i += 1; rc == 0 && *i < args->n && strncmp(args->items[*i], "--", 2) != 0; *i += 1)
		rc = list_add_copy(words, args->items[*i], strlen(args->items[*i]));
	if (rc == 0 && list && words->n == 1 && *words->items[0]) {
		char *only = words->items[0];
		words->n = 0;
		rc = words_split(only, strlen(only), words, fault);
		mem_free(only);
	}
	return rc;
}

static int load_arg(struct conf *c, const struct conf_list *args, unsigned *i, struct origin *origins, struct faults *f)
{
	const char *arg = args->items[*i];
	struct conf_list words = { 0 };
	const char *fault = "";
	if (strncmp(arg, "--", 2) != 0 || !arg[2]) {
		fault_add(f, NULL, "%s: an option begins with -- and its name", fault_show(arg).text);
		*i += 1;
		return 0;
	}
	size_t len = strcspn(arg + 2, "=");
	char *name = mem_strndup(arg + 2, len);
	if (!name)
		return ERR_NOMEM;
	const struct option *o = option_find(name);
	bool list = o && (o->kind == KIND_WORDS || o->kind == KIND_LINES);
	int rc = take_args(args, i, arg[2 + len] ? arg + 3 + len : NULL, list, &words, &fault);
	if (rc == ERR_BAD) {
		fault_add(f, name, "%s", fault);
		rc = 0;
	} else if (rc == 0) {
		rc = load_directive(c, name, &words, NULL, origins, f);
	}
	list_free(&words);
	mem_free(name);
	return rc;
}

static int load_args(struct conf *c, struct origin *origins, struct faults *f)
{
	int rc = 0;
	f->command_line = true;
	for (unsigned i = 0; i < c->args.n && rc == 0;)
		rc = load_arg(c, &c->args, &i, origins, f);
	f->command_line = false;
	return rc;
}

/* ---- the whole ---- */

static int load_file(struct conf *c, const char *path, struct origin *origins, struct faults *f)
{
	char real[PATH_MAX], folder[PATH_MAX];
	struct text text;
	f->file = path;
	int rc = file_read(path, &text);
	if (rc == ERR_NOMEM)
		return rc;
	if (rc != 0 || !realpath(path, real)) {
		if (rc == 0)
			text_free(&text);
		return fault_add(f, NULL, "cannot be read: %s", rc == ERR_RANGE ? "larger than 16 MB" : strerror(errno));
	}
	c->path = mem_strdup(real);
	rc = c->path ? load_text(c, text.p, text.len, conf_folder(c, folder, sizeof folder), origins, f) : ERR_NOMEM;
	text_free(&text);
	return rc;
}

static int load_all(struct conf *c, const char *path, struct faults *f)
{
	struct origin origins[OPTION_COUNT] = { { 0 } };
	int rc = path ? load_file(c, path, origins, f) : 0;
	if (rc == 0)
		rc = load_args(c, origins, f);
	if (rc == 0 && f->n == 0)
		rc = check_values(c, origins, f);
	if (rc == 0 && f->n == 0)
		rc = check_files(c, origins, f);
	return rc == 0 && f->n > 0 ? ERR_BAD : rc;
}

/* args is copied. */
static int load(const char *path, const struct conf_list *args, struct conf **out, struct faults *f)
{
	struct conf *c = conf_new();
	int rc = c ? list_copy(&c->args, args) : ERR_NOMEM;
	if (rc == 0)
		rc = load_all(c, path, f);
	if (rc == ERR_NOMEM)
		fault_add(f, NULL, "no memory");
	if (rc == 0)
		*out = c;
	else if (c)
		conf_free(c);
	return rc;
}

int conf_load(const char *path, int argc, char *const *argv, struct conf **out, char *err, size_t cap)
{
	struct conf_list args = { .n = argc > 0 ? (unsigned)argc : 0, .items = (char **)(uintptr_t)argv };
	struct faults f;
	faults_init(&f, err, cap);
	return load(path, &args, out, &f);
}

/* n keeps c's values where a restart is needed; those that differ are named in f. */
static int keep_restart_only(struct conf *n, const struct conf *c, struct faults *f)
{
	struct text names = { 0 };
	int rc = 0;
	for (unsigned i = 0; i < OPTION_COUNT && rc == 0; i++) {
		if (options[i].live || field_equal(n, c, &options[i]))
			continue;
		text_puts(&names, names.len > 0 ? ", " : "");
		text_puts(&names, options[i].name);
		rc = field_copy(n, c, &options[i]);
	}
	if (names.failed)
		rc = ERR_NOMEM;
	f->file = NULL;
	if (rc == 0 && names.len > 0)
		fault_add(f, NULL, "changed in the file, and needs a restart: %s", names.p);
	text_free(&names);
	return rc;
}

int conf_reload(const struct conf *c, struct conf **out, char *err, size_t cap)
{
	struct faults f;
	struct conf *n = NULL;
	faults_init(&f, err, cap);
	if (!c->path)
		return fault_add(&f, NULL, "the server runs without a configuration file");
	int rc = load(c->path, &c->args, &n, &f);
	if (rc != 0)
		return rc;
	rc = keep_restart_only(n, c, &f);
	if (rc == 0) {
		*out = n;
		return 0;
	}
	conf_unref(n);
	return fault_add(&f, NULL, "no memory"), rc;
}
