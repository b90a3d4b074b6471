/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the admin room share: the admin's state, and how commands find keys and write text.
 *
 * A command's function is `enum step cmd_x(struct resp_call *r)`, declared in commands_table.h, its row in
 * commands/x.json. Sections of reading the cache are short and never open across a write to it or a return to the loop.
 * Thread: the admin thread's own. */
#ifndef PITH_ADMIN_INTERNAL_H
#define PITH_ADMIN_INTERNAL_H

#include "admin/acl.h"
#include "admin/admin.h"
#include "admin/commands_table.h"
#include "cache/cache.h"
#include "config/config.h"
#include "loop/loop.h"
#include "resp/resp.h"
#include "stats/stats.h"

/* The Redis whose protocol and command texts ours are checked against: clients choose by this number what they may ask. */
#define REDIS_VERSION "7.0.15"

enum { RATE_SAMPLES = 16, RATE_MS = 100 };

/* Keys dealt with in one slice of a command on many: some tens of microseconds. */
enum { SLICE_ENTRIES = 128 };

struct rate {
	uint64_t before;              /* the counter at the last sample */
	uint64_t per_s[RATE_SAMPLES]; /* a ring */
};

struct admin {
	struct admin_context ctx;
	const struct conf *conf;      /* one reference */
	struct resp_server *server;
	struct resp_out text;         /* workbench for text whose length must be known before it is sent; reset by whoever uses it */
	struct entry_scratch *scratch;
	char run_id[41];
	uint64_t started_s;           /* real monotonic */
	struct timer rate_timer;
	struct rate ops, net_in, net_out;
	unsigned rate_at;
	uint64_t rate_ms;             /* when the last sample was taken */
	uint64_t expired_before, evicted_before; /* at the last CONFIG RESETSTAT */
	struct acl_users *acl;
	struct slow_answers *slow_answers; /* made when the first comes */
	struct acl_log *acl_log;        /* newest first */
	struct dns_monitor *monitors;   /* clients that DNS.MONITOR feeds */
	struct timer watch_timer;
	uint32_t watched;               /* bits of enum feed_kind that are switched on */
	uint64_t peak_memory;           /* highest used_memory seen by whoever looked */
};

static inline struct admin *admin_of(const struct resp_call *r)
{
	return r->owner;
}

/* ---- keys ---- */

/* Is the entry one that operators see: fresh, or stale and still kept for use? *left: seconds left, ≤ 0 when stale. */
bool admin_visible(const struct admin *a, const struct entry *e, uint32_t now_s, int64_t *left);
/* The entry that the argument names, or NULL: no DNS key, not there, or dead. Inside of a read section. Counts a hit or a miss. */
const struct entry *admin_find(struct admin *a, const struct resp_arg *key, struct cache_key_buf *b, uint32_t now_s, int64_t *left);
/* A name argument in lower-case wire form; its length, or ERR_BAD. */
int admin_name(const struct resp_arg *arg, uint8_t name[NAME_MAX_LEN]);

/* To be called before entries are removed, outside of a read section. */
static inline void admin_forget(const struct admin *a)
{
	a->ctx.hooks.forget(a->ctx.hooks.arg);
}

/* ---- text ---- */

void text_reset(struct resp_out *t);
void text_add(struct resp_out *t, const char *s);
void text_addf(struct resp_out *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "12.34M", as redis-cli shows sizes. */
const char *text_human(char buf[32], uint64_t bytes);
/* Bytes from outside between double quotes: controls, quotes and backslashes escaped. */
void text_add_quoted(struct resp_out *t, const void *p, size_t len);

/* ---- render.c ---- */

/* The entry as text (DESIGN §5), into t. Inside of a read section. False when the entry is damaged. */
bool render_entry(struct admin *a, struct resp_out *t, const struct entry *e, uint32_t now_s);
/* A DNS message as text, the same form. False when it is malformed. took_us: shown unless 0. */
bool render_message(struct admin *a, struct resp_out *t, const uint8_t *msg, size_t len, uint64_t took_us);
/* The entry as a DNS message, signatures included; its length, or an error. */
int render_wire(struct admin *a, uint8_t *out, size_t cap, const struct entry *e, uint32_t now_s);

/* ---- cmd_acl.c ---- */

/* The server's hooks: resp_options.permit and greet. */
bool acl_permit(struct resp_call *r, const struct resp_command *c);
void acl_greet(void *owner, struct resp_client *c);

/* ---- cmd_command.c ---- */

/* The replies of ACL CAT. */
void acl_categories_reply(struct resp_out *o);
void acl_category_reply(struct resp_out *o, uint32_t bit);

/* ---- cmd_client.c ---- */

/* What CLIENT LIST says of a connection, with its line end. */
void client_line(struct resp_out *t, const struct resp_client *c);

/* ---- cmd_connection.c ---- */

/* Printable, without blanks. */
bool client_name_is_good(const struct resp_arg *a);

/* ---- cmd_memory.c ---- */

struct memory_figures {
	uint64_t used;       /* what the process uses: the allocator's count and the cache's segments */
	uint64_t rss, peak, allocated, active, resident;
	uint64_t dataset;    /* entries and their slots: the sum of MEMORY USAGE over all keys */
	uint64_t overhead;   /* used - dataset */
	uint64_t clients;
	struct cache_info cache;
};
void memory_figures(struct admin *a, struct memory_figures *f);

/* ---- cmd_upstreams.c ---- */

/* INFO's lines on the servers that questions are forwarded to. */
void upstreams_info(const struct admin *a, struct resp_out *t);

/* ---- watch.c ---- */

/* Who watches, or what the configuration wants told, may have changed. */
void watch_update(struct admin *a);
/* The timer's. */
void watch_poll(void *arg);

/* ---- cmd_monitor.c ---- */

/* Shows an answer to the clients of DNS.MONITOR whose filters let it through. */
void monitors_show(struct admin *a, const struct feed_event *e);

/* ---- cmd_dns_slowlog.c ---- */

struct slow_answers;
void slow_answer_add(struct admin *a, const struct feed_event *e);
void slow_answers_free(struct admin *a);

/* ---- cmd_persist.c ---- */

/* True, and the error is written, while a snapshot is being loaded: for commands that remove entries. */
bool snapshot_refuses(struct resp_call *r);
/* INFO's section on the snapshot. */
void snapshot_info(const struct admin *a, struct resp_out *t);

/* ---- cmd_info.c ---- */

/* Called each RATE_MS: the samples behind instantaneous_*. */
void info_sample(struct admin *a);

#endif
