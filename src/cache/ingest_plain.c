/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the short way from a response to an entry: the one that nearly all responses can take.
 *
 * Its records all belong to the question, by a pointer to it, and carry no names: A, AAAA, TXT and the like. One pass copies rdata from the
 * packet to its place in the entry. Anything else (an alias, a signature, a denial, an odd class, a duplicate) is left to
 * ingest.c, which judges it; so this file decides nothing but "plain or not". */
#include "cache/build.h"
#include "cache/ingest.h"

enum { PLAIN_RECORDS_MAX = 16, RR_FIXED_LEN = 10, OWNER_LEN = 2 };

struct place {
	const uint8_t *rdata;
	size_t len;
};

/* Reads the answer section: all records plain, none twice. Returns how many, 0: not plain. */
static unsigned read_answers(struct msg_reader *r, const struct cache_key *k, struct place *at, uint32_t *ttl_s)
{
	size_t fixed = rrtype_fixed_len(k->type);
	unsigned n = r->h.ancount;
	for (unsigned i = 0; i < n; i++) {
		struct wire_rr rr;
		if (msg_next(r, &rr) != 1 || rr.type != k->type || rr.rrclass != CLASS_IN ||
		    load_be16(r->msg + rr.owner_off) != (0xc000 | DNS_HEADER_LEN))
			return 0;
		at[i] = (struct place){ r->msg + rr.rdata_off, rr.rdata_len };
		if (fixed ? rr.rdata_len != fixed : !rdata_valid(k->type, at[i].rdata, at[i].len))
			return 0;
		for (unsigned j = 0; j < i; j++)
			if (at[j].len == at[i].len && memcmp(at[j].rdata, at[i].rdata, at[i].len) == 0)
				return 0;
		if (rr.ttl < *ttl_s)
			*ttl_s = rr.ttl;
	}
	return n;
}

enum ingest ingest_plain(struct entry_scratch *s, const struct cache_key *k, const uint8_t *msg, size_t len, const struct entry_meta *m)
{
	struct msg_reader r;
	struct place at[PLAIN_RECORDS_MAX];
	struct wire_rr rr;
	uint32_t ttl = UINT32_MAX;
	int more;
	if (rrtype_compresses(k->type) || rrtype_is_dnssec_meta(k->type) || msg_begin(&r, msg, len) != 0)
		return INGEST_BAD;
	if ((r.h.flags & (FLAG_QR | FLAG_TC | FLAG_RCODE_MASK)) != FLAG_QR || r.h.qdcount != 1 || !r.h.ancount ||
	    r.h.ancount > PLAIN_RECORDS_MAX)
		return INGEST_BAD;
	const uint8_t *q = msg + DNS_HEADER_LEN;
	int n = name_len(q, msg + len);
	if (n != k->name_len || !name_equal(q, (size_t)n, k->name, k->name_len) || load_be16(q + n) != k->type ||
	    load_be16(q + n + 2) != CLASS_IN || !read_answers(&r, k, at, &ttl))
		return INGEST_BAD;
	while ((more = msg_next(&r, &rr)) == 1)
		if (rr.section == SECTION_AUTHORITY && rrtype_is_dnssec_meta(rr.type))
			return INGEST_BAD;
	if (more < 0 || msg_end(&r) != 0)
		return INGEST_BAD;
	ttl = ingest_clamp_ttl(ttl, m->min_ttl_s, m->max_ttl_s);
	struct build b;
	struct build_head head = { .single = true, .ttl_s = ttl };
	build_begin(&b, s, k, m, &head);
	build_rrset(&b, SECTION_ANSWER, k->type, false, ttl, NULL, 0, r.h.ancount);
	for (unsigned i = 0; i < r.h.ancount; i++)
		build_record(&b, k->type, at[i].rdata, at[i].len);
	return build_end(&b) != 0 ? INGEST_BAD : ttl ? INGEST_OK : INGEST_TTL0;
}
