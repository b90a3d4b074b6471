/* SPDX-License-Identifier: BSD-3-Clause */
#include <ldns/ldns.h>

#include "unit.h"
#include "wire/rrtype.h"
#include "wire/wire.h"
#include "wire_help.h"

static uint8_t msg[70000];
static struct msg_writer w;

static void begin(const char *qname)
{
	struct bytes q = {.len = 0};

	put_question(&q, qname, RRTYPE_A);
	writer_begin(&w, msg, 65535);
	writer_question(&w, q.b, q.len);
}

static void add_name(const char *name, bool compress)
{
	struct name n = name_of(name);

	writer_name(&w, n.b, n.len, compress);
}

static void test_numbers_and_bytes_lie_in_network_order(void)
{
	writer_begin(&w, msg, 100);
	writer_u8(&w, 1);
	writer_u16(&w, 0x0203);
	writer_u32(&w, 0x04050607);
	writer_bytes(&w, "\x08\x09", 2);
	check_eq_int(w.err, 0);
	check_eq_mem(msg + 12, w.len - 12, "\1\2\3\4\5\6\7\x08\x09", 9);
}

static void test_the_question_is_echoed_byte_for_byte(void)
{
	struct bytes q = {.len = 0};

	put_question(&q, "WwW.ExAmple.", RRTYPE_MX);
	writer_begin(&w, msg, 512);
	writer_question(&w, q.b, q.len);
	check_eq_mem(msg + 12, w.len - 12, q.b, q.len);
}

static void test_an_owner_that_is_the_question_is_one_pointer_whatever_its_case(void)
{
	begin("WWW.Example.");
	size_t at = w.len;
	add_name("www.eXAMPLE.", true);
	check_eq_mem(msg + at, w.len - at, "\xc0\x0c", 2);
}

static void test_suffixes_are_compressed_and_the_new_labels_remembered(void)
{
	begin("www.example.");
	size_t at = w.len;
	add_name("a.mail.example.", true);
	check_eq_mem(msg + at, w.len - at, "\1a\4mail\xc0\x10", 9);
	size_t again = w.len;
	add_name("b.mail.example.", true);
	check_eq_mem(msg + again, w.len - again, "\1b\xc0\x1f", 4);
	check_eq_int(at + 2, 0x1f);
}

static void test_the_root_is_a_zero_and_never_a_pointer(void)
{
	begin(".");
	size_t at = w.len;
	add_name(".", true);
	add_name(".", true);
	check_eq_mem(msg + at, w.len - at, "\0\0", 2);
}

static void test_labels_that_only_look_alike_are_not_compressed(void)
{
	begin("ab.example.");
	size_t at = w.len;
	add_name("xb.example.", true);
	check_eq_mem(msg + at, w.len - at, "\2xb\xc0\x0f", 5);
	begin("a.b."); /* the same bytes but for a label's boundary: 1 a 1 b against 3 a 1 b */
	at = w.len;
	struct name n = {.b = "\3a\1b\0", .len = 5};
	writer_name(&w, n.b, n.len, true);
	check_eq_mem(msg + at, w.len - at, n.b, 5);
}

static void test_an_uncompressed_name_is_whole_and_no_target(void)
{
	begin("www.example.");
	size_t at = w.len;
	add_name("www.example.", false);
	check_eq_int(w.len - at, 13);
	add_name("new.test.", false);
	at = w.len;
	add_name("new.test.", true);
	check_eq_int(w.len - at, 10);
}

static void test_only_rdata_of_rfc_1035_types_is_compressed(void)
{
	struct name n = name_of("www.example.");
	uint8_t srv[6 + NAME_MAX_LEN] = {0, 1, 0, 2, 0, 3}, mx[2 + NAME_MAX_LEN] = {0, 10};

	memcpy(srv + 6, n.b, n.len);
	memcpy(mx + 2, n.b, n.len);
	begin("www.example.");
	size_t at = w.len;
	writer_rdata(&w, RRTYPE_MX, mx, 2 + n.len);
	check_eq_mem(msg + at, w.len - at, "\0\4\0\x0a\xc0\x0c", 6);
	at = w.len;
	writer_rdata(&w, RRTYPE_SRV, srv, 6 + n.len);
	check_eq_int(w.len - at, 2 + 6 + n.len);
	check_mem(msg + at + 8, n.b, n.len);
	at = w.len;
	writer_rdata(&w, RRTYPE_DNAME, n.b, n.len);
	check_eq_int(w.len - at, 2 + n.len);
}

static void test_rdata_without_its_types_shape_goes_out_as_it_is(void)
{
	begin("www.example.");
	size_t at = w.len;
	uint16_t names = w.n_names;
	writer_rdata(&w, RRTYPE_SOA, (const uint8_t *)"\1q\0\2zz\0abc", 10);
	check_eq_mem(msg + at, w.len - at, "\0\x0a\1q\0\2zz\0abc", 12);
	check_eq_int(w.n_names, names); /* no pointer will lead into it */
	check_eq_int(w.err, 0);
	at = w.len;
	writer_rdata(&w, RRTYPE_NS, NULL, 0);
	check_eq_mem(msg + at, w.len - at, "\0\0", 2);
}

static void test_no_pointer_leads_to_or_beyond_0x4000(void)
{
	static uint8_t blob[0x3fff];

	begin("q.");
	writer_bytes(&w, blob, 0x4000 - 3 - w.len);
	add_name("a.b.", true); /* a at 0x3ffd, b at 0x3fff */
	size_t at = w.len;
	add_name("a.b.", true);
	check_eq_mem(msg + at, w.len - at, "\xff\xfd", 2);
	add_name("c.d.", true); /* beyond */
	at = w.len;
	add_name("c.d.", true);
	check_eq_mem(msg + at, w.len - at, "\1c\1d\0", 5);
	at = w.len;
	add_name("x.b.", true);
	check_eq_mem(msg + at, w.len - at, "\1x\xff\xff", 4);
}

static void test_names_beyond_the_remembered_ones_are_written_whole(void)
{
	char name[32];

	begin("q.");
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "n%d.", i);
		add_name(name, true);
	}
	check_eq_int(w.err, 0);
	check_eq_int(w.n_names, WRITER_NAMES);
	size_t at = w.len;
	add_name("n10.", true);
	check_eq_int(w.len - at, 2);
	at = w.len;
	add_name("n199.", true);
	check_eq_int(w.len - at, 6);
}

static void test_an_owner_that_is_no_name_is_an_error_and_nothing_is_read_past_it(void)
{
	static const char *const bad[] = {"\3ab", "\1a", "\x40", "\xc0\x0c"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		size_t len = strlen(bad[i]);
		uint8_t *exact = malloc(len);

		memcpy(exact, bad[i], len);
		begin("www.example.");
		size_t at = w.len;
		writer_name(&w, exact, len, true);
		check_eq_int(w.err, ERR_BAD);
		check_eq_int(w.len, at);
		free(exact);
	}
}

static void test_what_does_not_fit_is_an_error_that_sticks_until_rolled_back(void)
{
	struct name n = name_of("other.test.");

	begin("www.example.");
	w.limit = w.len + 20;
	struct writer_mark mark = writer_mark(&w);
	writer_rr(&w, n.b, n.len, RRTYPE_A, CLASS_IN, 60, (const uint8_t *)"\1\2\3\4", 4);
	check_eq_int(w.err, ERR_SPACE);
	check(w.len <= w.limit);
	writer_rollback(&w, mark);
	check_eq_int(w.err, 0);
	check_eq_int(w.len, mark.len);
	size_t at = w.len;
	add_name("other.test.", true); /* forgotten: whole again */
	check_eq_int(w.len - at, n.len);
}

static void test_nothing_is_ever_written_past_the_limit(void)
{
	for (size_t limit = 0; limit < 120; limit++) {
		uint8_t *buf = malloc(limit + !limit);
		struct bytes q = {.len = 0};
		struct name n = name_of("a.example.");

		put_question(&q, "www.example.", RRTYPE_A);
		writer_begin(&w, buf, limit);
		if (limit >= DNS_HEADER_LEN) {
			writer_question(&w, q.b, q.len);
			writer_rr(&w, n.b, n.len, RRTYPE_MX, CLASS_IN, 60, (const uint8_t *)"\0\1\1x\0", 5);
			writer_opt(&w, 1232, 0, true, (const uint8_t *)"\0\3\0\0", 4);
			check(w.len <= limit);
			/* 12 header, 17 question, owner 4, fixed 10, rdata 5, OPT 15 */
			check_eq_int(w.err, limit >= 12 + 17 + 4 + 10 + 5 + 15 ? 0 : ERR_SPACE);
		} else {
			check_eq_int(w.err, ERR_SPACE);
		}
		free(buf);
	}
}

static void test_an_opt_carries_size_extended_rcode_and_do(void)
{
	writer_begin(&w, msg, 512);
	writer_opt(&w, 1232, RCODE_BADVERS, true, (const uint8_t *)"\0\3\0\1x", 5);
	check_eq_mem(msg + 12, w.len - 12, "\0\0\x29\4\xd0\1\0\x80\0\0\5\0\3\0\1x", 16);
}

static void test_a_query_is_what_a_server_would_parse(void)
{
	struct name n = name_of("www.example.");
	struct question q;
	unsigned rcode;
	uint8_t ecs[] = {0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2};
	int len = query_write(msg, 512, 77, FLAG_RD | FLAG_CD, n.b, n.len, RRTYPE_HTTPS, 1232, true, ecs, sizeof ecs);

	check_eq_int(question_parse(msg, (size_t)len, &q, &rcode), QUESTION_OK);
	check_eq_int(q.id, 77);
	check_eq_int(q.flags, FLAG_RD | FLAG_CD);
	check_eq_int(q.qtype, RRTYPE_HTTPS);
	check_eq_int(q.qclass, CLASS_IN);
	check(q.edns.do_bit);
	check_eq_int(q.edns.ecs_len, 7);
	len = query_write(msg, 512, 77, 0, n.b, n.len, RRTYPE_A, 0, false, NULL, 0);
	check_eq_int(len, 12 + 13 + 4);
	check_eq_int(question_parse(msg, (size_t)len, &q, &rcode), QUESTION_OK);
	check(!q.edns.present);
	check_eq_int(query_write(msg, 28, 77, 0, n.b, n.len, RRTYPE_A, 0, false, NULL, 0), ERR_SPACE);
}

/* ---- random messages, read again by our reader and by ldns ------------------------------------------------------------ */

struct record {
	struct name owner;
	uint16_t type;
	uint32_t ttl;
	uint8_t rdata[0x4000];
	size_t len;
};

static void random_rdata(struct record *r)
{
	static const uint16_t types[] = {RRTYPE_A, RRTYPE_AAAA, RRTYPE_NS, RRTYPE_CNAME, RRTYPE_SOA, RRTYPE_MX, RRTYPE_TXT,
					 RRTYPE_SRV, RRTYPE_MINFO, RRTYPE_RP, RRTYPE_DNAME, RRTYPE_HTTPS, RRTYPE_NSEC, 65280};

	r->type = types[unit_below(sizeof types / sizeof *types)];
	r->len = 0;
	for (const char *s = rrtype_shape(r->type); *s; s++) {
		size_t n = unit_below(20);

		if (strchr("nNU", *s)) {
			struct name name = name_random(5, NULL, 1);

			memcpy(r->rdata + r->len, name.b, name.len);
			r->len += name.len;
		} else if (*s == 'S') {
			r->rdata[r->len] = (uint8_t)n;
			memset(r->rdata + r->len + 1, 'x', n);
			r->len += 1 + n;
		} else if (*s != '*') {
			memset(r->rdata + r->len, (int)unit_below(256), (size_t)(*s - '0'));
			r->len += (size_t)(*s - '0');
		} else if (r->type == 65280) {
			memset(r->rdata + r->len, 0xc0, n);
			r->len += n;
		}
	}
}

static void check_read_by_us(const struct record *rec, int n, size_t len)
{
	struct msg_reader r;
	struct wire_rr rr;
	static uint8_t buf[0x5000], want[0x5000];
	size_t next;

	check_eq_int(msg_begin(&r, msg, len), 0);
	for (int i = 0; i < n; i++) {
		check_eq_int(msg_next(&r, &rr), 1);
		int k = name_read(msg, len, rr.owner_off, buf, &next);
		check(k > 0 && name_equal(buf, (size_t)k, rec[i].owner.b, rec[i].owner.len));
		check_eq_int(rr.type, rec[i].type);
		check_eq_int(rr.ttl, rec[i].ttl);
		k = rdata_expand(msg, len, &rr, buf, sizeof buf);
		check_eq_int(k, rec[i].len);
		name_lower(buf, buf, (size_t)k); /* a compressed name takes the case of its target */
		name_lower(want, rec[i].rdata, rec[i].len);
		check_mem(buf, want, (size_t)k);
	}
	check_eq_int(msg_end(&r), 0);
}

static void check_read_by_ldns(const struct record *rec, int n, size_t len)
{
	ldns_pkt *pkt = NULL;

	check_eq_int(ldns_wire2pkt(&pkt, msg, len), LDNS_STATUS_OK);
	ldns_rr_list *list = ldns_pkt_answer(pkt);
	check_eq_int(ldns_rr_list_rr_count(list), n);
	for (int i = 0; i < n; i++) {
		ldns_rr *rr = ldns_rr_list_rr(list, (size_t)i);
		static uint8_t want[0x5000];
		uint8_t *wire = NULL;
		size_t wire_len = 0, at = rec[i].owner.len + 10;

		check_eq_int(ldns_rr2wire(&wire, rr, LDNS_SECTION_ANSWER, &wire_len), LDNS_STATUS_OK);
		check_eq_int(wire_len, at + rec[i].len);
		check(name_equal(wire, rec[i].owner.len, rec[i].owner.b, rec[i].owner.len));
		check_eq_int(ldns_rr_get_type(rr), rec[i].type);
		check_eq_int(ldns_rr_ttl(rr), rec[i].ttl);
		name_lower(wire + at, wire + at, rec[i].len);
		name_lower(want, rec[i].rdata, rec[i].len);
		check_mem(wire + at, want, rec[i].len);
		free(wire);
	}
	ldns_pkt_free(pkt);
}

static void test_random_messages_read_the_same_to_us_and_to_ldns(void)
{
	static struct record rec[60];
	size_t whole = 0, written = 0;

	for (int round = 0; round < 3000; round++) {
		int n = (int)unit_below(60);
		struct name qname = name_random(5, NULL, 1);
		struct dns_header h = {.id = 1, .flags = FLAG_QR, .qdcount = 1, .ancount = (uint16_t)n};

		writer_begin(&w, msg, 65535);
		struct bytes q = {.len = 0};
		put(&q, qname.b, qname.len);
		put32(&q, 0x00010001);
		writer_question(&w, q.b, q.len);
		for (int i = 0; i < n; i++) {
			rec[i].owner = name_random(5, NULL, 1);
			rec[i].ttl = (uint32_t)unit_below(1u << 31);
			random_rdata(&rec[i]);
		}
		if (n > 0 && unit_below(10) == 0) { /* one that pushes the others around 0x4000, where pointers end */
			rec[0].type = 65280;
			rec[0].len = 0x4000 - 200 - unit_below(600);
			memset(rec[0].rdata, 0xc0, rec[0].len);
		}
		for (int i = 0; i < n; i++) {
			writer_rr(&w, rec[i].owner.b, rec[i].owner.len, rec[i].type, CLASS_IN, rec[i].ttl, rec[i].rdata, rec[i].len);
			whole += rec[i].owner.len + 10 + rec[i].len;
		}
		check_eq_int(w.err, 0);
		header_write(msg, &h);
		written += w.len - 12 - q.len;
		check_read_by_us(rec, n, w.len);
		check_read_by_ldns(rec, n, w.len);
	}
	check(written < whole); /* compression happened */
}
