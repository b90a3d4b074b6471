/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps 1 to 4 share: slices of exact size, and steps 1 to 3 their record data.
 *
 * Records are put together in the row's scratch and copied out once their number is known, so that nothing is allocated twice. */
#ifndef PITH_BENCH_EXACT_H
#define PITH_BENCH_EXACT_H

#include "layout.h"
#include "reply.h"

struct slice {
	void *p;
	size_t len;
};

static inline bool slice_copy(struct account *a, struct slice *s, const void *bytes, size_t n)
{
	*s = (struct slice){ 0 };
	if (!n)
		return true;
	s->p = account_alloc(a, n);
	if (!s->p)
		return false;
	memcpy(s->p, bytes, n);
	s->len = n;
	return true;
}

static inline void slice_free(struct account *a, struct slice *s)
{
	account_free(a, s->p, s->len);
}

static inline bool slice_is(const struct slice *s, const uint8_t *bytes, size_t n)
{
	return s->len == n && (!n || memcmp(s->p, bytes, n) == 0);
}

/* Record data in the published size, its strings exact. */
union wide_data {
	struct {
		struct slice a, b;
		uint8_t fix[24];
		uint8_t fix_len;
	};
	uint8_t published[DATA_PUBLISHED];
};

struct wide_record {
	struct slice owner; /* empty from step 3 on where it is the question's */
	uint16_t type, rrclass;
	uint32_t ttl_s;
	union wide_data data;
};
_Static_assert(sizeof(union wide_data) == DATA_PUBLISHED, "as published");
_Static_assert(sizeof(struct wide_record) == 168, "owner, type, class, TTL, data");
_Static_assert(RECORDS_MAX * sizeof(struct wide_record) <= sizeof ((struct row *)0)->scratch, "a message's records fit");

/* False: no memory; r can be dropped all the same. */
static inline bool wide_record_init(struct account *a, struct wide_record *r, const struct source_rr *rr, bool with_owner)
{
	struct parts p;
	memset(r, 0, sizeof *r);
	r->type = rr->type;
	r->rrclass = rr->rrclass;
	r->ttl_s = rr->ttl_s;
	parts_split(&p, rr->type, rr->rdata, rr->rdata_len);
	memcpy(r->data.fix, p.fix, p.fix_len);
	r->data.fix_len = (uint8_t)p.fix_len;
	return (!with_owner || slice_copy(a, &r->owner, rr->owner, rr->owner_len)) && slice_copy(a, &r->data.a, p.a, p.a_len) &&
	       slice_copy(a, &r->data.b, p.b, p.b_len);
}

static inline void wide_records_drop(struct account *a, struct wide_record *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		slice_free(a, &r[i].owner);
		slice_free(a, &r[i].data.a);
		slice_free(a, &r[i].data.b);
	}
}

static inline void wide_record_answer(struct reply *r, enum section s, const struct wide_record *rec)
{
	const union wide_data *d = &rec->data;
	if (!reply_wants(r, rec->type))
		return;
	struct parts p = { d->fix, d->a.p, d->b.p, d->fix_len, (uint16_t)d->a.len, (uint16_t)d->b.len };
	reply_head(r, s, rec->owner.p, rec->owner.len, rec->type, rec->rrclass, rec->ttl_s);
	reply_parts(r, rec->type, &p);
}

/* Reads the response into the scratch. Number of records (each can be dropped), or ERR_BAD or ERR_NOMEM; *n is then what stands there.
 * starts[s]: index of section s's first record. */
static inline int wide_records_read(struct row *row, struct source *s, bool omit_owner, unsigned *n, uint16_t starts[3])
{
	struct wide_record *recs = (struct wide_record *)(void *)row->scratch;
	struct source_rr rr;
	unsigned at = 0;
	int more;
	*n = 0;
	starts[0] = 0;
	while ((more = source_next(s, &rr)) == 1) {
		if (*n == RECORDS_MAX)
			return ERR_BAD;
		while (at < (unsigned)rr.section)
			starts[++at] = (uint16_t)*n;
		if (!wide_record_init(&row->account, &recs[(*n)++], &rr, !(omit_owner && rr.owner_is_question)))
			return ERR_NOMEM;
	}
	while (at < SECTION_ADDITIONAL)
		starts[++at] = (uint16_t)*n;
	return more < 0 ? more : (int)*n;
}

/* Flags of an entry, from step 2 on. */
enum { FLAGS_SECURE = 1, FLAGS_CD = 2, FLAGS_NEGATIVE = 4, FLAGS_AUTHORITATIVE = 8, FLAGS_RECURSION = 16 };
static inline uint16_t flags_of(const struct source *s)
{
	uint16_t f = s->r.h.flags;
	return (uint16_t)((f & FLAG_AD ? FLAGS_SECURE : 0) | (f & FLAG_CD ? FLAGS_CD : 0) | (s->negative ? FLAGS_NEGATIVE : 0) |
			  (f & FLAG_AA ? FLAGS_AUTHORITATIVE : 0) | (f & FLAG_RA ? FLAGS_RECURSION : 0));
}

#endif
