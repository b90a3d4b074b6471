/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the configuration that name a zone.
 *
 * config knows how a line is cut into words, this file what the words mean. */
#include "upstream/zones.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "config/config.h"

static int zone_name(struct zone_line *z, const char *word)
{
	uint8_t name[NAME_MAX_LEN];
	int len = name_from_text(word, strlen(word), name);

	if (len < 1)
		return ERR_BAD;
	z->name_len = (uint8_t)len;
	name_lower(z->name, name, (size_t)len);
	return name_to_text(z->name, z->name_len, z->text, sizeof z->text) < 0 ? ERR_BAD : 0;
}

static int line_fault(struct zone_line *z, const char *directive, const char *line, const char *fault, char *err, size_t cap)
{
	snprintf(err, cap, "%s %s: %s", directive, line, fault);
	zone_line_free(z);
	return ERR_BAD;
}

int zone_line_parse(struct zone_line *z, const char *directive, const char *line, char *err, size_t cap)
{
	bool file = strcmp(directive, "auth-zone") == 0;
	char *words[ZONE_WORDS_MAX + 1];
	size_t room = strlen(line) + 1;
	int n;

	memset(z, 0, sizeof *z);
	z->copy = mem_alloc(room);
	if (z->copy == NULL)
		return line_fault(z, directive, line, "no memory", err, cap);
	n = conf_item_words(line, z->copy, room, words, ZONE_WORDS_MAX + 1);
	if (n < 1)
		return line_fault(z, directive, line, n == ERR_SPACE ? "too many addresses" : "a zone is needed", err, cap);
	if (zone_name(z, words[0]) != 0)
		return line_fault(z, directive, line, "the first word is no domain name", err, cap);
	if (file && n != 2)
		return line_fault(z, directive, line, "after the zone, one zone file is needed", err, cap);
	if (n < 2)
		return line_fault(z, directive, line, "after the zone, at least one address is needed", err, cap);
	z->n = (unsigned)n - 1;
	memcpy(z->words, words + 1, z->n * sizeof *words);
	return 0;
}

void zone_line_free(struct zone_line *z)
{
	mem_free(z->copy);
	z->copy = NULL;
}

bool file_find(const char *path, char *out, size_t cap)
{
	char full[PATH_MAX];

	if (access(path, R_OK) != 0 || realpath(path, full) == NULL)
		return false;
	if (strlen(full) >= cap) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(out, full);
	return true;
}
