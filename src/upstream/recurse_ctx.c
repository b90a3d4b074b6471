/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and deleting libunbound contexts.
 *
 * The library keeps tables, a log and locks of its own for the whole process, set up by the first resolution and torn down by deletion, with
 * no lock around that: ours does it. It is the one piece of state here that belongs to no worker.
 *
 * libunbound reads its files at the first resolution only. One is made at once, for a name of its built-in data, so that a missing or
 * malformed file stops the start and not the first client. What it says then goes to a buffer, out of which the
 * sentence for the operator is made; later it says nothing, as standard error is not its place.
 *
 * The configuration goes through a file in memory, by its name in /proc. */
#include "upstream/recurse_ctx.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unbound-event.h>
#include <unbound.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "config/config.h"
#include "loop/loop.h"
#include "upstream/recurse_conf.h"
#include "upstream/zones.h"
#include "wire/wire.h"

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

/* Hands the text over. */
static int ctx_configure(struct ub_ctx *ctx, const struct conf *c, bool validate, unsigned sockets, char *err, size_t cap)
{
	int fd = memfd_create("pith-unbound", MFD_CLOEXEC), rc = -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	char path[40];

	if (f == NULL) {
		snprintf(err, cap, "no file in memory for libunbound's configuration: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (recurse_conf_write(f, c, validate, sockets, err, cap) == 0) {
		rc = ub_ctx_config(ctx, path);
		if (rc != 0)
			snprintf(err, cap, "libunbound refuses its configuration: %s", ub_strerror(rc));
	}
	fclose(f);
	return rc;
}

/* The first line of what the library said that mentions an error, without its prefix "[time] libunbound[pid:thread] error: ". */
static const char *said_error(char *said)
{
	char *at = said ? strstr(said, "error: ") : NULL;

	if (at == NULL)
		return "libunbound does not say why";
	at += strlen("error: ");
	at[strcspn(at, "\n")] = '\0';
	return at;
}

/* Which directive does the library complain about? The one whose file it names. */
static void explain(const struct conf *c, const char *said, char *err, size_t cap)
{
	struct zone_line z;
	char full[4096], ignored[64];

	for (unsigned i = 0; i < c->auth_zone.n; i++) {
		bool mine;

		if (zone_line_parse(&z, "auth-zone", c->auth_zone.items[i], ignored, sizeof ignored) != 0)
			continue;
		mine = file_find(z.words[0], full, sizeof full) && strstr(said, full);
		if (mine)
			snprintf(err, cap, "auth-zone %s: %s", z.text, said);
		zone_line_free(&z);
		if (mine)
			return;
	}
	if (c->local_root[0] && file_find(c->local_root, full, sizeof full) && strstr(said, full))
		snprintf(err, cap, "local-root: %s", said);
	else if (file_find(c->trust_anchor_file, full, sizeof full) && strstr(said, full))
		snprintf(err, cap, "trust-anchor-file: %s", said);
	else if (file_find(c->root_hints, full, sizeof full) && strstr(said, full))
		snprintf(err, cap, "root-hints: %s", said);
	else
		snprintf(err, cap, "recursion cannot start: %s", said);
}

static void first_answer(void *arg, int rcode, void *packet, int len, int sec, char *why, int was_ratelimited)
{
	(void)arg, (void)rcode, (void)packet, (void)len, (void)sec, (void)why, (void)was_ratelimited;
}

/* A zone file's first answer: its SOA. */
struct zone_probe {
	bool back, good, left; /* it came; it has a record; nobody looks any more */
};

static void zone_answer(void *arg, int rcode, void *packet, int len, int sec, char *why, int was_ratelimited)
{
	struct zone_probe *p = arg;
	const uint8_t *msg = packet;

	(void)sec, (void)why, (void)was_ratelimited;
	if (p->left) {
		mem_free(p);
		return;
	}
	p->back = true;
	p->good = rcode == 0 && len >= DNS_HEADER_LEN && (msg[3] & FLAG_RCODE_MASK) == 0 && load_be16(msg + 6) > 0;
}

/* A file of another zone is read without complaint, and would fail every question. An unsigned zone answers at once; a signed one may ask for
 * keys first, and is not waited for. */
static int zones_try(struct ub_ctx *ctx, const struct conf *c, char *err, size_t cap)
{
	struct zone_line z;

	for (unsigned i = 0; i < c->auth_zone.n; i++) {
		struct zone_probe *p = mem_calloc(1, sizeof *p);
		bool bad = false;

		if (p == NULL || zone_line_parse(&z, "auth-zone", c->auth_zone.items[i], err, cap) != 0) {
			mem_free(p);
			return -1;
		}
		if (ub_resolve_event(ctx, z.text, RRTYPE_SOA, CLASS_IN, p, zone_answer, NULL) != 0)
			p->back = true;
		if (p->back) {
			bad = !p->good;
			mem_free(p);
		} else {
			p->left = true;
		}
		if (bad)
			snprintf(err, cap, "auth-zone %s: %s has no SOA record of that name", z.text, z.words[0]);
		zone_line_free(&z);
		if (bad)
			return -1;
	}
	return 0;
}

static struct ub_ctx *ctx_make(struct loop *l, const struct conf *c, bool validate, unsigned sockets, FILE *log, char *err, size_t cap)
{
	struct ub_ctx *ctx = ub_ctx_create_event(loop_base(l));

	if (ctx == NULL) {
		snprintf(err, cap, "libunbound gives no context: no memory or no descriptors");
		return NULL;
	}
	(void)ub_ctx_debugout(ctx, log);
	if (ctx_configure(ctx, c, validate, sockets, err, cap) == 0) {
		int rc = ub_resolve_event(ctx, "start.invalid.", 1, 1, NULL, first_answer, NULL);

		if (rc != 0)
			snprintf(err, cap, "libunbound cannot start: %s", ub_strerror(rc));
		else if (zones_try(ctx, c, err, cap) == 0) {
			(void)ub_ctx_debugout(ctx, NULL);
			return ctx;
		}
	}
	fflush(log);
	(void)ub_ctx_debugout(ctx, NULL);
	ub_ctx_delete(ctx);
	return NULL;
}

struct ub_ctx *recurse_ctx_new(struct loop *l, const struct conf *c, bool validate, unsigned sockets, char *err, size_t cap)
{
	char *said = NULL;
	size_t said_len = 0;
	FILE *log = open_memstream(&said, &said_len);
	struct ub_ctx *ctx;

	if (log == NULL) {
		snprintf(err, cap, "no memory for recursion");
		return NULL;
	}
	if (cap > 0)
		err[0] = '\0';
	pthread_mutex_lock(&library);
	ctx = ctx_make(l, c, validate, sockets, log, err, cap);
	pthread_mutex_unlock(&library);
	fclose(log);
	if (ctx == NULL && said && strstr(said, "error: "))
		explain(c, said_error(said), err, cap);
	free(said);
	return ctx;
}

void recurse_ctx_delete(struct ub_ctx *ctx)
{
	pthread_mutex_lock(&library);
	ub_ctx_delete(ctx);
	pthread_mutex_unlock(&library);
}
