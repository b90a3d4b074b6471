/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of steps 2 and 3, which differ in one thing only: whether an owner equal to the question is kept.
 *
 * One list for all sections; two offsets say where authority and additional begin. Booleans are bits. */
#ifndef PITH_BENCH_LISTED_H
#define PITH_BENCH_LISTED_H

#include "exact.h"

struct listed {
	struct item item;
	struct slice name, tag, records, errors, options, zone;
	uint16_t authority_at, additional_at;
	uint16_t flags;
};

static inline void listed_drop(struct row *row, struct item *item)
{
	struct listed *e = (struct listed *)item;
	struct account *a = &row->account;
	wide_records_drop(a, e->records.p, e->records.len / sizeof(struct wide_record));
	slice_free(a, &e->records);
	slice_free(a, &e->name);
	slice_free(a, &e->tag);
	slice_free(a, &e->errors);
	slice_free(a, &e->options);
	slice_free(a, &e->zone);
	account_free(a, e, sizeof *e);
}

static inline struct item *listed_make(struct row *row, const struct item_key *key, struct source *s, bool omit_owner)
{
	struct account *a = &row->account;
	struct wide_record *recs = (struct wide_record *)(void *)row->scratch;
	unsigned n;
	uint16_t starts[3];
	struct listed *e = NULL;
	if (wide_records_read(row, s, omit_owner, &n, starts) >= 0 && (e = account_calloc(a, sizeof *e)) != NULL &&
	    slice_copy(a, &e->name, key->name, key->name_len) && slice_copy(a, &e->tag, key->tag, key->tag_len) &&
	    slice_copy(a, &e->records, recs, n * sizeof *recs)) {
		e->authority_at = starts[SECTION_AUTHORITY];
		e->additional_at = starts[SECTION_ADDITIONAL];
		e->flags = flags_of(s);
		return &e->item;
	}
	wide_records_drop(a, recs, n);
	if (e)
		listed_drop(row, &e->item);
	return NULL;
}

static inline bool listed_has_key(const struct item *item, const struct item_key *k)
{
	const struct listed *e = (const struct listed *)item;
	return item->type == k->type && slice_is(&e->name, k->name, k->name_len) && slice_is(&e->tag, k->tag, k->tag_len);
}

static inline int listed_answer(const struct item *item, const struct question *q, uint32_t age_s, uint8_t *out)
{
	const struct listed *e = (const struct listed *)item;
	const struct wide_record *recs = e->records.p;
	struct reply r;
	reply_begin(&r, q, age_s, out);
	for (size_t i = 0, n = e->records.len / sizeof *recs; i < n; i++) {
		enum section s = i < e->authority_at ? SECTION_ANSWER : i < e->additional_at ? SECTION_AUTHORITY : SECTION_ADDITIONAL;
		wide_record_answer(&r, s, &recs[i]);
	}
	return reply_end(&r, item->rcode, e->flags & FLAGS_SECURE);
}

#endif
