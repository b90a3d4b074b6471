/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 5: where the report ends. All records in one buffer, each a 16-bit length and the record as it goes over the wire, built in a
 * scratch buffer and copied out at its exact size.
 *
 *      0   1   2   3 …
 *    +---+---+---- - - ----+----+----+-------+----+--- - - ---+
 *    | len   | owner       |type|clas|  ttl  |rlen| rdata     |     len: bytes behind it
 *    +---+---+---- - - ----+----+----+-------+----+--- - - ---+
 *
 *    owner      a pointer to the question (c0 0c) where it is that, so that a record goes out as it stands but for the TTL;
 *               else the name. Names in rdata are whole, and compressed on the way out. */
#include "exact.h"

enum { FIXED_LEN = 10 };

struct entry5 {
	struct item item;
	struct slice name, tag, records, errors, options, zone;
	uint16_t authority_at, additional_at; /* in bytes */
	uint16_t flags;
};

static void drop5(struct row *row, struct item *item)
{
	struct entry5 *e = (struct entry5 *)item;
	struct account *a = &row->account;
	slice_free(a, &e->records);
	slice_free(a, &e->name);
	slice_free(a, &e->tag);
	slice_free(a, &e->errors);
	slice_free(a, &e->options);
	slice_free(a, &e->zone);
	account_free(a, e, sizeof *e);
}

/* Bytes written at p, or 0 when there is no room for them. */
static size_t put_record(uint8_t *p, size_t room, const struct source_rr *rr)
{
	size_t owner_len = rr->owner_is_question ? 2 : rr->owner_len, len = owner_len + FIXED_LEN + rr->rdata_len;
	if (2 + len > room)
		return 0;
	store_be16(p, (uint16_t)len);
	p += 2;
	if (rr->owner_is_question)
		store_be16(p, 0xc000 | DNS_HEADER_LEN);
	else
		memcpy(p, rr->owner, rr->owner_len);
	p += owner_len;
	store_be16(p, rr->type);
	store_be16(p + 2, rr->rrclass);
	store_be32(p + 4, rr->ttl_s);
	store_be16(p + 8, rr->rdata_len);
	memcpy(p + FIXED_LEN, rr->rdata, rr->rdata_len);
	return 2 + len;
}

static struct item *make5(struct row *row, const struct item_key *key, struct source *s)
{
	struct account *a = &row->account;
	struct source_rr rr;
	size_t at = 0, n, ends[2] = { 0, 0 };
	int more;
	while ((more = source_next(s, &rr)) == 1) {
		if ((n = put_record(row->scratch + at, DNS_MSG_MAX - at, &rr)) == 0)
			return NULL;
		at += n;
		if (rr.section == SECTION_ANSWER)
			ends[0] = at;
		if (rr.section != SECTION_ADDITIONAL)
			ends[1] = at;
	}
	if (more < 0)
		return NULL;
	struct entry5 *e = account_calloc(a, sizeof *e);
	if (e && slice_copy(a, &e->name, key->name, key->name_len) && slice_copy(a, &e->tag, key->tag, key->tag_len) &&
	    slice_copy(a, &e->records, row->scratch, at)) {
		e->authority_at = (uint16_t)ends[0];
		e->additional_at = (uint16_t)ends[1];
		e->flags = flags_of(s);
		return &e->item;
	}
	if (e)
		drop5(row, &e->item);
	return NULL;
}

static bool has_key5(const struct item *item, const struct item_key *k)
{
	const struct entry5 *e = (const struct entry5 *)item;
	return item->type == k->type && slice_is(&e->name, k->name, k->name_len) && slice_is(&e->tag, k->tag, k->tag_len);
}

/* One record out; p is behind its length. */
static void answer_record(struct reply *r, enum section s, const uint8_t *p, size_t len)
{
	struct msg_writer *w = &r->w;
	bool pointer = p[0] == 0xc0;
	size_t owner_len = pointer ? 2 : (size_t)name_len(p, p + len);
	const uint8_t *fixed = p + owner_len;
	uint16_t type = load_be16(fixed);
	if (!reply_wants(r, type))
		return;
	if (pointer && !rrtype_compresses(type)) {
		size_t at = w->len;
		writer_bytes(w, p, len);
		r->counts[s]++;
		if (w->len > at)
			store_be32(w->base + at + 2 + 4, reply_ttl(r, load_be32(fixed + 4)));
		return;
	}
	reply_head(r, s, pointer ? NULL : p, owner_len, type, load_be16(fixed + 2), load_be32(fixed + 4));
	writer_rdata(w, type, fixed + FIXED_LEN, load_be16(fixed + 8));
}

static int answer5(const struct item *item, const struct question *q, uint32_t age_s, uint8_t *out)
{
	const struct entry5 *e = (const struct entry5 *)item;
	const uint8_t *p = e->records.p;
	struct reply r;
	reply_begin(&r, q, age_s, out);
	for (size_t at = 0, len; at < e->records.len; at += 2 + len) {
		enum section s = at < e->authority_at ? SECTION_ANSWER : at < e->additional_at ? SECTION_AUTHORITY : SECTION_ADDITIONAL;
		len = load_be16(p + at);
		answer_record(&r, s, p + at + 2, len);
	}
	return reply_end(&r, item->rcode, e->flags & FLAGS_SECURE);
}

const struct layout layout_step5 = { .make = make5, .has_key = has_key5, .answer = answer5, .drop = drop5 };
