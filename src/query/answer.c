/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the bytes of a reply made from an entry.
 *
 * The plain entry (one RRset, owner and type the question's: nearly all) has a writer of its own: a record is a pointer to the question,
 * type, class, TTL and rdata copied, about 5 ns for an A. Everything else goes through the message writer with its compression.
 * Truncation is by whole RRset and empties the message (RFC 2181 §9 lets a client ignore what is left). */
#include "query/answer.h"

#include <string.h>

#include "query/ecs.h"

enum { OPT_LEN = 11, RR_FIXED = 12, EDE_TEXT_MAX = 120, OPTIONS_MAX = 1024 };

size_t answer_udp_limit(const struct question *q, const struct answer_options *o)
{
	if (!q->edns.present || q->edns.udp_size <= DNS_UDP_MIN)
		return DNS_UDP_MIN;
	return q->edns.udp_size < o->udp_size ? q->edns.udp_size : o->udp_size;
}

/* ---- OPT ---- */

static size_t put_option(uint8_t *p, uint16_t code, const void *bytes, size_t n)
{
	store_be16(p, code);
	store_be16(p + 2, (uint16_t)n);
	if (n)
		memcpy(p + 4, bytes, n);
	return 4 + n;
}

static size_t put_ede(uint8_t *p, int code, const void *text, size_t n)
{
	uint8_t value[2 + EDE_TEXT_MAX];
	n = n > EDE_TEXT_MAX ? EDE_TEXT_MAX : n;
	store_be16(value, (uint16_t)code);
	if (n)
		memcpy(value + 2, text, n);
	return put_option(p, EDNS_EDE, value, 2 + n);
}

struct opt {
	size_t len;  /* of options; 0 with `wanted`: a bare OPT */
	bool wanted; /* the client sent one (RFC 6891 §7) */
	uint8_t bytes[OPTIONS_MAX];
};

/* scope: bits of the client's subnet for which alone the answer was given; 0 for everyone. */
static void make_opt(struct opt *o, const struct answer_ask *a, int ede, const void *ede_text, size_t ede_len, uint8_t scope)
{
	const struct edns *e = &a->q->edns;
	o->len = 0;
	o->wanted = e->present;
	if (__builtin_expect(!e->present || (ede == EDE_NONE && !e->ecs_len && !e->nsid && !e->keepalive), 1))
		return;
	if (ede != EDE_NONE)
		o->len += put_ede(o->bytes + o->len, ede, ede_text, ede_len);
	if (e->ecs_len >= 4 && e->ecs_len <= 20) {
		/* Family, source length and address are the client's own, the scope is ours (RFC 7871 §7.2.1). */
		size_t at = o->len;
		o->len += put_option(o->bytes + at, EDNS_ECS, e->ecs, e->ecs_len);
		o->bytes[at + 4 + 3] = scope;
	}
	size_t id = a->o->nsid ? strlen(a->o->nsid) : 0;
	if (e->nsid && id && id <= 255)
		o->len += put_option(o->bytes + o->len, EDNS_NSID, a->o->nsid, id);
	if (e->keepalive && a->tcp) {
		uint8_t t[2];
		store_be16(t, a->keepalive_100ms);
		o->len += put_option(o->bytes + o->len, EDNS_KEEPALIVE, t, 2);
	}
}

static size_t opt_len(const struct opt *o)
{
	return o->wanted ? OPT_LEN + o->len : 0;
}

/* ---- head ---- */

static void put_head(uint8_t *out, const struct answer_ask *a, unsigned rcode, bool ad, bool tc, uint16_t an, uint16_t ns, uint16_t ar)
{
	uint16_t in = a->q->flags;
	uint16_t flags = (uint16_t)(FLAG_QR | FLAG_RA | (in & (FLAG_OPCODE_MASK | FLAG_RD | FLAG_CD)) | (ad ? FLAG_AD : 0) |
				    (tc ? FLAG_TC : 0) | (rcode & FLAG_RCODE_MASK));
	store_be16(out, a->q->id);
	store_be16(out + 2, flags);
	store_be16(out + 4, a->q->wire_len ? 1 : 0);
	store_be16(out + 6, an);
	store_be16(out + 8, ns);
	store_be16(out + 10, ar);
}

/* RFC 6840 §5.7, §5.8: only to a client that asked for it by DO or AD. */
static bool wants_ad(const struct question *q)
{
	return q->edns.do_bit || (q->flags & FLAG_AD);
}

static size_t put_opt(uint8_t *p, const struct answer_ask *a, unsigned rcode, const struct opt *o)
{
	p[0] = 0;
	store_be16(p + 1, RRTYPE_OPT);
	store_be16(p + 3, a->o->udp_size);
	p[5] = (uint8_t)(rcode >> 4);
	p[6] = 0;
	store_be16(p + 7, a->q->edns.do_bit ? 0x8000 : 0);
	store_be16(p + 9, (uint16_t)o->len);
	if (o->len)
		memcpy(p + OPT_LEN, o->bytes, o->len);
	return OPT_LEN + o->len;
}

static int finish_empty(uint8_t *out, const struct answer_ask *a, unsigned rcode, bool ad, bool tc, struct opt *o)
{
	size_t at = DNS_HEADER_LEN;
	if (a->q->wire_len) {
		memcpy(out + at, a->q->wire, a->q->wire_len);
		at += a->q->wire_len;
	}
	if (at + opt_len(o) > a->limit)
		o->len = 0;
	put_head(out, a, rcode, ad, tc, 0, 0, o->wanted);
	if (o->wanted)
		at += put_opt(out + at, a, rcode, o);
	return (int)at;
}

int answer_error(uint8_t *out, const struct answer_ask *a, unsigned rcode, int ede, const char *ede_text)
{
	struct opt o;
	make_opt(&o, a, ede, ede_text, ede_text ? strlen(ede_text) : 0, 0);
	return finish_empty(out, a, rcode, false, false, &o);
}

/* ---- the plain entry ---- */

/* Records of a set from index `from` on, then those before; at most what fits. Returns bytes written, 0 when they do not fit. */
static size_t put_fixed(uint8_t *p, const uint8_t *limit, const struct rrset_view *s, uint32_t ttl, unsigned from)
{
	size_t len = s->fixed_len, each = RR_FIXED + len;
	if ((size_t)(limit - p) < each * s->n || (size_t)(s->end - s->at) < len * s->n)
		return 0;
	uint8_t head[RR_FIXED];
	store_be16(head, 0xc000 | DNS_HEADER_LEN);
	store_be16(head + 2, s->type);
	store_be16(head + 4, CLASS_IN);
	store_be32(head + 6, ttl);
	store_be16(head + 10, (uint16_t)len);
	unsigned k = from;
	for (unsigned i = 0; i < s->n; i++, p += each) {
		memcpy(p, head, RR_FIXED);
		if (len == 4)
			memcpy(p + RR_FIXED, s->at + (size_t)k * 4, 4);
		else if (len == 16)
			memcpy(p + RR_FIXED, s->at + (size_t)k * 16, 16);
		else
			memcpy(p + RR_FIXED, s->at + k * len, len);
		if (++k == s->n)
			k = 0;
	}
	return each * s->n;
}

static int put_varied(uint8_t *p, const uint8_t *limit, const struct entry_view *v, struct rrset_view *s, uint32_t ttl)
{
	const uint8_t *rdata;
	uint8_t *from = p, scratch[RDATA_SCRATCH];
	size_t len;
	int more;
	while ((more = rrset_next(v, s, &rdata, &len, scratch)) == 1) {
		if ((size_t)(limit - p) < RR_FIXED + len)
			return 0;
		store_be16(p, 0xc000 | DNS_HEADER_LEN);
		store_be16(p + 2, s->type);
		store_be16(p + 4, CLASS_IN);
		store_be32(p + 6, ttl);
		store_be16(p + 10, (uint16_t)len);
		memcpy(p + RR_FIXED, rdata, len);
		p += RR_FIXED + len;
	}
	return more < 0 ? ERR_BAD : (int)(p - from);
}

static uint32_t served_ttl(const struct answer_ask *a, const struct entry_view *v, uint32_t ttl_s)
{
	if (a->stale)
		return a->o->stale_ttl_s;
	uint32_t age = a->now_s > v->stored_s ? a->now_s - v->stored_s : 0;
	return ttl_s > age ? ttl_s - age : 0;
}

static int answer_plain(uint8_t *out, const struct answer_ask *a, const struct entry_view *v, struct opt *o, bool ad, bool *truncated)
{
	struct rrset_cursor c;
	struct rrset_view s;
	size_t at = DNS_HEADER_LEN + a->q->wire_len, tail = opt_len(o);
	entry_rrsets(v, &c);
	if (entry_next_rrset(v, &c, &s) != 1)
		return ERR_BAD;
	/* The question is in the reply before its bytes are written: a client's limit of 512 always holds it. */
	uint16_t n = s.n;
	const uint8_t *limit = out + a->limit - tail;
	uint32_t ttl = served_ttl(a, v, s.ttl_s);
	memcpy(out + DNS_HEADER_LEN, a->q->wire, a->q->wire_len);
	int got;
	if (s.fixed_len) {
		unsigned from = a->o->rotate && n > 1 ? a->rotation % n : 0;
		if ((size_t)(s.end - s.at) < (size_t)s.fixed_len * n)
			return ERR_BAD;
		got = (int)put_fixed(out + at, limit, &s, ttl, from);
	} else {
		got = put_varied(out + at, limit, v, &s, ttl);
	}
	if (got < 0)
		return got;
	if (got == 0) {
		*truncated = true;
		return finish_empty(out, a, v->rcode, ad, true, o);
	}
	at += (size_t)got;
	put_head(out, a, v->rcode, ad, false, n, 0, o->wanted);
	if (o->wanted)
		at += put_opt(out + at, a, v->rcode, o);
	return (int)at;
}

/* ---- any entry ---- */

static bool leave_out(const struct answer_ask *a, const struct rrset_view *s)
{
	/* RFC 4035 §3.2.1: not to DO=0, unless it asked for that very type. */
	return s->signature && !a->q->edns.do_bit && s->type != a->q->qtype;
}

struct record {
	const uint8_t *rdata;
	size_t len;
};

/* Writes one set; ERR_BAD when damaged. The writer's own error says that it did not fit. */
static int put_set(struct msg_writer *w, const struct answer_ask *a, const struct entry_view *v, struct rrset_view *s, uint16_t *count)
{
	uint8_t scratch[RDATA_SCRATCH];
	uint32_t ttl = served_ttl(a, v, s->ttl_s);
	bool rotate = a->o->rotate && s->fixed_len && s->n > 1 && (s->type == RRTYPE_A || s->type == RRTYPE_AAAA);
	unsigned n = s->n, from = rotate ? a->rotation % n : 0;
	const uint8_t *fixed = s->at, *rdata;
	size_t len;
	int more;
	for (unsigned i = 0; (more = rrset_next(v, s, &rdata, &len, scratch)) == 1; i++) {
		if (rotate)
			rdata = fixed + (size_t)((i + from) % n) * s->fixed_len;
		if (s->owner_is_question) {
			writer_u16(w, 0xc000 | DNS_HEADER_LEN);
			writer_u16(w, s->type);
			writer_u16(w, CLASS_IN);
			writer_u32(w, ttl);
			writer_rdata(w, s->type, rdata, len);
		} else {
			writer_rr(w, s->owner, s->owner_len, s->type, CLASS_IN, ttl, rdata, len);
		}
		++*count;
	}
	return more;
}

static int answer_general(uint8_t *out, const struct answer_ask *a, const struct entry_view *v, struct opt *o, bool ad, bool *truncated)
{
	struct msg_writer w;
	struct rrset_cursor c;
	struct rrset_view s;
	uint16_t counts[3] = { 0, 0, 0 };
	int more;
	writer_begin(&w, out, a->limit - opt_len(o));
	writer_question(&w, a->q->wire, a->q->wire_len);
	entry_rrsets(v, &c);
	while ((more = entry_next_rrset(v, &c, &s)) == 1) {
		if (leave_out(a, &s))
			continue;
		struct writer_mark mark = writer_mark(&w);
		uint16_t before = counts[s.section];
		if (put_set(&w, a, v, &s, &counts[s.section]) < 0)
			return ERR_BAD;
		if (!w.err)
			continue;
		/* Proof that does not fit must say so too: a validator needs it (RFC 4035 §3.1.1). Additional data may just be missing. */
		writer_rollback(&w, mark);
		counts[s.section] = before;
		if (s.section == SECTION_ADDITIONAL)
			break;
		*truncated = true;
		return finish_empty(out, a, v->rcode, ad, true, o);
	}
	if (more < 0)
		return ERR_BAD;
	put_head(out, a, v->rcode, ad, false, counts[0], counts[1], (uint16_t)(counts[2] + o->wanted));
	size_t at = w.len;
	if (o->wanted)
		at += put_opt(out + at, a, v->rcode, o);
	return (int)at;
}

int answer_from_entry(uint8_t *out, const struct answer_ask *a, const struct entry *e, bool *truncated)
{
	struct entry_view v;
	struct opt o;
	*truncated = false;
	if (!entry_open(e, &v))
		return ERR_BAD;
	bool ad = v.secure && !a->stale && wants_ad(a->q);
	const struct edns *in = &a->q->edns;
	uint8_t scope = in->ecs ? ecs_told_scope(&v.ecs, in->ecs, in->ecs_len) : 0;
	if (__builtin_expect(a->stale, 0))
		make_opt(&o, a, v.rcode == RCODE_NXDOMAIN ? EDE_STALE_NXDOMAIN : EDE_STALE_ANSWER, NULL, 0, scope);
	else
		make_opt(&o, a, v.ede, v.ede_text, v.ede_text_len, scope);
	/* Options are a courtesy: where they would fill a small message, they are left out. */
	if (DNS_HEADER_LEN + a->q->wire_len + opt_len(&o) > a->limit)
		o.len = 0;
	return v.single ? answer_plain(out, a, &v, &o, ad, truncated) : answer_general(out, a, &v, &o, ad, truncated);
}
