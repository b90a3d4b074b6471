/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 1: step 0 with every vector at its exact size. The capacity is gone from each, and the room behind the last record. */
#include "exact.h"

struct entry1 {
	struct item item;
	struct slice name, tag, section[3], errors, options, zone;
	bool secure, cd, negative, authoritative, recursion_available, prefetched, stale, minimal;
};

static void drop1(struct row *row, struct item *item)
{
	struct entry1 *e = (struct entry1 *)item;
	struct account *a = &row->account;
	for (unsigned s = 0; s < 3; s++) {
		struct slice *list = &e->section[s];
		wide_records_drop(a, list->p, list->len / sizeof(struct wide_record));
		slice_free(a, list);
	}
	slice_free(a, &e->name);
	slice_free(a, &e->tag);
	slice_free(a, &e->errors);
	slice_free(a, &e->options);
	slice_free(a, &e->zone);
	account_free(a, e, sizeof *e);
}

static struct item *make1(struct row *row, const struct item_key *key, struct source *s)
{
	struct account *a = &row->account;
	struct wide_record *recs = (struct wide_record *)(void *)row->scratch;
	unsigned n, copied = 0;
	uint16_t starts[4];
	if (wide_records_read(row, s, false, &n, starts) < 0) {
		wide_records_drop(a, recs, n);
		return NULL;
	}
	starts[3] = (uint16_t)n;
	struct entry1 *e = account_calloc(a, sizeof *e);
	bool ok = e && slice_copy(a, &e->name, key->name, key->name_len) && slice_copy(a, &e->tag, key->tag, key->tag_len);
	for (unsigned i = 0; i < 3 && ok; i++) {
		ok = slice_copy(a, &e->section[i], recs + starts[i], (size_t)(starts[i + 1] - starts[i]) * sizeof *recs);
		copied = ok ? starts[i + 1] : copied;
	}
	if (!ok) {
		wide_records_drop(a, recs + copied, n - copied);
		if (e)
			drop1(row, &e->item);
		return NULL;
	}
	e->secure = s->r.h.flags & FLAG_AD;
	e->cd = s->r.h.flags & FLAG_CD;
	e->authoritative = s->r.h.flags & FLAG_AA;
	e->recursion_available = s->r.h.flags & FLAG_RA;
	e->negative = s->negative;
	return &e->item;
}

static bool has_key1(const struct item *item, const struct item_key *k)
{
	const struct entry1 *e = (const struct entry1 *)item;
	return item->type == k->type && slice_is(&e->name, k->name, k->name_len) && slice_is(&e->tag, k->tag, k->tag_len);
}

static int answer1(const struct item *item, const struct question *q, uint32_t age_s, uint8_t *out)
{
	const struct entry1 *e = (const struct entry1 *)item;
	struct reply r;
	reply_begin(&r, q, age_s, out);
	for (enum section s = SECTION_ANSWER; s <= SECTION_ADDITIONAL; s++) {
		const struct wide_record *rec = e->section[s].p;
		for (size_t i = 0, n = e->section[s].len / sizeof *rec; i < n; i++)
			wide_record_answer(&r, s, &rec[i]);
	}
	return reply_end(&r, item->rcode, e->secure);
}

const struct layout layout_step1 = { .make = make1, .has_key = has_key1, .answer = answer1, .drop = drop1 };
