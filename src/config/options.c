/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the table of options, made from options.def, and finding names in it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "config/internal.h"

enum { LIVE = 1, RESTART = 0 };

const struct option options[OPTION_COUNT] = {
#define OPTION(field, name, kind, dflt, min, max, values, live, help) \
	{ name, KIND_##kind, dflt, min, max, values, live, offsetof(struct conf, field), help },
#include "config/options.def"
#undef OPTION
};

const struct option *option_find(const char *name)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (strcasecmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

enum { NAME_LONGEST = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many letters to change, add, drop or swap with their neighbour (Damerau and Levenshtein, each pair swapped once). */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned d[NAME_LONGEST + 1][NAME_LONGEST + 1];
	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			unsigned differs = byte_lower((uint8_t)a[i - 1]) != byte_lower((uint8_t)b[j - 1]);
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + differs);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[a_len][b_len];
}

const char *option_nearest(const char *name)
{
	size_t len = strlen(name);
	/* A third of the letters wrong, and it is another word. */
	unsigned best = (unsigned)(len / 3 > 2 ? len / 3 : 2) + 1;
	const char *nearest = NULL;
	if (len > NAME_LONGEST)
		return NULL;
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		size_t other = strlen(options[i].name);
		unsigned d = other <= NAME_LONGEST ? distance(name, len, options[i].name, other) : best;
		if (d < best) {
			best = d;
			nearest = options[i].name;
		}
	}
	return nearest;
}

bool option_is_zone_lines(const struct option *o)
{
	return o->kind == KIND_LINES && (strncmp(o->values, "zone ", 5) == 0 || strcmp(o->values, "user") == 0);
}

void conf_print_options(void)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		const struct option *o = &options[i];
		char left[64];
		snprintf(left, sizeof left, "--%s %.24s%s", o->name, *o->dflt ? o->dflt : "\"\"", strlen(o->dflt) > 24 ? "..." : "");
		printf("  %-42s %s%s\n", left, o->help, o->live ? "" : " (restart)");
	}
}
