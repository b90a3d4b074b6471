/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries: what a builder was given, the accessors give back; and none of them minds bytes that no builder wrote. */
#include "cache_kit.h"
#include "cache/layout.h"
#include "query/answer.h"

enum { MANY = 400 };
static uint8_t bytes[DNS_MSG_MAX];

/* Builds key's RRset of n records made by unit_random of the length given, and reads it back. */
static void round_trip(struct cache *c, const char *key, unsigned n, const size_t *len)
{
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(4711);
	struct entry_view v;
	struct rrset_cursor at;
	struct rrset_view s;
	const uint8_t *rdata[MANY], *got;
	uint8_t scratch[RDATA_SCRATCH];
	size_t used = 0, got_len;

	for (unsigned i = 0; i < n; i++) {
		rdata[i] = bytes + used;
		for (size_t j = 0; j < len[i]; j++)
			bytes[used++] = (uint8_t)unit_random();
	}
	kit_key(c, &b, key);
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, n, rdata, len, &m), 0);
	check_eq_int(entry_size(entry_in_scratch(&kit_scratch)), kit_scratch.len);
	check(entry_open(entry_in_scratch(&kit_scratch), &v));
	check(v.single);
	check_eq_int(v.size, kit_scratch.len);
	check_eq_int(v.type, b.key.type);
	check_eq_int(v.ttl_s, 77);
	check_eq_int(v.stored_s, 4711);
	check_eq_mem(v.name, v.name_len, b.key.name, b.key.name_len);
	entry_rrsets(&v, &at);
	check_eq_int(entry_next_rrset(&v, &at, &s), 1);
	check_eq_int(s.n, n);
	check_eq_int(s.type, b.key.type);
	check_eq_int(s.ttl_s, 77);
	check_eq_int(s.section, SECTION_ANSWER);
	check(s.owner_is_question && !s.signature);
	for (unsigned i = 0; i < n; i++) {
		check_eq_int(rrset_next(&v, &s, &got, &got_len, scratch), 1);
		check_eq_mem(got, got_len, rdata[i], len[i]);
	}
	check_eq_int(rrset_next(&v, &s, &got, &got_len, scratch), 0);
	check_eq_int(entry_next_rrset(&v, &at, &s), 0);
}

static void test_any_number_of_records_comes_back_in_order(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	static size_t len[MANY];
	static const unsigned odd[] = { 1, 2, 3, 4, 127, 128, 253, 254, 255, 256, 257, 300, MANY };

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		for (unsigned j = 0; j < odd[i]; j++)
			len[j] = 4;
		round_trip(c, "A:n.test.", odd[i], len);
		for (unsigned j = 0; j < odd[i]; j++)
			len[j] = 16;
		round_trip(c, "AAAA:n.test.", odd[i], len);
		for (unsigned j = 0; j < odd[i]; j++)
			len[j] = unit_below(150);
		round_trip(c, "TYPE65280:n.test.", odd[i], len);
	}
	kit_cache_free(c);
}

static void test_rdata_of_any_length_comes_back(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	static const size_t odd[] = { 0, 1, 0xee, 0xef, 0xf0, 0xf1, 0xff, 0x100, 0xeff, 0xf00, 0xf01, 0xfff, 8150, 8192, 8193, 40000, 65000 };
	size_t two[2];

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		round_trip(c, "TYPE65280:n.test.", 1, &odd[i]);
		round_trip(c, "TYPE240:n.test.", 1, &odd[i]);
		for (size_t j = 0; j < sizeof odd / sizeof *odd; j++) {
			two[0] = odd[i];
			two[1] = odd[j];
			if (two[0] + two[1] < 65000)
				round_trip(c, "TYPE65280:n.test.@2001:db8::/32@cd", 2, two);
		}
	}
	kit_cache_free(c);
}

static void test_types_on_both_sides_of_a_byte_come_back(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	size_t len = 5;

	round_trip(c, "TYPE247:n.test.", 1, (size_t[]){ 3 });
	round_trip(c, "TYPE511:n.test.", 1, &len);
	round_trip(c, "TYPE512:.", 1, &len);
	round_trip(c, "TYPE65534:n.test.", 1, &len);
	kit_cache_free(c);
}

static void test_what_is_no_rrset_is_not_built(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(1);
	const uint8_t *rdata[2] = { bytes, bytes };

	kit_key(c, &b, "A:n.test.");
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, 1, rdata, (size_t[]){ 3 }, &m), ERR_BAD);
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, 2, rdata, (size_t[]){ 4, 5 }, &m), ERR_BAD);
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, 0, rdata, (size_t[]){ 4 }, &m), ERR_BAD);
	kit_key(c, &b, "TYPE65280:n.test.");
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, 2, rdata, (size_t[]){ 40000, 40000 }, &m), ERR_SPACE);
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 77, 1, rdata, (size_t[]){ 65530 }, &m), ERR_SPACE);
	kit_cache_free(c);
}

static void test_a_failure_is_remembered_with_its_reason(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(1);

	m.ede = EDE_BOGUS;
	m.ede_text = "signature expired";
	entry_from_failure(&kit_scratch, kit_key(c, &b, "A:n.test."), RCODE_SERVFAIL, 30, &m);
	check_scratch(c, "A:n.test. rcode 2 ttl 30 failure ede 6 (signature expired)\n");
	m.ede = EDE_NONE;
	entry_from_failure(&kit_scratch, kit_key(c, &b, "TYPE700:n.test.@10.0.0.0/8"), RCODE_SERVFAIL, 1, &m);
	check_scratch(c, "TYPE700:n.test.@10.0.0.0/8 rcode 2 ttl 1 failure\n");
	kit_cache_free(c);
}

static void test_hits_are_counted_up_and_never_around(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(1);
	struct entry_view v;
	unsigned last = 0;

	entry_from_failure(&kit_scratch, kit_key(c, &b, "A:n.test."), RCODE_SERVFAIL, 30, &m);
	for (int i = 0; i < 3000000; i++) {
		entry_touch(entry_in_scratch(&kit_scratch), i & 1 ? 0 : (uint32_t)unit_random());
		if (i < 10 || i % 1000 == 0) {
			check(entry_open(entry_in_scratch(&kit_scratch), &v));
			check(v.hits >= last && (i > 20 || v.hits > last || i == 0));
			last = v.hits;
		}
	}
	check_eq_int(last, 255);
	kit_cache_free(c);
}

/* Hits of a uniform stream: rare names stay low, and the popular keep apart by orders of magnitude. */
static void test_the_counter_tells_ten_hits_from_thousands(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(1);
	unsigned at[4];

	for (int i = 0, n = 10; i < 4; i++, n *= 30) {
		entry_from_failure(&kit_scratch, kit_key(c, &b, "A:n.test."), RCODE_SERVFAIL, 30, &m);
		for (int j = 0; j < n; j++)
			entry_touch(entry_in_scratch(&kit_scratch), (uint32_t)unit_random());
		at[i] = entry_hits(entry_in_scratch(&kit_scratch));
	}
	check(at[0] < at[1] && at[1] < at[2] && at[2] < at[3] && at[3] < 255);
	kit_cache_free(c);
}

/* ---- hostile bytes ------------------------------------------------------------------------------------------------------ */

#define SOA_RDATA "ns.a.test. hostmaster.a.test. 1 7200 900 1209600 300"
#define SIG(type, labels) type " 8 " labels " 300 20300101000000 20200101000000 12345 a.test. q83vAA=="

enum { KINDS = 9 };

/* Leaves an entry of the kind in the scratch; returns its key. */
static const char *build_kind(struct cache *c, int kind)
{
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(clock_s());
	const char *key = "";

	m.ede = EDE_OTHER;
	m.ede_text = "why";
	switch (kind) {
	case 0:
		MSG("w.a.test.", "A", 0);
		AN("w.a.test.", 300, "A", "192.0.2.1");
		AN("w.a.test.", 300, "A", "192.0.2.2");
		check_eq_int(kit_ingest(c, key = "A:w.a.test.", NULL), INGEST_OK);
		break;
	case 1:
		MSG("w.a.test.", "TXT", 0);
		AN("w.a.test.", 300, "TXT", "some words");
		check_eq_int(kit_ingest(c, key = "TXT:w.a.test.@192.0.2.0/24@cd", &m), INGEST_OK);
		break;
	case 2:
		MSG("w.a.test.", "MX", 0);
		AN("w.a.test.", 300, "CNAME", "x.a.test.");
		AN("w.a.test.", 300, "RRSIG", SIG("CNAME", "3"));
		AN("x.a.test.", 200, "MX", "10 m.x.a.test.");
		AN("x.a.test.", 200, "MX", "20 w.a.test.");
		AN("x.a.test.", 200, "RRSIG", SIG("MX", "3"));
		check_eq_int(kit_ingest(c, key = "MX:w.a.test.", &m), INGEST_OK);
		break;
	case 3:
		MSG("no.a.test.", "A", 3);
		NS("a.test.", 900, "SOA", SOA_RDATA);
		NS("a.test.", 900, "RRSIG", SIG("SOA", "2"));
		NS("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
		check_eq_int(kit_ingest(c, key = "A:no.a.test.", NULL), INGEST_OK);
		break;
	case 4:
		MSG("h.old.test.", "A", 0);
		AN("old.test.", 200, "DNAME", "new.test.");
		AN("h.old.test.", 200, "CNAME", "h.new.test.");
		AN("h.new.test.", 300, "A", "192.0.2.1");
		check_eq_int(kit_ingest(c, key = "A:h.old.test.@2001:db8::/33", NULL), INGEST_OK);
		break;
	case 5:
		entry_from_failure(&kit_scratch, kit_key(c, &b, key = "A:w.a.test."), RCODE_SERVFAIL, 30, &m);
		break;
	case 6:
		MSG("w.a.test.", "TYPE65280", 0);
		AN("w.a.test.", 300, "TYPE65280", "\\# 0");
		AN("w.a.test.", 300, "TYPE65280", "\\# 2 abcd");
		check_eq_int(kit_ingest(c, key = "TYPE65280:w.a.test.", NULL), INGEST_OK);
		break;
	case 7:
		MSG(".", "NS", 0);
		AN(".", 300, "NS", "a.root-servers.net.");
		AN(".", 300, "NS", "b.root-servers.net.");
		check_eq_int(kit_ingest(c, key = "NS:.", NULL), INGEST_OK);
		break;
	case 8:
		MSG("_s._tcp.a.test.", "SRV", 0);
		AN("_s._tcp.a.test.", 300, "SRV", "1 2 443 h.a.test.");
		check_eq_int(kit_ingest(c, key = "SRV:_s._tcp.a.test.", NULL), INGEST_OK);
		break;
	}
	return key;
}

/* Everything that reads an entry reads this one, in a block of exactly its size. */
static void read_all(struct cache *c, const uint8_t *damaged, size_t len)
{
	static uint8_t out[DNS_MSG_MAX];
	static const struct answer_options o = { .udp_size = 1232, .rotate = true, .stale_ttl_s = 30, .nsid = "x" };
	struct question q;
	struct entry_view v;
	struct rrset_cursor at;
	struct rrset_view s;
	struct cache_key k;
	uint8_t scratch[RDATA_SCRATCH], packet[512];
	const uint8_t *rdata;
	size_t n;
	unsigned rcode;
	bool tc;
	struct entry *e = malloc(len);

	memcpy(e, damaged, len);
	if (entry_open(e, &v)) {
		unsigned sets = 0;
		cache_key_of(c, e, &k);
		entry_rrsets(&v, &at);
		while (entry_next_rrset(&v, &at, &s) == 1) {
			check(++sets <= len);
			while (rrset_next(&v, &s, &rdata, &n, scratch) == 1)
				check(n <= len || rdata == scratch);
		}
		for (int i = 0; i < 4; i++) {
			int p = query_write(packet, sizeof packet, 7, FLAG_RD, v.name, v.name_len, v.type, i & 1 ? 1232 : 0, i & 1, NULL, 0);
			if (p <= 0 || question_parse(packet, (size_t)p, &q, &rcode) != QUESTION_OK)
				continue;
			size_t limit = i & 2 ? DNS_MSG_MAX : 512;
			struct answer_ask a = { .q = &q, .limit = limit, .now_s = v.stored_s, .rotation = 3, .stale = i == 3, .tcp = i & 2, .o = &o };
			int r = answer_from_entry(out, &a, e, &tc);
			check(r == ERR_BAD || (r >= DNS_HEADER_LEN && (size_t)r <= limit));
		}
	}
	free(e);
}

static void test_a_valid_entry_is_taken_as_bytes_and_one_cut_short_is_not(void)
{
	struct cache *c = kit_cache(1 << 22, 0);

	for (int kind = 0; kind < KINDS; kind++) {
		static uint8_t whole[65536];
		build_kind(c, kind);
		size_t len = kit_scratch.len;
		memcpy(whole, kit_scratch.buf, len);
		char *want = strdup(kit_dump(c, entry_in_scratch(&kit_scratch)));
		memset(kit_scratch.buf, 0, len);
		check_eq_int(entry_from_bytes(&kit_scratch, whole, len), 0);
		check_scratch(c, want);
		free(want);
		check(entry_from_bytes(&kit_scratch, whole, len + 1) != 0);
		for (size_t cut = 0; cut < len; cut++) {
			uint8_t *part = malloc(cut + !cut);
			memcpy(part, whole, cut);
			check(entry_from_bytes(&kit_scratch, part, cut) != 0);
			if (cut >= ENTRY_MIN) { /* and with a size that agrees */
				store_le16(part + E_SIZE, (uint16_t)cut);
				entry_from_bytes(&kit_scratch, part, cut);
				read_all(c, part, cut);
			}
			free(part);
		}
	}
	kit_cache_free(c);
}

static void test_no_changed_byte_makes_a_reader_stumble(void)
{
	struct cache *c = kit_cache(1 << 22, 0);

	for (int kind = 0; kind < KINDS; kind++) {
		uint8_t whole[2048];
		build_kind(c, kind);
		size_t len = kit_scratch.len;
		check(len > ENTRY_MIN && len <= sizeof whole);
		memcpy(whole, kit_scratch.buf, sizeof whole);
		for (size_t at = 0; at < len; at++)
			for (unsigned change = 1; change < 256; change++) {
				whole[at] ^= (uint8_t)change;
				if (entry_from_bytes(&kit_scratch, whole, len) == 0)
					check(kit_scratch.len == len && !(whole[E_F1] & F1_EXTERNAL));
				if (load_le16(whole + E_SIZE) == len)
					read_all(c, whole, len);
				whole[at] ^= (uint8_t)change;
			}
	}
	kit_cache_free(c);
}

static void test_random_damage_in_several_places_does_not_either(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	uint8_t whole[2048], damaged[2048];

	for (int round = 0; round < 60000; round++) {
		if (round % 2000 == 0) {
			build_kind(c, (round / 2000) % KINDS);
			memcpy(whole, kit_scratch.buf, kit_scratch.len);
		}
		size_t len = load_le16(whole + E_SIZE);
		memcpy(damaged, whole, len);
		for (uint64_t n = 1 + unit_below(4); n--; )
			damaged[unit_below(len)] = (uint8_t)(unit_below(2) ? unit_random() : 0xc0 | unit_below(2));
		store_le16(damaged + E_SIZE, (uint16_t)len);
		entry_from_bytes(&kit_scratch, damaged, len);
		read_all(c, damaged, len);
	}
	kit_cache_free(c);
}

/* A name that is not lower case, a prefix with bits behind its length: keys that no lookup could ever ask for. */
static void test_bytes_under_a_key_that_cannot_be_asked_for_are_refused(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(1);
	uint8_t e[64];
	size_t len;

	entry_from_failure(&kit_scratch, kit_key(c, &b, "A:w.a.test.@192.0.2.0/23"), RCODE_SERVFAIL, 30, &m);
	len = kit_scratch.len;
	memcpy(e, kit_scratch.buf, len);
	check_eq_int(entry_from_bytes(&kit_scratch, e, len), 0);
	e[E_HEAD + 1] = 'W';
	check_eq_int(entry_from_bytes(&kit_scratch, e, len), ERR_BAD);
	e[E_HEAD + 1] = 'w';
	e[len - 1] |= 1; /* 192.0.3.0/23 */
	check_eq_int(entry_from_bytes(&kit_scratch, e, len), ERR_BAD);
	kit_cache_free(c);
}
