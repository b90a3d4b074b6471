/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands on keys: EXISTS TYPE TTL … EXPIRE … DEL TOUCH RANDOMKEY OBJECT.
 *
 * A look is no use: reading an entry here never makes it more popular, else an operator's tools would decide what is evicted;
 * TOUCH alone counts. Commands that take many keys do so in slices, so that DEL of a hundred thousand names delays nobody. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"

static void not_integer(struct resp_call *r)
{
	resp_error(r->out, "ERR value is not an integer or out of range");
}

/* ---- one key ---- */

enum step cmd_type(struct resp_call *r)
{
	struct cache_key_buf b;
	int64_t left;

	cache_read_begin();
	bool there = admin_find(admin_of(r), &r->argv[1], &b, clock_s(), &left) != NULL;
	cache_read_end();
	resp_simple(r->out, there ? "dns" : "none");
	return STEP_DONE;
}

/* Seconds left of the key in argv[1]: negative when stale. False: not there. */
static bool seconds_left(struct resp_call *r, int64_t *left)
{
	struct cache_key_buf b;

	cache_read_begin();
	bool there = admin_find(admin_of(r), &r->argv[1], &b, clock_s(), left) != NULL;
	cache_read_end();
	return there;
}

static enum step reply_ttl(struct resp_call *r, int64_t unit)
{
	int64_t left;

	resp_int(r->out, !seconds_left(r, &left) ? -2 : left > 0 ? left * unit : 0);
	return STEP_DONE;
}

enum step cmd_ttl(struct resp_call *r)
{
	return reply_ttl(r, 1);
}

enum step cmd_pttl(struct resp_call *r)
{
	return reply_ttl(r, 1000);
}

static enum step reply_expiretime(struct resp_call *r, int64_t unit)
{
	int64_t left;

	resp_int(r->out, !seconds_left(r, &left) ? -2 : ((int64_t)clock_wall_s() + left) * unit);
	return STEP_DONE;
}

enum step cmd_expiretime(struct resp_call *r)
{
	return reply_expiretime(r, 1);
}

enum step cmd_pexpiretime(struct resp_call *r)
{
	return reply_expiretime(r, 1000);
}

enum step cmd_randomkey(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	char text[CACHE_KEY_TEXT_MAX];
	struct cache_key k;
	int64_t left;
	int len = ERR_UNKNOWN;
	const struct acl_user *u = resp_client_user(r->client);

	cache_read_begin();
	for (unsigned tries = 0; len < 0 && tries < 100; tries++) {
		const struct entry *e = cache_random(a->ctx.cache);

		if (!e)
			break;
		if (admin_visible(a, e, clock_s(), &left) && cache_key_of(a->ctx.cache, e, &k))
			len = cache_key_to_text(&k, text, sizeof text);
		if (len > 0 && !acl_reads_all(u) && !acl_reads(u, text, (size_t)len))
			len = ERR_UNKNOWN;
	}
	cache_read_end();
	if (len < 0)
		resp_null(r->out);
	else
		resp_bulk(r->out, text, (size_t)len);
	return STEP_DONE;
}

/* ---- OBJECT ---- */

/* The head of the entry that argv[2] names. False: not there, and nil is written. */
static bool object_view(struct resp_call *r, struct entry_view *v, uint32_t now_s)
{
	struct cache_key_buf b;
	int64_t left;

	cache_read_begin();
	const struct entry *e = admin_find(admin_of(r), &r->argv[2], &b, now_s, &left);
	bool there = e && entry_open(e, v);
	cache_read_end();
	if (!there)
		resp_null(r->out);
	return there; /* numbers of *v only: its pointers are no longer good */
}

enum step cmd_object_encoding(struct resp_call *r)
{
	struct entry_view v;

	if (object_view(r, &v, clock_s()))
		resp_str(r->out, "packed");
	return STEP_DONE;
}

enum step cmd_object_freq(struct resp_call *r)
{
	struct entry_view v;

	if (object_view(r, &v, clock_s()))
		resp_int(r->out, v.hits);
	return STEP_DONE;
}

enum step cmd_object_idletime(struct resp_call *r)
{
	struct entry_view v;
	uint32_t now_s = clock_s();

	if (object_view(r, &v, now_s))
		resp_int(r->out, now_s > v.stored_s ? now_s - v.stored_s : 0);
	return STEP_DONE;
}

enum step cmd_object_refcount(struct resp_call *r)
{
	struct entry_view v;

	if (object_view(r, &v, clock_s()))
		resp_int(r->out, 1);
	return STEP_DONE;
}

/* ---- many keys ---- */

/* Does it to one key; 1 when it counts. */
typedef int key_fn(struct admin *a, const struct resp_arg *key, uint32_t now_s);

static int exists_one(struct admin *a, const struct resp_arg *key, uint32_t now_s)
{
	struct cache_key_buf b;
	int64_t left;

	cache_read_begin();
	bool there = admin_find(a, key, &b, now_s, &left) != NULL;
	cache_read_end();
	return there;
}

static int touch_one(struct admin *a, const struct resp_arg *key, uint32_t now_s)
{
	struct cache_key_buf b;
	int64_t left;

	cache_read_begin();
	const struct entry *e = admin_find(a, key, &b, now_s, &left);
	if (e)
		entry_touch(e, random_u32());
	cache_read_end();
	return e != NULL;
}

/* True when it was there. What is not there costs upstream's memory nothing. */
static bool remove_key(struct admin *a, const struct cache_key *k)
{
	cache_read_begin();
	bool there = cache_find(a->ctx.cache, k) != NULL;
	cache_read_end();
	if (!there)
		return false;
	admin_forget(a);
	return cache_remove(a->ctx.cache, k);
}

static int remove_one(struct admin *a, const struct resp_arg *key, uint32_t now_s)
{
	struct cache_key_buf b;

	(void)now_s;
	return cache_key_from_text(a->ctx.cache, &b, key->p, key->len) == 0 && remove_key(a, &b.key);
}

struct many {
	struct admin *a;
	key_fn *fn;
	int64_t n;
	unsigned at, argc;
	struct resp_arg *argv; /* copies, behind the struct */
};

static enum step many_slice(struct resp_client *c, void *state)
{
	struct many *m = state;
	uint32_t now_s = clock_s();

	for (unsigned i = 0; i < SLICE_ENTRIES && m->at < m->argc; i++)
		m->n += m->fn(m->a, &m->argv[m->at++], now_s);
	if (m->at < m->argc)
		return STEP_PENDING;
	resp_int(resp_client_out(c), m->n);
	return STEP_DONE;
}

/* The arguments live only as long as the call: what is to go on later needs copies. */
static struct many *many_new(struct resp_call *r, key_fn *fn)
{
	size_t bytes = 0;

	for (unsigned i = 1; i < r->argc; i++)
		bytes += r->argv[i].len;
	struct many *m = mem_alloc(sizeof *m + (r->argc - 1) * sizeof *m->argv + bytes);
	if (!m)
		return NULL;
	*m = (struct many){ .a = admin_of(r), .fn = fn, .argc = r->argc - 1, .argv = (struct resp_arg *)(m + 1) };
	char *at = (char *)(m->argv + m->argc);
	for (unsigned i = 0; i < m->argc; i++) {
		const struct resp_arg *from = &r->argv[i + 1];

		if (from->len)
			memcpy(at, from->p, from->len);
		m->argv[i] = (struct resp_arg){ .p = at, .len = from->len };
		at += from->len;
	}
	return m;
}

static enum step each_key(struct resp_call *r, key_fn *fn)
{
	struct many *m;

	if (r->argc - 1 <= SLICE_ENTRIES) {
		uint32_t now_s = clock_s();
		int64_t n = 0;

		for (unsigned i = 1; i < r->argc; i++)
			n += fn(admin_of(r), &r->argv[i], now_s);
		resp_int(r->out, n);
		return STEP_DONE;
	}
	if (!(m = many_new(r, fn))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	return resp_continue(r, many_slice, m, mem_free);
}

enum step cmd_exists(struct resp_call *r)
{
	return each_key(r, exists_one);
}

enum step cmd_touch(struct resp_call *r)
{
	return each_key(r, touch_one);
}

enum step cmd_del(struct resp_call *r)
{
	return snapshot_refuses(r) ? STEP_DONE : each_key(r, remove_one);
}

/* ---- EXPIRE: may shorten, never lengthen ---- */

enum { EXPIRE_NX = 1, EXPIRE_XX = 2, EXPIRE_GT = 4, EXPIRE_LT = 8 };

/* The conditions as bits, or ERR_BAD and the error is written. */
static int conditions(struct resp_call *r)
{
	int bits = 0;

	for (unsigned i = 3; i < r->argc; i++) {
		const struct resp_arg *a = &r->argv[i];
		int bit = resp_arg_is(a, "nx") ? EXPIRE_NX : resp_arg_is(a, "xx") ? EXPIRE_XX : resp_arg_is(a, "gt") ? EXPIRE_GT :
			  resp_arg_is(a, "lt") ? EXPIRE_LT : 0;

		if (!bit) {
			resp_errorf(r->out, "ERR Unsupported option %.*s", (int)(a->len < 128 ? a->len : 128), a->p);
			return ERR_BAD;
		}
		bits |= bit;
	}
	if ((bits & EXPIRE_NX) && bits != EXPIRE_NX)
		resp_error(r->out, "ERR NX and XX, GT or LT options at the same time are not compatible");
	else if ((bits & EXPIRE_GT) && (bits & EXPIRE_LT))
		resp_error(r->out, "ERR GT and LT options at the same time are not compatible");
	else
		return bits;
	return ERR_BAD;
}

static int shorten(struct admin *a, const struct resp_arg *key, int64_t ttl_s)
{
	struct cache_key_buf b;
	uint32_t now_s = clock_s();
	int64_t left;

	cache_read_begin();
	const struct entry *e = admin_find(a, key, &b, now_s, &left);
	cache_read_end();
	if (!e)
		return 0;
	if (ttl_s <= 0)
		return remove_key(a, &b.key);
	if (ttl_s >= left)
		return 0;
	return cache_shorten(a->ctx.cache, &b.key, now_s, (uint32_t)ttl_s);
}

/* argv[2] counts in units of which per_s make a second, from now or from 1970. */
static enum step expire(struct resp_call *r, int64_t per_s, bool absolute)
{
	int64_t value, most = INT64_MAX / 1000;
	int bits;

	if (!resp_arg_int(&r->argv[2], &value)) {
		not_integer(r);
		return STEP_DONE;
	}
	if ((bits = conditions(r)) < 0 || snapshot_refuses(r))
		return STEP_DONE;
	if (per_s == 1 && (value > most || value < -most)) {
		resp_errorf(r->out, "ERR invalid expire time in '%s' command", r->command->full_name);
		return STEP_DONE;
	}
	if (absolute)
		value -= per_s == 1 ? (int64_t)clock_wall_s() : (int64_t)(clock_wall_us() / 1000);
	int64_t ttl_s = value / per_s + (value % per_s > 0);
	/* every entry has a life: NX never holds; GT would lengthen it */
	int done = bits & (EXPIRE_NX | EXPIRE_GT) ? 0 : shorten(admin_of(r), &r->argv[1], ttl_s);
	if (done == ERR_NOMEM)
		resp_error(r->out, "ERR no memory");
	else
		resp_int(r->out, done > 0);
	return STEP_DONE;
}

enum step cmd_expire(struct resp_call *r)
{
	return expire(r, 1, false);
}

enum step cmd_pexpire(struct resp_call *r)
{
	return expire(r, 1000, false);
}

enum step cmd_expireat(struct resp_call *r)
{
	return expire(r, 1, true);
}

enum step cmd_pexpireat(struct resp_call *r)
{
	return expire(r, 1000, true);
}

enum step cmd_persist(struct resp_call *r)
{
	resp_int(r->out, 0);
	return STEP_DONE;
}
