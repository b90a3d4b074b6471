/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the fields of struct conf by their options: giving them values from words, copying, comparing, printing.
 * Invariant: a field changes only when its whole new value is good. */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/must.h"
#include "config/internal.h"

static void *field_of(const struct conf *c, const struct option *o)
{
	return (char *)(uintptr_t)c + o->offset;
}

static bool is_list(const struct option *o)
{
	return o->kind == KIND_WORDS || o->kind == KIND_LINES;
}

static bool is_string(const struct option *o)
{
	return o->kind == KIND_STRING || o->kind == KIND_SECRET;
}

static size_t scalar_size(const struct option *o)
{
	switch (o->kind) {
	case KIND_BOOL: return sizeof(CONF_TYPE_BOOL);
	case KIND_INT: return sizeof(CONF_TYPE_INT);
	case KIND_BYTES: return sizeof(CONF_TYPE_BYTES);
	case KIND_SECONDS: return sizeof(CONF_TYPE_SECONDS);
	case KIND_MS: return sizeof(CONF_TYPE_MS);
	default: return sizeof(CONF_TYPE_ENUM);
	}
}

/* ---- assignment ---- */

static int assign_bool(void *field, const struct option *o, const char *word, struct faults *f)
{
	bool yes = strcasecmp(word, "yes") == 0;
	if (!yes && strcasecmp(word, "no") != 0)
		return fault_add(f, o->name, "%s is neither yes nor no", fault_show(word).text);
	*(CONF_TYPE_BOOL *)field = yes;
	return 0;
}

static int assign_enum(void *field, const struct option *o, const char *word, struct faults *f)
{
	int n = enum_parse(o->values, word);
	if (n < 0)
		return fault_add(f, o->name, "%s is none of: %s", fault_show(word).text, o->values);
	*(CONF_TYPE_ENUM *)field = n;
	return 0;
}

/* Prints the option's limits in its own unit. ERR_NOMEM leaves them out. */
static int fault_range(const struct option *o, const char *word, struct faults *f)
{
	struct text min = { 0 }, max = { 0 };
	const char *unit = o->kind == KIND_MS ? "ms" : "s";
	if (o->kind == KIND_INT) {
		number_put(&min, o->min);
		number_put(&max, o->max);
	} else if (o->kind == KIND_BYTES) {
		bytes_put(&min, (uint64_t)o->min);
		bytes_put(&max, (uint64_t)o->max);
	} else {
		duration_put(&min, (uint64_t)o->min, unit);
		duration_put(&max, (uint64_t)o->max, unit);
	}
	int rc = min.failed || max.failed ? ERR_NOMEM
					  : fault_add(f, o->name, "%s is not between %s and %s", fault_show(word).text, min.p, max.p);
	text_free(&min);
	text_free(&max);
	return rc;
}

static int parse_number(const struct option *o, const char *word, int64_t *n, struct faults *f)
{
	uint64_t u = 0;
	if (o->kind == KIND_INT) {
		if (integer_parse(word, n) != 0)
			return fault_add(f, o->name, "%s is no whole number", fault_show(word).text);
		return 0;
	}
	if (o->kind == KIND_BYTES) {
		if (conf_bytes_parse(word, &u) != 0)
			return fault_add(f, o->name, "%s is no size (such as 1048576, 64mb, 1gb)", fault_show(word).text);
	} else if (duration_parse(word, o->kind == KIND_MS ? 1 : 1000, &u) != 0) {
		return fault_add(f, o->name, "%s is no duration (such as 1500ms, 30s, 5m, 1h, 2d)", fault_show(word).text);
	} else if (o->kind == KIND_SECONDS) {
		if (u % 1000)
			return fault_add(f, o->name, "%s is not a whole number of seconds", fault_show(word).text);
		u /= 1000;
	}
	*n = (int64_t)u;
	return 0;
}

static int assign_number(void *field, const struct option *o, const char *word, struct faults *f)
{
	int64_t n;
	if (parse_number(o, word, &n, f) != 0)
		return ERR_BAD;
	if (n < o->min || n > o->max)
		return fault_range(o, word, f);
	switch (o->kind) {
	case KIND_INT: *(CONF_TYPE_INT *)field = n; break;
	case KIND_BYTES: *(CONF_TYPE_BYTES *)field = (CONF_TYPE_BYTES)n; break;
	case KIND_SECONDS: *(CONF_TYPE_SECONDS *)field = (CONF_TYPE_SECONDS)n; break;
	default: *(CONF_TYPE_MS *)field = (CONF_TYPE_MS)n; break;
	}
	return 0;
}

static int assign_string(char **field, const struct option *o, const char *word, const char *folder)
{
	char *s = strcmp(o->values, "file") == 0 && *word ? path_resolve(folder, word) : mem_strdup(word);
	if (!s)
		return ERR_NOMEM;
	mem_free(*field);
	*field = s;
	return 0;
}

/* The words of a zone line as one item, in which a reader finds the same words again. */
static int join_words(const struct conf_list *words, struct conf_list *out)
{
	struct text t = { 0 };
	for (unsigned i = 0; i < words->n; i++) {
		if (i > 0)
			text_puts(&t, " ");
		text_put_word(&t, words->items[i]);
	}
	if (t.failed) {
		text_free(&t);
		return ERR_NOMEM;
	}
	return list_add(out, t.p);
}

static int add_zone_line(struct conf_list *out, const struct option *o, const struct conf_list *words, const char *folder,
			 struct faults *f)
{
	struct conf_list own;
	int rc = list_copy(&own, words);
	if (rc == 0)
		rc = form_check_zone(o, &own, folder, f);
	if (rc == 0)
		rc = join_words(&own, out);
	list_free(&own);
	return rc;
}

static int add_words(struct conf_list *out, const struct option *o, const struct conf_list *words, struct faults *f)
{
	int rc = 0;
	for (unsigned i = 0; i < words->n && rc == 0; i++) {
		rc = form_check_word(o, words->items[i], f);
		if (rc == 0)
			rc = list_add_copy(out, words->items[i], strlen(words->items[i]));
	}
	return rc;
}

static int assign_list(struct conf_list *field, const struct option *o, const struct conf_list *words, bool add, const char *folder,
		       struct faults *f)
{
	struct conf_list fresh = { 0 };
	bool none = words->n == 0 || (words->n == 1 && !*words->items[0]); /* name "" is the empty list */
	int rc = add ? list_copy(&fresh, field) : 0;
	if (rc == 0 && !none)
		rc = option_is_zone_lines(o) ? add_zone_line(&fresh, o, words, folder, f) : add_words(&fresh, o, words, f);
	if (rc != 0) {
		list_free(&fresh);
		return rc;
	}
	list_free(field);
	*field = fresh;
	return 0;
}

int field_assign(struct conf *c, const struct option *o, const struct conf_list *words, bool add, const char *folder, struct faults *f)
{
	void *field = field_of(c, o);
	if (is_list(o))
		return assign_list(field, o, words, add, folder, f);
	if (words->n == 0)
		return fault_add(f, o->name, "a value is missing");
	if (words->n > 1 && words->items[1][0] == '#')
		return fault_add(f, o->name, "one value is wanted; a comment needs a line of its own");
	if (words->n > 1)
		return fault_add(f, o->name, "one value is wanted, not %u (one with blanks goes in quotes)", words->n);
	const char *word = words->items[0];
	int rc = form_check_word(o, word, f);
	if (rc != 0)
		return rc;
	if (is_string(o))
		return assign_string(field, o, word, folder);
	if (o->kind == KIND_BOOL)
		return assign_bool(field, o, word, f);
	if (o->kind == KIND_ENUM)
		return assign_enum(field, o, word, f);
	return assign_number(field, o, word, f);
}

/* ---- the rest ---- */

void field_clear(struct conf *c, const struct option *o)
{
	memset(field_of(c, o), 0, is_list(o) ? sizeof(struct conf_list) : is_string(o) ? sizeof(char *) : scalar_size(o));
}

void field_free(struct conf *c, const struct option *o)
{
	if (is_list(o))
		list_free(field_of(c, o));
	else if (is_string(o))
		mem_free(*(char **)field_of(c, o));
	field_clear(c, o);
}

int field_copy(struct conf *dst, const struct conf *src, const struct option *o)
{
	if (is_list(o)) {
		struct conf_list copy;
		if (list_copy(&copy, field_of(src, o)) != 0)
			return ERR_NOMEM;
		field_free(dst, o);
		*(struct conf_list *)field_of(dst, o) = copy;
	} else if (is_string(o)) {
		char *copy = mem_strdup(*(char **)field_of(src, o));
		if (!copy)
			return ERR_NOMEM;
		field_free(dst, o);
		*(char **)field_of(dst, o) = copy;
	} else {
		memcpy(field_of(dst, o), field_of(src, o), scalar_size(o));
	}
	return 0;
}

bool field_equal(const struct conf *a, const struct conf *b, const struct option *o)
{
	if (is_list(o))
		return list_equal(field_of(a, o), field_of(b, o));
	if (is_string(o))
		return strcmp(*(char **)field_of(a, o), *(char **)field_of(b, o)) == 0;
	return memcmp(field_of(a, o), field_of(b, o), scalar_size(o)) == 0;
}

/* A scalar; person: with its unit. */
static void put_scalar(struct text *t, const struct conf *c, const struct option *o, bool person)
{
	const void *field = field_of(c, o);
	switch (o->kind) {
	case KIND_BOOL: text_puts(t, *(const CONF_TYPE_BOOL *)field ? "yes" : "no"); break;
	case KIND_INT: number_put(t, *(const CONF_TYPE_INT *)field); break;
	case KIND_ENUM: enum_put(t, o->values, *(const CONF_TYPE_ENUM *)field); break;
	case KIND_BYTES:
		if (person)
			bytes_put(t, *(const CONF_TYPE_BYTES *)field);
		else
			number_put(t, (int64_t)*(const CONF_TYPE_BYTES *)field);
		break;
	case KIND_SECONDS: duration_put(t, *(const CONF_TYPE_SECONDS *)field, person ? "s" : ""); break;
	default: duration_put(t, *(const CONF_TYPE_MS *)field, person ? "ms" : ""); break;
	}
}

void field_put_plain(struct text *t, const struct conf *c, const struct option *o)
{
	text_puts(t, ""); /* so that also an empty value is a string */
	if (is_list(o)) {
		const struct conf_list *l = field_of(c, o);
		for (unsigned i = 0; i < l->n; i++) {
			if (i > 0)
				text_puts(t, option_is_zone_lines(o) ? "\n" : " ");
			text_puts(t, l->items[i]);
		}
	} else if (is_string(o)) {
		text_puts(t, *(char **)field_of(c, o));
	} else {
		put_scalar(t, c, o, false);
	}
}

static void put_name(struct text *t, const struct option *o)
{
	text_puts(t, o->name);
	text_puts(t, " ");
}

/* Items of zone lines are quoted already; those of other lists need no quotes, as their forms have no blanks. */
static void put_list_lines(struct text *t, const struct conf_list *l, const struct option *o, const char *eol)
{
	bool one_line = o->kind == KIND_WORDS;
	for (unsigned i = 0; i < l->n; i++) {
		if (i == 0 || !one_line)
			put_name(t, o);
		text_puts(t, l->items[i]);
		text_puts(t, one_line && i + 1 < l->n ? " " : eol);
	}
	if (l->n == 0) {
		put_name(t, o);
		text_puts(t, "\"\"");
		text_puts(t, eol);
	}
}

void field_put_lines(struct text *t, const struct conf *c, const struct option *o, const char *eol)
{
	if (is_list(o)) {
		put_list_lines(t, field_of(c, o), o, eol);
		return;
	}
	put_name(t, o);
	if (is_string(o))
		text_put_word(t, *(char **)field_of(c, o));
	else
		put_scalar(t, c, o, true);
	text_puts(t, eol);
}
