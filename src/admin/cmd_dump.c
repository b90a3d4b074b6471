/* SPDX-License-Identifier: BSD-3-Clause */
/* DUMP and RESTORE: an entry moves from one server to another, with its age.
 *
 *     offset  0  "PITH"
 *             4  version, 1
 *             5  age in seconds, 4 bytes, little-endian: clocks differ, ages do not
 *             9  the entry's bytes
 *            -8  the first 8 bytes of the SHA-256 of all before
 *
 * The sum finds damage, it proves nothing: the bytes are as hostile as the network, and entry_from_bytes reads every one of them before
 * the entry is stored. An entry says itself what it answers, so it can be restored under its own key only. */
#include "admin/internal.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash.h"

enum { DUMP_VERSION = 1, DUMP_HEAD = 9, DUMP_SUM = 8, DUMP_AGE_MAX = ENTRY_TTL_MAX };

static void sum_of(uint8_t sum[32], const void *p, size_t len)
{
	hash_sha256(p, len, sum);
}

enum step cmd_dump(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct resp_out *t = &a->text;
	uint8_t head[DUMP_HEAD] = { 'P', 'I', 'T', 'H', DUMP_VERSION }, sum[32];
	uint32_t now_s = clock_s();
	struct cache_key_buf b;
	struct entry_view v;
	int64_t left;

	text_reset(t);
	cache_read_begin();
	const struct entry *e = admin_find(a, &r->argv[1], &b, now_s, &left);
	bool there = e && entry_open(e, &v);
	if (there) {
		store_le32(head + 5, now_s > v.stored_s ? now_s - v.stored_s : 0);
		resp_raw(t, head, sizeof head);
		resp_raw(t, e, v.size);
	}
	cache_read_end();
	if (there && !t->failed)
		sum_of(sum, t->data, t->len);
	if (!there)
		resp_null(r->out);
	else if (resp_raw(t, sum, DUMP_SUM), t->failed)
		resp_error(r->out, "ERR no memory");
	else
		resp_bulk(r->out, t->data, t->len);
	return STEP_DONE;
}

struct restore {
	int64_t ttl_ms;
	bool replace, absolute;
};

static bool restore_options(struct resp_call *r, struct restore *o)
{
	int64_t ignored;

	if (!resp_arg_int(&r->argv[2], &o->ttl_ms) || o->ttl_ms < 0) {
		resp_error(r->out, "ERR Invalid TTL value, must be >= 0");
		return false;
	}
	for (unsigned i = 4; i < r->argc; i++) {
		if (resp_arg_is(&r->argv[i], "replace")) {
			o->replace = true;
		} else if (resp_arg_is(&r->argv[i], "absttl")) {
			o->absolute = true;
		} else if ((resp_arg_is(&r->argv[i], "idletime") || resp_arg_is(&r->argv[i], "freq")) && i + 1 < r->argc &&
			   resp_arg_int(&r->argv[i + 1], &ignored) && ignored >= 0) {
			i++; /* age and popularity are in the payload */
		} else {
			resp_error(r->out, "ERR syntax error");
			return false;
		}
	}
	return true;
}

/* The payload's entry into the scratch, as old as it is; false: the error is written. */
static bool restore_entry(struct resp_call *r, const struct cache_key *k, uint32_t now_s)
{
	struct admin *a = admin_of(r);
	const struct resp_arg *from = &r->argv[3];
	const uint8_t *p = (const uint8_t *)from->p;
	uint8_t sum[32];
	struct cache_key own;

	if (from->len < DUMP_HEAD + DUMP_SUM || memcmp(p, "PITH", 4) != 0 || p[4] != DUMP_VERSION) {
		resp_error(r->out, "ERR DUMP payload version or checksum are wrong");
		return false;
	}
	sum_of(sum, p, from->len - DUMP_SUM);
	uint32_t age_s = load_le32(p + 5);
	if (memcmp(sum, p + from->len - DUMP_SUM, DUMP_SUM) != 0) {
		resp_error(r->out, "ERR DUMP payload version or checksum are wrong");
		return false;
	}
	if (entry_from_bytes(a->scratch, p + DUMP_HEAD, from->len - DUMP_HEAD - DUMP_SUM) != 0 ||
	    !cache_key_of(a->ctx.cache, entry_in_scratch(a->scratch), &own)) {
		resp_error(r->out, "ERR Bad data format");
		return false;
	}
	if (own.type != k->type || own.cd != k->cd || !name_equal(own.name, own.name_len, k->name, k->name_len) ||
	    own.ecs.family != k->ecs.family ||
	    (own.ecs.family && (own.ecs.bits != k->ecs.bits || memcmp(own.ecs.addr, k->ecs.addr, sizeof own.ecs.addr) != 0))) {
		resp_error(r->out, "ERR the payload answers another question than this key");
		return false;
	}
	entry_set_stored(a->scratch, now_s - (age_s < DUMP_AGE_MAX ? age_s : DUMP_AGE_MAX < now_s ? DUMP_AGE_MAX : now_s));
	return true;
}

enum step cmd_restore(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct restore o = { 0 };
	struct cache_key_buf b;
	uint32_t now_s = clock_s();
	int64_t left;

	if (!restore_options(r, &o))
		return STEP_DONE;
	if (cache_key_from_text(a->ctx.cache, &b, r->argv[1].p, r->argv[1].len) != 0) {
		resp_error(r->out, "ERR the key is not of the form TYPE:name[@prefix][@cd], as in A:www.example.test.");
		return STEP_DONE;
	}
	cache_read_begin();
	const struct entry *e = cache_find(a->ctx.cache, &b.key);
	bool busy = e && admin_visible(a, e, now_s, &left);
	cache_read_end();
	if (busy && !o.replace) {
		resp_error(r->out, "BUSYKEY Target key name already exists.");
		return STEP_DONE;
	}
	if (!restore_entry(r, &b.key, now_s))
		return STEP_DONE;
	int64_t ttl_ms = o.absolute && o.ttl_ms ? o.ttl_ms - (int64_t)(clock_wall_us() / 1000) : o.ttl_ms;
	if ((o.ttl_ms && ttl_ms <= 0) || !admin_visible(a, entry_in_scratch(a->scratch), now_s, &left)) {
		if (busy) { /* what is over takes the place of what there was, and is over */
			admin_forget(a);
			cache_remove(a->ctx.cache, &b.key);
		}
		resp_ok(r->out);
		return STEP_DONE;
	}
	if (cache_store(a->ctx.cache, &b.key, a->scratch) != 0) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	if (ttl_ms > 0 && (ttl_ms + 999) / 1000 < left)
		cache_shorten(a->ctx.cache, &b.key, now_s, (uint32_t)((ttl_ms + 999) / 1000));
	resp_ok(r->out);
	return STEP_DONE;
}
