/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/wire.h"
#include "wire_help.h"

static struct bytes m;
static struct question q;
static unsigned rcode;
static uint8_t *copy; /* of the message's exact size, so that a sanitizer sees a read past it; what q points into */

static enum question_verdict parse(void)
{
	free(copy);
	copy = malloc(m.len + !m.len);
	memcpy(copy, m.b, m.len);
	rcode = 99;
	memset(&q, 0xaa, sizeof q); /* nothing may be relied upon to be zero */
	return question_parse(copy, m.len, &q, &rcode);
}

/* Parses; the verdict must be REPLY; its rcode. */
static unsigned refused(void)
{
	check_eq_int(parse(), QUESTION_REPLY);
	return rcode;
}

static void a_query(const char *name, unsigned qtype, unsigned arcount)
{
	put_header(&m, FLAG_RD, 1, 0, 0, arcount);
	put_question(&m, name, qtype);
}

static unsigned with_options(const void *opts, size_t n)
{
	a_query("example.com.", RRTYPE_A, 1);
	put_opt(&m, 1232, 0, opts, n);
	return parse() == QUESTION_OK ? RCODE_NOERROR : rcode;
}

static void test_a_plain_query_is_whole(void)
{
	a_query("WwW.Example.COM.", RRTYPE_AAAA, 0);
	check_eq_int(parse(), QUESTION_OK);
	check_eq_int(q.id, 0x1234);
	check_eq_int(q.flags, FLAG_RD);
	check_eq_int(q.qtype, RRTYPE_AAAA);
	check_eq_int(q.qclass, CLASS_IN);
	check_eq_mem(q.name, q.name_len, "\3www\7example\3com\0", 17);
	check_eq_mem(q.wire, q.wire_len, "\3WwW\7Example\3COM\0\0\x1c\0\1", 21);
	check(!q.edns.present && q.edns.ecs == NULL && q.edns.ede == EDE_NONE);
}

static void test_names_of_one_and_of_255_bytes_are_questions(void)
{
	char s[254];

	a_query(".", RRTYPE_NS, 0);
	check_eq_int(parse(), QUESTION_OK);
	check_eq_int(q.name_len, 1);
	memset(s, 'X', sizeof s);
	s[63] = s[127] = s[191] = '.';
	s[253] = '\0';
	a_query(s, RRTYPE_A, 0);
	check_eq_int(parse(), QUESTION_OK);
	check_eq_int(q.name_len, 255);
	check_eq_int(q.wire_len, 259);
}

static void test_what_is_no_query_is_dropped(void)
{
	for (size_t len = 0; len < DNS_HEADER_LEN; len++) {
		memset(&m, 0, sizeof m);
		m.len = len;
		check_eq_int(parse(), QUESTION_DROP);
	}
	a_query("example.", RRTYPE_A, 0);
	m.b[2] |= 0x80;
	check_eq_int(parse(), QUESTION_DROP);
}

static void test_other_opcodes_are_not_implemented_and_the_question_is_echoed(void)
{
	for (unsigned opcode = 1; opcode < 16; opcode++) {
		a_query("example.", RRTYPE_SOA, 0);
		m.b[2] = (uint8_t)(opcode << 3);
		check_eq_int(refused(), RCODE_NOTIMP);
		check_eq_int(q.wire_len, 13);
	}
	/* also when the rest is broken: an UPDATE's sections are not ours to judge */
	a_query("example.", RRTYPE_SOA, 7);
	m.b[2] = OPCODE_UPDATE << 3;
	check_eq_int(refused(), RCODE_NOTIMP);
}

static void test_a_count_of_questions_other_than_one_is_a_format_error(void)
{
	put_header(&m, 0, 0, 0, 0, 0);
	check_eq_int(refused(), RCODE_FORMERR);
	check_eq_int(q.wire_len, 0);
	put_header(&m, 0, 2, 0, 0, 0);
	put_question(&m, "a.example.", RRTYPE_A);
	put_question(&m, "b.example.", RRTYPE_A);
	check_eq_int(refused(), RCODE_FORMERR);
	check_eq_int(q.wire_len, 0);
	put_header(&m, 0, 65535, 65535, 65535, 65535);
	put_question(&m, "a.example.", RRTYPE_A);
	check_eq_int(refused(), RCODE_FORMERR);
}

static void test_every_cut_of_a_query_is_a_format_error(void)
{
	a_query("www.example.", RRTYPE_A, 1);
	put_opt(&m, 1232, 0, "\0\x0a\0\x08" "12345678", 12);
	check_eq_int(parse(), QUESTION_OK);
	for (size_t whole = m.len; m.len > DNS_HEADER_LEN;) {
		m.len--;
		check(m.len < whole);
		check_eq_int(refused(), RCODE_FORMERR);
	}
}

static void test_trailing_bytes_are_a_format_error_and_the_question_is_echoed(void)
{
	a_query("www.example.", RRTYPE_A, 0);
	put(&m, "", 1);
	check_eq_int(refused(), RCODE_FORMERR);
	check_eq_int(q.wire_len, 17);
}

static void test_a_compressed_question_is_a_format_error(void)
{
	put_header(&m, 0, 1, 0, 0, 0);
	put(&m, "\3www\xc0\x0c", 6);
	put32(&m, 0x00010001);
	check_eq_int(refused(), RCODE_FORMERR);
	check_eq_int(q.wire_len, 0);
}

static void test_zone_transfers_are_refused(void)
{
	a_query("example.", RRTYPE_AXFR, 0);
	check_eq_int(refused(), RCODE_REFUSED);
	a_query("example.", RRTYPE_IXFR, 0);
	check_eq_int(refused(), RCODE_REFUSED);
	/* IXFR comes with a SOA in the authority section (RFC 1995 §3): still well-formed */
	put_header(&m, 0, 1, 0, 1, 0);
	put_question(&m, "example.", RRTYPE_IXFR);
	put(&m, "\xc0\x0c", 2);
	put_rr(&m, RRTYPE_SOA, 0, "\0\0aaaabbbbccccddddeeee", 22);
	check_eq_int(refused(), RCODE_REFUSED);
}

static void test_records_in_a_query_are_stepped_over(void)
{
	put_header(&m, 0, 1, 1, 1, 2);
	put_question(&m, "example.", RRTYPE_A);
	put(&m, "\xc0\x0c", 2);
	put_rr(&m, RRTYPE_A, 1, "1234", 4);
	put(&m, "\1x\xc0\x0c", 4);
	put_rr(&m, 65280, 1, "", 0);
	put_opt(&m, 4096, 0x8000, "", 0);
	put(&m, "\3key", 5); /* TSIG behind the OPT (RFC 8945 §5.1: last) */
	put_rr(&m, RRTYPE_TSIG, 0, "whatever it says", 16);
	check_eq_int(parse(), QUESTION_OK);
	check(q.edns.present && q.edns.do_bit);
}

static void test_rdata_past_the_end_is_a_format_error(void)
{
	put_header(&m, 0, 1, 0, 0, 1);
	put_question(&m, "example.", RRTYPE_A);
	put(&m, "", 1);
	put_rr(&m, RRTYPE_TXT, 0, "1234", 4);
	m.b[m.len - 5]++;
	check_eq_int(refused(), RCODE_FORMERR);
}

static void test_edns_fields_come_as_sent(void)
{
	a_query("example.", RRTYPE_A, 1);
	put_opt(&m, 4096, 0x00008000, "\0\x03\0\0\0\x0b\0\0\0\x0c\0\2\0\0\xff\xfe\0\1x", 19);
	check_eq_int(parse(), QUESTION_OK);
	check(q.edns.present && q.edns.do_bit && q.edns.nsid && q.edns.keepalive && q.edns.padding);
	check_eq_int(q.edns.udp_size, 4096);
	check_eq_int(q.edns.opts_len, 19);
}

static void test_a_udp_size_under_512_counts_as_512(void)
{
	a_query("example.", RRTYPE_A, 1);
	put_opt(&m, 100, 0, "", 0);
	check_eq_int(parse(), QUESTION_OK);
	check_eq_int(q.edns.udp_size, 512); /* RFC 6891 §6.2.3 */
	check(!q.edns.do_bit);
}

static void test_an_unknown_edns_version_outweighs_every_other_fault(void)
{
	a_query("example.", RRTYPE_AXFR, 1);
	put_opt(&m, 1232, 0x00010000, "\0\x08\xff", 3); /* options of a form not known */
	check_eq_int(refused(), RCODE_BADVERS);
	check_eq_int(q.edns.version, 1);
	check_eq_int(q.wire_len, 13);
	put(&m, "trailing", 8);
	check_eq_int(refused(), RCODE_BADVERS);
	m.b[2] = OPCODE_NOTIFY << 3;
	check_eq_int(refused(), RCODE_BADVERS);
	put_header(&m, 0, 0, 0, 0, 1);
	put_opt(&m, 1232, 0x00ff0000, "", 0);
	check_eq_int(refused(), RCODE_BADVERS);
}

static void test_two_opts_are_a_format_error(void)
{
	a_query("example.", RRTYPE_A, 2);
	put_opt(&m, 1232, 0, "", 0);
	put_opt(&m, 1232, 0, "", 0);
	check_eq_int(refused(), RCODE_FORMERR);
	check(q.edns.present); /* so that the reply has its OPT */
}

static void test_an_opt_with_an_owner_or_in_another_section_is_a_format_error(void)
{
	a_query("example.", RRTYPE_A, 1);
	put(&m, "\1x", 2);
	put_opt(&m, 1232, 0, "", 0);
	check_eq_int(refused(), RCODE_FORMERR);
	for (int section = 0; section < 2; section++) {
		put_header(&m, 0, 1, section == 0, section == 1, 0);
		put_question(&m, "example.", RRTYPE_A);
		put_opt(&m, 1232, 0, "", 0);
		check_eq_int(refused(), RCODE_FORMERR);
	}
}

static void test_a_broken_option_list_is_a_format_error_and_leaves_nothing_behind(void)
{
	check_eq_int(with_options("\0", 1), RCODE_FORMERR);
	check_eq_int(with_options("\0\x03\0", 3), RCODE_FORMERR);
	check_eq_int(with_options("\0\x03\0\1", 4), RCODE_FORMERR);
	check_eq_int(with_options("\0\x0a\0\x08" "12345678\0\x03\0\1", 16), RCODE_FORMERR);
	check(q.edns.present && q.edns.cookie == NULL && q.edns.opts == NULL && q.edns.opts_len == 0);
}

static void test_a_client_subnet_is_taken_as_it_is(void)
{
	check_eq_int(with_options("\0\x08\0\x07\0\1\x18\0\xc0\0\2", 11), RCODE_NOERROR);
	check_eq_mem(q.edns.ecs, q.edns.ecs_len, "\0\1\x18\0\xc0\0\2", 7);
	check_eq_int(with_options("\0\x08\0\x0b\0\2\x38\0\x20\1\r\xb8\0\0\0", 15), RCODE_NOERROR);
	check_eq_int(with_options("\0\x08\0\4\0\1\0\0", 8), RCODE_NOERROR); /* source 0: no tailoring wanted */
	check_eq_int(with_options("\0\x08\0\4\0\0\0\0", 8), RCODE_NOERROR); /* as dig +subnet=0 sends it */
	check_eq_int(with_options("\0\x08\0\x05\0\1\x07\0\xfe", 9), RCODE_NOERROR);
}

static void test_a_malformed_client_subnet_is_a_format_error(void)
{
	check_eq_int(with_options("\0\x08\0\3\0\1\0", 7), RCODE_FORMERR);                  /* no whole header */
	check_eq_int(with_options("\0\x08\0\x06\0\1\x18\0\xc0\0", 10), RCODE_FORMERR);      /* address too short */
	check_eq_int(with_options("\0\x08\0\x08\0\1\x18\0\xc0\0\2\1", 12), RCODE_FORMERR);  /* too long */
	check_eq_int(with_options("\0\x08\0\x07\0\1\x17\0\xc0\0\3", 11), RCODE_FORMERR);    /* a bit behind the prefix */
	check_eq_int(with_options("\0\x08\0\x07\0\1\x18\1\xc0\0\2", 11), RCODE_FORMERR);    /* a scope in a query */
	check_eq_int(with_options("\0\x08\0\x09\0\1\x21\0\xc0\0\2\1\0", 13), RCODE_FORMERR); /* over 32 */
	check_eq_int(with_options("\0\x08\0\x07\0\3\x18\0\xc0\0\2", 11), RCODE_FORMERR);    /* unknown family */
	check_eq_int(with_options("\0\x08\0\x05\0\0\1\0\x80", 9), RCODE_FORMERR);           /* family 0 with bits */
}

static void test_cookies_have_8_or_16_to_40_bytes(void)
{
	for (unsigned len = 0; len <= 60; len++) {
		uint8_t opts[64] = {0, EDNS_COOKIE, 0, (uint8_t)len};
		int good = len == 8 || (len >= 16 && len <= 40); /* RFC 7873 §5.2.2 */

		check_eq_int(with_options(opts, 4 + len), good ? RCODE_NOERROR : RCODE_FORMERR);
		if (good)
			check_eq_int(q.edns.cookie_len, len);
	}
}

static void test_the_first_of_a_repeated_option_counts(void)
{
	check_eq_int(with_options("\0\x0a\0\x08" "aaaaaaaa\0\x0a\0\x08" "bbbbbbbb", 24), RCODE_NOERROR);
	check_mem(q.edns.cookie, "aaaaaaaa", 8);
}

static void test_random_damage_never_passes_the_end_and_what_passes_is_sound(void)
{
	int ok = 0;

	for (int round = 0; round < 100000; round++) {
		a_query("www.example.com.", RRTYPE_A, 1);
		put_opt(&m, 1232, 0x8000, "\0\x08\0\x07\0\1\x18\0\xc0\0\2\0\x0a\0\x08" "12345678", 23);
		for (unsigned n = (unsigned)unit_below(4); n > 0; n--)
			m.b[2 + unit_below(m.len - 2)] = (uint8_t)(unit_below(2) ? unit_below(16) : unit_random());
		if (unit_below(4) == 0)
			m.len = unit_below(m.len);
		if (parse() != QUESTION_OK)
			continue;
		ok++;
		check_eq_int(name_len(q.name, q.name + q.name_len), q.name_len);
		check_eq_int(q.wire_len, q.name_len + 4);
		check(name_equal(q.wire, q.name_len, q.name, q.name_len));
		check(!q.edns.present || q.edns.udp_size >= 512);
	}
	check(ok > 10000);
}
