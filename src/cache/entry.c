/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns reading an entry's bytes. Every step is bounded by the entry's own size, and that by what holds it: cached bytes are as
 * hostile as the network (a snapshot, a second level, a flipped bit). Layout: src/cache/layout.h. */
#include <string.h>

#include "cache/impl.h"

const char *entry_source_text(enum entry_source s)
{
	static const char *const names[] = { "unknown", "recurse", "forward", "local", "operator", "snapshot", "l2" };
	return (unsigned)s < sizeof names / sizeof names[0] ? names[s] : "unknown";
}

bool entry_open(const struct entry *e, struct entry_view *v)
{
	const uint8_t *b = e->b;
	size_t size = entry_size(e), at = entry_name_off(e);
	const uint8_t *end = b + size;
	if (size < at + 1)
		return false;
	int n = name_len(b + at, end);
	if (n < 0)
		return false;
	v->base = b;
	v->end = end;
	v->size = size;
	v->name = b + at;
	v->name_len = (uint8_t)n;
	v->rcode = b[E_F0] & F0_RCODE;
	v->secure = b[E_F0] & F0_SECURE;
	v->cd = b[E_F0] & F0_CD;
	v->single = !(b[E_F0] & F0_MULTI);
	v->negative = b[E_F1] & F1_NEGATIVE;
	v->failure = v->rcode == RCODE_SERVFAIL;
	v->type = entry_type(e);
	v->source = (enum entry_source)(b[E_F1] & F1_SOURCE);
	v->stored_s = entry_stored_s(e);
	v->ttl_s = entry_ttl_s(e);
	v->hits = entry_hits(e);
	v->ede = EDE_NONE;
	v->ede_text = NULL;
	v->ede_text_len = 0;
	v->ecs.family = 0;
	const uint8_t *p = b + at + n;
	if (__builtin_expect(b[E_F1] & F1_EDE, 0)) {
		if (end - p < 3 || end - p < 3 + p[2])
			return false;
		v->ede = load_le16(p);
		v->ede_text_len = p[2];
		v->ede_text = p + 3;
		p += 3 + p[2];
	}
	if (__builtin_expect(b[E_F1] & F1_ECS, 0)) {
		if (end - p < 2)
			return false;
		size_t len = ((size_t)p[1] + 7) / 8;
		if ((p[0] != 1 && p[0] != 2) || p[1] > (p[0] == 1 ? 32 : 128) || (size_t)(end - p) < 2 + len)
			return false;
		memset(&v->ecs, 0, sizeof v->ecs);
		v->ecs.family = p[0];
		v->ecs.bits = p[1];
		memcpy(v->ecs.addr, p + 2, len);
		p += 2 + len;
	}
	v->body = p;
	return true;
}

int64_t entry_ttl_left(const struct entry *e, uint32_t now_s)
{
	return (int64_t)entry_stored_s(e) + entry_ttl_s(e) - now_s;
}

void entry_touch(const struct entry *e, uint32_t r)
{
	uint8_t h = entry_hits(e);
	/* Exact to 16; from there on a step stands for one sixteenth of a doubling: taken once in 2^((h-16)/16) hits. */
	if (h == 255 || (h > 16 && (r & ((1u << (h / 16)) - 1))))
		return;
	__atomic_store_n((uint8_t *)(uintptr_t)&e->b[E_HITS], (uint8_t)(h + 1), __ATOMIC_RELAXED);
}

void entry_rrsets(const struct entry_view *v, struct rrset_cursor *c)
{
	c->at = v->body;
	c->owner_off = c->chain_off = 0;
	c->done = false;
}

/* Number of records; false when it does not fit. */
static bool read_count(const uint8_t **p, const uint8_t *end, uint16_t *n)
{
	if (end - *p < 1)
		return false;
	*n = *(*p)++;
	if (*n == 255) {
		if (end - *p < 2)
			return false;
		*n = load_le16(*p);
		*p += 2;
	}
	return *n > 0;
}

/* Length before rdata; false when length or rdata do not fit. */
static bool read_len(const uint8_t **p, const uint8_t *end, size_t *len)
{
	if (end - *p < 1)
		return false;
	size_t n = *(*p)++;
	if (n == 255) {
		if (end - *p < 2)
			return false;
		n = load_le16(*p);
		*p += 2;
	} else if (n >= 0xf0) {
		if (end - *p < 1)
			return false;
		n = (n & 0x0f) << 8 | *(*p)++;
	}
	*len = n;
	return (size_t)(end - *p) >= n;
}

/* Moves past the records of s; false when they do not fit. */
static bool skip_records(const struct rrset_view *s, const uint8_t **p)
{
	const uint8_t *at = *p;
	size_t len;
	if (s->fixed_len) {
		if ((size_t)(s->end - at) < (size_t)s->n * s->fixed_len)
			return false;
		*p = at + (size_t)s->n * s->fixed_len;
		return true;
	}
	for (unsigned i = 0; i < s->n; i++) {
		if (s->packed) {
			if (s->end - at < 2)
				return false;
			len = load_be16(at);
			at += 2;
			if ((size_t)(s->end - at) < len)
				return false;
		} else if (!read_len(&at, s->end, &len)) {
			return false;
		}
		at += len;
	}
	*p = at;
	return true;
}

/* Owner of a set: the name at *p, which moves on, or the one that stands for it. False when it is none. */
static bool read_owner(const struct entry_view *v, struct rrset_cursor *c, struct rrset_view *s, uint8_t tag, const uint8_t **p)
{
	size_t off = tag & TAG_META ? c->owner_off : c->chain_off, next = 0;
	if (tag & TAG_OWNER)
		off = (size_t)(*p - v->base);
	s->owner_is_question = off == 0;
	if (off) {
		int n = name_read(v->base, v->size, off, s->owner, &next);
		if (n < 0)
			return false;
		s->owner_len = (uint8_t)n;
	}
	if (tag & TAG_OWNER)
		*p = v->base + next;
	c->owner_off = (uint16_t)off;
	return true;
}

/* Tag, type, TTL and owner of the set at *p. False when they do not fit. */
static bool read_set_head(const struct entry_view *v, struct rrset_cursor *c, struct rrset_view *s, const uint8_t **at)
{
	const uint8_t *p = *at;
	uint8_t tag = *p++;
	s->link = tag & TAG_LINK;
	s->type = RRTYPE_CNAME;
	if (!s->link) {
		if (v->end - p < 2)
			return false;
		s->type = *p++;
		if (tag & TAG_TYPE16)
			s->type = (uint16_t)(s->type | *p++ << 8);
	}
	if (tag & TAG_TTL) {
		if (v->end - p < 3)
			return false;
		s->ttl_s = load_le24(p);
		p += 3;
	}
	if (!read_owner(v, c, s, tag, &p) || (tag & TAG_SECTION) > SECTION_ADDITIONAL)
		return false;
	s->section = (enum section)(tag & TAG_SECTION);
	s->signature = tag & TAG_META;
	s->packed = tag & TAG_PACKED;
	*at = p;
	return true;
}

int entry_next_rrset(const struct entry_view *v, struct rrset_cursor *c, struct rrset_view *s)
{
	const uint8_t *p = c->at;
	if (c->done || (p == v->end && !v->single))
		return 0;
	s->section = SECTION_ANSWER;
	s->type = v->type;
	s->ttl_s = v->ttl_s;
	s->owner_is_question = true;
	s->signature = s->packed = s->link = false;
	s->end = v->end;
	if (!v->single && !read_set_head(v, c, s, &p))
		return ERR_BAD;
	if (s->link) {
		uint8_t target[NAME_MAX_LEN];
		size_t next, off = (size_t)(p - v->base);
		if (name_read(v->base, v->size, off, target, &next) < 0)
			return ERR_BAD;
		s->n = 1;
		s->fixed_len = 0;
		s->at = p;
		c->chain_off = (uint16_t)off;
		c->at = v->base + next;
		return 1;
	}
	if (!read_count(&p, v->end, &s->n))
		return ERR_BAD;
	s->fixed_len = s->packed ? 0 : (uint16_t)rrtype_fixed_len(s->type);
	s->at = p;
	if (v->single) {
		c->done = true;
		return 1;
	}
	if (!skip_records(s, &p))
		return ERR_BAD;
	c->at = p;
	return 1;
}

int rrset_next(const struct entry_view *v, struct rrset_view *s, const uint8_t **rdata, size_t *len, uint8_t *scratch)
{
	if (!s->n)
		return 0;
	s->n--;
	if (s->link) {
		size_t next;
		int n = name_read(v->base, v->size, (size_t)(s->at - v->base), scratch, &next);
		if (n < 0)
			return ERR_BAD;
		*rdata = scratch;
		*len = (size_t)n;
		return 1;
	}
	if (s->fixed_len) {
		if ((size_t)(s->end - s->at) < s->fixed_len)
			return ERR_BAD;
		*rdata = s->at;
		*len = s->fixed_len;
		s->at += s->fixed_len;
		return 1;
	}
	if (!s->packed) {
		if (!read_len(&s->at, s->end, len))
			return ERR_BAD;
		*rdata = s->at;
		s->at += *len;
		return 1;
	}
	if (s->end - s->at < 2)
		return ERR_BAD;
	uint16_t n = load_be16(s->at);
	size_t off = (size_t)(s->at + 2 - v->base);
	if (off + n > v->size)
		return ERR_BAD;
	struct wire_rr rr = { .type = s->type, .rdata_off = (uint16_t)off, .rdata_len = n };
	int expanded = rdata_expand(v->base, v->size, &rr, scratch, RDATA_SCRATCH);
	if (expanded < 0)
		return ERR_BAD;
	s->at += 2 + n;
	*rdata = scratch;
	*len = (size_t)expanded;
	return 1;
}

bool entry_whole(const struct entry *e, size_t len)
{
	struct entry_view v;
	if (len < ENTRY_MIN || len > ENTRY_MAX || entry_size(e) != len || (e->b[E_F1] & F1_EXTERNAL) || !entry_open(e, &v))
		return false;
	/* Keys are lower case: a name that is not would never be found again. */
	for (size_t i = 0; i < v.name_len; i++)
		if (byte_lower(v.name[i]) != v.name[i])
			return false;
	/* A denial of a name is for everybody: one with a prefix would be filed where it is not looked for. */
	if (v.ecs.family && (e->b[E_F1] & F1_NXNAME))
		return false;
	/* Neither would a prefix with bits behind its length. */
	for (unsigned i = v.ecs.bits; v.ecs.family && i < ((v.ecs.bits + 7u) & ~7u); i++)
		if (v.ecs.addr[i / 8] >> (7 - i % 8) & 1)
			return false;
	struct rrset_cursor c;
	struct rrset_view s;
	uint8_t scratch[RDATA_SCRATCH];
	const uint8_t *rdata = NULL;
	int more;
	entry_rrsets(&v, &c);
	if (v.single && v.body == v.end)
		return false;
	while ((more = entry_next_rrset(&v, &c, &s)) == 1) {
		size_t n;
		int got;
		/* OPT is of one hop (RFC 6891 §6.1.1), and no other of these is data. */
		if (rrtype_is_meta(s.type))
			return false;
		while ((got = rrset_next(&v, &s, &rdata, &n, scratch)) == 1)
			if (!rdata_valid(s.type, rdata, n))
				return false;
		if (got < 0 || (v.single && s.at != v.end))
			return false;
	}
	return more == 0;
}

int entry_from_bytes(struct entry_scratch *s, const void *bytes, size_t len)
{
	if (len > ENTRY_MAX)
		return ERR_SPACE;
	if (len < ENTRY_MIN)
		return ERR_BAD;
	memcpy(s->buf, bytes, len);
	s->len = len;
	return entry_whole((const struct entry *)s->buf, len) ? 0 : ERR_BAD;
}

void entry_set_stored(struct entry_scratch *s, uint32_t stored_s)
{
	store_le32(s->buf + E_STORED, stored_s);
}

const struct entry *entry_in_scratch(const struct entry_scratch *s)
{
	return (const struct entry *)s->buf;
}
