/* SPDX-License-Identifier: BSD-3-Clause */
/* From a response to an entry: what is kept, in which order, for how long, and what is refused. */
#include "cache_kit.h"

#define SOA_RDATA "ns.a.test. hostmaster.a.test. 1 7200 900 1209600 300"
#define SIG(type, labels) type " 8 " labels " 300 20300101000000 20200101000000 12345 a.test. q83vAA=="

/* Ingests the crafted message for key: the verdict, and (NULL: nothing usable) what stands in the scratch. */
static void expect(const char *key, enum ingest verdict, const char *want)
{
	struct cache *c = kit_cache(1 << 22, 0);

	check_eq_int(kit_ingest(c, key, NULL), verdict);
	if (want)
		check_scratch(c, want);
	else
		check_eq_int(kit_scratch.len, 0);
	kit_cache_free(c);
}

/* As above under these clamps. */
static void expect_clamped(const char *key, uint32_t min_s, uint32_t max_s, uint32_t max_negative_s, const char *want)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct entry_meta m = kit_meta(clock_s());

	m.min_ttl_s = min_s;
	m.max_ttl_s = max_s;
	m.max_negative_ttl_s = max_negative_s;
	check_eq_int(kit_ingest(c, key, &m), INGEST_OK);
	check_scratch(c, want);
	kit_cache_free(c);
}

static void test_addresses_keep_their_order_and_the_least_ttl_counts_for_all(void)
{
	MSG("www.a.test.", "A", 0);
	AN("www.a.test.", 300, "A", "192.0.2.3");
	AN("www.a.test.", 200, "A", "192.0.2.1");
	AN("www.a.test.", 400, "A", "192.0.2.2");
	expect("A:www.a.test.", INGEST_OK, "A:www.a.test. rcode 0 ttl 200\nan www.a.test. 200 A 192.0.2.3 | 192.0.2.1 | 192.0.2.2\n");
}

static void test_a_record_that_comes_twice_is_kept_once(void)
{
	MSG("www.a.test.", "A", 0);
	AN("www.a.test.", 300, "A", "192.0.2.1");
	AN("www.a.test.", 300, "A", "192.0.2.2");
	AN("WWW.a.test.", 100, "A", "192.0.2.1");
	expect("A:www.a.test.", INGEST_OK, "A:www.a.test. rcode 0 ttl 100\nan www.a.test. 100 A 192.0.2.1 | 192.0.2.2\n");
	MSG("a.test.", "MX", 0);
	AN("a.test.", 300, "MX", "10 m1.a.test.");
	AN("a.test.", 300, "MX", "10 m1.a.test.");
	AN("a.test.", 300, "MX", "20 m1.a.test.");
	expect("MX:a.test.", INGEST_OK, "MX:a.test. rcode 0 ttl 300\nan a.test. 300 MX 10 m1.a.test. | 20 m1.a.test.\n");
}

static void test_owners_match_in_any_case(void)
{
	MSG("WwW.A.tEsT.", "A", 0);
	AN("wWw.a.TEST.", 300, "CNAME", "X.a.test.");
	AN("x.A.test.", 300, "A", "192.0.2.1");
	expect("A:www.a.test.", INGEST_OK,
	       "A:www.a.test. rcode 0 ttl 300\nan www.a.test. 300 CNAME X.a.test.\nan X.a.test. 300 A 192.0.2.1\n");
}

static void test_what_does_not_belong_to_the_chain_is_dropped(void)
{
	MSG("www.a.test.", "A", 0);
	AN("evil.b.test.", 300, "A", "203.0.113.1");
	AN("www.a.test.", 300, "A", "192.0.2.1");
	AN("www.a.test.", 300, "AAAA", "2001:db8::1");
	AN("www.a.test.", 300, "TXT", "no");
	craft_raw(&kit_craft, SECTION_ANSWER, "www.a.test.", 300, RRTYPE_A, CLASS_CH, "\1\2\3\4", 4);
	NS("a.test.", 300, "NS", "ns.a.test.");
	NS("b.test.", 300, "A", "203.0.113.2");
	AR("ns.a.test.", 300, "A", "203.0.113.3");
	AR("www.a.test.", 1, "A", "203.0.113.4");
	expect("A:www.a.test.", INGEST_OK, "A:www.a.test. rcode 0 ttl 300\nan www.a.test. 300 A 192.0.2.1\n");
}

static void test_only_records_of_another_class_are_no_answer(void)
{
	MSG("www.a.test.", "A", 0);
	craft_raw(&kit_craft, SECTION_ANSWER, "www.a.test.", 300, RRTYPE_A, CLASS_CH, "\1\2\3\4", 4);
	expect("A:www.a.test.", INGEST_NO_ANSWER, NULL);
}

static void test_a_cname_precedes_what_it_leads_to_however_the_message_had_it(void)
{
	const char *want = "A:w.a.test. rcode 0 ttl 20\n"
			   "an w.a.test. 30 CNAME x.a.test.\n"
			   "an x.a.test. 20 CNAME y.b.test.\n"
			   "an y.b.test. 40 A 192.0.2.1 | 192.0.2.2\n";

	for (int order = 0; order < 6; order++) {
		static const int orders[6][3] = { {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0} };
		MSG("w.a.test.", "A", 0);
		for (int i = 0; i < 3; i++)
			switch (orders[order][i]) {
			case 0: AN("w.a.test.", 30, "CNAME", "x.a.test."); break;
			case 1: AN("x.a.test.", 20, "CNAME", "y.b.test."); break;
			case 2: AN("y.b.test.", 40, "A", "192.0.2.1"); AN("y.b.test.", 50, "A", "192.0.2.2"); break;
			}
		expect("A:w.a.test.", INGEST_OK, want);
	}
}

static void chain(int links, bool end)
{
	char owner[32], target[32];

	MSG("c0.a.test.", "A", 0);
	for (int i = 0; i < links; i++) {
		snprintf(owner, sizeof owner, "c%d.a.test.", i);
		snprintf(target, sizeof target, "c%d.a.test.", i + 1);
		AN(owner, 300, "CNAME", target);
	}
	if (end)
		AN(target, 300, "A", "192.0.2.1");
}

static void test_a_chain_of_sixteen_is_followed_and_seventeen_are_too_many(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	const char *line;
	int lines = 0;

	chain(CHAIN_MAX, true);
	check_eq_int(kit_ingest(c, "A:c0.a.test.", NULL), INGEST_OK);
	line = kit_dump(c, entry_in_scratch(&kit_scratch));
	check(strstr(line, "an c15.a.test. 300 CNAME c16.a.test.\nan c16.a.test. 300 A 192.0.2.1\n") != NULL);
	for (; *line; line++)
		lines += *line == '\n';
	check_eq_int(lines, 1 + CHAIN_MAX + 1);
	chain(CHAIN_MAX + 1, true);
	check_eq_int(kit_ingest(c, "A:c0.a.test.", NULL), INGEST_LOOP);
	kit_cache_free(c);
}

static void test_a_loop_of_aliases_is_told_as_one(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "w.a.test.");
	expect("A:w.a.test.", INGEST_LOOP, NULL);
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("x.a.test.", 300, "CNAME", "y.a.test.");
	AN("y.a.test.", 300, "CNAME", "X.A.test.");
	expect("A:w.a.test.", INGEST_LOOP, NULL);
}

static void test_a_question_for_the_alias_itself_ends_there(void)
{
	MSG("w.a.test.", "CNAME", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("x.a.test.", 10, "CNAME", "y.a.test.");
	AN("x.a.test.", 10, "A", "192.0.2.1");
	expect("CNAME:w.a.test.", INGEST_OK, "CNAME:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 CNAME x.a.test.\n");
	MSG("w.a.test.", "CNAME", 0);
	AN("w.a.test.", 300, "CNAME", "w.a.test.");
	expect("CNAME:w.a.test.", INGEST_OK, "CNAME:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 CNAME w.a.test.\n");
}

static void test_two_aliases_of_one_name_never_both_answer(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	const char *text;

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "CNAME", "y.a.test.");
	AN("x.a.test.", 300, "A", "192.0.2.1");
	AN("y.a.test.", 300, "A", "192.0.2.2");
	if (kit_ingest(c, "A:w.a.test.", NULL) == INGEST_OK) {
		text = kit_dump(c, entry_in_scratch(&kit_scratch));
		check((strstr(text, "192.0.2.1") != NULL) + (strstr(text, "192.0.2.2") != NULL) == 1);
		check(strchr(text, '|') == NULL);
	}
	MSG("w.a.test.", "A", 0); /* the same twice is one */
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("x.a.test.", 300, "A", "192.0.2.1");
	check_eq_int(kit_ingest(c, "A:w.a.test.", NULL), INGEST_OK);
	check_scratch(c, "A:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 CNAME x.a.test.\nan x.a.test. 300 A 192.0.2.1\n");
	MSG("w.a.test.", "A", 0); /* whole, as a pointer, in another case */
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "CNAME", "X.a.test.");
	craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, RRTYPE_CNAME, CLASS_IN, "\1x\1a\4test", 10);
	AN("x.a.test.", 300, "A", "192.0.2.1");
	check_eq_int(kit_ingest(c, "A:w.a.test.", NULL), INGEST_OK);
	check_scratch(c, "A:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 CNAME x.a.test.\nan x.a.test. 300 A 192.0.2.1\n");
	MSG("w.a.test.", "CNAME", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "CNAME", "y.a.test.");
	check(kit_ingest(c, "CNAME:w.a.test.", NULL) != INGEST_OK);
	kit_cache_free(c);
}

static void test_an_alias_that_leads_out_of_the_message_may_be_answered_once(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.b.test.");
	expect("A:w.a.test.", INGEST_NO_ANSWER, "A:w.a.test. rcode 0 ttl 300 negative\nan w.a.test. 300 CNAME x.b.test.\n");
}

/* RFC 6672: the DNAME stands above the question's name, and the CNAME is made from it. */
static void test_a_dname_precedes_the_cname_that_was_made_from_it(void)
{
	MSG("h.old.test.", "A", 0);
	AN("h.new.test.", 300, "A", "192.0.2.1");
	AN("h.old.test.", 200, "CNAME", "h.new.test.");
	AN("old.test.", 200, "DNAME", "new.test.");
	expect("A:h.old.test.", INGEST_OK,
	       "A:h.old.test. rcode 0 ttl 200\nan old.test. 200 DNAME new.test.\nan h.old.test. 200 CNAME h.new.test.\n"
	       "an h.new.test. 300 A 192.0.2.1\n");
}

/* Sixteen links, each with DNAME, CNAME and both signatures: what ends the chain must still be found. */
static void test_a_long_signed_chain_of_dnames_keeps_its_end(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	char owner[32], target[32], above[32], to[32];

	MSG("h.z0.test.", "A", 0);
	for (int i = 0; i < CHAIN_MAX; i++) {
		snprintf(owner, sizeof owner, "h.z%d.test.", i);
		snprintf(target, sizeof target, "h.z%d.test.", i + 1);
		snprintf(above, sizeof above, "z%d.test.", i);
		snprintf(to, sizeof to, "z%d.test.", i + 1);
		AN(above, 300, "DNAME", to);
		AN(above, 300, "RRSIG", SIG("DNAME", "2"));
		AN(owner, 300, "CNAME", target);
		AN(owner, 300, "RRSIG", SIG("CNAME", "3"));
	}
	AN(target, 300, "A", "192.0.2.1");
	AN(target, 300, "RRSIG", SIG("A", "3"));
	NS("test.", 300, "SOA", SOA_RDATA);
	check_eq_int(kit_ingest(c, "A:h.z0.test.", NULL), INGEST_OK);
	check(strstr(kit_dump(c, entry_in_scratch(&kit_scratch)),
		     "an h.z16.test. 300 A 192.0.2.1\nan h.z16.test. 300 RRSIG sig " SIG("A", "3") "\n") != NULL);
	kit_cache_free(c);
}

static void test_a_dname_that_is_not_above_the_chain_is_dropped(void)
{
	MSG("h.old.test.", "A", 0);
	AN("other.test.", 200, "DNAME", "new.test.");
	AN("h.old.test.", 300, "A", "192.0.2.1");
	expect("A:h.old.test.", INGEST_OK, "A:h.old.test. rcode 0 ttl 300\nan h.old.test. 300 A 192.0.2.1\n");
}

static void test_a_dname_asked_for_is_an_answer_like_any_other(void)
{
	MSG("old.test.", "DNAME", 0);
	AN("old.test.", 200, "DNAME", "new.test.");
	expect("DNAME:old.test.", INGEST_OK, "DNAME:old.test. rcode 0 ttl 200\nan old.test. 200 DNAME new.test.\n");
}

/* RFC 2308 §5: the lesser of the SOA's TTL and its MINIMUM; it is the SOA's TTL in answers too. */
static void test_a_negative_answer_lives_as_long_as_the_lesser_of_soa_ttl_and_minimum(void)
{
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 900, "SOA", SOA_RDATA);
	expect("A:no.a.test.", INGEST_OK, "A:no.a.test. rcode 3 ttl 300 negative\nns a.test. 300 SOA " SOA_RDATA "\n");
	MSG("no.a.test.", "A", 0);
	NS("a.test.", 60, "SOA", SOA_RDATA);
	expect("A:no.a.test.", INGEST_OK, "A:no.a.test. rcode 0 ttl 60 negative\nns a.test. 60 SOA " SOA_RDATA "\n");
	MSG("a.test.", "AAAA", 0); /* the zone's own name */
	NS("a.test.", 60, "SOA", SOA_RDATA);
	expect("AAAA:a.test.", INGEST_OK, "AAAA:a.test. rcode 0 ttl 60 negative\nns a.test. 60 SOA " SOA_RDATA "\n");
}

static void test_a_negative_answer_without_soa_is_not_stored(void)
{
	MSG("no.a.test.", "A", 3);
	expect("A:no.a.test.", INGEST_NO_ANSWER, NULL);
	MSG("no.a.test.", "A", 0);
	expect("A:no.a.test.", INGEST_NO_ANSWER, NULL);
	MSG("no.a.test.", "A", 0); /* the SOA is looked for in the authority section alone */
	AR("a.test.", 60, "SOA", SOA_RDATA);
	expect("A:no.a.test.", INGEST_NO_ANSWER, NULL);
}

static void test_a_soa_that_is_not_above_the_name_denies_nothing(void)
{
	static const char *const owners[] = { "b.test.", "x.no.a.test.", "test.test.", "no.a.test.test." };

	for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
		MSG("no.a.test.", "A", 3);
		NS(owners[i], 60, "SOA", SOA_RDATA);
		expect("A:no.a.test.", INGEST_NO_ANSWER, NULL);
	}
}

static void test_a_referral_is_no_answer(void)
{
	MSG("w.sub.a.test.", "A", 0);
	NS("sub.a.test.", 300, "NS", "ns.sub.a.test.");
	AR("ns.sub.a.test.", 300, "A", "192.0.2.53");
	expect("A:w.sub.a.test.", INGEST_NO_ANSWER, NULL);
}

static void test_other_rcodes_are_no_answer(void)
{
	for (unsigned rcode = 1; rcode < 16; rcode++) {
		if (rcode == RCODE_NXDOMAIN)
			continue;
		MSG("w.a.test.", "A", rcode);
		NS("a.test.", 60, "SOA", SOA_RDATA);
		expect("A:w.a.test.", INGEST_NO_ANSWER, NULL);
	}
}

static void test_a_truncated_answer_is_not_stored(void)
{
	struct cache *c = kit_cache(1 << 22, 0);

	MSG("w.a.test.", "A", 0);
	kit_craft.h.flags |= FLAG_TC;
	AN("w.a.test.", 300, "A", "192.0.2.1");
	check(kit_ingest(c, "A:w.a.test.", NULL) != INGEST_OK);
	kit_cache_free(c);
}

static void test_an_alias_to_a_name_without_the_type_is_negative_with_its_chain(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 500, "CNAME", "x.b.test.");
	NS("b.test.", 900, "SOA", SOA_RDATA);
	expect("A:w.a.test.", INGEST_OK,
	       "A:w.a.test. rcode 0 ttl 300 negative\nan w.a.test. 500 CNAME x.b.test.\nns b.test. 300 SOA " SOA_RDATA "\n");
}

/* The SOA must be of the zone of the chain's end: the alias's own zone says nothing of it. */
static void test_the_soa_of_the_aliass_zone_does_not_deny_the_target(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 500, "CNAME", "x.b.test.");
	NS("a.test.", 900, "SOA", SOA_RDATA);
	expect("A:w.a.test.", INGEST_NO_ANSWER, "A:w.a.test. rcode 0 ttl 500 negative\nan w.a.test. 500 CNAME x.b.test.\n");
}

static void test_nxdomain_behind_an_alias_does_not_deny_the_alias(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;

	MSG("w.a.test.", "A", 3);
	AN("w.a.test.", 500, "CNAME", "x.b.test.");
	NS("b.test.", 900, "SOA", SOA_RDATA);
	kit_store(c, "A:w.a.test.", NULL);
	check_scratch(c, "A:w.a.test. rcode 3 ttl 300 negative\nan w.a.test. 500 CNAME x.b.test.\nns b.test. 300 SOA " SOA_RDATA "\n");
	cache_read_begin();
	check(cache_lookup(c, kit_key(c, &b, "A:w.a.test."), clock_s()) != NULL);
	check(cache_lookup(c, kit_key(c, &b, "CNAME:w.a.test."), clock_s()) == NULL);
	check(cache_lookup(c, kit_key(c, &b, "AAAA:w.a.test."), clock_s()) == NULL);
	cache_read_end();
	kit_cache_free(c);
}

/* RFC 4035 §3.1.1: the signature goes with its set. */
static void test_signatures_follow_their_sets_and_others_are_dropped(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "RRSIG", SIG("A", "3"));
	AN("w.a.test.", 300, "RRSIG", SIG("CNAME", "3"));
	AN("x.a.test.", 300, "RRSIG", SIG("A", "3"));
	AN("w.a.test.", 300, "RRSIG", SIG("AAAA", "3"));
	AN("x.a.test.", 300, "A", "192.0.2.1");
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("y.a.test.", 300, "RRSIG", SIG("A", "3"));
	expect("A:w.a.test.", INGEST_OK,
	       "A:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 CNAME x.a.test.\n"
	       "an w.a.test. 300 RRSIG sig " SIG("CNAME", "3") "\n"
	       "an x.a.test. 300 A 192.0.2.1\nan x.a.test. 300 RRSIG sig " SIG("A", "3") "\n");
}

static void test_signatures_asked_for_are_the_answer(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	const char *text;

	MSG("w.a.test.", "RRSIG", 0);
	AN("w.a.test.", 300, "RRSIG", SIG("A", "3"));
	AN("w.a.test.", 300, "RRSIG", SIG("AAAA", "3"));
	check_eq_int(kit_ingest(c, "RRSIG:w.a.test.", NULL), INGEST_OK);
	text = kit_dump(c, entry_in_scratch(&kit_scratch));
	check(strstr(text, SIG("A", "3")) != NULL && strstr(text, SIG("AAAA", "3")) != NULL);
	kit_cache_free(c);
}

/* RFC 4035 §3.1.3.3: without the proof that no closer name exists, a validating client cannot use the answer. */
static void test_an_answer_from_a_wildcard_keeps_its_proof(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "A", "192.0.2.1");
	AN("w.a.test.", 300, "RRSIG", SIG("A", "2"));
	NS("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
	NS("v.a.test.", 300, "RRSIG", SIG("NSEC", "3"));
	NS("a.test.", 300, "NS", "ns.a.test.");
	expect("A:w.a.test.", INGEST_OK,
	       "A:w.a.test. rcode 0 ttl 300\nan w.a.test. 300 A 192.0.2.1\nan w.a.test. 300 RRSIG sig " SIG("A", "2") "\n"
	       "ns v.a.test. 300 NSEC sig x.a.test. A RRSIG NSEC\nns v.a.test. 300 RRSIG sig " SIG("NSEC", "3") "\n");
}

static void test_a_denial_keeps_soa_and_proof_each_with_its_signature(void)
{
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 900, "SOA", SOA_RDATA);
	NS("a.test.", 900, "RRSIG", SIG("SOA", "2"));
	NS("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
	NS("v.a.test.", 300, "RRSIG", SIG("NSEC", "3"));
	NS("a.test.", 300, "NSEC", "b.a.test. A RRSIG NSEC");
	NS("a.test.", 300, "RRSIG", SIG("NSEC", "2"));
	NS("a.test.", 300, "NS", "ns.a.test.");
	expect("A:no.a.test.", INGEST_OK,
	       "A:no.a.test. rcode 3 ttl 300 negative\nns a.test. 300 SOA " SOA_RDATA "\nns a.test. 300 RRSIG sig " SIG("SOA", "2") "\n"
	       "ns v.a.test. 300 NSEC sig x.a.test. A RRSIG NSEC\nns v.a.test. 300 RRSIG sig " SIG("NSEC", "3") "\n"
	       "ns a.test. 300 NSEC sig b.a.test. A RRSIG NSEC\nns a.test. 300 RRSIG sig " SIG("NSEC", "2") "\n");
}

static void test_a_ttl_of_zero_or_of_two_to_the_31_serves_this_transaction_only(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	static const uint32_t ttls[] = { 0, 0x80000000u, 0xffffffffu };

	for (size_t i = 0; i < 3; i++) {
		MSG("w.a.test.", "A", 0);
		AN("w.a.test.", ttls[i], "A", "192.0.2.1");
		check_eq_int(kit_ingest(c, "A:w.a.test.", NULL), INGEST_TTL0);
		check_scratch(c, "A:w.a.test. rcode 0 ttl 0\nan w.a.test. 0 A 192.0.2.1\n");
	}
	MSG("w.a.test.", "A", 0); /* one link is enough */
	AN("w.a.test.", 0, "CNAME", "x.a.test.");
	AN("x.a.test.", 60, "A", "192.0.2.1");
	check_eq_int(kit_ingest(c, "A:w.a.test.", NULL), INGEST_TTL0);
	check_scratch(c, "A:w.a.test. rcode 0 ttl 0\nan w.a.test. 0 CNAME x.a.test.\nan x.a.test. 60 A 192.0.2.1\n");
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 0, "SOA", SOA_RDATA);
	check_eq_int(kit_ingest(c, "A:no.a.test.", NULL), INGEST_TTL0);
	kit_cache_free(c);
}

static void test_each_ttl_is_clamped_and_negatives_have_a_clamp_of_their_own(void)
{
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 10, "CNAME", "x.a.test.");
	AN("x.a.test.", 5000, "A", "192.0.2.1");
	expect_clamped("A:w.a.test.", 60, 1000, 5,
		       "A:w.a.test. rcode 0 ttl 60\nan w.a.test. 60 CNAME x.a.test.\nan x.a.test. 1000 A 192.0.2.1\n");
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 900, "SOA", SOA_RDATA);
	expect_clamped("A:no.a.test.", 600, 86400, 100, "A:no.a.test. rcode 3 ttl 100 negative\nns a.test. 100 SOA " SOA_RDATA "\n");
	MSG("no.a.test.", "A", 3); /* neither floor nor ceiling of positives touches it */
	NS("a.test.", 900, "SOA", SOA_RDATA);
	expect_clamped("A:no.a.test.", 600, 20, 3600, "A:no.a.test. rcode 3 ttl 300 negative\nns a.test. 300 SOA " SOA_RDATA "\n");
	MSG("w.a.test.", "A", 0); /* 24 bits hold 194 days, whatever is configured */
	AN("w.a.test.", 0x7fffffff, "A", "192.0.2.1");
	expect_clamped("A:w.a.test.", 0, 0x7fffffff, 1, "A:w.a.test. rcode 0 ttl 16777215\nan w.a.test. 16777215 A 192.0.2.1\n");
}

static void test_what_the_fetch_knew_goes_into_the_head(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct entry_meta m = kit_meta(1234567);
	struct entry_view v;
	char text[256];

	memset(text, 'x', 255);
	text[255] = 0;
	m.secure = true;
	m.source = SOURCE_RECURSE;
	m.ede = EDE_NO_REACHABLE_AUTHORITY;
	m.ede_text = text;
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "A", "192.0.2.1");
	check_eq_int(kit_ingest(c, "A:w.a.test.@192.0.2.0/23@cd", &m), INGEST_OK);
	check(entry_open(entry_in_scratch(&kit_scratch), &v));
	check_eq_int(v.secure, true);
	check_eq_int(v.cd, true);
	check_eq_int(v.negative, false);
	check_eq_int(v.failure, false);
	check_eq_int(v.source, SOURCE_RECURSE);
	check_eq_int(v.ede, EDE_NO_REACHABLE_AUTHORITY);
	check_eq_mem(v.ede_text, v.ede_text_len, text, 120);
	check_eq_int(v.stored_s, 1234567);
	check_eq_int(v.ttl_s, 300);
	check_eq_int(v.type, RRTYPE_A);
	check_eq_int(v.ecs.family, 1);
	check_eq_int(v.ecs.bits, 23);
	check_mem(v.ecs.addr, "\xc0\0\2\0", 4);
	check_eq_int(v.size, kit_scratch.len);
	check(v.single);
	kit_cache_free(c);
}

static void test_names_in_rdata_come_back_whole(void)
{
	MSG("a.test.", "MX", 0);
	AN("a.test.", 300, "MX", "10 mx1.a.test.");
	AN("a.test.", 300, "MX", "20 a.test.");
	AN("a.test.", 300, "MX", "30 .");
	AN("a.test.", 300, "MX", "40 Mx.Elsewhere.example.");
	expect("MX:a.test.", INGEST_OK,
	       "MX:a.test. rcode 0 ttl 300\nan a.test. 300 MX 10 mx1.a.test. | 20 a.test. | 30 . | 40 Mx.Elsewhere.example.\n");
	MSG("_s._tcp.a.test.", "SRV", 0);
	AN("_s._tcp.a.test.", 300, "SRV", "1 2 443 h.a.test.");
	AN("_s._tcp.a.test.", 300, "SRV", "1 3 443 a.test.");
	expect("SRV:_s._tcp.a.test.", INGEST_OK,
	       "SRV:_s._tcp.a.test. rcode 0 ttl 300\nan _s._tcp.a.test. 300 SRV 1 2 443 h.a.test. | 1 3 443 a.test.\n");
	MSG("a.test.", "SOA", 0);
	AN("a.test.", 900, "SOA", SOA_RDATA);
	expect("SOA:a.test.", INGEST_OK, "SOA:a.test. rcode 0 ttl 900\nan a.test. 900 SOA " SOA_RDATA "\n");
	MSG("a.test.", "HTTPS", 0);
	AN("a.test.", 300, "HTTPS", "1 . alpn=h2");
	AN("a.test.", 300, "HTTPS", "0 a.test.");
	expect("HTTPS:a.test.", INGEST_OK, "HTTPS:a.test. rcode 0 ttl 300\nan a.test. 300 HTTPS 1 . alpn=h2 | 0 a.test.\n");
	MSG(".", "NS", 0);
	AN(".", 518400, "NS", "a.root-servers.net.");
	AN(".", 518400, "NS", "b.root-servers.net.");
	expect("NS:.", INGEST_OK, "NS:. rcode 0 ttl 518400\nan . 518400 NS a.root-servers.net. | b.root-servers.net.\n");
}

static void test_an_answer_to_another_question_is_never_taken(void)
{
	struct cache *c = kit_cache(1 << 22, 0);

	MSG("v.a.test.", "A", 0);
	AN("v.a.test.", 300, "A", "192.0.2.1");
	check(kit_ingest(c, "A:w.a.test.", NULL) != INGEST_OK);
	MSG("w.a.test.", "TXT", 0);
	AN("w.a.test.", 300, "TXT", "x");
	check(kit_ingest(c, "A:w.a.test.", NULL) != INGEST_OK);
	kit_cache_free(c);
}

/* Rdata whose length is not its type's would come out of a cache as it went in, and break those who trust it. */
static void test_rdata_of_the_wrong_shape_is_refused(void)
{
	struct cache *c = kit_cache(1 << 22, 0);

	MSG("w.a.test.", "A", 0);
	craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, RRTYPE_A, CLASS_IN, "\1\2\3", 3);
	check(kit_ingest(c, "A:w.a.test.", NULL) != INGEST_OK);
	MSG("w.a.test.", "A", 0);
	craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, RRTYPE_A, CLASS_IN, "\1\2\3\4\5", 5);
	check(kit_ingest(c, "A:w.a.test.", NULL) != INGEST_OK);
	MSG("w.a.test.", "TXT", 0);
	craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, RRTYPE_TXT, CLASS_IN, "\5abc", 4);
	check(kit_ingest(c, "TXT:w.a.test.", NULL) != INGEST_OK);
	MSG("w.a.test.", "AAAA", 0);
	craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, RRTYPE_AAAA, CLASS_IN, "", 0);
	check(kit_ingest(c, "AAAA:w.a.test.", NULL) != INGEST_OK);
	kit_cache_free(c);
}

static void test_a_message_cut_short_anywhere_is_refused(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(clock_s());
	uint8_t *cut;

	MSG("w.a.test.", "MX", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "RRSIG", SIG("CNAME", "3"));
	AN("x.a.test.", 300, "MX", "10 m.x.a.test.");
	NS("a.test.", 900, "SOA", SOA_RDATA);
	AR("m.x.a.test.", 300, "A", "192.0.2.1");
	check_eq_int(kit_ingest(c, "MX:w.a.test.", NULL), INGEST_OK);
	kit_key(c, &b, "MX:w.a.test.");
	for (size_t len = 0; len < kit_craft.len; len++) {
		cut = malloc(len + !len);
		memcpy(cut, kit_craft.buf, len);
		if (entry_from_message(&kit_scratch, &b.key, cut, len, &m) != INGEST_BAD) {
			printf("taken at %zu of %zu bytes\n", len, kit_craft.len);
			unit_fail();
		}
		check_eq_int(kit_scratch.len, 0);
		free(cut);
	}
	kit_cache_free(c);
}

static void test_what_is_no_data_is_not_taken_as_an_answer(void)
{
	static const char *const types[] = { "OPT", "TSIG", "TKEY", "ANY", "AXFR", "IXFR", "MAILA", "MAILB" };
	struct cache *c = kit_cache(1 << 22, 0);

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		char key[32];
		MSG("w.a.test.", types[i], 0);
		craft_raw(&kit_craft, SECTION_ANSWER, "w.a.test.", 300, kit_type(types[i]), CLASS_IN, "", 0);
		NS("a.test.", 900, "SOA", SOA_RDATA);
		snprintf(key, sizeof key, "%s:w.a.test.", types[i]);
		enum ingest verdict = kit_ingest(c, key, NULL);
		check(verdict == INGEST_NO_ANSWER || verdict == INGEST_BAD);
		check_eq_int(kit_scratch.len, 0);
	}
	kit_cache_free(c);
}

/* A record of another name in the answer section makes a response one that has to be judged; what is taken is the same. */
static void test_the_short_way_and_the_long_way_make_the_same_entry(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	static const char *const types[] = { "A", "AAAA", "TXT", "CAA", "TYPE65280", "DNAME", "HTTPS" };
	static uint8_t first[65536];

	for (int round = 0; round < 20000; round++) {
		const char *type = types[unit_below(7)];
		unsigned n = 1 + (unsigned)unit_below(unit_below(4) ? 4 : 20), kinds = 1 + (unsigned)unit_below(20);
		uint64_t r = unit_random();
		struct entry_meta m = kit_meta(1000);
		size_t len = 0;
		enum ingest verdict = INGEST_BAD;
		char key[64];

		m.min_ttl_s = (uint32_t)unit_below(3) * 20;
		m.max_ttl_s = 60 + (uint32_t)unit_below(3) * 1000;
		m.secure = unit_below(2);
		m.ede = unit_below(2) ? EDE_OTHER : EDE_NONE;
		snprintf(key, sizeof key, "%s:w.a.test.%s", type, unit_below(2) ? "@cd" : unit_below(2) ? "@10.0.0.0/8" : "");
		for (int way = 0; way < 2; way++) {
			struct cache_key_buf b;
			MSG("w.a.test.", type, 0);
			if (way)
				craft_raw(&kit_craft, SECTION_ANSWER, "x.a.test.", 1, RRTYPE_A, CLASS_IN, "\1\2\3\4", 4);
			for (unsigned i = 0; i < n; i++) {
				uint8_t k = (uint8_t)((r >> i) % kinds), rdata[64] = { 0 };
				size_t rlen = 0;
				switch (type[0]) {
				case 'A': rlen = type[1] ? 16 : 4, rdata[3] = k; break;
				case 'T': rlen = type[1] == 'X' ? 1u + k : k; rdata[0] = type[1] == 'X' ? k : 0; break;
				case 'C': rlen = 8u + k, memcpy(rdata, "\0\5issue", 7); break;
				case 'D': rlen = 3, rdata[0] = 1, rdata[1] = k; break;
				case 'H': rlen = 3, rdata[1] = k; break;
				}
				craft_raw(&kit_craft, SECTION_ANSWER, unit_below(2) ? "w.a.test." : "W.a.test.", (uint32_t)((r >> (i & 7)) & 255),
					  kit_type(type), CLASS_IN, rdata, rlen);
			}
			craft_end(&kit_craft);
			enum ingest got = entry_from_message(&kit_scratch, kit_key(c, &b, key), kit_craft.buf, kit_craft.len, &m);
			if (!way) {
				verdict = got;
				len = kit_scratch.len;
				memcpy(first, kit_scratch.buf, len);
				check(verdict == INGEST_OK || verdict == INGEST_TTL0);
			} else {
				check_eq_int(got, verdict);
				check_eq_mem(kit_scratch.buf, kit_scratch.len, first, len);
			}
		}
	}
	kit_cache_free(c);
}
