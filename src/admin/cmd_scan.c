/* SPDX-License-Identifier: BSD-3-Clause */
/* SCAN and KEYS: ways through all keys.
 *
 * A page of up to SCAN_AT_ONCE entries is made in one go, a larger one in slices, so that COUNT 1000000 delays nobody. KEYS must know
 * how many keys there are before it can write the first: it collects them, in a buffer that the output limit bounds, and
 * cuts the client that asks for more. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"

enum { SCAN_AT_ONCE = 1024, SCAN_COUNT_DEFAULT = 10 };

struct walk {
	struct admin *a;
	struct resp_out *keys;  /* bulk strings, n of them */
	struct resp_out own;    /* what keys points to when the walk takes its time */
	uint64_t n, cursor, left; /* left: entries still to be looked at */
	uint32_t now_s;
	bool all;               /* every key matches */
	size_t glob_len;
	const char *glob;       /* in slices: a copy behind the struct */
};

static void visit(void *arg, const struct entry *e)
{
	struct walk *w = arg;
	char text[CACHE_KEY_TEXT_MAX];
	struct cache_key k;
	int64_t ttl_left;

	if (w->left)
		w->left--;
	if (!admin_visible(w->a, e, w->now_s, &ttl_left) || !cache_key_of(w->a->ctx.cache, e, &k))
		return;
	int len = cache_key_to_text(&k, text, sizeof text);
	if (len < 0 || (!w->all && !glob_match(w->glob, w->glob_len, text, (size_t)len, true)))
		return;
	resp_bulk(w->keys, text, (size_t)len);
	w->n++;
}

static bool is_all(const char *glob, size_t len)
{
	return !glob || (len == 1 && *glob == '*');
}

/* A walk that outlives the command, with its own copies. */
static struct walk *walk_new(const struct walk *from, size_t limit)
{
	struct walk *w = mem_alloc(sizeof *w + from->glob_len);

	if (!w)
		return NULL;
	*w = *from;
	resp_out_init(&w->own, 2, limit);
	w->keys = &w->own;
	if (from->glob_len)
		memcpy(w + 1, from->glob, from->glob_len);
	w->glob = (const char *)(w + 1);
	return w;
}

static void walk_drop(void *state)
{
	struct walk *w = state;

	resp_out_free(&w->own);
	mem_free(w);
}

/* ---- SCAN ---- */

static void scan_reply(struct resp_out *o, const struct walk *w)
{
	resp_array(o, 2);
	resp_strf(o, "%llu", (unsigned long long)w->cursor);
	resp_array(o, w->n);
	resp_raw(o, w->keys->data, w->keys->len);
	o->failed |= w->keys->failed;
}

static enum step scan_slice(struct resp_client *c, void *state)
{
	struct walk *w = state;
	unsigned n = w->left < SLICE_ENTRIES ? (unsigned)w->left : SLICE_ENTRIES;

	w->cursor = cache_scan(w->a->ctx.cache, w->cursor, n, visit, w);
	if (w->cursor && w->left && !w->keys->failed)
		return STEP_PENDING;
	scan_reply(resp_client_out(c), w);
	return STEP_DONE;
}

/* 0, or an error is written. */
static int scan_options(struct resp_call *r, struct walk *w, bool *none)
{
	int64_t cursor, count = SCAN_COUNT_DEFAULT;

	/* cursors are ours; any number is a place to go on from */
	if (!resp_arg_int(&r->argv[1], &cursor) || cursor < 0) {
		resp_error(r->out, "ERR invalid cursor");
		return ERR_BAD;
	}
	for (unsigned i = 2; i < r->argc; i += 2) {
		const struct resp_arg *word = &r->argv[i], *value = word + 1;

		if (i + 1 == r->argc) {
			resp_error(r->out, "ERR syntax error");
			return ERR_BAD;
		}
		if (resp_arg_is(word, "count")) {
			if (!resp_arg_int(value, &count)) {
				resp_error(r->out, "ERR value is not an integer or out of range");
				return ERR_BAD;
			}
		} else if (resp_arg_is(word, "match")) {
			w->glob = value->p;
			w->glob_len = value->len;
		} else if (resp_arg_is(word, "type")) {
			*none = !resp_arg_is(value, "dns");
		} else {
			count = 0;
		}
		if (count < 1) {
			resp_error(r->out, "ERR syntax error");
			return ERR_BAD;
		}
	}
	w->cursor = (uint64_t)cursor;
	w->left = (uint64_t)count;
	w->all = is_all(w->glob, w->glob_len);
	return 0;
}

enum step cmd_scan(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct walk w = { .a = a, .keys = &a->text, .now_s = clock_s() }, *kept;
	bool none = false;

	if (scan_options(r, &w, &none) != 0)
		return STEP_DONE;
	if (none) { /* a type of which there are no keys: nothing can follow either */
		w.cursor = 0;
		text_reset(w.keys);
		scan_reply(r->out, &w);
		return STEP_DONE;
	}
	if (w.left <= SCAN_AT_ONCE) {
		text_reset(w.keys);
		w.cursor = cache_scan(a->ctx.cache, w.cursor, (unsigned)w.left, visit, &w);
		scan_reply(r->out, &w);
		return STEP_DONE;
	}
	if (!(kept = walk_new(&w, a->conf->output_buffer_limit))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	return resp_continue(r, scan_slice, kept, walk_drop);
}

/* ---- KEYS ---- */

static enum step keys_slice(struct resp_client *c, void *state)
{
	struct walk *w = state;
	struct resp_out *o = resp_client_out(c);

	w->cursor = cache_scan(w->a->ctx.cache, w->cursor, SLICE_ENTRIES, visit, w);
	if (w->keys->failed) {
		resp_client_cut(c);
		return STEP_DONE;
	}
	if (w->cursor)
		return STEP_PENDING;
	resp_array(o, w->n);
	resp_raw(o, w->keys->data, w->keys->len);
	return STEP_DONE;
}

enum step cmd_keys(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct walk *w, from = { .a = a, .now_s = clock_s(), .glob = r->argv[1].p, .glob_len = r->argv[1].len };

	from.all = is_all(from.glob, from.glob_len);
	if (!(w = walk_new(&from, a->conf->output_buffer_limit))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	return resp_continue(r, keys_slice, w, walk_drop);
}
