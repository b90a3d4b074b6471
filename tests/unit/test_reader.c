/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/wire.h"
#include "wire_help.h"

static struct bytes m;
static struct msg_reader r;
static struct wire_rr rr;

/* A CNAME in the answer, a SOA in the authority, an A and an OPT in the additional section. */
static void an_answer(void)
{
	put_header(&m, FLAG_QR, 1, 1, 1, 2);
	put_question(&m, "www.example.", RRTYPE_A);
	put(&m, "\xc0\x0c", 2);
	put_rr(&m, RRTYPE_CNAME, 300, "\1x\xc0\x10", 4);
	put(&m, "\xc0\x10", 2);
	put_rr(&m, RRTYPE_SOA, 0x80000000u, "\0\0aaaabbbbccccddddeeee", 22);
	put(&m, "\3ns1\xc0\x10", 6);
	put_rr(&m, RRTYPE_A, 0x7fffffffu, "\1\2\3\4", 4);
	put_opt(&m, 1232, 0x01008000u, "\0\x0f\0\x06\0\x16oops", 10);
}

static void test_records_come_in_order_with_their_sections(void)
{
	static const enum section sections[] = {SECTION_ANSWER, SECTION_AUTHORITY, SECTION_ADDITIONAL, SECTION_ADDITIONAL};
	static const uint16_t types[] = {RRTYPE_CNAME, RRTYPE_SOA, RRTYPE_A, RRTYPE_OPT};

	an_answer();
	check_eq_int(msg_begin(&r, m.b, m.len), 0);
	for (int i = 0; i < 4; i++) {
		check_eq_int(msg_next(&r, &rr), 1);
		check_eq_int(rr.section, sections[i]);
		check_eq_int(rr.type, types[i]);
	}
	check_eq_int(msg_next(&r, &rr), 0);
	check_eq_int(msg_end(&r), 0);
}

static void test_a_ttl_with_the_top_bit_is_zero(void)
{
	an_answer();
	msg_begin(&r, m.b, m.len);
	check_eq_int(msg_next(&r, &rr), 1);
	check_eq_int(rr.ttl, 300);
	check_eq_int(msg_next(&r, &rr), 1);
	check_eq_int(rr.ttl, 0); /* RFC 2181 §8 */
	check_eq_int(msg_next(&r, &rr), 1);
	check_eq_int(rr.ttl, 0x7fffffff);
}

static void test_owners_are_found_by_their_offset(void)
{
	uint8_t out[NAME_MAX_LEN];
	size_t next;

	an_answer();
	msg_begin(&r, m.b, m.len);
	msg_next(&r, &rr);
	check_eq_int(name_read(m.b, m.len, rr.owner_off, out, &next), 13);
	check_mem(out, "\3www\7example\0", 13);
	msg_next(&r, &rr);
	msg_next(&r, &rr);
	check_eq_int(name_read(m.b, m.len, rr.owner_off, out, &next), 13);
	check_mem(out, "\3ns1\7example\0", 13);
}

static void test_the_opt_of_a_reply_is_understood(void)
{
	struct edns e;

	an_answer();
	msg_begin(&r, m.b, m.len);
	while (msg_next(&r, &rr) > 0 && rr.type != RRTYPE_OPT)
		;
	check_eq_int(edns_read(&r, &rr, &e), 0);
	check(e.present && e.do_bit);
	check_eq_int(e.ext_rcode, 1);
	check_eq_int(e.version, 0);
	check_eq_int(e.ede, EDE_NO_REACHABLE_AUTHORITY);
	check_eq_mem(e.ede_text, e.ede_text_len, "oops", 4);
}

static int edns_of(const char *owner, size_t owner_len, const void *opts, size_t n, struct edns *e)
{
	put_header(&m, FLAG_QR, 0, 0, 0, 1);
	put(&m, owner, owner_len);
	put_rr(&m, RRTYPE_OPT, 0, opts, n);
	check_eq_int(msg_begin(&r, m.b, m.len), 0);
	check_eq_int(msg_next(&r, &rr), 1);
	return edns_read(&r, &rr, e);
}

static void test_a_reply_may_carry_a_scope_and_a_short_ede(void)
{
	struct edns e;

	check_eq_int(edns_of("", 1, "\0\x08\0\x07\0\1\x18\x10\xc0\0\2", 11, &e), 0);
	check_eq_mem(e.ecs, e.ecs_len, "\0\1\x18\x10\xc0\0\2", 7);
	check_eq_int(edns_of("", 1, "\0\x08\0\x07\0\1\x18\x21\xc0\0\2", 11, &e), ERR_BAD); /* scope over 32 */
	check_eq_int(edns_of("", 1, "\0\x0f\0\2\0\0", 6, &e), 0);
	check_eq_int(e.ede, EDE_OTHER);
	check_eq_int(e.ede_text_len, 0);
	check_eq_int(edns_of("", 1, "\0\x0f\0\1\0", 5, &e), ERR_BAD);
	check_eq_int(edns_of("\1x", 3, "", 0, &e), ERR_BAD); /* an owner */
	check(!e.present);
}

static void test_the_first_of_several_edes_counts(void)
{
	struct edns e;

	check_eq_int(edns_of("", 1, "\0\x0f\0\2\0\7\0\x0f\0\2\0\x09", 12, &e), 0);
	check_eq_int(e.ede, EDE_SIG_EXPIRED);
}

static int walk(const uint8_t *msg, size_t len)
{
	if (msg_begin(&r, msg, len) < 0)
		return ERR_BAD;
	while (msg_next(&r, &rr) > 0)
		;
	return msg_end(&r);
}

static void test_every_cut_of_a_message_is_bad_and_stays_bad(void)
{
	an_answer();
	check_eq_int(walk(m.b, m.len), 0);
	for (size_t len = 0; len < m.len; len++) {
		uint8_t *cut = malloc(len + !len);

		memcpy(cut, m.b, len);
		check_eq_int(walk(cut, len), ERR_BAD);
		check_eq_int(msg_next(&r, &rr), ERR_BAD); /* sticky */
		free(cut);
	}
}

static void test_trailing_bytes_show_at_the_end(void)
{
	an_answer();
	put(&m, "", 1);
	check_eq_int(walk(m.b, m.len), ERR_BAD);
}

static void test_an_end_before_all_records_were_read_is_no_end(void)
{
	an_answer();
	check_eq_int(msg_begin(&r, m.b, m.len), 0);
	check_eq_int(msg_end(&r), ERR_BAD);
}

static void test_counts_larger_than_the_message_are_bad(void)
{
	an_answer();
	memset(m.b + 6, 0xff, 6);
	check_eq_int(walk(m.b, m.len), ERR_BAD);
	an_answer();
	m.b[4] = 0xff; /* questions */
	check_eq_int(walk(m.b, m.len), ERR_BAD);
}

static void test_an_opt_stands_once_and_among_the_additional_records(void)
{
	put_header(&m, FLAG_QR, 0, 1, 0, 0);
	put_opt(&m, 1232, 0, "", 0);
	check_eq_int(walk(m.b, m.len), ERR_BAD);
	put_header(&m, FLAG_QR, 0, 0, 1, 0);
	put_opt(&m, 1232, 0, "", 0);
	check_eq_int(walk(m.b, m.len), ERR_BAD);
	put_header(&m, FLAG_QR, 0, 0, 0, 2);
	put_opt(&m, 1232, 0, "", 0);
	put_opt(&m, 1232, 0, "", 0);
	check_eq_int(walk(m.b, m.len), ERR_BAD);
	m.b[11] = 1;
	m.len -= 11;
	check_eq_int(walk(m.b, m.len), 0);
}

static void test_a_message_over_64_kbytes_is_bad(void)
{
	put_header(&m, FLAG_QR, 0, 0, 0, 0);
	check_eq_int(msg_begin(&r, m.b, 65535), 0);
	check_eq_int(msg_begin(&r, m.b, 65536), ERR_BAD);
}
