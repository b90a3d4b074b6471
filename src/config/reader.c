/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the reading of a conf file's lines. Whole files are read into memory: they are small, and a rewrite needs all of it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "config/internal.h"

void reader_init(struct reader *r, const char *text, size_t len)
{
	*r = (struct reader){ .p = text, .end = text + len };
}

bool reader_next(struct reader *r)
{
	if (r->p == r->end)
		return false;
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
	r->line = r->p;
	r->p = nl ? nl + 1 : r->end;
	r->full_len = (size_t)(r->p - r->line);
	r->len = nl ? (size_t)(nl - r->line) : r->full_len;
	if (r->len > 0 && r->line[r->len - 1] == '\r')
		r->len--;
	r->number++;
	return true;
}

int reader_words(const struct reader *r, struct conf_list *words, const char **fault)
{
	const char *p = r->line, *end = p + r->len;
	*fault = NULL;
	if (r->number == 1 && r->len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3; /* a byte order mark, as some editors leave it */
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p == '#')
		return 0;
	if (end - p > CONF_LINE_MAX) {
		*fault = "the line is longer than 65536 bytes";
		return ERR_BAD;
	}
	return words_split(p, (size_t)(end - p), words, fault);
}

int file_read(const char *path, struct text *text)
{
	char buf[8192];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	*text = (struct text){ 0 };
	if (fd < 0)
		return ERR_SYS;
	text_puts(text, "");
	while (rc == 0 && (n = read(fd, buf, sizeof buf)) != 0) {
		if (n > 0)
			text_put(text, buf, (size_t)n);
		if (text->failed)
			rc = ERR_NOMEM;
		else if (n < 0 && errno != EINTR)
			rc = ERR_SYS;
		else if (text->len > CONF_FILE_MAX)
			rc = ERR_RANGE;
	}
	if (text->failed)
		rc = ERR_NOMEM;
	int saved = errno;
	close(fd);
	if (rc != 0)
		text_free(text);
	errno = saved;
	return rc;
}
