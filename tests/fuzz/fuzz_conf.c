/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conf files, and with them words, values and the rewrite. What is checked beyond not crashing:
 *   - a text without faults loads; each value that CONFIG GET would show is there
 *   - written back unchanged it is the same, byte for byte
 *   - after a CONFIG SET and a rewrite it loads again, without faults, to the same values
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/must.h"
#include "config/config.h"
#include "config/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must_equal(const struct conf *a, const struct conf *b)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		must(field_equal(a, b, &options[i]));
}

static struct conf *load(const char *text, size_t len, struct faults *f)
{
	struct origin origins[OPTION_COUNT] = { { 0 } };
	struct conf *c = conf_new();
	must(c);
	f->file = "x.conf";
	must(load_text(c, text, len, "/folder", origins, f) == 0);
	check_values(c, origins, f);
	return c;
}

static void check_rewrite(const struct conf *c, const char *text, size_t len, bool same)
{
	struct text out;
	struct faults f;
	char err[512];
	faults_init(&f, err, sizeof err);
	must(rewrite_text(c, text, len, "/folder", &out, &f) == 0);
	must(!same || (out.len == len && memcmp(out.p, text, len) == 0));
	struct conf *again = load(out.p, out.len, &f);
	must(f.n == 0);
	must_equal(c, again);
	conf_unref(again);
	text_free(&out);
}

static void check_good(const struct conf *c, const char *text, size_t len)
{
	static const char *const names[] = { "prefetch", "allow-query", "requirepass", "maxmemory" };
	static const char *const values[] = { "42", "192.0.2.0/24 ::1", "\"'\\ # \n\x01\xff", "5mb" };
	struct conf *changed;
	char err[512];
	check_rewrite(c, text, len, true);
	must(conf_set(c, 4, names, values, &changed, err, sizeof err) == 0);
	check_rewrite(changed, text, len, false);
	conf_unref(changed);
}

/* The first line as a value of CONFIG SET, for each kind of list and string. */
static void check_set(const char *text, size_t len)
{
	static const char *const names[] = { "allow-query", "server-identity", "requirepass" };
	char value[300], err[512];
	size_t n = len < sizeof value - 1 ? len : sizeof value - 1;
	struct conf *c = conf_new(), *out;
	must(c);
	memcpy(value, text, n);
	value[n] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *v = value;
		if (conf_set(c, 1, &names[i], &v, &out, err, sizeof err) != 0)
			continue;
		check_rewrite(out, "", 0, false);
		conf_unref(out);
	}
	conf_unref(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct faults f;
	char err[256];
	const char *text = (const char *)data;
	faults_init(&f, err, sizeof err);
	struct conf *c = load(len ? text : "", len, &f);
	if (f.n == 0)
		check_good(c, len ? text : "", len);
	else
		must(strlen(err) < sizeof err && *err);
	conf_unref(c);
	check_set(text, len);
	return 0;
}
