/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the ACL file: one line for each user, as ACL LIST shows them; empty lines and lines that begin with # are passed over.
 *
 * Loading is all or nothing: one wrong line, and the users in force stay. Saving writes a neighbour and renames it, so that whoever
 * reads the file meets the old one or the new one, whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin/acl_user.h"
#include "admin/internal.h"
#include "base/alloc.h"

enum { FILE_MAX = 16 * 1024 * 1024, WORDS_MAX = 1024 };

/* Cuts the line into words; how many. */
static unsigned cut(char *line, struct resp_arg *words)
{
	unsigned n = 0;

	for (char *save = NULL, *w = strtok_r(line, " \t\r", &save); w && n < WORDS_MAX; w = strtok_r(NULL, " \t\r", &save))
		words[n++] = (struct resp_arg){ w, strlen(w) };
	return n;
}

/* 0, or what is wrong is in err. seen: names of this file so far. */
static int load_line(struct acl_users *a, char *line, unsigned number, bool *has_default, char *err, size_t cap)
{
	struct resp_arg words[WORDS_MAX];
	static const struct resp_arg reset = { "reset", 5 };
	char why[400];
	unsigned n = cut(line, words);

	if (n == 0 || *words[0].p == '#')
		return 0;
	if (!resp_arg_is(&words[0], "user") || n < 2) {
		snprintf(err, cap, "line %u: a line begins with `user` and a name", number);
		return ERR_BAD;
	}
	bool is_default = words[1].len == 7 && memcmp(words[1].p, "default", 7) == 0;
	if (is_default ? *has_default : acl_find(a, words[1].p, words[1].len) != NULL) {
		snprintf(err, cap, "line %u: there are two users of the name '%s'", number, words[1].p);
		return ERR_BAD;
	}
	*has_default |= is_default;
	if (acl_set_user(a, words[1].p, words[1].len, 1, &reset, why, sizeof why) != 0 ||
	    acl_set_user(a, words[1].p, words[1].len, n - 2, words + 2, why, sizeof why) != 0) {
		snprintf(err, cap, "line %u: %s", number, why);
		return ERR_BAD;
	}
	return 0;
}

/* The whole file, terminated; NULL: err says why. */
static char *read_all(const char *path, char *err, size_t cap)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t len = 0, room = 0, got = 1;

	while (f && got > 0 && len < FILE_MAX) {
		if (room - len < 4096) {
			char *more = mem_realloc(text, room += 65536);

			if (!more) {
				errno = ENOMEM;
				break;
			}
			text = more;
		}
		got = fread(text + len, 1, room - len - 1, f);
		len += got;
	}
	bool bad = !f || ferror(f) || got > 0;
	if (bad)
		snprintf(err, cap, "%s", len >= FILE_MAX ? "larger than 16 MB" : strerror(errno));
	if (f)
		fclose(f);
	if (bad) {
		mem_free(text);
		return NULL;
	}
	text[len] = '\0';
	if (memchr(text, '\0', len)) {
		snprintf(err, cap, "holds a NUL byte");
		mem_free(text);
		return NULL;
	}
	return text;
}

struct acl_users *acl_load(const struct conf *c, char *err, size_t cap)
{
	char why[500] = "no memory";
	struct acl_users *a = acl_users_new_plain(c, why, sizeof why);
	char *text = a ? read_all(c->aclfile, why, sizeof why) : NULL;
	bool has_default = false;
	int rc = text ? 0 : ERR_BAD;
	unsigned number = 1;

	for (char *line = text, *end; line && rc == 0; line = end, number++) {
		if ((end = strchr(line, '\n')))
			*end++ = '\0';
		rc = load_line(a, line, number, &has_default, why, sizeof why);
	}
	mem_free(text);
	if (rc == 0)
		return a;
	acl_users_free(a);
	snprintf(err, cap, "aclfile %s: %s", c->aclfile, why);
	return NULL;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ERR_SYS;
		p += n;
		len -= (size_t)n;
	}
	return fsync(fd) == 0 ? 0 : ERR_SYS;
}

int acl_save(const struct acl_users *a, const char *path, char *err, size_t cap)
{
	struct resp_out t;
	char *beside = mem_alloc(strlen(path) + 8);
	int rc = ERR_SYS, fd = -1;

	resp_out_init(&t, 2, FILE_MAX);
	for (const struct acl_user *u = acl_first(a); u; u = acl_next(u)) {
		acl_describe(u, &t);
		text_add(&t, "\n");
	}
	if (beside)
		sprintf(beside, "%s.XXXXXX", path);
	if (!beside || t.failed) {
		snprintf(err, cap, "no memory");
	} else if ((fd = mkostemp(beside, O_CLOEXEC)) < 0) {
		snprintf(err, cap, "cannot write beside %s: %s", path, strerror(errno));
	} else if ((rc = write_all(fd, t.data, t.len)) != 0 || (rc = rename(beside, path) == 0 ? 0 : ERR_SYS) != 0) {
		snprintf(err, cap, "cannot write %s: %s", path, strerror(errno));
		unlink(beside);
	}
	if (fd >= 0)
		close(fd);
	mem_free(beside);
	resp_out_free(&t);
	return rc;
}
