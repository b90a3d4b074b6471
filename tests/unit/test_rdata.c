/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/rrtype.h"
#include "wire/wire.h"
#include "wire_help.h"

static struct bytes m;
static uint8_t out[70000];

/* Expands the one record of this type and rdata behind a question for x.example. at 12 (example. at 14). */
static int expand(uint16_t type, const void *rdata, size_t n)
{
	struct msg_reader r;
	struct wire_rr rr;

	put_header(&m, FLAG_QR, 1, 1, 0, 0);
	put_question(&m, "x.eXample.", type);
	put(&m, "\xc0\x0c", 2);
	put_rr(&m, type, 1, rdata, n);
	check_eq_int(msg_begin(&r, m.b, m.len), 0);
	check_eq_int(msg_next(&r, &rr), 1);
	uint8_t *exact = malloc(m.len);
	memcpy(exact, m.b, m.len);
	int len = rdata_expand(exact, m.len, &rr, out, sizeof out);
	for (int cap = 0; cap < len && cap < 300; cap++) {
		uint8_t *small = malloc((size_t)cap + 1);

		check_eq_int(rdata_expand(exact, m.len, &rr, small, (size_t)cap), ERR_SPACE);
		free(small);
	}
	free(exact);
	if (len >= 0)
		check(rdata_valid(type, out, (size_t)len));
	return len;
}

static void test_names_of_rfc_1035_types_come_out_whole(void)
{
	check_eq_int(expand(RRTYPE_CNAME, "\1y\xc0\x0e", 4), 11);
	check_mem(out, "\1y\7eXample\0", 11);
	check_eq_int(expand(RRTYPE_MX, "\0\x0a\xc0\x0c", 4), 13);
	check_mem(out, "\0\x0a\1x\7eXample\0", 13);
	check_eq_int(expand(RRTYPE_SOA, "\xc0\x0e\xc0\x0c" "aaaabbbbccccddddeeee", 24), 9 + 11 + 20);
	check_mem(out + 20, "aaaabbbbccccddddeeee", 20);
}

static void test_names_that_old_senders_compress_are_decompressed(void)
{
	check_eq_int(expand(RRTYPE_SRV, "\0\1\0\2\0\3\xc0\x0c", 8), 17);
	check_mem(out, "\0\1\0\2\0\3\1x\7eXample\0", 17);
	check_eq_int(expand(RRTYPE_RP, "\xc0\x0c\xc0\x0e", 4), 20);
	check_eq_int(expand(RRTYPE_NAPTR, "\0\1\0\2\1a\1b\0\xc0\x0c", 11), 4 + 5 + 11);
	check_eq_int(expand(RRTYPE_DNAME, "\xc0\x0c", 2), 11);
	check_eq_int(expand(RRTYPE_KX, "\0\1\xc0\x0c", 4), 13);
	check_eq_int(expand(RRTYPE_NXT, "\xc0\x0c\x60", 3), 12);
}

static void test_pointers_in_types_that_nobody_may_compress_are_bad(void)
{
	check_eq_int(expand(RRTYPE_NSEC, "\xc0\x0c\0\1\x40", 5), ERR_BAD);
	check_eq_int(expand(RRTYPE_RRSIG, "\0\1\x08\2aaaabbbbcccc\0\1\xc0\x0csig", 23), ERR_BAD);
	check_eq_int(expand(RRTYPE_HTTPS, "\0\1\xc0\x0c", 4), ERR_BAD);
	check_eq_int(expand(RRTYPE_SVCB, "\0\1\xc0\x0c", 4), ERR_BAD);
	check_eq_int(expand(RRTYPE_LP, "\0\1\xc0\x0c", 4), ERR_BAD);
	check_eq_int(expand(RRTYPE_HTTPS, "\0\1\1y\0", 5), 5);
}

static void test_bytes_that_look_like_pointers_are_left_alone_elsewhere(void)
{
	check_eq_int(expand(65280, "\xc0\x0c\xff\0", 4), 4); /* RFC 3597 §4 */
	check_mem(out, "\xc0\x0c\xff\0", 4);
	check_eq_int(expand(RRTYPE_TXT, "\2\xc0\x0c", 3), 3);
	check_eq_int(expand(65280, "", 0), 0);
	check_eq_int(expand(RRTYPE_NULL, "", 0), 0);
}

static void test_a_name_that_passes_its_rdata_is_bad(void)
{
	/* the name would end in what follows: here, nothing but the message's end */
	check_eq_int(expand(RRTYPE_CNAME, "\3ab", 3), ERR_BAD);
	check_eq_int(expand(RRTYPE_CNAME, "\xc0", 1), ERR_BAD);
	check_eq_int(expand(RRTYPE_MX, "\0\1", 2), ERR_BAD);
	/* and here the next record, whose first byte would be the pointer's second */
	struct msg_reader r;
	struct wire_rr rr;
	put_header(&m, FLAG_QR, 0, 2, 0, 0);
	put_name(&m, "x.");
	put_rr(&m, RRTYPE_CNAME, 1, "\xc0", 1);
	put(&m, "\xc0\x0c", 2);
	put_rr(&m, RRTYPE_A, 1, "\1\2\3\4", 4);
	msg_begin(&r, m.b, m.len);
	check_eq_int(msg_next(&r, &rr), 1);
	check_eq_int(rdata_expand(m.b, m.len, &rr, out, sizeof out), ERR_BAD);
	check_eq_int(msg_next(&r, &rr), 1);
}

static void test_bytes_behind_the_shape_are_bad(void)
{
	check_eq_int(expand(RRTYPE_A, "\1\2\3\4\5", 5), ERR_BAD);
	check_eq_int(expand(RRTYPE_A, "\1\2\3", 3), ERR_BAD);
	check_eq_int(expand(RRTYPE_CNAME, "\xc0\x0c\0", 3), ERR_BAD);
	check_eq_int(expand(RRTYPE_SOA, "\xc0\x0e\xc0\x0c" "aaaabbbbccccddddeeeef", 25), ERR_BAD);
	check_eq_int(expand(RRTYPE_SOA, "\xc0\x0e\xc0\x0c" "aaaabbbbccccddddeee", 23), ERR_BAD);
	check_eq_int(expand(RRTYPE_A, "", 0), ERR_BAD);
}

static void test_shapes_are_checked_on_uncompressed_rdata(void)
{
	check(rdata_valid(RRTYPE_A, (const uint8_t *)"1234", 4));
	check(!rdata_valid(RRTYPE_AAAA, (const uint8_t *)"1234", 4));
	check(!rdata_valid(RRTYPE_A, NULL, 0));
	check(rdata_valid(65280, NULL, 0));
	check(rdata_valid(RRTYPE_TXT, (const uint8_t *)"\0", 1));
	check(!rdata_valid(RRTYPE_TXT, NULL, 0)); /* RFC 1035 §3.3.14: one or more */
	check(rdata_valid(RRTYPE_TXT, (const uint8_t *)"\1a\2bc", 5));
	check(!rdata_valid(RRTYPE_TXT, (const uint8_t *)"\1a\3bc", 5));
	check(!rdata_valid(RRTYPE_HINFO, (const uint8_t *)"\1a", 2));
	check(rdata_valid(RRTYPE_HINFO, (const uint8_t *)"\1a\0", 3));
	check(!rdata_valid(RRTYPE_CNAME, (const uint8_t *)"\xc0\x0c", 2));
	check(rdata_valid(RRTYPE_CNAME, (const uint8_t *)"\0", 1));
	check(!rdata_valid(RRTYPE_DS, (const uint8_t *)"\0\1\2\3", 4));
	check(rdata_valid(RRTYPE_DS, (const uint8_t *)"\0\1\2\3\4", 5));
	check(rdata_valid(RRTYPE_CAA, (const uint8_t *)"\0\5issue", 7));
	check(!rdata_valid(RRTYPE_CAA, (const uint8_t *)"\0\5issu", 6));
}

static void test_names_that_lead_on_are_where_the_rfcs_put_them(void)
{
	check_eq_int(rdata_target_off(RRTYPE_CNAME), 0);
	check_eq_int(rdata_target_off(RRTYPE_NS), 0);
	check_eq_int(rdata_target_off(RRTYPE_DNAME), 0);
	check_eq_int(rdata_target_off(RRTYPE_PTR), 0);
	check_eq_int(rdata_target_off(RRTYPE_MX), 2);
	check_eq_int(rdata_target_off(RRTYPE_HTTPS), 2);
	check_eq_int(rdata_target_off(RRTYPE_SRV), 6);
	check_eq_int(rdata_target_off(RRTYPE_A), -1);
	check_eq_int(rdata_target_off(RRTYPE_SOA), -1);
	/* and a name stands there in the shape */
	for (int type = 0; type < 300; type++) {
		int off = rdata_target_off((uint16_t)type);
		const char *s = rrtype_shape((uint16_t)type);

		for (; off > 0; s++)
			off -= *s - '0';
		check(off < 0 || strchr("nNU", *s) != NULL);
	}
}

static void test_rdata_of_64_kbytes_passes_and_an_expansion_beyond_is_bad(void)
{
	static uint8_t big[65535];
	static struct bytes msg;
	struct wire_rr rr = {.type = 65280, .rdata_off = 12, .rdata_len = 65000};

	check_eq_int(rdata_expand(big, sizeof big, &rr, out, sizeof out), 65000);
	/* NXT: a compressed name and then the rest, which together would be over 65535 */
	put_header(&msg, FLAG_QR, 0, 0, 0, 0);
	for (int i = 0; i < 126; i++)
		put(&msg, "\1a", 2);
	put(&msg, "", 1);
	rr = (struct wire_rr){.type = RRTYPE_NXT, .rdata_off = (uint16_t)msg.len, .rdata_len = (uint16_t)(65535 - msg.len)};
	put(&msg, "\xc0\x0c", 2);
	memset(msg.b + msg.len, 0, 65535 - msg.len);
	check_eq_int(rdata_expand(msg.b, 65535, &rr, out, sizeof out), 65535 - 12 - 253 - 2 + 253);
	memcpy(msg.b + rr.rdata_off, "\1b\1b\1b\1b", 8); /* no pointer now: the rest stays as it is */
	check(rdata_expand(msg.b, 65535, &rr, out, sizeof out) == rr.rdata_len);
}
