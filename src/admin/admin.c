/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the admin's life, and what commands of all families use: keys from arguments, text.
 *
 * One view of what exists, for every command: an entry past its TTL that is still kept to be served stale exists and has 0 seconds
 * left (clients take -2 for "not there", and it is there); one past its stale time does not, though its bytes may wait for the
 * next visit of the cache's care. */
#include "admin/admin.h"

#include <stdio.h>

#include "admin/internal.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

enum { TEXT_LIMIT = 64 * 1024 * 1024, TEXT_KEEP = 1024 * 1024 };

/* ---- commands that Redis has and a cache of DNS answers cannot have ---- */

static bool unsupported(struct resp_call *r)
{
	static const char *const names[] = {
		"append", "bitcount", "bitfield", "bitop", "bitpos", "blmove", "blpop", "brpop", "bzpopmax", "bzpopmin", "decr",
		"decrby", "discard", "eval", "evalsha", "exec", "fcall", "function", "geoadd", "geopos", "geosearch", "getdel",
		"getex", "getrange", "getset", "hdel", "hexists", "hget", "hgetall", "hincrby", "hkeys", "hlen", "hmget", "hmset", "hscan",
		"hset", "hsetnx", "hvals", "incr", "incrby", "incrbyfloat", "lindex", "linsert", "llen", "lmove", "lpop", "lpos", "lpush",
		"lpushx", "lrange", "lrem", "lset", "ltrim", "mget", "migrate", "move", "mset", "msetnx", "multi", "pfadd", "pfcount",
		"pfmerge", "psetex", "psync", "replicaof", "rpop", "rpoplpush", "rpush", "rpushx", "sadd",
		"scard", "script", "sdiff", "setbit", "setex", "setnx", "setrange", "sinter", "sismember", "slaveof", "smembers", "smove",
		"sort", "spop", "srandmember", "srem", "sscan", "substr", "sunion", "swapdb", "sync", "unwatch", "watch", "xadd", "xlen",
		"xrange", "xread", "zadd", "zcard", "zcount", "zincrby", "zrange", "zrank", "zrem", "zscan", "zscore",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (resp_arg_is(&r->argv[0], names[i])) {
			resp_errorf(r->out, "ERR unknown command '%.*s': the keys of this server are cached DNS answers; see DNS.SET, GET and DEL",
				    (int)r->argv[0].len, r->argv[0].p);
			return true;
		}
	return false;
}

/* ---- life ---- */

static void sample_again(void *arg)
{
	struct admin *a = arg;

	info_sample(a);
	watch_update(a);
	timer_set(&a->rate_timer, RATE_MS);
}

static void run_id_make(char id[41])
{
	uint8_t bytes[20];

	random_bytes(bytes, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		sprintf(id + i * 2, "%02x", bytes[i]);
}

struct admin *admin_new(const struct admin_context *ctx, char *err, size_t cap)
{
	struct admin *a = mem_calloc(1, sizeof *a);

	snprintf(err, cap, "no memory");
	if (!a)
		return NULL;
	a->ctx = *ctx;
	a->conf = conf_ref(ctx->conf);
	a->ctx.conf = NULL;
	a->started_s = clock_real_mono_ms() / 1000;
	run_id_make(a->run_id);
	resp_out_init(&a->text, 2, TEXT_LIMIT);
	timer_init(ctx->loop, &a->rate_timer, sample_again, a);
	timer_init(ctx->loop, &a->watch_timer, watch_poll, a);
	const struct resp_options o = {
		.loop = ctx->loop,
		.stats = ctx->own,
		.conf = a->conf,
		.table = commands_table,
		.owner = a,
		.unknown = unsupported,
		.permit = acl_permit,
		.greet = acl_greet,
	};
	if (!(a->acl = acl_users_new(a->conf, err, cap)) || !(a->scratch = mem_alloc(sizeof *a->scratch)) || !(a->server = resp_server_new(&o, err, cap))) {
		admin_free(a);
		return NULL;
	}
	timer_set(&a->rate_timer, RATE_MS);
	return a;
}

void admin_free(struct admin *a)
{
	if (!a)
		return;
	timer_cancel(&a->rate_timer);
	resp_server_free(a->server);
	timer_cancel(&a->watch_timer);
	feed_want(cache_feed(a->ctx.cache), 0, 0);
	slow_answers_free(a);
	acl_log_free(a);
	acl_users_free(a->acl);
	resp_out_free(&a->text);
	mem_free(a->scratch);
	conf_unref(a->conf);
	mem_free(a);
}

void admin_set_conf(struct admin *a, const struct conf *c)
{
	const struct conf *old = a->conf;

	a->conf = conf_ref(c);
	resp_server_set_conf(a->server, c);
	if (strcmp(old->requirepass, c->requirepass) != 0 && !acl_set_default_password(a->acl, c->requirepass))
		log_warn("no memory for the default user's password: nobody can log in as default");
	conf_unref(old);
	watch_update(a);
}

const struct conf *admin_conf(const struct admin *a)
{
	return a->conf;
}

/* ---- keys ---- */

bool admin_visible(const struct admin *a, const struct entry *e, uint32_t now_s, int64_t *left)
{
	int64_t kept = a->conf->serve_stale ? a->conf->serve_stale_for : 0;

	*left = entry_ttl_left(e, now_s);
	return *left > 0 || -*left < kept;
}

const struct entry *admin_find(struct admin *a, const struct resp_arg *key, struct cache_key_buf *b, uint32_t now_s, int64_t *left)
{
	const struct entry *e = NULL;

	if (cache_key_from_text(a->ctx.cache, b, key->p, key->len) == 0)
		e = cache_find(a->ctx.cache, &b->key);
	if (e && !admin_visible(a, e, now_s, left))
		e = NULL;
	stat_inc(a->ctx.own, e ? STAT_KEYSPACE_HITS : STAT_KEYSPACE_MISSES);
	return e;
}

int admin_name(const struct resp_arg *arg, uint8_t name[NAME_MAX_LEN])
{
	int len = name_from_text(arg->p, arg->len, name);

	if (len > 0)
		name_lower(name, name, (size_t)len);
	return len;
}

/* ---- text ---- */

void text_reset(struct resp_out *t)
{
	if (t->cap > TEXT_KEEP)
		resp_out_free(t);
	t->len = 0;
	t->failed = false;
}

void text_add(struct resp_out *t, const char *s)
{
	resp_raw(t, s, strlen(s));
}

void text_addf(struct resp_out *t, const char *fmt, ...)
{
	char small[512];
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof small, fmt, ap);
	if (n >= 0 && (size_t)n < sizeof small) {
		resp_raw(t, small, (size_t)n);
	} else if (n >= 0) {
		char *to = resp_out_room(t, (size_t)n + 1);

		if (to) {
			vsnprintf(to, (size_t)n + 1, fmt, again);
			t->len += (size_t)n;
		}
	}
	va_end(again);
	va_end(ap);
}

const char *text_human(char buf[32], uint64_t bytes)
{
	static const char units[] = "BKMGTP";
	double n = (double)bytes;
	unsigned unit = 0;

	for (; n >= 1024 && unit < 5; unit++)
		n /= 1024;
	if (unit == 0)
		snprintf(buf, 32, "%uB", (unsigned)bytes);
	else
		snprintf(buf, 32, "%.2f%c", n, units[unit]);
	return buf;
}

void text_add_quoted(struct resp_out *t, const void *p, size_t len)
{
	const uint8_t *s = p;

	text_add(t, "\"");
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"' || s[i] == '\\')
			text_addf(t, "\\%c", s[i]);
		else if (s[i] < ' ' || s[i] == 127)
			text_addf(t, "\\%03u", s[i]);
		else
			resp_raw(t, &s[i], 1);
	}
	text_add(t, "\"");
}
