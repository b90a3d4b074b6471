/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of numbered keys and quick builders of entries for them, for tests that store by the hundred thousand.
 *
 * Number i is name i / 12, type (i / 3) % 4, variant i % 3: plain, CD, or with a prefix. An entry tells its number again.
 */
#ifndef TESTS_CACHE_POOL_H
#define TESTS_CACHE_POOL_H

#include "cache_kit.h"
#include "cache/layout.h"

enum { POOL_TYPES = 4, POOL_VARIANTS = 3, POOL_OF_NAME = POOL_TYPES * POOL_VARIANTS };
enum { VARIANT_PLAIN, VARIANT_CD, VARIANT_ECS };
enum pool_kind { POOL_RRSET, POOL_LARGE, POOL_FAILURE, POOL_NODATA, POOL_NXDOMAIN };
static const uint16_t pool_type[POOL_TYPES] = { RRTYPE_A, RRTYPE_AAAA, RRTYPE_TXT, RRTYPE_CAA };

struct pool_key {
	struct cache_key key;
	uint8_t name[16];
};

static inline void pool_key(const struct cache *c, struct pool_key *p, unsigned i)
{
	char digits[16];
	unsigned v = i % POOL_VARIANTS;
	struct ecs_prefix ecs = { .family = 1, .bits = 24, .addr = { 10, 1, (uint8_t)i, 0 } };

	snprintf(digits, sizeof digits, "%08u", i / POOL_OF_NAME);
	memcpy(p->name, "\x9n00000000\1t", 13);
	memcpy(p->name + 2, digits, 8);
	if (v == VARIANT_ECS)
		cache_key_init_ecs(c, &p->key, p->name, 13, pool_type[i / POOL_VARIANTS % POOL_TYPES], false, &ecs);
	else
		cache_key_init(c, &p->key, p->name, 13, pool_type[i / POOL_VARIANTS % POOL_TYPES], v == VARIANT_CD);
}

/* The number of an entry; fails the test when it is none of ours. */
static inline unsigned pool_number(const struct entry *e)
{
	struct entry_view v;
	unsigned n = 0, t = 0;

	check(entry_open(e, &v));
	check_eq_int(v.name_len, 13);
	check(v.name[0] == 9 && v.name[1] == 'n');
	for (int i = 2; i < 10; i++)
		n = n * 10 + (unsigned)(v.name[i] - '0');
	while (t < POOL_TYPES - 1 && pool_type[t] != v.type)
		t++;
	check_eq_int(v.type, pool_type[t]);
	return n * POOL_OF_NAME + t * POOL_VARIANTS + (v.ecs.family ? VARIANT_ECS : v.cd ? VARIANT_CD : VARIANT_PLAIN);
}

/* Builds into s an entry for the key; r decides its contents. */
static inline void pool_build(struct entry_scratch *s, const struct cache_key *k, enum pool_kind kind, uint32_t ttl_s, uint32_t now_s,
			      uint64_t r)
{
	struct entry_meta m = kit_meta(now_s);
	uint8_t rdata[4][512];
	const uint8_t *p[4] = { rdata[0], rdata[1], rdata[2], rdata[3] };
	size_t len[4];
	unsigned n = 1 + (unsigned)(r & 3);

	if (kind == POOL_FAILURE) {
		entry_from_failure(s, k, RCODE_SERVFAIL, ttl_s, &m);
		return;
	}
	if (kind == POOL_NODATA || kind == POOL_NXDOMAIN) {
		uint8_t msg[256], q[64], soa[22] = { 0 };
		struct msg_writer w;
		struct dns_header h = { .flags = (uint16_t)(FLAG_QR | (kind == POOL_NXDOMAIN ? RCODE_NXDOMAIN : 0)), .qdcount = 1, .nscount = 1 };
		memcpy(q, k->name, k->name_len);
		store_be16(q + k->name_len, k->type);
		store_be16(q + k->name_len + 2, CLASS_IN);
		writer_begin(&w, msg, sizeof msg);
		writer_question(&w, q, k->name_len + 4u);
		store_be32(soa + 18, 0x7fffffff);
		store_be32(soa + 2, (uint32_t)r);
		writer_rr(&w, (const uint8_t *)"\1t", 3, RRTYPE_SOA, CLASS_IN, ttl_s, soa, 22);
		header_write(msg, &h);
		check_eq_int(w.err, 0);
		check_eq_int(entry_from_message(s, k, msg, w.len, &m), INGEST_OK);
		return;
	}
	if (kind == POOL_LARGE && k->type == RRTYPE_TXT) { /* over what lies in a segment */
		static _Thread_local uint8_t txt[14000];
		size_t at = 0, want = ENTRY_INLINE_MAX + r % 4000;
		while (at < want) {
			txt[at] = 255;
			memset(txt + at + 1, (int)(r >> 8), 255);
			at += 256;
		}
		const uint8_t *one = txt;
		check_eq_int(entry_from_rrset(s, k, ttl_s, 1, &one, &at, &m), 0);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		len[i] = k->type == RRTYPE_A ? 4 : k->type == RRTYPE_AAAA ? 16 : 16 + (r >> (8 * i + 8)) % 200;
		memset(rdata[i], (int)(r >> (8 * i + 16)), len[i]);
		if (k->type == RRTYPE_TXT)
			rdata[i][0] = (uint8_t)(len[i] - 1);
		if (k->type == RRTYPE_CAA)
			memcpy(rdata[i], "\0\5issue", 7);
	}
	check_eq_int(entry_from_rrset(s, k, ttl_s, n, p, len, &m), 0);
}

#endif
