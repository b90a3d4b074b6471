/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies made from entries: flags, echo, TTLs, order, truncation, OPT. Each reply is read by our reader and by ldns,
 * and both must see the same records.
 */
#include "query/answer.h"

#include <ldns/ldns.h>

#include "cache_kit.h"
#include "cache/layout.h"

#define SOA_RDATA "ns.a.test. hostmaster.a.test. 1 7200 900 1209600 300"
#define SIG(type, labels) type " 8 " labels " 300 20300101000000 20200101000000 12345 a.test. q83vAA=="

enum { EDNS = 1, DO = 2, AD = 4, CD = 8, NORD = 16, TCP = 32, STALE = 64, NSID = 128, KEEPALIVE = 256, ECS = 512, COOKIE = 1024 };

static const struct answer_options plain_options = { .udp_size = 1232, .rotate = false, .stale_ttl_s = 30, .nsid = "ns1" };
static struct answer_options options;
static uint8_t query[1024], reply[DNS_MSG_MAX];
static struct question question;
static size_t reply_len;
static bool tc;
static uint32_t rotation, now_s;
static size_t limit;
static struct kit_text text;

/* A question as a client with those ways would send it, parsed. */
static void ask(const char *name, const char *type, unsigned ways, uint16_t udp_size)
{
	uint8_t wire[NAME_MAX_LEN], opts[128];
	size_t n = kit_name(name, wire), o = 0;
	unsigned rcode;
	uint16_t flags = (uint16_t)((ways & NORD ? 0 : FLAG_RD) | (ways & AD ? FLAG_AD : 0) | (ways & CD ? FLAG_CD : 0));

	if (ways & NSID) {
		memcpy(opts + o, "\0\3\0\0", 4);
		o += 4;
	}
	if (ways & COOKIE) {
		memcpy(opts + o, "\0\12\0\10abcdefgh", 12);
		o += 12;
	}
	if (ways & KEEPALIVE) {
		memcpy(opts + o, "\0\13\0\0", 4);
		o += 4;
	}
	if (ways & ECS) {
		memcpy(opts + o, "\0\10\0\7\0\1\30\0\300\0\2", 11);
		o += 11;
	}
	int len = query_write(query, sizeof query, 0xbeef, flags, wire, n, (uint16_t)kit_type(type),
			      ways & (EDNS | DO | NSID | KEEPALIVE | ECS | COOKIE) ? udp_size : 0, ways & DO, opts, o);
	check(len > 0);
	check_eq_int(question_parse(query, (size_t)len, &question, &rcode), QUESTION_OK);
}

static struct answer_ask asked(unsigned ways)
{
	return (struct answer_ask){ .q = &question, .limit = limit ? limit : ways & TCP ? DNS_MSG_MAX : answer_udp_limit(&question, &options),
				    .now_s = now_s, .rotation = rotation, .stale = ways & STALE, .tcp = ways & TCP, .keepalive_100ms = 77,
				    .o = &options };
}

static void say_ldns_rdata(const ldns_rr *rr, uint8_t *out, size_t *len)
{
	*len = 0;
	for (size_t i = 0; i < ldns_rr_rd_count(rr); i++) {
		memcpy(out + *len, ldns_rdf_data(ldns_rr_rdf(rr, i)), ldns_rdf_size(ldns_rr_rdf(rr, i)));
		*len += ldns_rdf_size(ldns_rr_rdf(rr, i));
	}
}

/* The reply as a line of flags, a line a record, a line of OPT. Both readers agree on it. */
static const char *read_reply(void)
{
	static uint8_t rdata[DNS_MSG_MAX], theirs[DNS_MSG_MAX];
	static const char *const section[] = { "an", "ns", "ar" };
	struct msg_reader r;
	struct wire_rr rr;
	ldns_pkt *p = NULL;
	unsigned n[3] = { 0, 0, 0 }, opts = 0;
	int more;
	char buf[16];

	text.len = 0;
	check_eq_int(ldns_wire2pkt(&p, reply, reply_len), LDNS_STATUS_OK);
	check_eq_int(msg_begin(&r, reply, reply_len), 0);
	say(&text, "%s%s%s%s%s%s%s%s", rcode_text(r.h.flags & 15, buf, sizeof buf), r.h.flags & FLAG_QR ? " qr" : "",
	    r.h.flags & FLAG_AA ? " aa" : "", r.h.flags & FLAG_TC ? " tc" : "", r.h.flags & FLAG_RD ? " rd" : "",
	    r.h.flags & FLAG_RA ? " ra" : "", r.h.flags & FLAG_AD ? " ad" : "", r.h.flags & FLAG_CD ? " cd" : "");
	check_eq_int(r.h.flags & (FLAG_Z | FLAG_OPCODE_MASK), 0);
	check_eq_int(r.h.id, question.id);
	check_eq_int(r.h.qdcount, 1);
	check_eq_mem(reply + DNS_HEADER_LEN, question.wire_len, question.wire, question.wire_len);
	say(&text, "\n");
	ldns_rr_list *lists[3] = { ldns_pkt_answer(p), ldns_pkt_authority(p), ldns_pkt_additional(p) };
	while ((more = msg_next(&r, &rr)) == 1) {
		uint8_t owner[NAME_MAX_LEN];
		size_t next;
		if (rr.type == RRTYPE_OPT) {
			struct edns e;
			check_eq_int(edns_read(&r, &rr, &e), 0);
			check_eq_int(e.version, 0);
			say(&text, "opt %u%s rcode %u", e.udp_size, e.do_bit ? " do" : "", e.ext_rcode);
			for (size_t at = 0; at + 4 <= e.opts_len; at += 4u + load_be16(e.opts + at + 2)) {
				say(&text, " %u:", load_be16(e.opts + at));
				for (unsigned i = 0; i < load_be16(e.opts + at + 2); i++)
					say(&text, "%02x", e.opts[at + 4 + i]);
			}
			say(&text, "\n");
			opts++;
			continue;
		}
		check_eq_int(rr.rrclass, CLASS_IN);
		int len = name_read(reply, reply_len, rr.owner_off, owner, &next);
		check(len > 0);
		say(&text, "%s ", section[rr.section]);
		say_name(&text, owner, (size_t)len);
		say(&text, " %u %s ", rr.ttl, rrtype_text(rr.type, buf, sizeof buf));
		int rlen = rdata_expand(reply, reply_len, &rr, rdata, sizeof rdata);
		check(rlen >= 0);
		say_rdata(&text, rr.type, rdata, (size_t)rlen);
		say(&text, "\n");
		const ldns_rr *l = ldns_rr_list_rr(lists[rr.section], n[rr.section]++);
		size_t theirs_len;
		check(l != NULL);
		check_eq_int(ldns_rr_get_type(l), rr.type);
		check_eq_int(ldns_rr_ttl(l), rr.ttl);
		check(name_equal(ldns_rdf_data(ldns_rr_owner(l)), ldns_rdf_size(ldns_rr_owner(l)), owner, (size_t)len));
		say_ldns_rdata(l, theirs, &theirs_len);
		check_eq_mem(theirs, theirs_len, rdata, (size_t)rlen);
	}
	check_eq_int(more, 0);
	check_eq_int(msg_end(&r), 0);
	check_eq_int(n[0], r.h.ancount);
	check_eq_int(n[1], r.h.nscount);
	check_eq_int(n[2] + opts, r.h.arcount);
	check_eq_int(opts, ldns_pkt_edns(p));
	check_eq_int(opts, question.edns.present);
	check_eq_int(tc, (r.h.flags & FLAG_TC) != 0);
	ldns_pkt_free(p);
	return text.s;
}

/* The scratch's entry as the reply to what was asked. */
static const char *answered(unsigned ways)
{
	struct answer_ask a = asked(ways);
	int len;

	/* In a block of exactly the limit's size, so that a byte too many is seen. */
	uint8_t *out = malloc(a.limit);
	len = answer_from_entry(out, &a, entry_in_scratch(&kit_scratch), &tc);
	check(len >= DNS_HEADER_LEN && (size_t)len <= a.limit);
	memcpy(reply, out, reply_len = (size_t)len);
	free(out);
	return read_reply();
}

static struct cache *begin(void)
{
	options = plain_options;
	rotation = 0;
	limit = 0;
	now_s = clock_s();
	return kit_cache(1 << 22, 0);
}

static void take(struct cache *c, const char *key, bool secure)
{
	struct entry_meta m = kit_meta(now_s);

	m.secure = secure;
	check_eq_int(kit_ingest(c, key, &m), INGEST_OK);
}

static void test_flags_follow_from_what_was_asked_and_what_is_known(void)
{
	struct cache *c = begin();

	for (int secure = 0; secure < 2; secure++)
		for (unsigned ways = 0; ways < 128; ways++) {
			char want[256];
			bool ad = secure && (ways & (DO | AD)) && !(ways & STALE);
			MSG("w.a.test.", "A", 0);
			AN("w.a.test.", 300, "A", "192.0.2.1");
			take(c, "A:w.a.test.", secure);
			ask("w.a.test.", "A", ways, 1400);
			snprintf(want, sizeof want, "NOERROR qr%s ra%s%s\nan w.a.test. %d A 192.0.2.1\n%s%s%s%s", ways & NORD ? "" : " rd",
				 ad ? " ad" : "", ways & CD ? " cd" : "", ways & STALE ? 30 : 300,
				 ways & (EDNS | DO) ? "opt 1232" : "", ways & DO ? " do" : "",
				 ways & (EDNS | DO) ? " rcode 0" : "", ways & (EDNS | DO) ? ways & STALE ? " 15:0003\n" : "\n" : "");
			check_eq_str(answered(ways), want);
			/* The same through the general way. */
			MSG("w.a.test.", "MX", 0);
			AN("w.a.test.", 300, "MX", "1 w.a.test.");
			take(c, "MX:w.a.test.", secure);
			ask("w.a.test.", "MX", ways, 1400);
			memcpy(strstr(want, "A 192.0.2.1\n"), "MX 1 w.a", 8);
			const char *got = answered(ways);
			check(strncmp(got, want, strcspn(want, "\n") + 1) == 0);
			check(strcmp(strstr(got, ".\n") + 2, strchr(strchr(want, '\n') + 1, '\n') + 1) == 0);
		}
	kit_cache_free(c);
}

static void test_the_questions_bytes_come_back_in_their_case(void)
{
	struct cache *c = begin();

	MSG("www.a.test.", "A", 0);
	AN("www.a.test.", 300, "CNAME", "x.a.test.");
	AN("x.a.test.", 300, "A", "192.0.2.1");
	take(c, "A:www.a.test.", false);
	for (int i = 0; i < 50; i++) {
		char name[] = "www.a.test.";
		for (char *p = name; *p; p++)
			if (*p >= 'a' && unit_below(2))
				*p = (char)(*p - 32);
		ask(name, "A", EDNS, 1232);
		char want[128];
		snprintf(want, sizeof want, "an %s 300 CNAME x.", name); /* a pointer to the question shows its case */
		check(strstr(answered(0), want) != NULL);
	}
	kit_cache_free(c);
}

static void test_ttls_count_down_and_stop_at_nothing(void)
{
	struct cache *c = begin();
	uint32_t stored = now_s;

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 500, "CNAME", "x.a.test.");
	AN("x.a.test.", 300, "A", "192.0.2.1");
	take(c, "A:w.a.test.", false);
	ask("w.a.test.", "A", 0, 0);
	now_s = stored + 100;
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 400 CNAME x.a.test.\nan x.a.test. 200 A 192.0.2.1\n");
	now_s = stored + 299;
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 201 CNAME x.a.test.\nan x.a.test. 1 A 192.0.2.1\n");
	now_s = stored + 400;
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 100 CNAME x.a.test.\nan x.a.test. 0 A 192.0.2.1\n");
	now_s = stored - 5; /* a thread whose second is older than the entry's */
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 500 CNAME x.a.test.\nan x.a.test. 300 A 192.0.2.1\n");
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 900, "SOA", SOA_RDATA);
	now_s = stored;
	take(c, "A:no.a.test.", false);
	now_s = stored + 60;
	ask("no.a.test.", "TXT", 0, 0); /* the denial is of the name: any type */
	check_eq_str(answered(0), "NXDOMAIN qr rd ra\nns a.test. 240 SOA " SOA_RDATA "\n");
	kit_cache_free(c);
}

/* RFC 8767 §4, RFC 8914 §4.4, §4.20. */
static void test_stale_answers_say_so(void)
{
	struct cache *c = begin();

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 500, "CNAME", "x.a.test.");
	AN("x.a.test.", 300, "A", "192.0.2.1");
	take(c, "A:w.a.test.", true);
	now_s += 1000;
	ask("w.a.test.", "A", DO, 1232);
	check_eq_str(answered(STALE), "NOERROR qr rd ra\nan w.a.test. 30 CNAME x.a.test.\nan x.a.test. 30 A 192.0.2.1\nopt 1232 do rcode 0 15:0003\n");
	MSG("no.a.test.", "A", 3);
	NS("a.test.", 900, "SOA", SOA_RDATA);
	take(c, "A:no.a.test.", true);
	ask("no.a.test.", "A", EDNS, 1232);
	check_eq_str(answered(STALE), "NXDOMAIN qr rd ra\nns a.test. 30 SOA " SOA_RDATA "\nopt 1232 rcode 0 15:0013\n");
	ask("no.a.test.", "A", 0, 0);
	check_eq_str(answered(STALE), "NXDOMAIN qr rd ra\nns a.test. 30 SOA " SOA_RDATA "\n");
	kit_cache_free(c);
}

static void test_dnssec_records_go_to_those_who_asked_for_them(void)
{
	struct cache *c = begin();

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("w.a.test.", 300, "RRSIG", SIG("CNAME", "3"));
	AN("x.a.test.", 300, "A", "192.0.2.1");
	AN("x.a.test.", 300, "RRSIG", SIG("A", "2"));
	NS("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
	NS("v.a.test.", 300, "RRSIG", SIG("NSEC", "3"));
	take(c, "A:w.a.test.", true);
	ask("w.a.test.", "A", 0, 0);
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 300 CNAME x.a.test.\nan x.a.test. 300 A 192.0.2.1\n");
	ask("w.a.test.", "A", DO, 1232);
	check_eq_str(answered(0), "NOERROR qr rd ra ad\nan w.a.test. 300 CNAME x.a.test.\nan w.a.test. 300 RRSIG " SIG("CNAME", "3") "\n"
				  "an x.a.test. 300 A 192.0.2.1\nan x.a.test. 300 RRSIG " SIG("A", "2") "\n"
				  "ns v.a.test. 300 NSEC x.a.test. A RRSIG NSEC\nns v.a.test. 300 RRSIG " SIG("NSEC", "3") "\n"
				  "opt 1232 do rcode 0\n");
	MSG("w.a.test.", "RRSIG", 0); /* asked for by name, DO=0 sees them too (RFC 4035 §3.2.1) */
	AN("w.a.test.", 300, "RRSIG", SIG("CNAME", "3"));
	take(c, "RRSIG:w.a.test.", false);
	ask("w.a.test.", "RRSIG", 0, 0);
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 300 RRSIG " SIG("CNAME", "3") "\n");
	MSG("v.a.test.", "NSEC", 0);
	AN("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
	AN("v.a.test.", 300, "RRSIG", SIG("NSEC", "3"));
	take(c, "NSEC:v.a.test.", false);
	ask("v.a.test.", "NSEC", 0, 0);
	check_eq_str(answered(0), "NOERROR qr rd ra\nan v.a.test. 300 NSEC x.a.test. A RRSIG NSEC\n");
	kit_cache_free(c);
}

static void test_each_address_comes_first_equally_often_and_all_else_keeps_its_order(void)
{
	struct cache *c = begin();
	unsigned first[5] = { 0 };

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	for (int i = 1; i <= 5; i++) {
		char a[32];
		snprintf(a, sizeof a, "192.0.2.%d", i);
		AN("x.a.test.", 300, "A", a);
	}
	AN("x.a.test.", 300, "RRSIG", SIG("A", "3"));
	AN("x.a.test.", 300, "RRSIG", "A 8 3 300 20300101000000 20200101000000 54321 a.test. AAAAAA==");
	take(c, "A:w.a.test.", true);
	ask("w.a.test.", "A", DO, 1232);
	for (unsigned i = 0; i < 50; i++) {
		options.rotate = true;
		rotation = i * 7 + 3;
		const char *got = answered(0), *at = strstr(got, " A 192.0.2.");
		check(strstr(got, "\nan w.a.test. 300 CNAME x.a.test.\nan x.a.test. 300 A 192") != NULL);
		check(strstr(got, " 12345 ") < strstr(got, " 54321 ") && strstr(got, " 12345 ") > strrchr(got, 'o') - 400);
		unsigned f = (unsigned)(at[11] - '1'), next = f;
		check(f < 5);
		first[f]++;
		for (int j = 0; j < 5; j++, next = (next + 1) % 5) { /* each once, in a circle */
			check(at && (unsigned)(at[11] - '1') == next);
			at = strstr(at + 1, " A 192.0.2.");
		}
		check(at == NULL);
	}
	for (int i = 0; i < 5; i++)
		check_eq_int(first[i], 10);
	memset(first, 0, sizeof first);
	MSG("w.a.test.", "AAAA", 0); /* the plain way */
	AN("w.a.test.", 300, "AAAA", "2001:db8::1");
	AN("w.a.test.", 300, "AAAA", "2001:db8::2");
	AN("w.a.test.", 300, "AAAA", "2001:db8::3");
	take(c, "AAAA:w.a.test.", false);
	ask("w.a.test.", "AAAA", 0, 0);
	for (unsigned i = 0; i < 300; i++) {
		rotation = (uint32_t)unit_random();
		const char *at = strstr(answered(0), "2001:db8::");
		unsigned f = (unsigned)(at[10] - '1');
		check(f < 3);
		first[f]++;
		for (unsigned j = 0; j < 3; j++, at = strstr(at + 1, "2001:db8::"))
			check_eq_int(at[10] - '1', (f + j) % 3);
	}
	check(first[0] > 60 && first[1] > 60 && first[2] > 60);
	options.rotate = false;
	check(strstr(answered(0), "2001:db8::1\nan") != NULL);
	options.rotate = true;
	MSG("w.a.test.", "TXT", 0);
	AN("w.a.test.", 300, "TXT", "one");
	AN("w.a.test.", 300, "TXT", "two");
	take(c, "TXT:w.a.test.", false);
	ask("w.a.test.", "TXT", 0, 0);
	for (rotation = 0; rotation < 4; rotation++)
		check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 300 TXT \"one\"\nan w.a.test. 300 TXT \"two\"\n");
	kit_cache_free(c);
}

/* n TXT records of 100 characters each, some under an alias. */
static void big_answer(struct cache *c, int n, bool alias)
{
	char txt[128];

	MSG("w.a.test.", "TXT", 0);
	if (alias)
		AN("w.a.test.", 300, "CNAME", "x.a.test.");
	for (int i = 0; i < n; i++) {
		memset(txt, 'x', 100);
		snprintf(txt + 90, 20, "%010d", i);
		AN(alias ? "x.a.test." : "w.a.test.", 300, "TXT", txt);
	}
	take(c, "TXT:w.a.test.", false);
}

static void test_what_does_not_fit_is_cut_whole_and_says_so(void)
{
	struct cache *c = begin();

	for (int alias = 0; alias < 2; alias++) {
		static const struct { unsigned ways; uint16_t size; size_t limit; } clients[] = {
			{ 0, 0, 512 }, { EDNS, 512, 512 }, { EDNS, 100, 512 }, { DO, 800, 800 }, { EDNS, 1232, 1232 }, { EDNS, 4096, 1232 },
			{ EDNS, 65535, 1232 }, { TCP, 0, 65535 }, { TCP | EDNS, 512, 65535 },
		};
		for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
			int last_fit = 0;
			for (int n = 1; n < 20; n++) {
				unsigned ways = clients[i].ways;
				big_answer(c, n, alias);
				ask("w.a.test.", "TXT", ways, clients[i].size);
				check(ways & TCP || answer_udp_limit(&question, &options) == clients[i].limit);
				answered(ways);
				size_t whole = 12 + 14 + (alias ? 12 + 4 : 0) + (size_t)n * (12 + 101) + (ways & (EDNS | DO) ? 11 : 0);
				check_eq_int(tc, whole > clients[i].limit);
				check_eq_int(reply_len, tc ? 26u + (ways & (EDNS | DO) ? 11 : 0) : whole);
				last_fit = tc ? last_fit : n;
			}
			check(last_fit >= 4 && (last_fit == 19) == (clients[i].limit > 3000));
		}
	}
	kit_cache_free(c);
}

static void test_the_limit_is_met_to_the_byte(void)
{
	struct cache *c = begin();

	for (int alias = 0; alias < 2; alias++) {
		big_answer(c, 5, alias);
		ask("w.a.test.", "TXT", EDNS, 1232);
		answered(0);
		size_t whole = reply_len;
		check(!tc);
		limit = whole;
		answered(0);
		check(!tc);
		limit = whole - 1;
		answered(0);
		check(tc);
		limit = 0;
	}
	kit_cache_free(c);
}

static void test_each_limit_is_kept_with_options_in_the_way(void)
{
	struct cache *c = begin();
	char why[128];
	struct entry_meta m = kit_meta(now_s);

	memset(why, 'y', 120);
	why[120] = 0;
	m.ede = EDE_OTHER;
	m.ede_text = why;
	for (int n = 1; n < 5; n++) {
		big_answer(c, n, n & 1);
		check_eq_int(kit_ingest(c, "TXT:w.a.test.", &m), INGEST_OK);
		ask("w.a.test.", "TXT", EDNS | NSID | ECS, 1232);
		for (limit = 512; limit < 900; limit++)
			answered(0);
	}
	limit = 0;
	kit_cache_free(c);
}

/* The longest question, the smallest limit: the echo alone takes half of it. */
static void test_the_longest_name_is_answered_within_512_bytes(void)
{
	struct cache *c = begin();
	char name[300] = "", key[320];
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(now_s);

	for (int i = 0; i < 4; i++) {
		memset(name + strlen(name), 'a' + i, i < 3 ? 63 : 61);
		strcat(name, ".");
	}
	snprintf(key, sizeof key, "A:%s", name);
	m.ede = EDE_OTHER;
	m.ede_text = "a text of more than a hundred characters, which is what an upstream may well have had to say about the matter at hand";
	const uint8_t addresses[40][4] = { { 0 } }, *p[40];
	size_t len[40];
	for (int i = 0; i < 40; i++) {
		p[i] = addresses[i];
		len[i] = 4;
	}
	for (unsigned n = 1; n < 40; n++) {
		check_eq_int(entry_from_rrset(&kit_scratch, kit_key(c, &b, key), 300, n, p, len, &m), 0);
		ask(name, "A", 0, 0);
		answered(0);
		check_eq_int(tc, 12 + 259 + 16 * n > 512);
		ask(name, "A", EDNS | NSID | ECS, 512);
		answered(0);
		answered(STALE);
	}
	kit_cache_free(c);
}

static void test_opt_goes_only_to_those_who_sent_one_and_carries_only_what_is_theirs(void)
{
	struct cache *c = begin();
	struct entry_meta m = kit_meta(now_s);
	const char *an = "NOERROR qr rd ra\nan w.a.test. 300 A 192.0.2.1\n";
	char want[512];

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "A", "192.0.2.1");
	/* The upstream's OPT, with a cookie, NSID, ECS and padding: none of it is ours to give away. */
	craft_end(&kit_craft);
	writer_opt(&kit_craft.w, 4096, 0, true, (const uint8_t *)"\0\12\0\10abcdefgh\0\3\0\2xx\0\10\0\7\0\1\30\30\1\2\3\0\14\0\1\0", 34);
	kit_craft.h.arcount++;
	m.ede = EDE_FORGED;
	m.ede_text = "why";
	check_eq_int(kit_ingest(c, "A:w.a.test.", &m), INGEST_OK);
#define CASE(ways, options_text)                                                                                       \
	do {                                                                                                           \
		ask("w.a.test.", "A", (ways), 1232);                                                                   \
		snprintf(want, sizeof want, "%s%s", an, options_text);                                                 \
		check_eq_str(answered(ways), want);                                                                    \
	} while (0)
	CASE(0, "");
	CASE(TCP, "");
	CASE(EDNS, "opt 1232 rcode 0 15:0004776879\n");
	CASE(NSID, "opt 1232 rcode 0 15:0004776879 3:6e7331\n");
	CASE(COOKIE, "opt 1232 rcode 0 15:0004776879\n");
	CASE(KEEPALIVE, "opt 1232 rcode 0 15:0004776879\n"); /* RFC 7828 §3.2.1: not over UDP */
	CASE(KEEPALIVE | TCP, "opt 1232 rcode 0 15:0004776879 11:004d\n");
	CASE(EDNS | TCP, "opt 1232 rcode 0 15:0004776879\n");
	CASE(ECS, "opt 1232 rcode 0 15:0004776879 8:00011800c00002\n");
	options.nsid = "";
	CASE(NSID, "opt 1232 rcode 0 15:0004776879\n");
	options.nsid = NULL;
	CASE(NSID, "opt 1232 rcode 0 15:0004776879\n");
	options.udp_size = 4096;
	CASE(EDNS, "opt 4096 rcode 0 15:0004776879\n");
#undef CASE
	kit_cache_free(c);
}

/* RFC 7871 §7.2.1: what was given for one subnet says for which; else a cache behind would give it to everyone. */
static void test_an_answer_for_one_subnet_carries_its_scope(void)
{
	struct cache *c = begin();

	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "A", "192.0.2.1");
	take(c, "A:w.a.test.@192.0.0.0/20", false);
	ask("w.a.test.", "A", ECS, 1232);
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 300 A 192.0.2.1\nopt 1232 rcode 0 8:00011814c00002\n");
	ask("w.a.test.", "A", EDNS, 1232);
	check_eq_str(answered(0), "NOERROR qr rd ra\nan w.a.test. 300 A 192.0.2.1\nopt 1232 rcode 0\n");
	kit_cache_free(c);
}

static void test_errors_carry_their_code_reason_and_nothing_else(void)
{
	struct cache *c = begin();
	struct answer_ask a;
	char buf[256], want[256];

	for (unsigned rcode = 0; rcode < 24; rcode++) {
		ask("w.a.test.", "A", EDNS, 1232);
		a = asked(0);
		tc = false;
		reply_len = (size_t)answer_error(reply, &a, rcode, EDE_NO_REACHABLE_AUTHORITY, "no way");
		snprintf(want, sizeof want, "%s qr rd ra\nopt 1232 rcode %u 15:00166e6f20776179\n", rcode_text(rcode & 15, buf, sizeof buf), rcode >> 4);
		check_eq_str(read_reply(), want);
		if (rcode > 15)
			continue;
		ask("w.a.test.", "A", AD | CD, 0);
		a = asked(0);
		reply_len = (size_t)answer_error(reply, &a, rcode, EDE_NO_REACHABLE_AUTHORITY, "no way");
		snprintf(want, sizeof want, "%s qr rd ra cd\n", rcode_text(rcode & 15, buf, sizeof buf));
		check_eq_str(read_reply(), want);
	}
	kit_cache_free(c);
}

static void test_a_remembered_failure_is_answered_with_its_reason(void)
{
	struct cache *c = begin();
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(now_s);

	m.ede = EDE_BOGUS;
	m.ede_text = "expired";
	entry_from_failure(&kit_scratch, kit_key(c, &b, "A:w.a.test."), RCODE_SERVFAIL, 30, &m);
	ask("w.a.test.", "A", DO, 1232);
	check_eq_str(answered(0), "SERVFAIL qr rd ra\nopt 1232 do rcode 0 15:000665787069726564\n");
	kit_cache_free(c);
}

static void test_names_are_compressed_where_rfc_1035_knows_them_and_nowhere_else(void)
{
	struct cache *c = begin();

	MSG("a.test.", "MX", 0);
	for (int i = 0; i < 20; i++) {
		char mx[64];
		snprintf(mx, sizeof mx, "%d mail%02d.exchange.a.test.", i, i);
		AN("a.test.", 300, "MX", mx);
	}
	take(c, "MX:a.test.", false);
	ask("a.test.", "MX", 0, 0);
	answered(TCP);
	/* question 12, then 12 + preference 2 + label 7 + pointer 2 each; the first spells `exchange` out */
	check_eq_int(reply_len, 12 + 12 + 20 * (12 + 2 + 7 + 2) + 9);
	MSG("_s.a.test.", "SRV", 0);
	AN("_s.a.test.", 300, "SRV", "0 0 53 _s.a.test.");
	take(c, "SRV:_s.a.test.", false);
	ask("_s.a.test.", "SRV", 0, 0);
	answered(0);
	check_eq_int(reply_len, 12 + 15 + 12 + 6 + 11);
	kit_cache_free(c);
}

/* What was answered to DO=1 without a limit is the whole entry: taken in again, it is the same. */
static void test_a_whole_answer_taken_in_again_makes_the_same_entry(void)
{
	struct cache *c = begin();

	for (int kind = 0; kind < 4; kind++) {
		const char *key = "";
		char *first;
		struct cache_key_buf b;
		struct entry_meta m = kit_meta(now_s);
		switch (kind) {
		case 0:
			big_answer(c, 300, true);
			key = "TXT:w.a.test.";
			break;
		case 1:
			MSG("no.a.test.", "A", 3);
			NS("a.test.", 900, "SOA", SOA_RDATA);
			NS("a.test.", 900, "RRSIG", SIG("SOA", "2"));
			NS("v.a.test.", 300, "NSEC", "x.a.test. A RRSIG NSEC");
			take(c, key = "A:no.a.test.", false);
			break;
		case 2:
			MSG("h.old.test.", "NS", 0);
			AN("old.test.", 200, "DNAME", "new.test.");
			AN("h.old.test.", 200, "CNAME", "h.new.test.");
			AN("h.new.test.", 300, "NS", "ns1.h.new.test.");
			AN("h.new.test.", 300, "NS", "ns2.h.new.test.");
			take(c, key = "NS:h.old.test.", false);
			break;
		case 3:
			MSG("w.a.test.", "A", 0);
			AN("w.a.test.", 300, "A", "192.0.2.1");
			AN("w.a.test.", 300, "RRSIG", SIG("A", "3"));
			take(c, key = "A:w.a.test.", false);
			break;
		}
		first = strdup(kit_dump(c, entry_in_scratch(&kit_scratch)));
		kit_key(c, &b, key);
		char name[256], type[16];
		check(name_to_text(b.key.name, b.key.name_len, name, sizeof name) > 0);
		ask(name, rrtype_text(b.key.type, type, sizeof type), DO, 1232);
		answered(TCP);
		check_eq_int(entry_from_message(&kit_scratch, &b.key, reply, reply_len, &m), INGEST_OK);
		check_scratch(c, first);
		free(first);
	}
	kit_cache_free(c);
}
