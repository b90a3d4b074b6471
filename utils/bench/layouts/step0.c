/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 0: where the report begins. Growable vectors everywhere, a list for each section, the owner in every record, record data in
 * a union as large as its largest variant, flags as booleans.
 *
 * A vector is pointer, length, capacity. Its capacity starts at what the first addition needs and doubles from there: a name or a
 * string, put in at once, is exact; a list of records holds 1, 2, 4 … */
#include "base/alloc.h"
#include "layout.h"
#include "reply.h"

struct vec {
	void *p;
	size_t len, cap; /* in elements */
};

union data0 {
	struct {
		struct vec a, b;
		uint8_t fix[24];
		uint8_t fix_len;
	};
	uint8_t published[DATA_PUBLISHED];
};

struct record0 {
	struct vec owner;
	uint16_t type, rrclass;
	uint32_t ttl_s;
	union data0 data;
};
_Static_assert(sizeof(union data0) == DATA_PUBLISHED, "as published");
_Static_assert(sizeof(struct record0) == 176, "owner, type, class, TTL, data");

struct entry0 {
	struct item item;
	struct vec name, tag, section[3], errors, options, zone;
	bool secure, cd, negative, authoritative, recursion_available, prefetched, stale, minimal;
};

static bool vec_reserve(struct account *a, struct vec *v, size_t more, size_t size)
{
	if (v->len + more <= v->cap)
		return true;
	size_t cap = v->cap * 2 > v->len + more ? v->cap * 2 : v->len + more;
	void *p = account_realloc(a, v->p, v->cap * size, cap * size);
	if (!p)
		return false;
	v->p = p;
	v->cap = cap;
	return true;
}

static bool vec_put(struct account *a, struct vec *v, const void *bytes, size_t n)
{
	if (!n)
		return true;
	if (!vec_reserve(a, v, n, 1))
		return false;
	memcpy((uint8_t *)v->p + v->len, bytes, n);
	v->len += n;
	return true;
}

static bool add_record(struct account *a, struct vec *list, const struct source_rr *rr)
{
	struct parts p;
	if (!vec_reserve(a, list, 1, sizeof(struct record0)))
		return false;
	struct record0 *r = (struct record0 *)list->p + list->len++;
	memset(r, 0, sizeof *r);
	r->type = rr->type;
	r->rrclass = rr->rrclass;
	r->ttl_s = rr->ttl_s;
	parts_split(&p, rr->type, rr->rdata, rr->rdata_len);
	memcpy(r->data.fix, p.fix, p.fix_len);
	r->data.fix_len = (uint8_t)p.fix_len;
	return vec_put(a, &r->owner, rr->owner, rr->owner_len) && vec_put(a, &r->data.a, p.a, p.a_len) &&
	       vec_put(a, &r->data.b, p.b, p.b_len);
}

static void drop0(struct row *row, struct item *item)
{
	struct entry0 *e = (struct entry0 *)item;
	struct account *a = &row->account;
	struct vec *const bytes[] = { &e->name, &e->tag, &e->errors, &e->options, &e->zone };
	for (unsigned s = 0; s < 3; s++) {
		struct record0 *r = e->section[s].p;
		for (size_t i = 0; i < e->section[s].len; i++) {
			account_free(a, r[i].owner.p, r[i].owner.cap);
			account_free(a, r[i].data.a.p, r[i].data.a.cap);
			account_free(a, r[i].data.b.p, r[i].data.b.cap);
		}
		account_free(a, r, e->section[s].cap * sizeof *r);
	}
	for (unsigned i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
		account_free(a, bytes[i]->p, bytes[i]->cap);
	account_free(a, e, sizeof *e);
}

static struct item *make0(struct row *row, const struct item_key *key, struct source *s)
{
	struct account *a = &row->account;
	struct entry0 *e = account_calloc(a, sizeof *e);
	struct source_rr rr;
	int more;
	if (!e)
		return NULL;
	bool ok = vec_put(a, &e->name, key->name, key->name_len) && vec_put(a, &e->tag, key->tag, key->tag_len);
	while (ok && (more = source_next(s, &rr)) != 0)
		ok = more == 1 && add_record(a, &e->section[rr.section], &rr);
	e->secure = s->r.h.flags & FLAG_AD;
	e->cd = s->r.h.flags & FLAG_CD;
	e->authoritative = s->r.h.flags & FLAG_AA;
	e->recursion_available = s->r.h.flags & FLAG_RA;
	e->negative = s->negative;
	if (ok)
		return &e->item;
	drop0(row, &e->item);
	return NULL;
}

static bool has_key0(const struct item *item, const struct item_key *k)
{
	const struct entry0 *e = (const struct entry0 *)item;
	return item->type == k->type && e->name.len == k->name_len && e->tag.len == k->tag_len &&
	       memcmp(e->name.p, k->name, k->name_len) == 0 && (!k->tag_len || memcmp(e->tag.p, k->tag, k->tag_len) == 0);
}

static int answer0(const struct item *item, const struct question *q, uint32_t age_s, uint8_t *out)
{
	const struct entry0 *e = (const struct entry0 *)item;
	struct reply r;
	reply_begin(&r, q, age_s, out);
	for (enum section s = SECTION_ANSWER; s <= SECTION_ADDITIONAL; s++) {
		const struct record0 *rec = e->section[s].p;
		for (size_t i = 0; i < e->section[s].len; i++, rec++) {
			const union data0 *d = &rec->data;
			if (!reply_wants(&r, rec->type))
				continue;
			struct parts p = { d->fix, d->a.p, d->b.p, d->fix_len, (uint16_t)d->a.len, (uint16_t)d->b.len };
			reply_head(&r, s, rec->owner.p, rec->owner.len, rec->type, rec->rrclass, rec->ttl_s);
			reply_parts(&r, rec->type, &p);
		}
	}
	return reply_end(&r, item->rcode, e->secure);
}

const struct layout layout_step0 = { .make = make0, .has_key = has_key0, .answer = answer0, .drop = drop0 };
