/* SPDX-License-Identifier: BSD-3-Clause */
/* See build.h. The scratch is larger than any entry, so that space runs out in one place only: build_end. */
#include "cache/build.h"

#include <string.h>

static void set_name(struct build_name *to, const uint8_t *name, size_t len)
{
	memcpy(to->bytes, name, len);
	to->len = len;
}

void build_begin(struct build *b, struct entry_scratch *s, const struct cache_key *k, const struct entry_meta *m,
		 const struct build_head *h)
{
	uint8_t *p = s->buf;
	b->s = s;
	b->key = k;
	b->link = false;
	b->single = h->single;
	b->ttl_s = h->ttl_s;
	writer_begin(&b->w, p, sizeof s->buf);
	p[E_HITS] = 0;
	p[E_F0] = (uint8_t)((h->rcode & F0_RCODE) | (m->secure ? F0_SECURE : 0) | (k->cd ? F0_CD : 0) | (h->single ? 0 : F0_MULTI) |
			    (k->type > 255 ? F0_TYPE16 : 0));
	p[E_F1] = (uint8_t)(((unsigned)m->source & F1_SOURCE) | (m->ede != EDE_NONE ? F1_EDE : 0) | (k->ecs.family ? F1_ECS : 0) |
			    (h->negative ? F1_NEGATIVE : 0) | (h->denies_name && !k->ecs.family ? F1_NXNAME : 0));
	store_le32(p + E_STORED, m->now_s);
	store_le24(p + E_TTL, h->ttl_s);
	p[E_TYPE] = (uint8_t)k->type;
	p[E_HEAD] = (uint8_t)(k->type >> 8);
	b->w.len = E_HEAD + (k->type > 255);
	if (h->single) {
		bytes_copy_short(p + b->w.len, k->name, k->name_len);
		b->w.len += k->name_len;
	} else {
		writer_question(&b->w, k->name, k->name_len);
		set_name(&b->chain, k->name, k->name_len);
		set_name(&b->before, k->name, k->name_len);
	}
	if (m->ede != EDE_NONE) {
		size_t n = m->ede_text ? strlen(m->ede_text) : 0;
		n = n > 120 ? 120 : n;
		uint8_t code[3] = { (uint8_t)m->ede, (uint8_t)(m->ede >> 8), (uint8_t)n };
		writer_bytes(&b->w, code, 3);
		if (n)
			writer_bytes(&b->w, m->ede_text, n);
	}
	if (k->ecs.family) {
		writer_u8(&b->w, k->ecs.family);
		writer_u8(&b->w, k->ecs.bits);
		writer_bytes(&b->w, k->ecs.addr, ((size_t)k->ecs.bits + 7) / 8);
	}
}

/* Tag, type, TTL and owner of a set. */
static void put_set_head(struct build *b, enum section section, uint16_t type, bool meta, uint32_t ttl_s, const uint8_t *owner,
			 size_t owner_len)
{
	struct msg_writer *w = &b->w;
	const struct build_name *implied = meta ? &b->before : &b->chain;
	bool own_ttl = ttl_s != b->ttl_s, own_name = !name_equal(owner, owner_len, implied->bytes, implied->len);
	writer_u8(w, (uint8_t)((unsigned)section | (meta ? TAG_META : 0) | (own_name ? TAG_OWNER : 0) | (own_ttl ? TAG_TTL : 0) |
			       (type > 255 ? TAG_TYPE16 : 0) | (rrtype_compresses(type) && !b->link ? TAG_PACKED : 0) |
			       (b->link ? TAG_LINK : 0)));
	if (!b->link)
		writer_u8(w, (uint8_t)type);
	if (type > 255)
		writer_u8(w, (uint8_t)(type >> 8));
	if (own_ttl) {
		uint8_t t[3];
		store_le24(t, ttl_s);
		writer_bytes(w, t, 3);
	}
	if (own_name)
		writer_name(w, owner, owner_len, true);
	set_name(&b->before, owner, owner_len);
}

void build_rrset(struct build *b, enum section section, uint16_t type, bool meta, uint32_t ttl_s, const uint8_t *owner,
		 size_t owner_len, unsigned n)
{
	struct msg_writer *w = &b->w;
	b->link = !b->single && type == RRTYPE_CNAME && section == SECTION_ANSWER && !meta && n == 1;
	if (!b->single)
		put_set_head(b, section, type, meta, ttl_s, owner ? owner : b->key->name, owner ? owner_len : b->key->name_len);
	if (b->link)
		return;
	if (n < 255) {
		writer_u8(w, (uint8_t)n);
	} else {
		uint8_t t[3] = { 255, (uint8_t)n, (uint8_t)(n >> 8) };
		writer_bytes(w, t, 3);
	}
}

void build_record(struct build *b, uint16_t type, const uint8_t *rdata, size_t len)
{
	struct msg_writer *w = &b->w;
	if (b->link) {
		writer_name(w, rdata, len, true);
		set_name(&b->chain, rdata, len);
		return;
	}
	if (!b->single && rrtype_compresses(type)) {
		writer_rdata(w, type, rdata, len);
		return;
	}
	if (!rrtype_fixed_len(type)) {
		if (len < 0xf0) {
			writer_u8(w, (uint8_t)len);
		} else if (len < 0xf00) {
			writer_u8(w, (uint8_t)(0xf0 | len >> 8));
			writer_u8(w, (uint8_t)len);
		} else {
			uint8_t t[3] = { 255, (uint8_t)len, (uint8_t)(len >> 8) };
			writer_bytes(w, t, 3);
		}
	}
	writer_bytes(w, rdata, len);
}

int build_end(struct build *b)
{
	b->s->len = b->w.len;
	if (b->w.err || b->w.len > ENTRY_MAX) {
		b->s->len = 0;
		return ERR_SPACE;
	}
	store_le16(b->s->buf + E_SIZE, (uint16_t)b->w.len);
	return 0;
}
