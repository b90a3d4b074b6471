/* SPDX-License-Identifier: BSD-3-Clause */
#include <ldns/ldns.h>

#include "unit.h"
#include "wire/plain.h"
#include "wire/rrtype.h"
#include "wire/wire.h"
#include "wire_help.h"

static uint8_t rdata[70000];
static char text[400000];
static const char *why;

static int parse(const char *type, const char *s)
{
	return rdata_from_text((uint16_t)rrtype_from_text(type, strlen(type)), s, strlen(s), rdata, sizeof rdata, &why);
}

static const char *print(const char *type, int len)
{
	int n = rdata_to_text((uint16_t)rrtype_from_text(type, strlen(type)), rdata, (size_t)len, text, sizeof text);

	check_eq_int(n, strlen(text));
	return text;
}

/* Text → rdata → text. */
static const char *again(const char *type, const char *s)
{
	int n = parse(type, s);

	if (n < 0)
		printf("%s %s: %s\n", type, s, why);
	check(n >= 0);
	return print(type, n);
}

static void refused(const char *type, const char *s)
{
	why = NULL;
	int n = parse(type, s);
	if (n >= 0)
		printf("taken: %s %s\n", type, s);
	check_eq_int(n, ERR_BAD);
	check(why != NULL && *why != '\0'); /* it says what is wrong */
}

static void test_every_known_text_form_reads_back_as_it_was(void)
{
	static const char *const same[][2] = {
		{"A", "192.0.2.1"}, {"AAAA", "2001:db8::1"}, {"NS", "ns1.example."}, {"CNAME", "."}, {"PTR", "a\\.b.example."},
		{"SOA", "ns.example. host\\.master.example. 2024010101 7200 3600 1209600 4294967295"},
		{"MX", "10 mail.example."}, {"TXT", "\"v=spf1 -all\" \"two\" \"\""}, {"TXT", "\"q\\\" b\\\\ \\000\\255;()\""},
		{"HINFO", "\"cpu\" \"os\""}, {"MINFO", "a. b."}, {"RP", "a.example. b.example."}, {"AFSDB", "1 a.example."},
		{"SRV", "0 5 443 www.example."}, {"NAPTR", "100 50 \"s\" \"http+E2U\" \"!^.*$!x!\" _h._tcp.example."},
		{"KX", "1 a."}, {"PX", "10 a. b."}, {"GPOS", "\"-32.6882\" \"116.8652\" \"10.0\""}, {"DNAME", "other.test."},
		{"X25", "\"311061700956\""}, {"ISDN", "\"150862028003217\" \"004\""}, {"NSAP-PTR", "foo.bar."}, {"LP", "10 l."},
		{"SPF", "\"x\""}, {"AVC", "\"x\""}, {"URI", "10 1 \"ftp://ftp.example/a b\""},
		{"CAA", "0 issue \"ca.example; policy=\\\"ev\\\"\""}, {"CAA", "128 iodef \"\""},
		{"DS", "60485 5 1 2bb183af5f22588179a53b0a98631fad1a292118"}, {"CDS", "0 0 0 00"},
		{"DNSKEY", "257 3 8 AwEAAaz/"}, {"CDNSKEY", "0 3 0 AA=="}, {"KEY", "256 3 8 AwEAAaz/"},
		{"RRSIG", "A 8 2 300 20300101000000 20200101000000 123 example. AAAA"}, {"NSEC", "b.example. A MX RRSIG TYPE1234"},
		{"NSEC", "b.example."}, {"NSEC", "\\# 7 01400000010140"},
		{"NSEC3", "1 0 10 aabb 2t7b4g4vsa5smi47k61mv5bv1a22bojr A RRSIG"}, {"NSEC3PARAM", "1 0 0 -"},
		{"NSEC3PARAM", "1 0 10 aabb"}, {"SSHFP", "4 2 aabb"}, {"TLSA", "3 1 1 0102"}, {"SMIMEA", "3 1 1 aa"},
		{"OPENPGPKEY", "AQNR"}, {"DHCID", "AAIB"}, {"CERT", "3 0 0 AAAA"}, {"SIG", "A 8 2 300 20300101000000 20200101000000 123 example. AAAA"}, {"CSYNC", "66 3 A NS AAAA"},
		{"ZONEMD", "2018031500 1 1 abcd"}, {"EUI48", "00-00-5e-00-53-2a"}, {"EUI64", "00-00-5e-ef-10-00-00-2a"},
		{"NID", "10 0014:4fff:ff20:ee64"}, {"L32", "10 10.1.2.0"}, {"L64", "10 2001:0db8:1140:1000"},
		{"IPSECKEY", "\\# 10 0a0102c0000226010351"}, {"TYPE260", "\\# 1 00"}, {"NSAP", "0x47000580"},
		{"SVCB", "1 foo.example. mandatory=port port=53 key667=hello"}, {"HTTPS", "0 svc.example."},
		{"HTTPS", "1 . alpn=h2,h3 ipv4hint=192.0.2.1,192.0.2.2 ech=AEX+DQBB ipv6hint=2001:db8::1"},
		{"HTTPS", "16 foo.example. alpn=h2 no-default-alpn"}, {"TYPE65280", "\\# 4 deadbeef"}, {"TYPE65280", "\\# 0"},
		{"WKS", "\\# 6 0a0000010619"}, {"NULL", "\\# 1 00"}, {"NXT", "\\# 5 0162000040"},
	};

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		check_eq_str(again(same[i][0], same[i][1]), same[i][1]);
}

static void test_other_spellings_come_out_in_the_one_form(void)
{
	check_eq_str(again("AAAA", "2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
	check_eq_str(again("MX", "  10\tmail.example  "), "10 mail.example.");
	check_eq_str(again("TXT", "plain words \\034"), "\"plain\" \"words\" \"\\\"\"");
	check_eq_str(again("TXT", "\"a\"\"b\""), "\"a\" \"b\"");
	check_eq_str(again("TXT", "a;b"), "\"a\""); /* a comment begins */
	check_eq_str(again("SOA", "ns. h. ( 1 ; serial\n 2\n 3 4 5 )"), "ns. h. 1 2 3 4 5");
	check_eq_str(again("SVCB", "1 foo. port=53 mandatory=port"), "1 foo. mandatory=port port=53");
	check_eq_str(again("HTTPS", "1 h3pool alpn=\"h2,h3\""), "1 h3pool. alpn=h2,h3");
	check_eq_str(again("DS", "1 RSASHA256 2 AA BB"), "1 8 2 aabb");
	check_eq_str(again("CERT", "pgp 0 ED25519 AA AA"), "3 0 15 AAAA");
	check_eq_str(again("RRSIG", "A 8 2 300 4294967295 0 123 example. AAAA"),
		     "A 8 2 300 21060207062815 19700101000000 123 example. AAAA");
	check_eq_str(again("A", "\\# 4 C0000201"), "192.0.2.1");
	check_eq_str(again("TXT", "\\# 3 02 61 62"), "\"ab\"");
	check_eq_str(again("RRSIG", "TYPE1 8 2 300 20300101000000 20200101000000 123 example. AAAA"),
		     "A 8 2 300 20300101000000 20200101000000 123 example. AAAA");
}

static void test_what_is_wrong_is_refused_with_a_reason(void)
{
	static const char *const bad[][2] = {
		{"A", ""}, {"A", "1.2.3"}, {"A", "1.2.3.4 x"}, {"A", "\"1.2.3.4\""}, {"A", "1.2.3.256"}, {"A", "::1"}, {"AAAA", "1.2.3.4"},
		{"AAAA", "::1 ::2"}, {"AAAA", "2001:db8::1::2"}, {"MX", "mail."}, {"MX", "10"}, {"MX", "65536 a."}, {"MX", "-1 a."},
		{"MX", "10 a. b."}, {"MX", "10 a..b."}, {"MX", "10 \"a.\""}, {"CNAME", ""}, {"CNAME", "a b"},
		{"SOA", "ns. h. 1 2 3 4"}, {"SOA", "ns. h. 1 2 3 4 5 6"}, {"SOA", "ns. h. 1 2 3 4 4294967296"},
		{"SOA", "ns. h. ( 1 2 3 4 5"}, {"SOA", "ns. h. 1 2 3 4 5 )"}, {"SOA", "ns. h. 1 2\n3 4 5"},
		{"TXT", ""}, {"TXT", "\"open"}, {"TXT", "a\\"}, {"TXT", "\\300"}, {"TXT", "\\# 3 0561 62"}, {"TXT", "; only a comment"},
		{"HINFO", "\"a\""}, {"CAA", "0 issue"}, {"CAA", "0 is-sue \"x\""}, {"CAA", "256 issue \"x\""}, {"CAA", "0 issue \"x\" y"},
		{"DS", "1 8 2"}, {"DS", "1 8 2 aabz"}, {"DS", "1 8 2 aab"}, {"DNSKEY", "257 3 8 !!!"}, {"DNSKEY", "257 3 8 AAA"}, {"DNSKEY", "257 3 8 AA=A"}, {"DNSKEY", "257 3 8 A==="},
		{"DNSKEY", "257 3 8 AB=="}, {"DNSKEY", "257 3 8 AA== AA=="}, {"DNSKEY", "257 3 8 \"AAAA\""}, {"DNSKEY", "257 3 SHA AAAA"},
		{"RRSIG", "A 8 2 300 20300230000000 20200101000000 123 example. AAAA"},
		{"RRSIG", "A 8 2 300 21070101000000 20200101000000 123 example. AAAA"}, {"DNSKEY", "257 3"},
		{"NSEC", "b. A NOSUCHTYPE"}, {"NSEC", "@ A"}, {"NSEC", "\\@.x. A"}, {"NSEC3", "1 0 10 - abcd"}, {"TLSA", "3 1"},
		{"RRSIG", "NOPE 8 2 300 20300101000000 20200101000000 123 example. AAAA"},
		{"HTTPS", "1 . alpn=h2 garbage garbage=1"}, {"HTTPS", "1"}, {"HTTPS", ". alpn=h2"}, {"EUI48", "00-00"}, {"LOC", "x"},
		{"TYPE65280", "foo"}, {"TYPE65280", "\\# 2 ab"}, {"TYPE65280", "\\# 1 abcd"}, {"TYPE65280", "\\# 1 a"},
		{"TYPE65280", "\\#"}, {"TYPE65280", "\\# x"}, {"TYPE65280", "\\# 1 zz"}, {"TYPE65280", "\\# 65536 00"},
		{"TYPE65280", "\\# 1 \"ab\""}, {"A", "\\# 3 010203"}, {"WKS", "10.0.0.1 6 25"}, {"NULL", "x"}, {"OPT", "x"},
		{"ANY", "\\# 0"}, {"TSIG", "x"}, {"AXFR", ""}, {"DS", "1 8 2 aabb\n. 0 IN A 1.2.3.4"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(bad[i][0], bad[i][1]);
}

static void test_a_nul_in_the_text_is_refused(void)
{
	check_eq_int(rdata_from_text(RRTYPE_DS, "1 8 2 aabb\0", 11, rdata, sizeof rdata, &why), ERR_BAD);
	check_eq_int(rdata_from_text(RRTYPE_A, "1.2.3.4\0", 8, rdata, sizeof rdata, &why), ERR_BAD);
}

static void test_a_string_has_at_most_255_bytes_and_a_txt_64_kbytes(void)
{
	static char s[300000];
	size_t n = 0;

	memset(s, 'x', 256);
	check_eq_int(rdata_from_text(RRTYPE_TXT, s, 255, rdata, sizeof rdata, &why), 256);
	check_eq_int(rdata_from_text(RRTYPE_TXT, s, 256, rdata, sizeof rdata, &why), ERR_BAD);
	for (int i = 0; i < 255; i++) { /* 255 strings of 255: 65280 bytes, and the longest text: every byte a decimal */
		for (int k = 0; k < 255; k++, n += 4)
			memcpy(s + n, "\\001", 4);
		s[n++] = ' ';
	}
	check_eq_int(rdata_from_text(RRTYPE_TXT, s, n, rdata, sizeof rdata, &why), 65280);
	check_eq_int(rdata_to_text(RRTYPE_TXT, rdata, 65280, text, sizeof text), 255 * (255 * 4 + 3) - 1);
	check_eq_int(rdata_from_text(RRTYPE_TXT, s, n, rdata, 65279, &why), ERR_SPACE);
}

static void test_rdata_that_its_type_does_not_allow_comes_out_in_the_generic_form(void)
{
	memcpy(rdata, "\1\2\3", 3);
	check_eq_str(print("A", 3), "\\# 3 010203");
	check_eq_str(print("MX", 3), "\\# 3 010203");
	check_eq_str(print("CNAME", 0), "\\# 0");
	check_eq_str(print("NSEC", 3), "\\# 3 010203");
	memcpy(rdata, "\0\1\0\0\1\0\x09", 7); /* SVCB: a parameter longer than the rdata */
	check_eq_str(print("SVCB", 7), "\\# 7 00010000010009");
	memcpy(rdata, "\0\3a-b1", 6); /* CAA: a tag that text cannot carry */
	check_eq_str(print("CAA", 6), "\\# 6 0003612d6231");
	memcpy(rdata, "\0\0\0\0\6\x19", 6);
	check_eq_str(print("WKS", 6), "\\# 6 000000000619");
}

static void test_a_record_is_a_line_of_a_zone_file(void)
{
	struct name owner = name_of("wWw.ex\\@mple.");
	int n = rr_to_text(owner.b, owner.len, 300, CLASS_IN, RRTYPE_A, (const uint8_t *)"\300\0\2\1", 4, text, sizeof text);

	check_eq_int(n, strlen(text));
	check_eq_str(text, "wWw.ex\\@mple. 300 IN A 192.0.2.1");
	rr_to_text(owner.b, owner.len, 4294967295u, 7, 65280, (const uint8_t *)"\1", 1, text, sizeof text);
	check_eq_str(text, "wWw.ex\\@mple. 4294967295 CLASS7 TYPE65280 \\# 1 01");
}

static void test_a_buffer_that_is_too_small_is_said_and_never_overrun(void)
{
	static const char *const some[][2] = {
		{"A", "192.0.2.1"}, {"AAAA", "2001:db8::1"}, {"SOA", "ns.example. h. 1 2 3 4 5"}, {"TXT", "\"a\\000b\" \"c\""},
		{"CAA", "0 issue \"x\""}, {"DS", "1 8 2 aabb"}, {"HTTPS", "1 . alpn=h2"}, {"TYPE65280", "\\# 2 abcd"}, {"TYPE65280", "\\# 0"},
	};
	struct name owner = name_of("a.");

	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		uint16_t type = (uint16_t)rrtype_from_text(some[i][0], strlen(some[i][0]));
		int len = parse(some[i][0], some[i][1]);
		int whole = rr_to_text(owner.b, owner.len, 1, CLASS_IN, type, rdata, (size_t)len, text, sizeof text);

		check(whole > 0);
		for (size_t cap = 0; cap <= (size_t)whole; cap++) {
			char *buf = malloc(cap + !cap);

			check_eq_int(rr_to_text(owner.b, owner.len, 1, CLASS_IN, type, rdata, (size_t)len, buf, cap), ERR_SPACE);
			free(buf);
		}
		for (size_t cap = 0; cap < (size_t)len; cap++) {
			uint8_t *buf = malloc(cap + !cap);

			check_eq_int(rdata_from_text(type, some[i][1], strlen(some[i][1]), buf, cap, &why), ERR_SPACE);
			free(buf);
		}
	}
}

/* Rdata of the type's shape, random inside; its length. */
static size_t random_rdata(uint16_t type)
{
	size_t at = 0;

	for (const char *s = rrtype_shape(type); *s; s++) {
		size_t n = unit_below(30) + (*s == '+');

		if (strchr("nNU", *s)) {
			struct name name = name_random(4, NULL, unit_below(2) == 0);

			memcpy(rdata + at, name.b, name.len);
			at += name.len;
			continue;
		}
		for (unsigned k = *s == 'S' ? 1 + (unsigned)unit_below(3) : *s == 's'; k > 0; k--) {
			rdata[at++] = (uint8_t)n;
			if (k > 1) {
				memset(rdata + at, 'y', n);
				at += n;
			}
		}
		if (*s >= '1' && *s <= '9')
			n = (size_t)(*s - '0');
		for (size_t i = 0; i < n; i++)
			rdata[at++] = (uint8_t)(unit_below(3) ? 'a' + unit_below(26) : unit_random());
	}
	return at;
}

static void test_random_rdata_of_every_type_survives_text_and_back(void)
{
	static uint8_t back[70000];

	for (int round = 0; round < 40000; round++) {
		uint16_t type = (uint16_t)(1 + unit_below(270));
		size_t len = random_rdata(type);
		char mnemonic[16];

		if (rrtype_is_meta(type))
			continue;
		int n = rdata_to_text(type, rdata, len, text, sizeof text);
		check(n > 0);
		check_eq_int(n, strlen(text));
		check(strpbrk(text, "\n\r") == NULL);
		int k = rdata_from_text(type, text, (size_t)n, back, sizeof back, &why);
		if (k != (int)len || memcmp(back, rdata, len) != 0) {
			printf("%s %s: %d %s\n", rrtype_text(type, mnemonic, sizeof mnemonic), text, k, k < 0 ? why : "");
			for (size_t i = 0; i < len; i++)
				printf("%02x", rdata[i]);
			puts("");
		}
		check_eq_mem(back, (size_t)(k < 0 ? 0 : k), rdata, len);
	}
}

static void test_ldns_reads_our_text_of_everyday_types_as_the_same_bytes(void)
{
	for (int round = 0; round < 20000; round++) {
		uint16_t type = (uint16_t)(1 + unit_below(260));

		if (!plain_type(type) || type == RRTYPE_NSAP_PTR || type == RRTYPE_AVC) /* which ldns does not know */
			continue;
		struct name owner = {.b = "\1o\0", .len = 3};
		size_t len = random_rdata(type);
		int n = rr_to_text(owner.b, owner.len, 7, CLASS_IN, type, rdata, len, text, sizeof text);
		check(n > 0);
		if (strstr(text, " \\@.") != NULL || strstr(text, "\\#") != NULL || type == RRTYPE_ISDN)
			continue; /* ldns takes a first label "@" for the origin; and two strings at most in an ISDN */
		ldns_rr *rr = NULL;
		uint8_t *wire = NULL;
		size_t wire_len = 0;
		ldns_status status = ldns_rr_new_frm_str(&rr, text, 0, NULL, NULL);
		if (status == LDNS_STATUS_SYNTAX_MISSING_VALUE_ERR && strpbrk(plain_shape(type), "BX") != NULL)
			continue; /* an empty key or association, which the RFCs leave to the algorithm and ldns has no text for */
		if (status != LDNS_STATUS_OK)
			printf("%s: %s\n", text, ldns_get_errorstr_by_id(status));
		check_eq_int(status, LDNS_STATUS_OK);
		check_eq_int(ldns_rr2wire(&wire, rr, LDNS_SECTION_ANSWER, &wire_len), LDNS_STATUS_OK);
		check_eq_mem(wire + 13, wire_len - 13, rdata, len);
		free(wire);
		ldns_rr_free(rr);
	}
}
