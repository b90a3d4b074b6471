/* SPDX-License-Identifier: BSD-3-Clause */
/* A message read record by record: what servers answered us.
 *
 * The reader hands out places, not copies: owner and rdata stay in the message and are decompressed by those who want them
 * (name_read, rdata_expand). The error is sticky, and the counts of the header are believed only as far as bytes back them. */
#include "base/bytes.h"
#include "wire/edns.h"
#include "wire/name.h"
#include "wire/wire.h"

enum { QUESTION_FIXED_LEN = 4, RR_FIXED_LEN = 10 };

static int reader_fail(struct msg_reader *r)
{
	r->err = ERR_BAD;
	return ERR_BAD;
}

int msg_begin(struct msg_reader *r, const uint8_t *msg, size_t len)
{
	*r = (struct msg_reader){.msg = msg, .len = len, .off = DNS_HEADER_LEN};
	if (len > DNS_MSG_MAX || !header_read(msg, len, &r->h))
		return reader_fail(r);
	for (unsigned i = 0; i < r->h.qdcount; i++) {
		int n = name_skip(msg, len, r->off);

		if (n < 0 || len - r->off - (size_t)n < QUESTION_FIXED_LEN)
			return reader_fail(r);
		r->off += (size_t)n + QUESTION_FIXED_LEN;
	}
	return 0;
}

static enum section section_of(const struct dns_header *h, unsigned nth)
{
	if (nth < h->ancount)
		return SECTION_ANSWER;
	return nth - h->ancount < h->nscount ? SECTION_AUTHORITY : SECTION_ADDITIONAL;
}

int msg_next(struct msg_reader *r, struct wire_rr *rr)
{
	if (r->err < 0)
		return r->err;
	if (r->seen == (unsigned)r->h.ancount + r->h.nscount + r->h.arcount)
		return 0;
	int n = name_skip(r->msg, r->len, r->off);
	if (n < 0 || r->len - r->off - (size_t)n < RR_FIXED_LEN)
		return reader_fail(r);

	const uint8_t *fixed = r->msg + r->off + n;
	uint32_t ttl = load_be32(fixed + 4);
	size_t rdata_off = r->off + (size_t)n + RR_FIXED_LEN;

	rr->owner_off = (uint16_t)r->off;
	rr->type = load_be16(fixed);
	rr->rrclass = load_be16(fixed + 2);
	rr->ttl = ttl > INT32_MAX ? 0 : ttl;
	rr->rdata_off = (uint16_t)rdata_off;
	rr->rdata_len = load_be16(fixed + 8);
	rr->section = section_of(&r->h, r->seen);
	if (rr->rdata_len > r->len - rdata_off)
		return reader_fail(r);
	if (rr->type == RRTYPE_OPT) { /* RFC 6891 §6.1.1 */
		if (rr->section != SECTION_ADDITIONAL || r->have_opt)
			return reader_fail(r);
		r->have_opt = true;
	}
	r->off = rdata_off + rr->rdata_len;
	r->seen++;
	return 1;
}

int msg_end(const struct msg_reader *r)
{
	if (r->err < 0)
		return r->err;
	return r->seen == (unsigned)r->h.ancount + r->h.nscount + r->h.arcount && r->off == r->len ? 0 : ERR_BAD;
}

int edns_read(const struct msg_reader *r, const struct wire_rr *rr, struct edns *e)
{
	*e = (struct edns){.ede = EDE_NONE};
	/* owned by the root: one byte, and that a zero */
	if (rr->type != RRTYPE_OPT || rr->rdata_off - rr->owner_off != 1 + RR_FIXED_LEN)
		return ERR_BAD;
	return edns_parse(r->msg + rr->rdata_off - RR_FIXED_LEN, rr->rdata_len, false, e);
}
