/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the config room share: a folder of its own for each test, files in it, loading and asking. */
#ifndef TESTS_UNIT_CONF_FILES_H
#define TESTS_UNIT_CONF_FILES_H

#include <dirent.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/config.h"
#include "config/internal.h"
#include "unit.h"

struct conf_test {
	char folder[64];
	char path[96];   /* folder/x.conf */
	char err[4096];  /* of the last load, its folder cut out */
	char value[4096];
	struct conf *conf;
};

static inline void conf_test_begin(struct conf_test *t)
{
	memset(t, 0, sizeof *t);
	snprintf(t->folder, sizeof t->folder, "/tmp/pith-conf-XXXXXX");
	check(mkdtemp(t->folder));
	snprintf(t->path, sizeof t->path, "%s/x.conf", t->folder);
}

static inline void conf_test_end(struct conf_test *t)
{
	char path[512];
	DIR *d = opendir(t->folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", t->folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(t->folder);
	conf_unref(t->conf);
	t->conf = NULL;
}

static inline void conf_test_write_bytes(struct conf_test *t, const char *name, const char *text, size_t len)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", t->folder, name);
	FILE *f = fopen(path, "wb");
	check(f);
	check_eq_int(fwrite(text, 1, len, f), len);
	fclose(f);
}

static inline void conf_test_write(struct conf_test *t, const char *text)
{
	conf_test_write_bytes(t, "x.conf", text, strlen(text));
}

/* The file's whole text, in t->value. */
static inline const char *conf_test_read(struct conf_test *t)
{
	FILE *f = fopen(t->path, "rb");
	check(f);
	size_t n = fread(t->value, 1, sizeof t->value - 1, f);
	t->value[n] = '\0';
	fclose(f);
	return t->value;
}

/* Folder names differ from run to run: each is cut out of the message. */
static inline void conf_test_cut_folder(struct conf_test *t)
{
	size_t len = strlen(t->folder) + 1;
	for (char *at; (at = strstr(t->err, t->folder));)
		memmove(at, at + len, strlen(at + len) + 1);
}

/* Loads x.conf with these command line words (up to 8, a NULL behind them). */
static inline int conf_test_load(struct conf_test *t, ...)
{
	char *argv[8];
	int argc = 0;
	va_list ap;
	va_start(ap, t);
	for (char *word; (word = va_arg(ap, char *));)
		argv[argc++] = word;
	va_end(ap);
	conf_unref(t->conf);
	t->conf = NULL;
	memset(t->err, 0, sizeof t->err);
	int rc = conf_load(access(t->path, F_OK) == 0 ? t->path : NULL, argc, argv, &t->conf, t->err, sizeof t->err);
	conf_test_cut_folder(t);
	return rc;
}

/* Loads a file of this text; the message, "" when it is good. */
static inline const char *conf_test_fault(struct conf_test *t, const char *text)
{
	conf_test_write(t, text);
	int rc = conf_test_load(t, NULL);
	check_eq_int(rc, *t->err ? ERR_BAD : 0);
	return t->err;
}

static inline void conf_test_take_value(void *arg, const char *name, const char *value)
{
	struct conf_test *t = arg;
	(void)name;
	snprintf(t->value, sizeof t->value, "%s", value);
}

/* What CONFIG GET name says. */
static inline const char *conf_test_get(struct conf_test *t, const char *name)
{
	check_eq_int(conf_get(t->conf, name, conf_test_take_value, t), 1);
	return t->value;
}

#endif
