/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns lists of strings, and the splitting of a line into words. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "config/internal.h"

int list_add(struct conf_list *l, char *item)
{
	/* Grown at powers of two. */
	if (item && (l->n & (l->n - 1)) == 0) {
		char **items = mem_realloc(l->items, (l->n ? l->n * 2 : 1) * sizeof *items);
		if (!items) {
			mem_free(item);
			return ERR_NOMEM;
		}
		l->items = items;
	}
	if (!item)
		return ERR_NOMEM;
	l->items[l->n++] = item;
	return 0;
}

int list_add_copy(struct conf_list *l, const char *s, size_t len)
{
	return list_add(l, mem_strndup(s, len));
}

int list_copy(struct conf_list *dst, const struct conf_list *src)
{
	*dst = (struct conf_list){ 0 };
	for (unsigned i = 0; i < src->n; i++) {
		if (list_add_copy(dst, src->items[i], strlen(src->items[i])) != 0) {
			list_free(dst);
			return ERR_NOMEM;
		}
	}
	return 0;
}

bool list_equal(const struct conf_list *a, const struct conf_list *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

void list_free(struct conf_list *l)
{
	for (unsigned i = 0; i < l->n; i++)
		mem_free(l->items[i]);
	mem_free(l->items);
	*l = (struct conf_list){ 0 };
}

/* ---- splitting ---- */

struct splitter {
	const char *p, *end;
	char *word; /* as long as the whole line: no word is longer */
	size_t len;
	const char *fault;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void put(struct splitter *s, char c)
{
	if (c == '\0')
		s->fault = "a NUL byte cannot be part of a value";
	s->word[s->len++] = c;
}

/* Behind a backslash inside of "…". */
static void read_escape(struct splitter *s)
{
	static const char letters[] = "nrtba", bytes[] = "\n\r\t\b\a";
	const char *letter;
	char c = *s->p++;
	if (c == 'x' && s->end - s->p >= 2 && hex_digit(s->p[0]) >= 0 && hex_digit(s->p[1]) >= 0) {
		put(s, (char)(hex_digit(s->p[0]) << 4 | hex_digit(s->p[1])));
		s->p += 2;
	} else if (c && (letter = strchr(letters, c))) {
		put(s, bytes[letter - letters]);
	} else {
		put(s, c);
	}
}

/* From behind the opening quote to behind the closing one. */
static void read_quoted(struct splitter *s, char quote)
{
	while (s->p < s->end && *s->p != quote) {
		char c = *s->p++;
		if (c == '\\' && s->p < s->end && quote == '"')
			read_escape(s);
		else if (c == '\\' && s->p < s->end && *s->p == '\'')
			put(s, *s->p++);
		else
			put(s, c);
	}
	if (s->p == s->end)
		s->fault = "a quote is opened and not closed";
	else if (++s->p < s->end && !is_blank(*s->p))
		s->fault = "a blank is missing behind a closing quote";
}

static void read_word(struct splitter *s)
{
	s->len = 0;
	while (s->p < s->end && !is_blank(*s->p) && !s->fault) {
		char c = *s->p++;
		if (c == '"' || c == '\'') {
			read_quoted(s, c);
			return;
		}
		put(s, c);
	}
}

int words_split(const char *line, size_t len, struct conf_list *out, const char **fault)
{
	struct splitter s = { .p = line, .end = line + len, .word = mem_alloc(len + 1) };
	int rc = s.word ? 0 : ERR_NOMEM;
	while (rc == 0) {
		while (s.p < s.end && is_blank(*s.p))
			s.p++;
		if (s.p == s.end)
			break;
		read_word(&s);
		rc = s.fault ? ERR_BAD : list_add_copy(out, s.word, s.len);
	}
	mem_free(s.word);
	*fault = s.fault;
	return rc;
}

int conf_item_words(const char *item, char *buf, size_t cap, char **words, unsigned max)
{
	size_t len = strlen(item);
	struct splitter s = { .p = item, .end = item + len, .word = buf };
	unsigned n = 0;
	if (len >= cap)
		return ERR_SPACE;
	for (;;) {
		while (s.p < s.end && is_blank(*s.p))
			s.p++;
		if (s.p == s.end)
			return (int)n;
		if (n == max)
			return ERR_SPACE;
		read_word(&s);
		if (s.fault)
			return ERR_BAD;
		/* A word is never longer than what it was read from, and the blank behind it makes room for the NUL. */
		s.word[s.len] = '\0';
		words[n++] = s.word;
		s.word += s.len + 1;
	}
}
