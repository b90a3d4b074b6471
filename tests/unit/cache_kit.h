/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the cache room and of the answer builder share: keys from text, responses crafted record by record,
 * and entries turned to lines of text, so that a test states what it wants to see as one string.
 *
 * kit_dump's form: a head line, then a line for each RRset, `=` before its records where its owner is not the question's:
 *
 *     A:www.a.test. rcode 0 ttl 300
 *     an www.a.test. 300 CNAME x.a.test.
 *     an x.a.test. 300 A 192.0.2.1 | 192.0.2.2
 *     an x.a.test. 300 RRSIG sig A 8 3 ...
 *
 * One thread's: scratch and buffers are static.
 */
#ifndef TESTS_CACHE_KIT_H
#define TESTS_CACHE_KIT_H

#include <stdarg.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "cache/cache.h"
#include "unit.h"
#include "wire/wire.h"

static struct entry_scratch kit_scratch;

static inline struct cache *kit_cache(uint64_t maxmemory, uint32_t stale_for_s)
{
	struct cache *c = cache_new(&(struct cache_options){ .maxmemory = maxmemory, .stale_for_s = stale_for_s, .hash_seed = 7 });

	check(c != NULL);
	cache_thread_begin(c);
	return c;
}

static inline void kit_cache_free(struct cache *c)
{
	cache_thread_end(c);
	cache_free(c);
}

/* The key that text says, or the test fails. */
static inline const struct cache_key *kit_key(const struct cache *c, struct cache_key_buf *b, const char *text)
{
	if (cache_key_from_text(c, b, text, strlen(text)) != 0) {
		printf("no key: %s\n", text);
		unit_fail();
	}
	return &b->key;
}

static inline size_t kit_name(const char *text, uint8_t *out)
{
	int len = name_from_text(text, strlen(text), out);

	if (len < 0) {
		printf("no name: %s\n", text);
		unit_fail();
	}
	return (size_t)len;
}

static inline int kit_type(const char *text)
{
	int type = rrtype_from_text(text, strlen(text));

	if (type < 0) {
		printf("no type: %s\n", text);
		unit_fail();
	}
	return type;
}

/* As a validator's and forwarder's, with no clamp in the way. */
static inline struct entry_meta kit_meta(uint32_t now_s)
{
	return (struct entry_meta){ .now_s = now_s, .max_ttl_s = ENTRY_TTL_MAX, .max_negative_ttl_s = ENTRY_TTL_MAX,
				    .source = SOURCE_FORWARD, .ede = EDE_NONE };
}

/* ---- a response, record by record ------------------------------------------------------------------------------------ */

struct craft {
	struct msg_writer w;
	struct dns_header h;
	uint8_t buf[DNS_MSG_MAX];
	size_t len; /* of the whole message, after craft_end */
};
static struct craft kit_craft;

static inline void craft_begin(struct craft *m, const char *qname, const char *qtype, unsigned rcode)
{
	uint8_t q[NAME_MAX_LEN + 4];
	size_t n = kit_name(qname, q);

	store_be16(q + n, (uint16_t)kit_type(qtype));
	store_be16(q + n + 2, CLASS_IN);
	writer_begin(&m->w, m->buf, sizeof m->buf);
	m->h = (struct dns_header){ .id = 0x1234, .flags = (uint16_t)(FLAG_QR | FLAG_RD | FLAG_RA | rcode), .qdcount = 1 };
	writer_question(&m->w, q, n + 4);
}

static inline void craft_raw(struct craft *m, enum section s, const char *owner, uint32_t ttl, int type, uint16_t rrclass,
			     const void *rdata, size_t len)
{
	uint8_t name[NAME_MAX_LEN];
	size_t n = kit_name(owner, name);

	writer_rr(&m->w, name, n, (uint16_t)type, rrclass, ttl, rdata, len);
	*(s == SECTION_ANSWER ? &m->h.ancount : s == SECTION_AUTHORITY ? &m->h.nscount : &m->h.arcount) += 1;
}

static inline void craft_rr(struct craft *m, enum section s, const char *owner, uint32_t ttl, const char *type, const char *rdata)
{
	static uint8_t bytes[DNS_MSG_MAX];
	const char *why = NULL;
	int len = rdata_from_text((uint16_t)kit_type(type), rdata, strlen(rdata), bytes, sizeof bytes, &why);

	if (len < 0) {
		printf("no rdata of %s: %s (%s)\n", type, rdata, why ? why : "");
		unit_fail();
	}
	craft_raw(m, s, owner, ttl, kit_type(type), CLASS_IN, bytes, (size_t)len);
}

#define AN(owner, ttl, type, rdata) craft_rr(&kit_craft, SECTION_ANSWER, owner, ttl, type, rdata)
#define NS(owner, ttl, type, rdata) craft_rr(&kit_craft, SECTION_AUTHORITY, owner, ttl, type, rdata)
#define AR(owner, ttl, type, rdata) craft_rr(&kit_craft, SECTION_ADDITIONAL, owner, ttl, type, rdata)
#define MSG(qname, qtype, rcode) craft_begin(&kit_craft, qname, qtype, rcode)

static inline void craft_end(struct craft *m)
{
	check_eq_int(m->w.err, 0);
	header_write(m->buf, &m->h);
	m->len = m->w.len;
}

/* Ends the crafted message and takes it in for key. */
static inline enum ingest kit_ingest(const struct cache *c, const char *key, const struct entry_meta *meta)
{
	struct cache_key_buf b;
	struct entry_meta plain = kit_meta(clock_s());

	craft_end(&kit_craft);
	return entry_from_message(&kit_scratch, kit_key(c, &b, key), kit_craft.buf, kit_craft.len, meta ? meta : &plain);
}

/* As kit_ingest of what must be good, and the entry is stored. */
static inline void kit_store(struct cache *c, const char *key, const struct entry_meta *meta)
{
	struct cache_key_buf b;

	check_eq_int(kit_ingest(c, key, meta), INGEST_OK);
	check_eq_int(cache_store(c, kit_key(c, &b, key), &kit_scratch), 0);
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

struct kit_text {
	size_t len;
	char s[200000];
};
static struct kit_text kit_out;

__attribute__((format(printf, 2, 3))) static inline void say(struct kit_text *t, const char *form, ...)
{
	va_list ap;

	va_start(ap, form);
	int n = vsnprintf(t->s + t->len, sizeof t->s - t->len, form, ap);
	va_end(ap);
	if (n > 0 && t->len + (size_t)n < sizeof t->s)
		t->len += (size_t)n;
}

static inline void say_name(struct kit_text *t, const uint8_t *name, size_t len)
{
	char text[NAME_MAX_TEXT];

	check(name_to_text(name, len, text, sizeof text) > 0);
	say(t, "%s", text);
}

static inline void say_rdata(struct kit_text *t, uint16_t type, const uint8_t *rdata, size_t len)
{
	static char text[4 * DNS_MSG_MAX];

	if (len > 2000) { /* too long to read anyhow */
		uint32_t sum = 1;
		for (size_t i = 0; i < len; i++)
			sum = sum * 16777619u ^ rdata[i];
		say(t, "[%zu bytes %08x]", len, sum);
	} else {
		check(rdata_to_text(type, rdata, len, text, sizeof text) >= 0);
		say(t, "%s", text);
	}
}

/* The RRsets of e, each with its records. NULL when it is damaged. */
static inline const char *kit_dump(const struct cache *c, const struct entry *e)
{
	static uint8_t scratch[RDATA_SCRATCH];
	static const char *const section[] = { "an", "ns", "ar", "?" };
	struct entry_view v;
	struct rrset_cursor at;
	struct rrset_view s;
	struct cache_key k;
	char text[CACHE_KEY_TEXT_MAX], type[16];
	const uint8_t *rdata;
	size_t len;
	int more, r;

	kit_out.len = 0;
	if (!e || !entry_open(e, &v) || !cache_key_of(c, e, &k))
		return NULL;
	check((r = cache_key_to_text(&k, text, sizeof text)) > 0);
	say(&kit_out, "%.*s rcode %u ttl %u%s%s%s", r, text, v.rcode, v.ttl_s, v.secure ? " secure" : "",
	    v.negative ? " negative" : "", v.failure ? " failure" : "");
	if (v.ede != EDE_NONE)
		say(&kit_out, " ede %d (%.*s)", v.ede, v.ede_text_len, v.ede_text_len ? (const char *)v.ede_text : "");
	say(&kit_out, "\n");
	entry_rrsets(&v, &at);
	while ((more = entry_next_rrset(&v, &at, &s)) == 1) {
		unsigned n = 0;
		say(&kit_out, "%s ", section[s.section & 3]);
		if (s.owner_is_question)
			say_name(&kit_out, v.name, v.name_len);
		else
			say_name(&kit_out, s.owner, s.owner_len);
		say(&kit_out, " %u %s%s", s.ttl_s, rrtype_text(s.type, type, sizeof type), s.signature ? " sig" : "");
		unsigned want = s.n;
		while ((r = rrset_next(&v, &s, &rdata, &len, scratch)) == 1) {
			say(&kit_out, "%s", n++ ? " | " : " ");
			say_rdata(&kit_out, v.single ? v.type : s.type, rdata, len);
		}
		if (r != 0)
			return NULL;
		check_eq_int(n, want);
		say(&kit_out, "\n");
	}
	return more == 0 ? kit_out.s : NULL;
}

/* The entry in the scratch is this. */
#define check_scratch(c, want) check_eq_str(kit_dump(c, entry_in_scratch(&kit_scratch)), want)

#endif
