/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of flights against a naive twin, and the packing of clients that wait. */
#include "unit.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "query/coalesce.h"

static struct cache *new_cache(void)
{
	struct cache *c = cache_new(&(struct cache_options){ .maxmemory = 8 << 20, .hash_seed = 7 });
	check(c != NULL);
	return c;
}

/* The number's four hexadecimal digits, as a name of 6 bytes. */
static void key_of(const struct cache *c, struct cache_key *k, uint8_t name[6], unsigned number, uint16_t type, bool cd)
{
	char digits[8];
	snprintf(digits, sizeof digits, "%04x", number & 0xffff);
	name[0] = 4;
	memcpy(name + 1, digits, 5);
	cache_key_init(c, k, name, 6, type, cd);
}

static void test_a_flight_is_found_by_its_key_alone(void)
{
	struct cache *c = new_cache();
	struct flights f;
	struct cache_key k, other;
	uint8_t name[6], name2[6];
	check_eq_int(flights_init(&f), 0);
	key_of(c, &k, name, 1, RRTYPE_A, false);
	struct flight *fl = flight_add(&f, &k);
	check(flight_find(&f, &k) == fl);
	key_of(c, &other, name2, 2, RRTYPE_A, false);
	check(flight_find(&f, &other) == NULL);
	key_of(c, &other, name2, 1, RRTYPE_AAAA, false);
	check(flight_find(&f, &other) == NULL);
	key_of(c, &other, name2, 1, RRTYPE_A, true);
	check(flight_find(&f, &other) == NULL);
	key_of(c, &other, name2, 1, RRTYPE_A, false);
	memset(name, 0, sizeof name); /* the flight has a copy of its own */
	check(flight_find(&f, &other) == fl);
	flight_unlink(&f, fl);
	check(flight_find(&f, &other) == NULL);
	mem_free(fl);
	flights_free(&f);
	cache_free(c);
}

static void test_thousands_of_flights_come_and_go_like_in_a_plain_array(void)
{
	enum { N = 5000 };
	struct cache *c = new_cache();
	static struct flight *twin[N];
	struct flights f;
	struct cache_key k;
	uint8_t name[6];
	unsigned n = 0;
	memset(twin, 0, sizeof twin);
	check_eq_int(flights_init(&f), 0);
	for (unsigned step = 0; step < 40000; step++) {
		unsigned i = (unsigned)unit_below(N);
		key_of(c, &k, name, i, RRTYPE_A, false);
		check(flight_find(&f, &k) == twin[i]);
		if (twin[i] && unit_below(3) == 0) {
			flight_unlink(&f, twin[i]);
			mem_free(twin[i]);
			twin[i] = NULL;
			n--;
		} else if (!twin[i]) {
			check((twin[i] = flight_add(&f, &k)) != NULL);
			n++;
		}
		check_eq_int(f.n, n);
	}
	check(f.mask + 1 >= f.n);
	for (unsigned i = 0; i < N; i++) {
		if (twin[i])
			flight_unlink(&f, twin[i]);
		mem_free(twin[i]);
	}
	flights_free(&f);
	cache_free(c);
}

static void test_no_memory_for_a_flight_or_a_larger_table_is_survived(void)
{
	struct cache *c = new_cache();
	struct flights f;
	struct cache_key k;
	uint8_t name[6];
	check_eq_int(flights_init(&f), 0);
	key_of(c, &k, name, 0, RRTYPE_A, false);
	alloc_fail_after(1);
	check(flight_add(&f, &k) == NULL);
	alloc_fail_after(0);
	check_eq_int(f.n, 0);
	unsigned n = 0;
	for (; n <= f.mask; n++) {
		key_of(c, &k, name, n, RRTYPE_A, false);
		check(flight_add(&f, &k) != NULL);
	}
	uint32_t mask = f.mask;
	key_of(c, &k, name, n, RRTYPE_A, false);
	alloc_fail_after(2); /* the flight, then the table */
	check(flight_add(&f, &k) != NULL);
	alloc_fail_after(0);
	check_eq_int(f.mask, mask);
	for (unsigned i = 0; i <= n; i++) {
		key_of(c, &k, name, i, RRTYPE_A, false);
		struct flight *fl = flight_find(&f, &k);
		check(fl != NULL);
		flight_unlink(&f, fl);
		mem_free(fl);
	}
	flights_free(&f);
	cache_free(c);
}

static void test_clients_leave_a_flight_in_the_order_they_came(void)
{
	struct cache *c = new_cache();
	struct flights f;
	struct cache_key k;
	uint8_t name[6];
	struct pending *p[3];
	check_eq_int(flights_init(&f), 0);
	key_of(c, &k, name, 1, RRTYPE_A, false);
	struct flight *fl = flight_add(&f, &k);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 3; i++) {
			p[i] = mem_calloc(1, sizeof *p[i]);
			flight_append(&f, fl, p[i]);
		}
		check_eq_int(f.n_waiting, 3);
		for (unsigned i = 0; i < 3; i++) {
			check(flight_take(&f, fl) == p[i]);
			pending_free(p[i]);
		}
		check(flight_take(&f, fl) == NULL);
		check_eq_int(f.n_waiting, 0);
	}
	flight_unlink(&f, fl);
	mem_free(fl);
	flights_free(&f);
	cache_free(c);
}

/* ---- packing ---- */

static size_t option(uint8_t *p, unsigned code, unsigned len)
{
	store_be16(p, (uint16_t)code);
	store_be16(p + 2, (uint16_t)len);
	for (unsigned i = 0; i < len; i++)
		p[4 + i] = (uint8_t)unit_random();
	return 4 + len;
}

static void test_a_packed_query_means_what_the_packet_meant(void)
{
	for (unsigned round = 0; round < 2000; round++) {
		uint8_t msg[2048], opts[1024], packed[PENDING_MAX], name[NAME_MAX_LEN];
		struct question q, back;
		unsigned rcode;
		size_t n_opts = 0, at = 0;
		while (unit_below(4) && at + 40 < sizeof name) {
			name[at] = (uint8_t)(1 + unit_below(30));
			for (unsigned i = 1; i <= name[at]; i++)
				name[at + i] = (uint8_t)unit_random();
			at += 1u + name[at];
		}
		name[at++] = 0;
		if (unit_below(2))
			n_opts += option(opts + n_opts, EDNS_COOKIE, unit_below(2) ? 8 : 16 + (unsigned)unit_below(25));
		if (unit_below(2))
			n_opts += option(opts + n_opts, EDNS_NSID, 0);
		if (unit_below(2))
			n_opts += option(opts + n_opts, EDNS_KEEPALIVE, 0);
		if (unit_below(2)) {
			size_t ecs = n_opts;
			n_opts += option(opts + n_opts, EDNS_ECS, 7);
			memcpy(opts + ecs + 4, (uint8_t[]){ 0, 1, 24, 0, 192, 0, 2 }, 7);
		}
		if (unit_below(2))
			n_opts += option(opts + n_opts, EDNS_PADDING, (unsigned)unit_below(500));
		if (unit_below(2))
			n_opts += option(opts + n_opts, 65001, (unsigned)unit_below(100));
		bool edns = unit_below(4) != 0;
		uint16_t flags = (uint16_t)(unit_random() & (FLAG_RD | FLAG_CD | FLAG_AD));
		int len = query_write(msg, sizeof msg, (uint16_t)unit_random(), flags, name, at, (uint16_t)(1 + unit_below(60)),
				      edns ? (uint16_t)(1 + unit_below(65535)) : 0, edns && unit_below(2), opts, edns ? n_opts : 0);
		check(len > 0);
		if (question_parse(msg, (size_t)len, &q, &rcode) != QUESTION_OK)
			continue; /* AXFR and the like */
		int packed_len = pending_pack(&q, packed);
		check(packed_len > 0 && packed_len <= len);
		check_eq_int(question_parse(packed, (size_t)packed_len, &back, &rcode), QUESTION_OK);
		check_eq_int(back.id, q.id);
		check_eq_int(back.flags, q.flags);
		check_eq_mem(back.wire, back.wire_len, q.wire, q.wire_len);
		check_eq_mem(back.name, back.name_len, q.name, q.name_len);
		check_eq_int(back.edns.present, q.edns.present);
		check_eq_int(back.edns.do_bit, q.edns.do_bit);
		check_eq_int(back.edns.udp_size, q.edns.udp_size);
		check_eq_int(back.edns.nsid, q.edns.nsid);
		check_eq_int(back.edns.keepalive, q.edns.keepalive);
		check_eq_int(back.edns.padding, q.edns.padding);
		check_eq_mem(back.edns.ecs, back.edns.ecs_len, q.edns.ecs, q.edns.ecs_len);
		check_eq_mem(back.edns.cookie, back.edns.cookie_len, q.edns.cookie, q.edns.cookie_len);
	}
}
