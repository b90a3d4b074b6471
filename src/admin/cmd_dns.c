/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS.PURGE and DNS.RESOLVE.
 *
 * Keys are found by hash, so nothing knows which types, prefixes and CD variants a name has: a purge looks at every entry, in
 * slices. It collects the keys that match in a read section and removes them after it. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

/* ---- DNS.PURGE ---- */

enum { PURGE_STEP = 512 }; /* entries looked at in one slice */

struct found {
	uint16_t type;
	uint8_t name_len;
	bool cd;
	struct ecs_prefix ecs;
	uint8_t name[NAME_MAX_LEN];
};

struct purge {
	struct admin *a;
	uint64_t cursor;
	int64_t n;
	int type;               /* 0: any */
	bool subtree, failed;
	uint8_t name[NAME_MAX_LEN];
	size_t name_len;
	struct found *found;
	unsigned n_found, cap;
};

static void purge_visit(void *arg, const struct entry *e)
{
	struct purge *p = arg;
	struct cache_key k;

	if (!cache_key_of(p->a->ctx.cache, e, &k) || (p->type && k.type != p->type))
		return;
	if (p->subtree ? !name_is_below(k.name, k.name_len, p->name, p->name_len) : !name_equal(k.name, k.name_len, p->name, p->name_len))
		return;
	if (p->n_found == p->cap) {
		unsigned cap = p->cap ? p->cap * 2 : PURGE_STEP;
		struct found *more = mem_realloc(p->found, cap * sizeof *more);

		if (!more) {
			p->failed = true;
			return;
		}
		p->found = more;
		p->cap = cap;
	}
	struct found *f = &p->found[p->n_found++];
	f->type = k.type;
	f->name_len = k.name_len;
	f->cd = k.cd;
	f->ecs = k.ecs;
	memcpy(f->name, k.name, k.name_len);
}

static enum step purge_slice(struct resp_client *c, void *state)
{
	struct purge *p = state;
	struct cache *cache = p->a->ctx.cache;

	p->n_found = 0;
	p->cursor = cache_scan(cache, p->cursor, PURGE_STEP, purge_visit, p);
	for (unsigned i = 0; i < p->n_found; i++) {
		const struct found *f = &p->found[i];
		struct cache_key k;

		cache_key_init_ecs(cache, &k, f->name, f->name_len, f->type, f->cd, &f->ecs);
		p->n += cache_remove(cache, &k);
	}
	if (p->failed) {
		resp_errorf(resp_client_out(c), "ERR no memory; %lld entries are gone, others may still be there", (long long)p->n);
		return STEP_DONE;
	}
	if (p->cursor)
		return STEP_PENDING;
	resp_int(resp_client_out(c), p->n);
	return STEP_DONE;
}

static void purge_drop(void *state)
{
	struct purge *p = state;

	mem_free(p->found);
	mem_free(p);
}

/* A type argument; ERR_UNKNOWN and the error is written. */
static int type_of(struct resp_call *r, const struct resp_arg *a)
{
	int type = rrtype_from_text(a->p, a->len);

	if (type < 0)
		resp_errorf(r->out, "ERR unknown record type '%.*s'", (int)(a->len < 64 ? a->len : 64), a->p);
	return type;
}

static int name_of(struct resp_call *r, const struct resp_arg *a, uint8_t *name)
{
	int len = admin_name(a, name);

	if (len < 0)
		resp_errorf(r->out, "ERR '%.*s' is no domain name", (int)(a->len < 255 ? a->len : 255), a->p);
	return len;
}

enum step cmd_dns_purge(struct resp_call *r)
{
	struct purge from = { .a = admin_of(r) }, *p;
	int len = name_of(r, &r->argv[1], from.name);

	if (len < 0 || snapshot_refuses(r))
		return STEP_DONE;
	from.name_len = (size_t)len;
	for (unsigned i = 2; i < r->argc; i++) {
		if (resp_arg_is(&r->argv[i], "subtree")) {
			from.subtree = true;
		} else if (resp_arg_is(&r->argv[i], "type") && i + 1 < r->argc) {
			if ((from.type = type_of(r, &r->argv[++i])) < 0)
				return STEP_DONE;
		} else {
			resp_error(r->out, "ERR syntax error");
			return STEP_DONE;
		}
	}
	if (!(p = mem_alloc(sizeof *p))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	*p = from;
	admin_forget(from.a);
	return resp_continue(r, purge_slice, p, purge_drop);
}

/* ---- DNS.RESOLVE ---- */

struct ask {
	struct admin *a;
	struct resp_client *client; /* NULL: it went, and the answer frees this */
	bool answered;
	uint64_t start_ns;
};

static void ask_done(void *arg, const uint8_t *msg, size_t len, const char *why)
{
	struct ask *q = arg;
	struct resp_out *t = &q->a->text;

	q->answered = true;
	if (!q->client) {
		mem_free(q);
		return;
	}
	struct resp_out *o = resp_client_out(q->client);
	text_reset(t);
	if (!msg)
		resp_errorf(o, "ERR no answer: %s", why ? why : "nothing came back");
	else if (!render_message(q->a, t, msg, len, (clock_real_mono_ns() - q->start_ns) / 1000) || t->failed)
		resp_error(o, "ERR the answer is malformed");
	else
		resp_verbatim(o, "txt", t->data, t->len);
	resp_unpark(q->client); /* drops q */
}

static void ask_drop(void *state)
{
	struct ask *q = state;

	if (q->answered)
		mem_free(q);
	else
		q->client = NULL;
}

enum step cmd_dns_resolve(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	uint8_t name[NAME_MAX_LEN], msg[DNS_UDP_MIN];
	int type = RRTYPE_A, len = name_of(r, &r->argv[1], name);
	struct ask *q;

	if (len < 0)
		return STEP_DONE;
	if (r->argc > 3) {
		resp_error(r->out, "ERR syntax error");
		return STEP_DONE;
	}
	if (r->argc == 3 && (type = type_of(r, &r->argv[2])) < 0)
		return STEP_DONE;
	/* AD in a question: "tell me whether it was validated" (RFC 6840 §5.7) */
	int msg_len = query_write(msg, sizeof msg, (uint16_t)random_below(0x10000), FLAG_RD | FLAG_AD, name, (size_t)len, (uint16_t)type, 1232,
				  false, NULL, 0);
	if (msg_len < 0 || !(q = mem_alloc(sizeof *q))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	*q = (struct ask){ .a = a, .client = r->client, .start_ns = clock_real_mono_ns() };
	if (a->ctx.hooks.resolve(a->ctx.hooks.arg, msg, (size_t)msg_len, ask_done, q) != STEP_PENDING) {
		mem_free(q);
		resp_error(r->out, "ERR no worker takes the question now");
		return STEP_DONE;
	}
	return resp_park(r, q, ask_drop);
}
