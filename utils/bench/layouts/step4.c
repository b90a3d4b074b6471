/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 4: record data in 24 bytes. Addresses and single strings stand in it; what needs more (SOA, RRSIG, MX) lies in a box. */
#include "exact.h"

struct box {
	struct slice a, b;
	uint8_t fix[20];
	uint8_t fix_len;
};

struct data4 {
	union {
		uint8_t fix[16];
		struct slice a;
		struct box *box;
	};
	uint8_t fix_len;
	bool boxed;
};
_Static_assert(sizeof(struct data4) == DATA_SMALL, "as published");

struct record4 {
	struct slice owner;
	uint16_t type, rrclass;
	uint32_t ttl_s;
	struct data4 data;
};
_Static_assert(sizeof(struct record4) == 48, "owner, type, class, TTL, data");
_Static_assert(RECORDS_MAX * sizeof(struct record4) <= sizeof ((struct row *)0)->scratch, "a message's records fit");

struct entry4 {
	struct item item;
	struct slice name, tag, records, errors, options, zone;
	uint16_t authority_at, additional_at;
	uint16_t flags;
};

static bool data_init(struct account *a, struct data4 *d, const struct parts *p)
{
	if (!p->a_len && p->fix_len <= sizeof d->fix) {
		memcpy(d->fix, p->fix, p->fix_len);
		d->fix_len = (uint8_t)p->fix_len;
		return true;
	}
	if (!p->fix_len)
		return slice_copy(a, &d->a, p->a, p->a_len);
	d->box = account_calloc(a, sizeof *d->box);
	d->boxed = d->box != NULL;
	if (!d->boxed)
		return false;
	memcpy(d->box->fix, p->fix, p->fix_len);
	d->box->fix_len = (uint8_t)p->fix_len;
	return slice_copy(a, &d->box->a, p->a, p->a_len) && slice_copy(a, &d->box->b, p->b, p->b_len);
}

static void records_drop(struct account *a, struct record4 *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct data4 *d = &r[i].data;
		slice_free(a, &r[i].owner);
		if (d->boxed) {
			slice_free(a, &d->box->a);
			slice_free(a, &d->box->b);
			account_free(a, d->box, sizeof *d->box);
		} else if (!d->fix_len) {
			slice_free(a, &d->a);
		}
	}
}

static void drop4(struct row *row, struct item *item)
{
	struct entry4 *e = (struct entry4 *)item;
	struct account *a = &row->account;
	records_drop(a, e->records.p, e->records.len / sizeof(struct record4));
	slice_free(a, &e->records);
	slice_free(a, &e->name);
	slice_free(a, &e->tag);
	slice_free(a, &e->errors);
	slice_free(a, &e->options);
	slice_free(a, &e->zone);
	account_free(a, e, sizeof *e);
}

static bool record_init(struct account *a, struct record4 *r, const struct source_rr *rr)
{
	struct parts p;
	*r = (struct record4){ .type = rr->type, .rrclass = rr->rrclass, .ttl_s = rr->ttl_s };
	parts_split(&p, rr->type, rr->rdata, rr->rdata_len);
	return (rr->owner_is_question || slice_copy(a, &r->owner, rr->owner, rr->owner_len)) && data_init(a, &r->data, &p);
}

static struct item *make4(struct row *row, const struct item_key *key, struct source *s)
{
	struct account *a = &row->account;
	struct record4 *recs = (struct record4 *)(void *)row->scratch;
	struct entry4 *e = account_calloc(a, sizeof *e);
	struct source_rr rr;
	unsigned n = 0, n_answer = 0, n_before_additional = 0;
	int more = 0;
	bool ok = e != NULL;
	while (ok && (more = source_next(s, &rr)) == 1) {
		ok = n < RECORDS_MAX && record_init(a, &recs[n], &rr);
		n += n < RECORDS_MAX;
		n_answer += rr.section == SECTION_ANSWER;
		n_before_additional += rr.section != SECTION_ADDITIONAL;
	}
	if (ok && more == 0 && slice_copy(a, &e->name, key->name, key->name_len) && slice_copy(a, &e->tag, key->tag, key->tag_len) &&
	    slice_copy(a, &e->records, recs, n * sizeof *recs)) {
		e->authority_at = (uint16_t)n_answer;
		e->additional_at = (uint16_t)n_before_additional;
		e->flags = flags_of(s);
		return &e->item;
	}
	records_drop(a, recs, n);
	if (e)
		drop4(row, &e->item);
	return NULL;
}

static bool has_key4(const struct item *item, const struct item_key *k)
{
	const struct entry4 *e = (const struct entry4 *)item;
	return item->type == k->type && slice_is(&e->name, k->name, k->name_len) && slice_is(&e->tag, k->tag, k->tag_len);
}

static int answer4(const struct item *item, const struct question *q, uint32_t age_s, uint8_t *out)
{
	const struct entry4 *e = (const struct entry4 *)item;
	const struct record4 *rec = e->records.p;
	struct reply r;
	reply_begin(&r, q, age_s, out);
	for (size_t i = 0, n = e->records.len / sizeof *rec; i < n; i++, rec++) {
		enum section s = i < e->authority_at ? SECTION_ANSWER : i < e->additional_at ? SECTION_AUTHORITY : SECTION_ADDITIONAL;
		const struct data4 *d = &rec->data;
		struct parts p = { d->fix, NULL, NULL, d->fix_len, 0, 0 };
		if (!reply_wants(&r, rec->type))
			continue;
		if (d->boxed)
			p = (struct parts){ d->box->fix, d->box->a.p, d->box->b.p, d->box->fix_len, (uint16_t)d->box->a.len,
					    (uint16_t)d->box->b.len };
		else if (!d->fix_len)
			p = (struct parts){ NULL, d->a.p, NULL, 0, (uint16_t)d->a.len, 0 };
		reply_head(&r, s, rec->owner.p, rec->owner.len, rec->type, rec->rrclass, rec->ttl_s);
		reply_parts(&r, rec->type, &p);
	}
	return reply_end(&r, item->rcode, e->flags & FLAGS_SECURE);
}

const struct layout layout_step4 = { .make = make4, .has_key = has_key4, .answer = answer4, .drop = drop4 };
