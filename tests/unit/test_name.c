/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"
#include "wire/wire.h"
#include "wire_help.h"

static void test_the_root_is_one_byte_long(void)
{
	check_eq_int(name_len((const uint8_t *)"\0x", (const uint8_t *)"\0x" + 2), 1);
}

static void test_a_name_of_255_bytes_is_measured_and_one_of_256_is_not(void)
{
	uint8_t n[300] = {0};

	for (int i = 0; i < 127; i++)
		n[2 * i] = 1;
	check_eq_int(name_len(n, n + sizeof n), 255);
	n[0] = 2;
	memmove(n + 3, n + 2, 254);
	n[2] = 'x';
	check_eq_int(name_len(n, n + sizeof n), ERR_BAD);
}

static void test_a_label_of_63_bytes_is_measured_and_one_of_64_is_not(void)
{
	uint8_t n[100] = {63};

	check_eq_int(name_len(n, n + sizeof n), 65);
	n[0] = 64;
	check_eq_int(name_len(n, n + sizeof n), ERR_BAD);
}

static void test_a_name_that_passes_the_end_is_refused_at_every_cut(void)
{
	struct name n = name_of("www.example.com.");

	for (size_t cut = 0; cut < n.len; cut++)
		check_eq_int(name_len(n.b, n.b + cut), ERR_BAD);
	check_eq_int(name_len(n.b, n.b + n.len), (int)n.len);
}

static void test_a_pointer_is_no_part_of_an_uncompressed_name(void)
{
	const uint8_t n[] = {1, 'a', 0xc0, 0};

	check_eq_int(name_len(n, n + sizeof n), ERR_BAD);
}

static void test_lowering_equals_the_naive_way_for_every_byte_and_length(void)
{
	uint8_t in[80], out[80], want[80];

	for (size_t len = 0; len <= sizeof in; len++)
		for (int round = 0; round < 60; round++) {
			for (size_t i = 0; i < len; i++) {
				in[i] = (uint8_t)unit_random();
				want[i] = in[i] >= 'A' && in[i] <= 'Z' ? (uint8_t)(in[i] + 32) : in[i];
			}
			name_lower(out, in, len);
			check_mem(out, want, len);
			name_lower(in, in, len); /* in place */
			check_mem(in, want, len);
		}
}

static void test_names_are_equal_whatever_their_case_and_only_then(void)
{
	struct name a = name_of("WWW.Example.COM."), b = name_of("www.eXample.com."), c = name_of("www.eXample.con.");
	struct name bracket = name_of("a\\091."), brace = name_of("a{."), at = name_of("\\@."), tick = name_of("`.");

	check(name_equal(a.b, a.len, b.b, b.len));
	check(!name_equal(a.b, a.len, c.b, c.len));
	check(!name_equal(a.b, a.len, b.b + 4, b.len - 4));
	/* RFC 4343 §3.2: bytes that are no letters are not folded, though they differ by the same bit */
	check(!name_equal(bracket.b, bracket.len, brace.b, brace.len));
	check(!name_equal(at.b, at.len, tick.b, tick.len));
}

static void test_below_goes_by_whole_labels(void)
{
	struct name www = name_of("www.Example.com."), zone = name_of("example.COM."), root = name_of(".");
	struct name bad = name_of("notexample.com."), odd = name_of("x\\007example.com.");

	check(name_is_below(www.b, www.len, zone.b, zone.len));
	check(name_is_below(zone.b, zone.len, zone.b, zone.len));
	check(name_is_below(www.b, www.len, root.b, root.len));
	check(name_is_below(root.b, root.len, root.b, root.len));
	check(!name_is_below(zone.b, zone.len, www.b, www.len));
	check(!name_is_below(bad.b, bad.len, zone.b, zone.len));
	/* the bytes of the zone stand at the end, but inside a label */
	check(!name_is_below(odd.b, odd.len, zone.b, zone.len));
}

static void test_labels_are_counted_without_the_root(void)
{
	check_eq_int(name_labels(name_of(".").b), 0);
	check_eq_int(name_labels(name_of("a.b.c.").b), 3);
	check_eq_int(name_labels(name_of("a\\.b.c.").b), 2);
}

static void test_canonical_order_is_the_one_of_rfc_4034(void)
{
	/* RFC 4034 §6.1 */
	static const char *const order[] = {"example.", "a.example.", "yljkjljk.a.example.", "Z.a.example.", "zABC.a.EXAMPLE.",
					    "z.example.", "\\001.z.example.", "*.z.example.", "\\200.z.example."};
	enum { N = sizeof order / sizeof *order };

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			int d = name_compare(name_of(order[i]).b, name_of(order[j]).b);

			check_eq_int((d > 0) - (d < 0), (i > j) - (i < j));
		}
	check_eq_int(name_compare(name_of("A.Example.").b, name_of("a.eXAMPLE.").b), 0);
	check(name_compare(name_of(".").b, name_of("a.").b) < 0);
}

static void test_a_compressed_name_comes_out_whole_with_its_case(void)
{
	/* at 12 example.com., at 25 www + pointer, at 31 a pointer alone */
	const uint8_t msg[] = "............\7eXample\3com\0\3WwW\xc0\x0c\xc0\x19";
	uint8_t out[NAME_MAX_LEN];
	size_t next = 0;
	struct name want = name_of("WwW.eXample.com.");

	check_eq_int(name_read(msg, sizeof msg - 1, 25, out, &next), (int)want.len);
	check_mem(out, want.b, want.len);
	check_eq_int(next, 31);
	check_eq_int(name_read(msg, sizeof msg - 1, 31, out, &next), (int)want.len);
	check_mem(out, want.b, want.len);
	check_eq_int(next, 33);
}

static int read_at(const char *msg, size_t len, size_t off)
{
	uint8_t out[NAME_MAX_LEN];
	size_t next;
	uint8_t *copy = malloc(len); /* of its exact size, so that a sanitizer sees a step too far */

	memcpy(copy, msg, len);
	int n = name_read(copy, len, off, out, &next);
	free(copy);
	return n;
}

static void test_pointers_that_do_not_lead_strictly_back_are_refused(void)
{
	check_eq_int(read_at("............\xc0\x0c", 14, 12), ERR_BAD);             /* to itself */
	check_eq_int(read_at("............\1a\xc0\x0c", 16, 12), ERR_BAD);          /* to the name's own start */
	check_eq_int(read_at("............\1a\xc0\x0e", 16, 12), ERR_BAD);          /* to the pointer */
	check_eq_int(read_at("............\xc0\x0e\0", 15, 12), ERR_BAD);           /* forward */
	check_eq_int(read_at("............\xc0\x0e\xc0\x0c", 16, 14), ERR_BAD);     /* each to the other */
	check_eq_int(read_at("............\1a\xc0\x0c\1b\xc0\x0c", 20, 16), ERR_BAD); /* back into a loop */
}

static void test_pointers_into_the_header_are_refused(void)
{
	check_eq_int(read_at("\0...........\xc0\0", 14, 12), ERR_BAD);
	check_eq_int(read_at("...........\0\xc0\x0b", 14, 12), ERR_BAD);
}

static void test_label_types_01_and_10_are_refused(void)
{
	check_eq_int(read_at("............\x40x\0", 15, 12), ERR_BAD); /* RFC 6891 §5: extended labels are dead */
	check_eq_int(read_at("............\x80x\0", 15, 12), ERR_BAD);
}

static void test_names_that_pass_the_message_are_refused(void)
{
	check_eq_int(read_at("............\3ww", 15, 12), ERR_BAD);
	check_eq_int(read_at("............\3www", 16, 12), ERR_BAD);
	check_eq_int(read_at("............\xc0", 13, 12), ERR_BAD);
	check_eq_int(read_at("............", 12, 12), ERR_BAD);
	check_eq_int(read_at("............", 12, 9999), ERR_BAD);
}

static void test_a_name_over_255_bytes_by_way_of_a_pointer_is_refused(void)
{
	struct bytes m;
	uint8_t out[NAME_MAX_LEN];
	size_t next;

	memset(&m, 0, sizeof m);
	m.len = DNS_HEADER_LEN;
	for (int i = 0; i < 126; i++)
		put(&m, "\1a", 2);
	put(&m, "", 1); /* 253 bytes */
	put(&m, "\0011\xc0\x0c", 4);
	check_eq_int(name_read(m.b, m.len, 12 + 253, out, &next), 255);
	m.len -= 4;
	put(&m, "\00211\xc0\x0c", 5);
	check_eq_int(name_read(m.b, m.len, 12 + 253, out, &next), ERR_BAD);
}

/* Follows RFC 1035 §4.1.4 in the plainest way: a limit of hops instead of the rule that pointers lead back. */
static int naive_read(const uint8_t *msg, size_t len, size_t off, uint8_t *out)
{
	size_t n = 0;

	for (int hops = 0; hops < 500; hops++) {
		if (off >= len)
			return ERR_BAD;
		if (msg[off] == 0) {
			out[n++] = 0;
			return (int)n;
		}
		if (msg[off] >= 0xc0) {
			if (off + 1 >= len)
				return ERR_BAD;
			off = (size_t)(msg[off] & 0x3f) << 8 | msg[off + 1];
			continue;
		}
		if (msg[off] > 63 || off + 1 + msg[off] > len || n + 1 + msg[off] > 254)
			return ERR_BAD;
		memcpy(out + n, msg + off, 1u + msg[off]);
		n += 1u + msg[off];
		off += 1u + msg[off];
	}
	return ERR_BAD;
}

static void test_what_is_read_from_random_bytes_is_what_a_naive_reader_reads(void)
{
	static const uint8_t likely[] = {0, 1, 2, 3, 0xc0, 0xc0, 12, 13, 14, 20, 30, 40, 50, 63, 64};
	int good = 0;

	for (int round = 0; round < 200000; round++) {
		uint8_t msg[64], out[NAME_MAX_LEN], want[NAME_MAX_LEN + 64];
		size_t next = 0, len = 13 + unit_below(52);

		for (size_t i = 0; i < len; i++)
			msg[i] = likely[unit_below(sizeof likely)];
		size_t off = 12 + unit_below(len - 12);
		int n = name_read(msg, len, off, out, &next);
		if (n < 0)
			continue; /* stricter than the twin, never laxer */
		good++;
		check_eq_int(naive_read(msg, len, off, want), n);
		check_mem(out, want, (size_t)n);
		check(next > off && next <= len);
		check_eq_int(name_len(out, out + n), n);
	}
	check(good > 1000);
}
