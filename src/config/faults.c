/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the list of what is wrong with a configuration: one line each, as far as the caller's buffer goes. A line that
 * does not fit any more is left out whole, and counted all the same. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/internal.h"

void faults_init(struct faults *f, char *buf, size_t cap)
{
	*f = (struct faults){ .buf = buf, .cap = cap };
	if (cap > 0)
		*buf = '\0';
}

static int put_place(const struct faults *f, const char *name, char *out, size_t cap)
{
	const char *sep = name ? ": " : "";
	if (f->command_line)
		return snprintf(out, cap, name ? "--%s: " : "%s", name ? name : "");
	if (!f->file)
		return snprintf(out, cap, "%s%s", name ? name : "", sep);
	if (f->line == 0)
		return snprintf(out, cap, "%s: %s%s", f->file, name ? name : "", sep);
	return snprintf(out, cap, "%s:%u: %s%s", f->file, f->line, name ? name : "", sep);
}

int fault_add(struct faults *f, const char *name, const char *fmt, ...)
{
	char line[8192];
	va_list ap;
	int at = put_place(f, name, line, sizeof line);
	f->n++;
	if (at < 0 || (size_t)at >= sizeof line)
		at = 0;
	va_start(ap, fmt);
	vsnprintf(line + at, sizeof line - (size_t)at, fmt, ap);
	va_end(ap);
	size_t len = strlen(line), lead = f->len > 0;
	if (f->len + lead + len + 1 > f->cap) {
		/* The first is cut rather than lost: silence would be worse. */
		if (f->len == 0 && f->cap > 0) {
			memcpy(f->buf, line, f->cap - 1);
			f->buf[f->cap - 1] = '\0';
			f->len = f->cap - 1;
		}
		return ERR_BAD;
	}
	if (lead)
		f->buf[f->len++] = '\n';
	memcpy(f->buf + f->len, line, len + 1);
	f->len += len;
	return ERR_BAD;
}

struct shown fault_show(const char *value)
{
	struct shown s;
	size_t n = 0;
	s.text[n++] = '"';
	while (*value && n < sizeof s.text - 6) {
		s.text[n++] = (unsigned char)*value >= ' ' && (unsigned char)*value < 0x7f ? *value : '?';
		value++;
	}
	snprintf(s.text + n, sizeof s.text - n, *value ? "...\"" : "\"");
	return s;
}
