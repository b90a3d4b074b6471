/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a response to its own question: two bytes of ways (CD, prefix, clamps), then the message.
 *
 * What is taken in must be an entry by every check there is, live at least a second, answer within its limits, and, where its
 * whole answer is taken in again, be the same entry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "cache/layout.h"
#include "query/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must_be(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct entry_scratch s, copy;
	static struct cache *c;
	static uint8_t out[DNS_MSG_MAX];
	static const struct answer_options o = { .udp_size = 1232, .stale_ttl_s = 30 };
	uint8_t name[NAME_MAX_LEN], packet[512];
	struct cache_key k;
	struct ecs_prefix ecs = { .family = 1, .bits = 8, .addr = { 10 } };
	size_t next;

	if (!c)
		c = cache_new(&(struct cache_options){ .maxmemory = 1 << 24, .hash_seed = 1 });
	must_be(c != NULL, "there is memory");
	if (len < 2)
		return 0;
	unsigned ways = data[0], clamp = data[1];
	/* In a block of its own, so that a read before its first byte is seen. */
	size_t msg_len = len - 2;
	uint8_t *msg = malloc(msg_len + !msg_len);
	memcpy(msg, data + 2, msg_len);
	int n = name_read(msg, msg_len, DNS_HEADER_LEN, name, &next);
	if (n < 0 || next + 4 > msg_len) {
		memcpy(name, "\1x", 3);
		n = 3;
		next = 0;
	}
	uint16_t type = next ? load_be16(msg + next) : RRTYPE_A;
	name_lower(name, name, (size_t)n);
	if (ways & 1)
		cache_key_init_ecs(c, &k, name, (uint8_t)n, type, ways & 2, &ecs);
	else
		cache_key_init(c, &k, name, (uint8_t)n, type, ways & 2);
	struct entry_meta m = { .now_s = 10000000, .min_ttl_s = clamp & 15, .max_ttl_s = 1u << (clamp >> 4) << 9, .max_negative_ttl_s = 3600,
				.secure = ways & 4, .source = SOURCE_FORWARD, .ede = ways & 8 ? EDE_OTHER : EDE_NONE,
				.ede_text = ways & 16 ? "why" : NULL };
	enum ingest verdict = entry_from_message(&s, &k, msg, msg_len, &m);
	free(msg);
	if (verdict == INGEST_BAD || verdict == INGEST_LOOP)
		return 0;
	if (verdict == INGEST_NO_ANSWER && !s.len)
		return 0;
	const struct entry *e = entry_in_scratch(&s);
	must_be(entry_from_bytes(&copy, s.buf, s.len) == 0, "what was built is whole");
	struct entry_view v;
	must_be(entry_open(e, &v) && v.size == s.len, "it opens");
	must_be(verdict != INGEST_OK || v.ttl_s > 0, "it lives");
	must_be(verdict != INGEST_TTL0 || v.ttl_s == 0, "or does not");
	must_be(v.ttl_s <= ENTRY_TTL_MAX && v.stored_s == m.now_s && v.cd == k.cd && v.type == k.type && v.secure == m.secure, "as told");
	struct cache_key again;
	must_be(cache_key_of(c, e, &again) && again.hash == k.hash, "under its key");

	struct question q;
	unsigned rcode;
	for (int whole = 0; whole < 2; whole++) {
		int p = query_write(packet, sizeof packet, 1, FLAG_RD, name, (size_t)n, type, 1232, true, NULL, 0);
		if (p < 0 || question_parse(packet, (size_t)p, &q, &rcode) != QUESTION_OK)
			return 0;
		struct answer_ask a = { .q = &q, .limit = whole ? DNS_MSG_MAX : 512, .now_s = m.now_s, .tcp = whole, .o = &o };
		bool truncated;
		int r = answer_from_entry(out, &a, e, &truncated);
		must_be(r > 0 && (size_t)r <= a.limit, "it answers within the limit");
		struct msg_reader reader;
		struct wire_rr rr;
		must_be(msg_begin(&reader, out, (size_t)r) == 0, "a reply begins like one");
		while (msg_next(&reader, &rr) == 1)
			;
		must_be(msg_end(&reader) == 0, "and is well-formed");
		if (!whole || truncated || verdict == INGEST_NO_ANSWER)
			continue;
		must_be(entry_from_message(&copy, &k, out, (size_t)r, &m) == verdict, "its answer means the same");
		must_be(copy.len == s.len && memcmp(copy.buf, s.buf, s.len) == 0, "and makes the same entry");
	}
	return 0;
}
