/* SPDX-License-Identifier: BSD-3-Clause */
/* The small functions of the wire room that every packet runs through, inlined; documented in wire.h, which includes this.
 *
 * A writer's step is a compare and a store: an answer of four A records makes about forty of them, and as calls they cost
 * more than what they do. The invariant of all of them: len never passes limit. */
#ifndef PITH_WIRE_INLINE_H
#define PITH_WIRE_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/wire.h"

/* rrtype_fixed_len for all other types; only that function calls it. */
size_t rrtype_fixed_len_rare(uint16_t type);

static inline size_t rrtype_fixed_len(uint16_t type)
{
	if (type == RRTYPE_A)
		return 4;
	if (type == RRTYPE_AAAA)
		return 16;
	return rrtype_fixed_len_rare(type);
}

static inline bool rrtype_is_dnssec_meta(uint16_t type)
{
	return type == RRTYPE_RRSIG || type == RRTYPE_NSEC || type == RRTYPE_NSEC3;
}

/* Has this type a name that may be compressed on the way out? (shape "n", RFC 1035 §3.3; pinned to the table by a test) */
static inline bool rrtype_compresses(uint16_t type)
{
	const uint64_t set = 1u << RRTYPE_NS | 1u << RRTYPE_MD | 1u << RRTYPE_MF | 1u << RRTYPE_CNAME | 1u << RRTYPE_SOA |
			     1u << RRTYPE_MB | 1u << RRTYPE_MG | 1u << RRTYPE_MR | 1u << RRTYPE_PTR | 1u << RRTYPE_MINFO |
			     1u << RRTYPE_MX;

	return type < 64 && (set >> type & 1) != 0;
}

static inline bool header_read(const uint8_t *msg, size_t len, struct dns_header *h)
{
	if (len < DNS_HEADER_LEN)
		return false;
	h->id = load_be16(msg);
	h->flags = load_be16(msg + 2);
	h->qdcount = load_be16(msg + 4);
	h->ancount = load_be16(msg + 6);
	h->nscount = load_be16(msg + 8);
	h->arcount = load_be16(msg + 10);
	return true;
}

static inline void header_write(uint8_t *msg, const struct dns_header *h)
{
	store_be16(msg, h->id);
	store_be16(msg + 2, h->flags);
	store_be16(msg + 4, h->qdcount);
	store_be16(msg + 6, h->ancount);
	store_be16(msg + 8, h->nscount);
	store_be16(msg + 10, h->arcount);
}

static inline void writer_begin(struct msg_writer *w, uint8_t *base, size_t limit)
{
	w->base = base;
	w->len = DNS_HEADER_LEN;
	w->limit = limit;
	w->err = limit < DNS_HEADER_LEN ? ERR_SPACE : ERR_OK;
	w->n_names = 0;
}

/* Is there room for n bytes more? Sets the sticky error when not. */
static inline bool writer_room(struct msg_writer *w, size_t n)
{
	if (__builtin_expect(w->len <= w->limit && n <= w->limit - w->len, 1))
		return true;
	w->err = ERR_SPACE;
	return false;
}

static inline void writer_u8(struct msg_writer *w, uint8_t v)
{
	if (writer_room(w, 1))
		w->base[w->len++] = v;
}

static inline void writer_u16(struct msg_writer *w, uint16_t v)
{
	if (writer_room(w, 2)) {
		store_be16(w->base + w->len, v);
		w->len += 2;
	}
}

static inline void writer_u32(struct msg_writer *w, uint32_t v)
{
	if (writer_room(w, 4)) {
		store_be32(w->base + w->len, v);
		w->len += 4;
	}
}

static inline void writer_bytes(struct msg_writer *w, const void *p, size_t n)
{
	if (n > 0 && writer_room(w, n)) {
		memcpy(w->base + w->len, p, n);
		w->len += n;
	}
}

static inline struct writer_mark writer_mark(const struct msg_writer *w)
{
	return (struct writer_mark){.len = w->len, .n_names = w->n_names};
}

static inline void writer_rollback(struct msg_writer *w, struct writer_mark m)
{
	w->len = m.len;
	w->n_names = m.n_names;
	w->err = w->limit < m.len ? ERR_SPACE : ERR_OK;
}

#endif
