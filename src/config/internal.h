/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the config room share: the option table, growing texts, words, and the list of faults. */
#ifndef PITH_CONFIG_INTERNAL_H
#define PITH_CONFIG_INTERNAL_H

#include "base/err.h"
#include "config/config.h"

/* ---- text.c: a text that grows. Out of memory sticks, so that many puts need one check. ---- */

struct text {
	char *p; /* NUL-terminated, or NULL while empty */
	size_t len, cap;
	bool failed;
};

void text_put(struct text *t, const char *s, size_t len);
void text_puts(struct text *t, const char *s);
/* s as one word of a conf file: in double quotes, with escapes, when it could not stand bare. */
void text_put_word(struct text *t, const char *s);
void text_free(struct text *t);

/* ---- words.c ---- */

/* Takes over item (also when it fails: then it is freed). 0 or ERR_NOMEM. */
int list_add(struct conf_list *l, char *item);
int list_add_copy(struct conf_list *l, const char *s, size_t len);
/* *dst, which is empty, becomes a copy. On ERR_NOMEM it is empty again. */
int list_copy(struct conf_list *dst, const struct conf_list *src);
bool list_equal(const struct conf_list *a, const struct conf_list *b);
void list_free(struct conf_list *l);
/* Adds the words of s to *out as redis.conf has them: blanks between; "…" with \n \r \t \b \a \xHH and \c for c; '…' with \'.
 * 0; ERR_BAD and *fault, a static sentence; ERR_NOMEM. */
int words_split(const char *s, size_t len, struct conf_list *out, const char **fault);

/* ---- faults.c: what is wrong with a configuration, one line each ---- */

struct faults {
	char *buf;
	size_t cap, len;
	unsigned n;
	/* Where the values at hand come from: a line of a file, the command line, or CONFIG SET (neither). */
	const char *file;
	unsigned line;
	bool command_line;
};

void faults_init(struct faults *f, char *buf, size_t cap);
/* About the directive name, or about the line when name is NULL. Returns ERR_BAD. */
int fault_add(struct faults *f, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* value in quotes, cut and cleaned for a message. */
struct shown {
	char text[80];
};
struct shown fault_show(const char *value);

/* ---- options.c: the table ---- */

enum option_kind {
	KIND_BOOL, KIND_INT, KIND_BYTES, KIND_SECONDS, KIND_MS, KIND_STRING, KIND_SECRET, KIND_ENUM, KIND_WORDS, KIND_LINES,
};

struct option {
	const char *name;
	enum option_kind kind;
	const char *dflt;
	int64_t min, max;
	const char *values; /* ENUM: the values; else the form that forms.c checks, "" for none */
	bool live;
	size_t offset; /* of its field in struct conf */
	const char *help;
};

enum {
#define OPTION(field, name, kind, dflt, min, max, values, live, help) OPTION_##field,
#include "config/options.def"
#undef OPTION
	OPTION_COUNT
};

extern const struct option options[OPTION_COUNT];

/* By name, without case; NULL when there is none. */
const struct option *option_find(const char *name);
/* The name that is closest to a mistyped one, or NULL when none is close. */
const char *option_nearest(const char *name);
/* One line a zone instead of a list of items. */
bool option_is_zone_lines(const struct option *o);

/* ---- value.c: the numbers and words of one value ---- */

/* A plain number counts units of unit_ms. 0 or ERR_BAD. */
int duration_parse(const char *s, uint64_t unit_ms, uint64_t *ms);
int integer_parse(const char *s, int64_t *out);
/* Number of the blank-separated word in values, or ERR_UNKNOWN. */
int enum_parse(const char *values, const char *s);
void enum_put(struct text *t, const char *values, int number);
/* As a person would write it: 256mb, 1800ms, 30s. */
void bytes_put(struct text *t, uint64_t n);
void duration_put(struct text *t, uint64_t n, const char *unit);
void number_put(struct text *t, int64_t n);

/* ---- forms.c: values with a form of their own ---- */

/* Is s the presentation form of a domain name (RFC 1035 §5.1), with or without the last dot? */
bool zone_is_valid(const char *s);
/* s as an absolute path: relative ones start at folder (NULL: the working directory). Owned by the caller; NULL: no memory. */
char *path_resolve(const char *folder, const char *s);
/* Checks one word of an option with a form (prefix, address, ip, …). 0 or ERR_BAD with a fault. */
int form_check_word(const struct option *o, const char *word, struct faults *f);
/* Checks a zone line's words and resolves its path. 0, ERR_BAD with a fault, ERR_NOMEM. */
int form_check_zone(const struct option *o, struct conf_list *words, const char *folder, struct faults *f);

/* ---- field.c: one option's value inside of a struct conf ---- */

/* Gives o's field the value of these words; a LINES option adds them to what it holds when add. 0, ERR_BAD with a fault
 * (the field is as before), ERR_NOMEM. */
int field_assign(struct conf *c, const struct option *o, const struct conf_list *words, bool add, const char *folder, struct faults *f);
int field_copy(struct conf *dst, const struct conf *src, const struct option *o);
bool field_equal(const struct conf *a, const struct conf *b, const struct option *o);
void field_free(struct conf *c, const struct option *o);
void field_clear(struct conf *c, const struct option *o);
/* As CONFIG GET shows it. */
void field_put_plain(struct text *t, const struct conf *c, const struct option *o);
/* As lines of a file, each "name value" with eol behind. */
void field_put_lines(struct text *t, const struct conf *c, const struct option *o, const char *eol);

/* ---- reader.c: the lines of a file ---- */

enum { CONF_LINE_MAX = 65536, CONF_FILE_MAX = 16 << 20 };

struct reader {
	const char *p, *end;
	unsigned number; /* of the line read last, from 1 */
	const char *line;
	size_t len;      /* without its end */
	size_t full_len; /* with it */
};

void reader_init(struct reader *r, const char *text, size_t len);
/* The next line, comments and empty ones too; false at the end. */
bool reader_next(struct reader *r);
/* The words of the present line: none for a comment. 0; ERR_BAD and *fault; ERR_NOMEM. */
int reader_words(const struct reader *r, struct conf_list *words, const char **fault);
/* The whole file: 0 and *text, to be freed by text_free; ERR_NOMEM; ERR_SYS (errno), ERR_RANGE: over CONF_FILE_MAX. */
int file_read(const char *path, struct text *text);

/* ---- load.c ---- */

/* Which line gave an option its value; 0 in neither: the default. */
struct origin {
	unsigned line;
	bool command_line;
};

/* Defaults. NULL: no memory. */
struct conf *conf_new(void);
struct conf *conf_clone(const struct conf *c);
/* Puts the directives of a file's text into c; faults go to f (f->file names it). 0 (look at f->n) or ERR_NOMEM. */
int load_text(struct conf *c, const char *text, size_t len, const char *folder, struct origin *origins, struct faults *f);
/* Folder of c's file: for relative paths. buf has PATH_MAX bytes; NULL when there is no file. */
const char *conf_folder(const struct conf *c, char *buf, size_t cap);

/* ---- check.c: what single values cannot show. 0, or ERR_BAD with faults. ---- */

int check_values(const struct conf *c, const struct origin *origins, struct faults *f);
int check_files(const struct conf *c, const struct origin *origins, struct faults *f);

/* ---- rewrite.c ---- */

/* The file's text with what differs from c put right. 0 and *out; ERR_BAD with faults when the text itself is wrong; ERR_NOMEM. */
int rewrite_text(const struct conf *c, const char *text, size_t len, const char *folder, struct text *out, struct faults *f);

#endif
