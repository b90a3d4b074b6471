/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns how rows 0 to 5 read a response: with the reader that Pith reads with, and the same checks of shape. */
#include "layout.h"

#include <string.h>

static const uint8_t question_pointer[2] = { 0xc0, DNS_HEADER_LEN };

int source_begin(struct source *s, const struct item_key *key, const uint8_t *msg, size_t len)
{
	size_t next;
	s->key = key;
	s->ttl_s = TTL_MAX_S;
	if (msg_begin(&s->r, msg, len) != 0 || !(s->r.h.flags & FLAG_QR) || s->r.h.qdcount != 1)
		return ERR_BAD;
	int n = name_read(msg, len, DNS_HEADER_LEN, s->owner, &next);
	if (n <= 0 || next + 4 > len || !name_equal(s->owner, (size_t)n, key->name, key->name_len) || load_be16(msg + next) != key->type)
		return ERR_BAD;
	s->negative = s->r.h.ancount == 0;
	return 0;
}

/* The owner is nearly always a pointer to the question: then nothing is decompressed. */
static int read_owner(struct source *s, const struct wire_rr *w, struct source_rr *rr)
{
	size_t next;
	if (memcmp(s->r.msg + w->owner_off, question_pointer, 2) == 0) {
		rr->owner = s->key->name;
		rr->owner_len = s->key->name_len;
		rr->owner_is_question = true;
		return 0;
	}
	int n = name_read(s->r.msg, s->r.len, w->owner_off, s->owner, &next);
	if (n < 0)
		return ERR_BAD;
	name_lower(s->owner, s->owner, (size_t)n);
	rr->owner = s->owner;
	rr->owner_len = (uint8_t)n;
	rr->owner_is_question = n == s->key->name_len && memcmp(s->owner, s->key->name, (size_t)n) == 0;
	return 0;
}

static uint32_t clamp_ttl(const struct source *s, const struct source_rr *rr, uint32_t ttl)
{
	uint32_t most = TTL_MAX_S;
	if (s->negative && rr->type == RRTYPE_SOA) {
		uint32_t minimum = load_be32(rr->rdata + rr->rdata_len - 4);
		most = minimum < TTL_MAX_NEGATIVE_S ? minimum : TTL_MAX_NEGATIVE_S;
	}
	return ttl < most ? ttl : most;
}

int source_next(struct source *s, struct source_rr *rr)
{
	struct wire_rr w;
	int more;
	do
		more = msg_next(&s->r, &w);
	while (more == 1 && (w.rrclass != CLASS_IN || rrtype_is_meta(w.type)));
	if (more != 1)
		return more < 0 || msg_end(&s->r) != 0 ? ERR_BAD : 0;
	int n = rdata_expand(s->r.msg, s->r.len, &w, s->rdata, sizeof s->rdata);
	if (n < 0 || read_owner(s, &w, rr) != 0)
		return ERR_BAD;
	rr->section = w.section;
	rr->type = w.type;
	rr->rrclass = w.rrclass;
	rr->rdata = s->rdata;
	rr->rdata_len = (uint16_t)n;
	rr->ttl_s = clamp_ttl(s, rr, w.ttl);
	if (rr->ttl_s < s->ttl_s)
		s->ttl_s = rr->ttl_s;
	return 1;
}

/* Rdata came through rdata_expand: it has its type's shape, so the names end within it. */
void parts_split(struct parts *p, uint16_t type, const uint8_t *rdata, size_t len)
{
	const uint8_t *end = rdata + len;
	*p = (struct parts){ .fix = rdata, .a = rdata, .b = rdata };
	switch (type) {
	case RRTYPE_A:
	case RRTYPE_AAAA:
		p->fix_len = (uint16_t)len;
		return;
	case RRTYPE_MX:
		p->fix_len = 2;
		p->a = rdata + 2;
		p->a_len = (uint16_t)(len - 2);
		return;
	case RRTYPE_SOA:
		p->a_len = (uint16_t)name_len(rdata, end);
		p->b = rdata + p->a_len;
		p->b_len = (uint16_t)name_len(p->b, end);
		p->fix = p->b + p->b_len;
		p->fix_len = (uint16_t)(end - p->fix);
		return;
	case RRTYPE_RRSIG:
		p->fix_len = 18;
		p->a = rdata + 18;
		p->a_len = (uint16_t)name_len(p->a, end);
		p->b = p->a + p->a_len;
		p->b_len = (uint16_t)(end - p->b);
		return;
	default:
		p->a_len = (uint16_t)len;
	}
}
