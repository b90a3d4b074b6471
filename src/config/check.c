/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the checks that need more than one value, or the file system. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/internal.h"

/* Points f at where option number o got its value. */
static void point_at(struct faults *f, const struct origin *origins, unsigned o)
{
	f->command_line = origins && origins[o].command_line;
	f->line = origins ? origins[o].line : 0;
}

#define FAULT(field, ...) (point_at(f, origins, OPTION_##field), fault_add(f, options[OPTION_##field].name, __VA_ARGS__))

int check_values(const struct conf *c, const struct origin *origins, struct faults *f)
{
	const unsigned before = f->n;
	const bool was_command_line = f->command_line;
	if (c->resolver == CONF_RESOLVER_FORWARD && c->forward_addr.n + c->forward_zone.n + c->auth_zone.n == 0)
		FAULT(resolver, "forward has nowhere to forward to: give a forward-addr, a forward-zone or an auth-zone");
	if (c->cache_min_ttl > c->cache_max_ttl)
		FAULT(cache_min_ttl, "%u is more than cache-max-ttl %u", c->cache_min_ttl, c->cache_max_ttl);
	if (c->dns_bind.n == 0)
		FAULT(dns_bind, "at least one address is wanted");
	if (c->bind.n == 0 && c->port != 0)
		FAULT(bind, "at least one address is wanted (port 0 turns RESP off)");
	f->line = 0;
	f->command_line = was_command_line;
	return f->n > before ? ERR_BAD : 0;
}

/* errno's text when path is no file that can be read, else NULL. */
static const char *unreadable(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	bool folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	close(fd);
	return folder ? "it is a folder" : NULL;
}

static void check_file(unsigned o, const char *path, const struct origin *origins, struct faults *f)
{
	const char *why = *path ? unreadable(path) : NULL;
	if (why) {
		point_at(f, origins, o);
		fault_add(f, options[o].name, "cannot read %s: %s", path, why);
	}
}

static int check_zone_file(const char *item, const struct origin *origins, struct faults *f)
{
	struct conf_list words = { 0 };
	const char *fault;
	int rc = words_split(item, strlen(item), &words, &fault);
	if (rc == 0)
		check_file(OPTION_auth_zone, words.items[words.n - 1], origins, f);
	list_free(&words);
	return rc;
}

int check_files(const struct conf *c, const struct origin *origins, struct faults *f)
{
	const unsigned before = f->n;
	int rc = 0;
	if (c->resolver == CONF_RESOLVER_RECURSE) {
		check_file(OPTION_root_hints, c->root_hints, origins, f);
		check_file(OPTION_local_root, c->local_root, origins, f);
		if (c->dnssec_validation)
			check_file(OPTION_trust_anchor_file, c->trust_anchor_file, origins, f);
	}
	for (unsigned i = 0; i < c->auth_zone.n && rc == 0; i++)
		rc = check_zone_file(c->auth_zone.items[i], origins, f);
	f->line = 0;
	f->command_line = false;
	return rc != 0 ? rc : f->n > before ? ERR_BAD : 0;
}
