/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the config room: redis.conf-style configuration.
 *
 * An option is one row of options.def; struct conf, the reader, CONFIG GET/SET/REWRITE, --check and --help follow from
 * the row. A struct conf never changes: CONFIG SET makes a new one, which is handed to every thread; the old one goes
 * when its last holder lets it go. Lists (repeatable directives) keep their order. */
#ifndef PITH_CONFIG_CONFIG_H
#define PITH_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of WORDS and of LINES that list plain items (allow-query, forward-addr): one word an item, however many stood on a line. Of
 * LINES that tell of a zone (forward-zone, stub-zone, auth-zone): each line's words as one string, single blanks between
 * them, a word with blanks or quotes in it in quotes (conf_item_words takes it apart). Paths are absolute. */
struct conf_list {
	unsigned n;
	char **items;
};

/* The C types behind the kinds of options.def. */
#define CONF_TYPE_BOOL bool
#define CONF_TYPE_INT int64_t
#define CONF_TYPE_BYTES uint64_t
#define CONF_TYPE_SECONDS uint32_t
#define CONF_TYPE_MS uint32_t
#define CONF_TYPE_STRING char *
#define CONF_TYPE_SECRET char *
#define CONF_TYPE_ENUM int
#define CONF_TYPE_WORDS struct conf_list
#define CONF_TYPE_LINES struct conf_list

struct conf {
	unsigned refs;  /* atomic */
	char *path;     /* absolute path of the file it was read from, or NULL */
	struct conf_list args; /* the command line's words, for conf_reload */
#define OPTION(field, name, kind, dflt, min, max, values, live, help) CONF_TYPE_##kind field;
#include "config/options.def"
#undef OPTION
};

/* Values of ENUM fields: numbers by the order in the row's values. */
enum { CONF_RESOLVER_RECURSE, CONF_RESOLVER_FORWARD };
enum { CONF_RD0_CACHE, CONF_RD0_REFUSE };

/* Reads the file at path (NULL: defaults only), then argc words "--name value [value …]" or "--name=value" that override it. 0
 * and *out with one reference, or ERR_BAD with a message in err naming file and line or the --name, and for an unknown name
 * the nearest one; every fault is reported, one a line, as far as cap goes. ERR_NOMEM: nothing is left behind. Relative
 * paths in the file start at its folder, those of the command line at the working directory. Thread: any. */
int conf_load(const char *path, int argc, char *const *argv, struct conf **out, char *err, size_t cap);
/* One more reference, and the return of one (NULL is fine); the last frees c. Thread: any. */
const struct conf *conf_ref(const struct conf *c);
void conf_unref(const struct conf *c);

/* CONFIG GET: calls fn for every option whose name matches the glob (without case), value as its text, both
 * alive during the call: sizes in bytes, durations in the option's unit, lists blank-separated, zones one a line, secrets as
 * they are. Returns how many, or ERR_NOMEM. */
int conf_get(const struct conf *c, const char *glob, void (*fn)(void *arg, const char *name, const char *value), void *arg);
/* CONFIG SET of n name/value pairs, all or none: *out is a new conf with one reference. ERR_UNKNOWN, ERR_REFUSED (needs a
 * restart), ERR_BAD, ERR_NOMEM; err says. Values are written as conf_get shows them, or as in the file. */
int conf_set(const struct conf *c, unsigned n, const char *const *names, const char *const *values, struct conf **out, char *err,
	     size_t cap);
/* CONFIG REWRITE: writes what differs from the file back into it; comments, order and unknown formatting are preserved; by a
 * temporary file, fsync, rename. ERR_UNKNOWN without a file, ERR_SYS, ERR_BAD when the file has become wrong (it stays). */
int conf_rewrite(const struct conf *c, char *err, size_t cap);
/* SIGHUP: reads c's file anew, the command line on top; takes over what may change live; names of restart-only options that differ go to err as a
 * hint (err is empty when there are none). 0 and *out, ERR_BAD or ERR_NOMEM (nothing changes). */
int conf_reload(const struct conf *c, struct conf **out, char *err, size_t cap);
/* Glob as Redis has it: * ? [a-z] [^a] \x; nocase folds ASCII. Bounded: never exponential. */
bool glob_match(const char *glob, size_t glob_len, const char *s, size_t len, bool nocase);
/* Prints one line per option (name, default, help) to standard output. */
void conf_print_options(void);

/* Takes a zone line's item apart: copies it into buf and points words at its words, quotes undone. How many, at most max;
 * ERR_SPACE when buf (strlen(item) + 1 bytes are enough) or max are too small, ERR_BAD when it is no such item. */
int conf_item_words(const char *item, char *buf, size_t cap, char **words, unsigned max);

/* ---- values with a form of their own, checked at load time ---- */

struct conf_addr {
	uint8_t family;   /* 4 or 6 */
	uint8_t bytes[16];
	uint16_t port;
	uint32_t scope;   /* IPv6 zone index, 0 = none */
};
/* "9.9.9.9@53", "2620:fe::fe", "fe80::1%eth0@53": 0 or ERR_BAD. */
int conf_addr_parse(const char *s, uint16_t default_port, struct conf_addr *out);
struct conf_prefix {
	uint8_t family, bits;
	uint8_t bytes[16];
};
/* "192.0.2.0/24", "2001:db8::/32", "10.0.0.1" (a host); bits beyond the length must be 0: 0 or ERR_BAD. */
int conf_prefix_parse(const char *s, struct conf_prefix *out);
/* "64mb" "1gb" "100" "4k": bytes as Redis counts (kb = 1024, k = 1000); "30s" "5m" "1h" "2d" "1500ms" "1w", a plain
 * number being milliseconds. 0 or ERR_BAD. */
int conf_bytes_parse(const char *s, uint64_t *out);
int conf_duration_parse(const char *s, uint64_t *ms);
/* The same in whole seconds, a plain number being seconds (the option `save`). */
int conf_seconds_parse(const char *s, uint64_t *seconds);

#endif
