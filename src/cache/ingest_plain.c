/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the short way from a response to an entry: the one that nearly all responses can take.
 *
 * Its records all belong to the question, by a pointer to it, and carry no names: A, AAAA, TXT and the like. One pass copies rdata from the
 * packet to its place in the entry. Anything else (an alias, a signature, a denial, an odd class, a duplicate) is left to
 * ingest.c, which judges it; so this file decides nothing but "plain or not". */
#include "cache/build.h"
#include "cache/ingest.h"

enum { PLAIN_RECORDS_MAX = 16, RR_HEAD_LEN = 12 };

struct place {
	const uint8_t *rdata;
	size_t len;
};

/* Reads n answer records from p on: all plain, none twice. Returns what comes behind them, NULL: not plain. */
static const uint8_t *read_answers(const uint8_t *p, const uint8_t *end, unsigned n, uint16_t type, struct place *at, uint32_t *ttl_s)
{
	const uint32_t head = (uint32_t)(0xc000 | DNS_HEADER_LEN) << 16 | type;
	size_t fixed = rrtype_fixed_len(type);
	for (unsigned i = 0; i < n; i++) {
		if (end - p < RR_HEAD_LEN || load_be32(p) != head || load_be16(p + 4) != CLASS_IN)
			return NULL;
		uint32_t ttl = load_be32(p + 6);
		size_t len = load_be16(p + 10);
		p += RR_HEAD_LEN;
		if ((size_t)(end - p) < len || (fixed ? len != fixed : !rdata_valid(type, p, len)))
			return NULL;
		at[i] = (struct place){ p, len };
		for (unsigned j = 0; j < i; j++)
			if (at[j].len == len && memcmp(at[j].rdata, p, len) == 0)
				return NULL;
		ttl = ttl > INT32_MAX ? 0 : ttl; /* RFC 2181 §8 */
		if (ttl < *ttl_s)
			*ttl_s = ttl;
		p += len;
	}
	return p;
}

/* Walks what follows the answers: whole, nothing behind it, and no proof that would have to be kept. */
static bool rest_is_plain(const uint8_t *msg, size_t len, const struct dns_header *h, size_t off)
{
	struct msg_reader r = { .msg = msg, .len = len, .off = off, .h = *h, .seen = h->ancount };
	struct wire_rr rr;
	int more;
	while ((more = msg_next(&r, &rr)) == 1)
		if (rr.section == SECTION_AUTHORITY && rrtype_is_dnssec_meta(rr.type))
			return false;
	return more == 0 && msg_end(&r) == 0;
}

enum ingest ingest_plain(struct entry_scratch *s, const struct cache_key *k, const uint8_t *msg, size_t len, const struct entry_meta *m)
{
	struct place at[PLAIN_RECORDS_MAX];
	struct dns_header h;
	uint32_t ttl = UINT32_MAX;
	if (rrtype_compresses(k->type) || rrtype_is_dnssec_meta(k->type) || !header_read(msg, len, &h) ||
	    (h.flags & (FLAG_QR | FLAG_TC | FLAG_RCODE_MASK)) != FLAG_QR || h.qdcount != 1 || !h.ancount || h.ancount > PLAIN_RECORDS_MAX)
		return INGEST_BAD;
	/* A name in wire form ends where it says: what equals the key's name is whole. */
	const uint8_t *q = msg + DNS_HEADER_LEN, *end = msg + len;
	if ((size_t)(end - q) < k->name_len + 4u ||
	    (memcmp(q, k->name, k->name_len) != 0 && !name_equal(q, k->name_len, k->name, k->name_len)) ||
	    load_be16(q + k->name_len) != k->type || load_be16(q + k->name_len + 2) != CLASS_IN)
		return INGEST_BAD;
	const uint8_t *rest = read_answers(q + k->name_len + 4, end, h.ancount, k->type, at, &ttl);
	if (!rest || ((h.nscount || h.arcount || rest != end) && !rest_is_plain(msg, len, &h, (size_t)(rest - msg))))
		return INGEST_BAD;
	ttl = ingest_clamp_ttl(ttl, m->min_ttl_s, m->max_ttl_s);
	struct build b;
	struct build_head head = { .single = true, .ttl_s = ttl };
	build_begin(&b, s, k, m, &head);
	build_rrset(&b, SECTION_ANSWER, k->type, false, ttl, NULL, 0, h.ancount);
	for (unsigned i = 0; i < h.ancount; i++)
		build_record(&b, k->type, at[i].rdata, at[i].len);
	return build_end(&b) != 0 ? INGEST_BAD : ttl ? INGEST_OK : INGEST_TTL0;
}
