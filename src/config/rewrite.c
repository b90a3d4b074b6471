/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns CONFIG REWRITE.
 *
 * Only what differs is touched, so that a file under a person's care stays that person's: a changed directive takes the
 * place of its last line (of its first, when it may be repeated); a new one stands behind its commented-out default
 * (#name value, no blank after the #), or at the end. The file is replaced whole by rename, so a crash leaves the old or the new. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/internal.h"

/* What is to happen to each option, by line numbers of the old text. */
struct plan {
	struct {
		bool differs;
		unsigned first, last; /* its lines; 0: none */
		unsigned comment;     /* its commented-out default */
	} of[OPTION_COUNT];
	const char *eol;
};

/* #name …: which option's default is commented out here? */
static const struct option *commented(const struct reader *r)
{
	char name[64];
	size_t len = 0;
	if (r->len < 2 || r->line[0] != '#')
		return NULL;
	for (const char *p = r->line + 1; p < r->line + r->len && *p != ' ' && *p != '\t'; p++) {
		if (len + 1 == sizeof name)
			return NULL;
		name[len++] = *p;
	}
	name[len] = '\0';
	return option_find(name);
}

/* The option of the present line, or NULL. */
static int directive(const struct reader *r, const struct option **o)
{
	struct conf_list words = { 0 };
	const char *fault;
	int rc = reader_words(r, &words, &fault);
	*o = rc == 0 && words.n > 0 ? option_find(words.items[0]) : NULL;
	list_free(&words);
	return rc;
}

static int plan_make(struct plan *p, const struct conf *c, const struct conf *old, const char *text, size_t len)
{
	struct reader r;
	*p = (struct plan){ .eol = "\n" };
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		p->of[i].differs = !field_equal(c, old, &options[i]);
	reader_init(&r, text, len);
	while (reader_next(&r)) {
		const struct option *o = commented(&r);
		if (o)
			p->of[o - options].comment = r.number;
		int rc = directive(&r, &o);
		if (rc != 0)
			return rc;
		if (o) {
			if (!p->of[o - options].first)
				p->of[o - options].first = r.number;
			p->of[o - options].last = r.number;
		}
		if (r.number == 1 && r.full_len - r.len == 2)
			p->eol = "\r\n";
	}
	return 0;
}

/* The old line, or what takes its place. */
static void put_line(struct text *out, const struct plan *p, const struct conf *c, const struct reader *r, const struct option *o)
{
	if (!o || !p->of[o - options].differs) {
		text_put(out, r->line, r->full_len);
		return;
	}
	unsigned at = o->kind == KIND_LINES ? p->of[o - options].first : p->of[o - options].last;
	if (r->number == at)
		field_put_lines(out, c, o, p->eol);
	else if (o->kind != KIND_LINES)
		text_put(out, r->line, r->full_len); /* overruled by a later line, as before */
}

/* Ends the line that an old file's end left open, as something follows. */
static void end_line(struct text *out, const struct plan *p)
{
	if (out->len > 0 && out->p[out->len - 1] != '\n')
		text_puts(out, p->eol);
}

/* What is new and has its commented-out default in line number. */
static void put_behind(struct text *out, const struct plan *p, const struct conf *c, unsigned number)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (p->of[i].differs && !p->of[i].first && p->of[i].comment == number) {
			end_line(out, p);
			field_put_lines(out, c, &options[i], p->eol);
		}
}

static void put_rest(struct text *out, const struct plan *p, const struct conf *c)
{
	bool headed = false;
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (!p->of[i].differs || p->of[i].first || p->of[i].comment)
			continue;
		if (!headed) {
			end_line(out, p);
			text_puts(out, out->len > 0 ? p->eol : "");
			text_puts(out, "# Written by CONFIG REWRITE");
			text_puts(out, p->eol);
			headed = true;
		}
		field_put_lines(out, c, &options[i], p->eol);
	}
}

static int rewrite_lines(const struct conf *c, const struct conf *old, const char *text, size_t len, struct text *out)
{
	struct plan p;
	struct reader r;
	int rc = plan_make(&p, c, old, text, len);
	if (rc != 0)
		return rc;
	reader_init(&r, text, len);
	while (reader_next(&r)) {
		const struct option *o;
		rc = directive(&r, &o);
		if (rc != 0)
			return rc;
		put_line(out, &p, c, &r, o);
		put_behind(out, &p, c, r.number);
	}
	put_rest(out, &p, c);
	return out->failed ? ERR_NOMEM : 0;
}

int rewrite_text(const struct conf *c, const char *text, size_t len, const char *folder, struct text *out, struct faults *f)
{
	struct origin origins[OPTION_COUNT] = { { 0 } };
	struct conf *old = conf_new();
	*out = (struct text){ 0 };
	int rc = old ? load_text(old, text, len, folder, origins, f) : ERR_NOMEM;
	if (rc == 0 && f->n > 0)
		rc = ERR_BAD;
	text_puts(out, "");
	if (rc == 0)
		rc = rewrite_lines(c, old, text, len, out);
	if (rc != 0)
		text_free(out);
	conf_unref(old);
	return rc;
}

/* ---- the file ---- */

static int write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno != EINTR)
			return ERR_SYS;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* The new file has the old one's mode and, where we may, its owner: it can hold a password. */
static int write_like(int fd, const char *path, const struct text *text)
{
	struct stat st;
	if (stat(path, &st) != 0 || fchmod(fd, st.st_mode & 07777) != 0)
		return ERR_SYS;
	if ((st.st_uid != geteuid() || st.st_gid != getegid()) && fchown(fd, st.st_uid, st.st_gid) != 0 && errno != EPERM)
		return ERR_SYS;
	if (write_all(fd, text->p, text->len) != 0 || fsync(fd) != 0)
		return ERR_SYS;
	return 0;
}

static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int replace_file(const char *path, const char *folder, const struct text *text, struct faults *f)
{
	char temporary[PATH_MAX + 16];
	snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		fault_add(f, NULL, "no file can be made in %s: %s", folder, strerror(errno));
		return ERR_SYS;
	}
	int rc = write_like(fd, path, text);
	if (close(fd) != 0)
		rc = ERR_SYS;
	if (rc == 0 && rename(temporary, path) != 0)
		rc = ERR_SYS;
	if (rc == 0) {
		sync_folder(folder);
		return 0;
	}
	fault_add(f, NULL, "%s cannot be written: %s", path, strerror(errno));
	unlink(temporary);
	return rc;
}

int conf_rewrite(const struct conf *c, char *err, size_t cap)
{
	char folder[PATH_MAX];
	struct text old, fresh;
	struct faults f;
	faults_init(&f, err, cap);
	if (!c->path || !conf_folder(c, folder, sizeof folder)) {
		fault_add(&f, NULL, "the server runs without a configuration file");
		return ERR_UNKNOWN;
	}
	int rc = file_read(c->path, &old);
	if (rc == ERR_SYS || rc == ERR_RANGE) {
		fault_add(&f, NULL, "%s cannot be read: %s", c->path, rc == ERR_RANGE ? "larger than 16 MB" : strerror(errno));
		return ERR_SYS;
	}
	if (rc == 0) {
		f.file = c->path;
		rc = rewrite_text(c, old.p, old.len, folder, &fresh, &f);
		f.file = NULL;
		if (rc == 0) {
			bool same = old.len == fresh.len && memcmp(old.p, fresh.p, old.len) == 0;
			rc = same ? 0 : replace_file(c->path, folder, &fresh, &f);
			text_free(&fresh);
		}
		text_free(&old);
	}
	if (rc == ERR_NOMEM)
		fault_add(&f, NULL, "no memory");
	return rc;
}
