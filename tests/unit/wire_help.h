/* SPDX-License-Identifier: BSD-3-Clause */
/* What the wire room's tests share: names from text, random names, bytes put together by hand.
 *
 * A message by hand (struct bytes) knows nothing of the writer under test: it appends what it is told. */
#ifndef TESTS_WIRE_HELP_H
#define TESTS_WIRE_HELP_H

#include <stdint.h>
#include <string.h>

#include "unit.h"
#include "wire/wire.h"

struct name {
	uint8_t b[NAME_MAX_LEN];
	size_t len;
};

static inline struct name name_of(const char *text)
{
	struct name n = {.len = 0};
	int len = name_from_text(text, strlen(text), n.b);

	check(len > 0);
	n.len = (size_t)len;
	return n;
}

/* A name of up to max_labels labels below suffix (which may be NULL for the root); any byte values, small alphabet when few. */
static inline struct name name_random(unsigned max_labels, const struct name *suffix, int few)
{
	struct name n = {.len = 0};
	size_t tail = suffix ? suffix->len : 1;

	for (unsigned labels = (unsigned)unit_below(max_labels + 1); labels > 0; labels--) {
		size_t len = 1 + (few ? unit_below(2) : unit_below(20));

		if (n.len + 1 + len + tail > NAME_MAX_LEN)
			break;
		n.b[n.len++] = (uint8_t)len;
		for (size_t i = 0; i < len; i++)
			n.b[n.len++] = few ? (uint8_t)"aAbB"[unit_below(4)] : (uint8_t)unit_random();
	}
	if (suffix)
		memcpy(n.b + n.len, suffix->b, suffix->len);
	else
		n.b[n.len] = 0;
	n.len += tail;
	return n;
}

struct bytes {
	uint8_t b[70000];
	size_t len;
};

static inline void put(struct bytes *m, const void *p, size_t n)
{
	check(m->len + n <= sizeof m->b);
	memcpy(m->b + m->len, p, n);
	m->len += n;
}

static inline void put16(struct bytes *m, unsigned v)
{
	uint8_t b[2] = {(uint8_t)(v >> 8), (uint8_t)v};

	put(m, b, 2);
}

static inline void put32(struct bytes *m, uint32_t v)
{
	put16(m, v >> 16);
	put16(m, v & 0xffff);
}

static inline void put_header(struct bytes *m, unsigned flags, unsigned qd, unsigned an, unsigned ns, unsigned ar)
{
	m->len = 0;
	put16(m, 0x1234);
	put16(m, flags);
	put16(m, qd);
	put16(m, an);
	put16(m, ns);
	put16(m, ar);
}

static inline void put_name(struct bytes *m, const char *text)
{
	struct name n = name_of(text);

	put(m, n.b, n.len);
}

static inline void put_question(struct bytes *m, const char *text, unsigned qtype)
{
	put_name(m, text);
	put16(m, qtype);
	put16(m, CLASS_IN);
}

/* Everything of a record behind its owner. */
static inline void put_rr(struct bytes *m, unsigned type, uint32_t ttl, const void *rdata, size_t n)
{
	put16(m, type);
	put16(m, CLASS_IN);
	put32(m, ttl);
	put16(m, (unsigned)n);
	put(m, rdata, n);
}

static inline void put_opt(struct bytes *m, unsigned udp_size, uint32_t ttl, const void *opts, size_t n)
{
	put(m, "", 1);
	put16(m, RRTYPE_OPT);
	put16(m, udp_size);
	put32(m, ttl);
	put16(m, (unsigned)n);
	put(m, opts, n);
}

#endif
