/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of an entry. Nothing outside of src/cache sees them; others use the accessors of cache.h.
 *
 *      0   1   2   3   4   5   6   7   8   9  10  11  12  13
 *    +---+---+---+---+---+---+---+---+---+---+---+---+---+---- - - ---+- - - - - - - -+- - - - -
 *    |hit|f0 |f1 | size  |   stored_s    |   ttl_s   |typ| [typ hi] | owner name       | [EDE] [ECS] | body
 *    +---+---+---+---+---+---+---+---+---+---+---+---+---+---- - - ---+- - - - - - - -+- - - - -
 *
 *    hit        popularity; the only byte that readers write
 *    f0         rcode in the low four bits, then SECURE, CD, MULTI, TYPE16
 *    f1         source in the low three bits, then EDE, ECS, NEGATIVE, NXNAME, EXTERNAL
 *    size       bytes from here to the end
 *    stored_s   clock_s() at storing; ttl_s the least TTL in it: together they decide its life
 *    typ        question's type; a second byte only when over 255
 *    owner name question's name in wire form, lower case, with the root's zero
 *    EDE        code (2), length (1), text            only with f1.EDE
 *    ECS        family, bits, address bytes           only with f1.ECS
 *
 *    body without MULTI: the one RRset that answers the question, owner and type being the question's, no name in its rdata:
 *      n (1; 255: two more bytes follow), then each record's rdata: bare where its type fixes the length, else behind a length
 *      (1 byte under 240; else 0xf0 + high four bits and a low byte; 0xff: two bytes follow)
 *    body with MULTI: RRsets to the end, in message order:
 *      tag (section in two bits, META, OWNER, TTL, TYPE16, PACKED, LINK) · type (1 or 2) · [ttl 3] · [owner] · n · records as above
 *      OWNER: the name, possibly ending in a pointer to an earlier name in this entry. Without it the owner is where the chain
 *      stands: the question, or the target of the last LINK; of a META set (signatures) it is the owner of the set before.
 *      TTL: the RRset's own, where it is not the entry's. PACKED: records are RDLENGTH (2) and rdata in which names end in pointers.
 *      LINK: one CNAME; neither type nor n nor length, only its target, as a name. A link of a chain costs one byte and the name.
 *    Pointers are RFC 1035 §4.1.4's, counted from byte 0 of the entry and always backwards: the packet reader reads entries too.
 *
 * An entry over ENTRY_INLINE_MAX bytes lies in a block of its own; a stub with EXTERNAL and the block's address stands for it. */
#ifndef PITH_CACHE_LAYOUT_H
#define PITH_CACHE_LAYOUT_H

#include "base/bytes.h"
#include "cache/cache.h"

enum {
	E_HITS = 0, E_F0 = 1, E_F1 = 2, E_SIZE = 3, E_STORED = 5, E_TTL = 9, E_TYPE = 12, E_HEAD = 13,
	E_STUB_PTR = 5, E_STUB_LEN = 13,
	ENTRY_INLINE_MAX = 8192, ENTRY_MAX = 65535, ENTRY_MIN = E_HEAD + 1,
};
enum {
	F0_RCODE = 0x0f, F0_SECURE = 0x10, F0_CD = 0x20, F0_MULTI = 0x40, F0_TYPE16 = 0x80,
	F1_SOURCE = 0x07, F1_EDE = 0x08, F1_ECS = 0x10, F1_NEGATIVE = 0x20, F1_NXNAME = 0x40, F1_EXTERNAL = 0x80,
};
enum {
	TAG_SECTION = 0x03, TAG_META = 0x04, TAG_OWNER = 0x08, TAG_TTL = 0x10, TAG_TYPE16 = 0x20, TAG_PACKED = 0x40, TAG_LINK = 0x80,
};

struct entry {
	uint8_t b[1];
};
_Static_assert(sizeof(struct entry) == 1, "an entry is bytes, at any address");
_Static_assert(E_SIZE + 2 == E_STORED && E_STORED + 4 == E_TTL && E_TTL + 3 == E_TYPE && E_TYPE + 1 == E_HEAD,
	       "the figure above is the layout");
_Static_assert(E_STUB_PTR + sizeof(void *) == E_STUB_LEN, "a stub ends with its pointer");

static inline size_t entry_size(const struct entry *e)
{
	return load_le16(e->b + E_SIZE);
}

static inline uint32_t entry_stored_s(const struct entry *e)
{
	return load_le32(e->b + E_STORED);
}

static inline uint32_t entry_ttl_s(const struct entry *e)
{
	return load_le24(e->b + E_TTL);
}

/* Where the owner name begins. */
static inline size_t entry_name_off(const struct entry *e)
{
	return (size_t)E_HEAD + (e->b[E_F0] >> 7);
}

static inline uint16_t entry_type(const struct entry *e)
{
	return (uint16_t)(e->b[E_TYPE] | (e->b[E_F0] & F0_TYPE16 ? e->b[E_HEAD] << 8 : 0));
}

static inline uint8_t entry_hits(const struct entry *e)
{
	return __atomic_load_n(&e->b[E_HITS], __ATOMIC_RELAXED);
}

/* What stands at p in a segment: the entry itself or, behind a stub, elsewhere. */
static inline const struct entry *entry_behind(const uint8_t *p)
{
	if (__builtin_expect(p[E_F1] & F1_EXTERNAL, 0)) {
		const struct entry *e;
		memcpy(&e, p + E_STUB_PTR, sizeof e);
		return e;
	}
	return (const struct entry *)p;
}

/* Bytes that the thing at p takes in its segment. */
static inline size_t entry_span(const uint8_t *p)
{
	return p[E_F1] & F1_EXTERNAL ? E_STUB_LEN : load_le16(p + E_SIZE);
}

/* The moment from which the entry serves nobody any more: its life, and the stale time except for failures. */
static inline uint64_t entry_gone_s(const struct entry *e, uint32_t stale_for_s)
{
	uint64_t end = (uint64_t)entry_stored_s(e) + entry_ttl_s(e);
	return (e->b[E_F0] & F0_RCODE) == RCODE_SERVFAIL ? end : end + stale_for_s;
}

/* Does the entry have exactly this key? */
static inline bool entry_has_key(const struct entry *e, const struct cache_key *k)
{
	const uint8_t *b = e->b;
	if (entry_type(e) != k->type || !(b[E_F0] & F0_CD) != !k->cd || !(b[E_F1] & F1_ECS) != !k->ecs.family)
		return false;
	size_t at = entry_name_off(e);
	if (at + k->name_len > entry_size(e) || memcmp(b + at, k->name, k->name_len) != 0)
		return false;
	if (!k->ecs.family)
		return true;
	at += k->name_len;
	if (b[E_F1] & F1_EDE)
		at += 3u + (at + 3 <= entry_size(e) ? b[at + 2] : 0);
	size_t n = ((size_t)k->ecs.bits + 7) / 8;
	return at + 2 + n <= entry_size(e) && b[at] == k->ecs.family && b[at + 1] == k->ecs.bits &&
	       memcmp(b + at + 2, k->ecs.addr, n) == 0;
}

/* Is it an NXDOMAIN for the key's whole name, whatever type was asked? */
static inline bool entry_denies_name(const struct entry *e, const struct cache_key *k)
{
	if (!(e->b[E_F1] & F1_NXNAME) || !(e->b[E_F0] & F0_CD) != !k->cd)
		return false;
	size_t at = entry_name_off(e);
	return at + k->name_len <= entry_size(e) && memcmp(e->b + at, k->name, k->name_len) == 0;
}

#endif
