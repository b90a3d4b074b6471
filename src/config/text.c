/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns texts that grow, and the quoting of words: what text_put_word writes, words_split reads back. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "config/internal.h"

void text_put(struct text *t, const char *s, size_t len)
{
	if (t->failed)
		return;
	if (t->cap - t->len <= len) {
		size_t cap = (t->len + len + 1) * 2;
		char *p = mem_realloc(t->p, cap);
		if (!p) {
			t->failed = true;
			return;
		}
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->len, s, len);
	t->len += len;
	t->p[t->len] = '\0';
}

void text_puts(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

static bool stands_bare(const char *s)
{
	/* A # would begin a comment only as a line's first character, and a name comes before it. */
	if (!*s)
		return false;
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7f || strchr("\"'\\", *s))
			return false;
	return true;
}

void text_put_word(struct text *t, const char *s)
{
	if (stands_bare(s)) {
		text_puts(t, s);
		return;
	}
	text_puts(t, "\"");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		char escape[5];
		if (c == '"' || c == '\\') {
			snprintf(escape, sizeof escape, "\\%c", c);
			text_puts(t, escape);
		} else if (c < ' ' || c == 0x7f) {
			snprintf(escape, sizeof escape, "\\x%02x", c);
			text_puts(t, escape);
		} else {
			text_put(t, s, 1);
		}
	}
	text_puts(t, "\"");
}

void text_free(struct text *t)
{
	mem_free(t->p);
	*t = (struct text){ 0 };
}
