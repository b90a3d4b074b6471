/* SPDX-License-Identifier: BSD-3-Clause */
/* How rows 0 to 5 write a reply: inlined, so that a layout pays for its own steps and not for calls.
 *
 * A row's answer function begins, adds records in their order, and ends. What does not fit turns the reply into an empty one
 * with TC=1 (RFC 2181 §9), as Pith's does. */
#ifndef PITH_BENCH_REPLY_H
#define PITH_BENCH_REPLY_H

#include "layout.h"

struct reply {
	struct msg_writer w;
	const struct question *q;
	uint32_t age_s;
	uint16_t counts[3];
};

static inline void reply_begin(struct reply *r, const struct question *q, uint32_t age_s, uint8_t *out)
{
	enum { OPT_LEN = 11 };
	r->q = q;
	r->age_s = age_s;
	r->counts[0] = r->counts[1] = r->counts[2] = 0;
	writer_begin(&r->w, out, REPLY_LIMIT - (q->edns.present ? OPT_LEN : 0));
	writer_question(&r->w, q->wire, q->wire_len);
}

/* RFC 4035 §3.2.1: signatures and proofs only for DO=1, or when asked for. */
static inline bool reply_wants(const struct reply *r, uint16_t type)
{
	return !rrtype_is_dnssec_meta(type) || r->q->edns.do_bit || type == r->q->qtype;
}

static inline uint32_t reply_ttl(const struct reply *r, uint32_t ttl_s)
{
	return ttl_s > r->age_s ? ttl_s - r->age_s : 0;
}

static inline void reply_fixed(struct reply *r, uint16_t type, uint16_t rrclass, uint32_t ttl_s)
{
	struct msg_writer *w = &r->w;
	if (!writer_room(w, 8))
		return;
	store_be16(w->base + w->len, type);
	store_be16(w->base + w->len + 2, rrclass);
	store_be32(w->base + w->len + 4, reply_ttl(r, ttl_s));
	w->len += 8;
}

/* Owner, type, class, TTL; owner NULL: the question's. */
static inline void reply_head(struct reply *r, enum section s, const uint8_t *owner, size_t owner_len, uint16_t type, uint16_t rrclass,
			      uint32_t ttl_s)
{
	r->counts[s]++;
	if (!owner || (owner_len == r->q->name_len && memcmp(owner, r->q->name, owner_len) == 0))
		writer_u16(&r->w, 0xc000 | DNS_HEADER_LEN);
	else
		writer_name(&r->w, owner, owner_len, true);
	reply_fixed(r, type, rrclass, ttl_s);
}

/* RDLENGTH and rdata from its parts. */
static inline void reply_parts(struct reply *r, uint16_t type, const struct parts *p)
{
	struct msg_writer *w = &r->w;
	size_t at = w->len;
	if (p->fix_len + p->b_len == 0) {
		writer_rdata(w, type, p->a, p->a_len);
		return;
	}
	writer_u16(w, (uint16_t)(p->fix_len + p->a_len + p->b_len));
	if (type != RRTYPE_SOA)
		writer_bytes(w, p->fix, p->fix_len);
	if (type == RRTYPE_SOA || type == RRTYPE_MX) {
		writer_name(w, p->a, p->a_len, true);
		if (p->b_len)
			writer_name(w, p->b, p->b_len, true);
	} else {
		writer_bytes(w, p->a, p->a_len);
		writer_bytes(w, p->b, p->b_len);
	}
	if (type == RRTYPE_SOA)
		writer_bytes(w, p->fix, p->fix_len);
	if (rrtype_compresses(type) && !w->err)
		store_be16(w->base + at, (uint16_t)(w->len - at - 2));
}

/* Header and OPT; the reply's length, or ERR_SPACE. */
static inline int reply_end(struct reply *r, unsigned rcode, bool secure)
{
	const struct question *q = r->q;
	struct msg_writer *w = &r->w;
	bool truncated = w->err != 0, ad = secure && (q->edns.do_bit || (q->flags & FLAG_AD));
	if (truncated) {
		writer_rollback(w, (struct writer_mark){ .len = DNS_HEADER_LEN + q->wire_len });
		r->counts[0] = r->counts[1] = r->counts[2] = 0;
	}
	w->limit = REPLY_LIMIT;
	if (q->edns.present)
		writer_opt(w, REPLY_LIMIT, rcode, q->edns.do_bit, NULL, 0);
	struct dns_header h = {
		.id = q->id,
		.flags = (uint16_t)(FLAG_QR | FLAG_RA | (q->flags & (FLAG_OPCODE_MASK | FLAG_RD | FLAG_CD)) | (ad ? FLAG_AD : 0) |
				    (truncated ? FLAG_TC : 0) | (rcode & FLAG_RCODE_MASK)),
		.qdcount = 1,
		.ancount = r->counts[0],
		.nscount = r->counts[1],
		.arcount = (uint16_t)(r->counts[2] + q->edns.present),
	};
	header_write(w->base, &h);
	return w->err ? w->err : (int)w->len;
}

#endif
