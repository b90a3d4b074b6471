/* SPDX-License-Identifier: BSD-3-Clause */
/* SCAN and KEYS: ways through all keys.
 *
 * A page of up to SCAN_AT_ONCE entries is made in one go, a larger one in slices, so that COUNT 1000000 delays nobody. How many keys there
 * are must be known before the first is written, so a long walk collects them: in a pile of small blocks, as growing
 * one block to 70 MB means copying it, tens of milliseconds at once; the pile moves into the reply slice by slice. The output limit
 * bounds it, and cuts the client that asks for more. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"

enum { SCAN_AT_ONCE = 1024, SCAN_COUNT_DEFAULT = 10 };
/* A step through the cache looks at whole shards' slots: few entries a step would make it look at each many times. */
enum { WALK_STEP = 512, PILE_BLOCK = 128 * 1024 };

struct block {
	struct block *next;
	struct resp_out keys;   /* bulk strings */
};

struct walk {
	struct admin *a;
	const struct acl_user *user; /* who sees only what he may read */
	struct resp_out *keys;  /* where the next key goes */
	struct block *pile, *last; /* of a walk that takes its time; oldest first */
	uint64_t n, cursor, left; /* n keys so far; left: entries still to be looked at */
	size_t piled, limit;    /* bytes in the pile, and how many there may be */
	uint32_t now_s;
	bool all;               /* every key matches */
	bool scan;              /* SCAN's reply, not KEYS's */
	bool replying;          /* the walk is over, and the pile moves */
	bool failed;            /* over the limit, or no memory */
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
	if (len < 0 || (!acl_reads_all(w->user) && !acl_reads(w->user, text, (size_t)len)) || (!w->all && !glob_match(w->glob, w->glob_len, text, (size_t)len, true)))
		return;
	resp_bulk(w->keys, text, (size_t)len);
	w->n++;
}

static bool is_all(const char *glob, size_t len)
{
	return !glob || (len == 1 && *glob == '*');
}

/* ---- a walk that outlives the command ---- */

static struct walk *walk_new(const struct walk *from, size_t limit)
{
	struct walk *w = mem_alloc(sizeof *w + from->glob_len);

	if (!w)
		return NULL;
	*w = *from;
	w->keys = NULL;
	w->limit = limit;
	if (from->glob_len)
		memcpy(w + 1, from->glob, from->glob_len);
	w->glob = (const char *)(w + 1);
	return w;
}

static void pile_drop_first(struct walk *w)
{
	struct block *b = w->pile;

	w->pile = b->next;
	resp_out_free(&b->keys);
	mem_free(b);
}

static void walk_drop(void *state)
{
	struct walk *w = state;

	while (w->pile)
		pile_drop_first(w);
	mem_free(w);
}

/* One step on. A block may pass PILE_BLOCK by what one step finds. */
static void walk_step(struct walk *w, unsigned count)
{
	if (!w->last || w->last->keys.len >= PILE_BLOCK) {
		struct block *b = mem_calloc(1, sizeof *b);

		if (!b) {
			w->failed = true;
			return;
		}
		resp_out_init(&b->keys, 2, SIZE_MAX);
		if (w->last)
			w->last->next = b;
		else
			w->pile = b;
		w->last = b;
	}
	size_t before = w->last->keys.len;
	w->keys = &w->last->keys;
	w->cursor = cache_scan(w->a->ctx.cache, w->cursor, count, visit, w);
	w->piled += w->keys->len - before;
	w->failed |= w->keys->failed || w->piled > w->limit;
}

/* The walk is over: the head of the reply, and room for all of it, so that what follows never moves. */
static void reply_begin(struct resp_out *o, struct walk *w)
{
	w->replying = true;
	if (w->scan) {
		resp_array(o, 2);
		resp_strf(o, "%llu", (unsigned long long)w->cursor);
	}
	resp_array(o, w->n);
	resp_out_room(o, w->piled);
}

static enum step walk_slice(struct resp_client *c, void *state)
{
	struct walk *w = state;
	struct resp_out *o = resp_client_out(c);

	w->user = resp_client_user(c); /* the users may have been loaded anew */
	if (!w->replying) {
		walk_step(w, w->scan && w->left < WALK_STEP ? (unsigned)w->left : WALK_STEP);
		if (w->failed) {
			resp_client_cut(c);
			return STEP_DONE;
		}
		if (w->cursor && (!w->scan || w->left))
			return STEP_PENDING;
		reply_begin(o, w);
	}
	if (w->pile) {
		resp_raw(o, w->pile->keys.data, w->pile->keys.len);
		pile_drop_first(w);
	}
	return w->pile ? STEP_PENDING : STEP_DONE;
}

static enum step walk_start(struct resp_call *r, const struct walk *from)
{
	struct walk *w = walk_new(from, from->a->conf->output_buffer_limit);

	if (!w) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	return resp_continue(r, walk_slice, w, walk_drop);
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
	struct walk w = { .a = a, .user = resp_client_user(r->client), .keys = &a->text, .now_s = clock_s(), .scan = true };
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
	return walk_start(r, &w);
}

/* ---- KEYS ---- */

enum step cmd_keys(struct resp_call *r)
{
	struct walk w = { .a = admin_of(r), .now_s = clock_s(), .glob = r->argv[1].p, .glob_len = r->argv[1].len };

	w.all = is_all(w.glob, w.glob_len);
	return walk_start(r, &w);
}
