/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the mixes beside the published one: signed, negative, with client subnets, and alias chains. Each is made from the published mix's
 * names and types, so that its bytes per entry can be read against that mix's. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "measure.h"

enum { SUBNETS = 4, SIGNATURE_LEN = 64, RRSIG_FIXED = 18, CHAIN_LEN = 3, CHAIN_ADDRESSES = 2 };

const char *supply_name(enum supply s)
{
	static const char *const names[N_SUPPLIES] = { "published", "small", "signed", "negative", "ecs", "chain" };
	return names[s];
}

/* The zone of a name of the mix: all but its first label. */
static const uint8_t *zone_of(const struct bench_msg *m, size_t *len)
{
	*len = m->name_len - 1u - m->name[0];
	return m->name + 1 + m->name[0];
}

static size_t put_name(uint8_t *out, const char *label, const uint8_t *below, size_t below_len)
{
	size_t n = strlen(label);
	out[0] = (uint8_t)n;
	memcpy(out + 1, label, n);
	memcpy(out + 1 + n, below, below_len);
	return 1 + n + below_len;
}

static void begin(struct msg_writer *w, struct bench_msg *m)
{
	uint8_t question[68];
	memcpy(question, m->name, m->name_len);
	store_be16(question + m->name_len, m->type);
	store_be16(question + m->name_len + 2, CLASS_IN);
	writer_begin(w, m->bytes, sizeof m->bytes);
	writer_question(w, question, m->name_len + 4u);
}

static void end(struct msg_writer *w, struct bench_msg *m, uint64_t i, unsigned rcode, unsigned an, unsigned ns)
{
	struct dns_header h = { .id = (uint16_t)i, .flags = (uint16_t)(FLAG_QR | FLAG_RD | FLAG_RA | rcode), .qdcount = 1,
				.ancount = (uint16_t)an, .nscount = (uint16_t)ns };
	header_write(m->bytes, &h);
	m->len = (uint16_t)w->len;
	m->payload = 0;
}

/* Published message i with one RRSIG over its RRset (RFC 4034 §3.1), ECDSA P-256 in size. */
static void make_signed(uint64_t i, struct bench_msg *m)
{
	uint8_t rdata[RRSIG_FIXED + 64 + SIGNATURE_LEN];
	struct prng r;
	size_t zone_len, ttl_at = DNS_HEADER_LEN + m->name_len + 4u + 2 + 4;
	const uint8_t *zone = zone_of(m, &zone_len);
	uint32_t ttl = load_be32(m->bytes + ttl_at);
	prng_seed(&r, i + 777);
	store_be16(rdata, m->type);
	rdata[2] = 13;
	rdata[3] = (uint8_t)name_labels(m->name);
	store_be32(rdata + 4, ttl);
	store_be32(rdata + 8, 1800000000u + (uint32_t)(i % 86400));
	store_be32(rdata + 12, 1798000000u + (uint32_t)(i % 86400));
	store_be16(rdata + 16, (uint16_t)prng_next(&r));
	memcpy(rdata + RRSIG_FIXED, zone, zone_len);
	for (size_t k = 0; k < SIGNATURE_LEN; k += 8)
		store_be64(rdata + RRSIG_FIXED + zone_len + k, prng_next(&r));
	struct msg_writer w;
	writer_begin(&w, m->bytes, sizeof m->bytes);
	w.len = m->len;
	writer_u16(&w, 0xc000 | DNS_HEADER_LEN);
	writer_u16(&w, RRTYPE_RRSIG);
	writer_u16(&w, CLASS_IN);
	writer_u32(&w, ttl);
	writer_rdata(&w, RRTYPE_RRSIG, rdata, RRSIG_FIXED + zone_len + SIGNATURE_LEN);
	store_be16(m->bytes + 6, (uint16_t)(load_be16(m->bytes + 6) + 1));
	m->len = (uint16_t)w.len;
}

/* NXDOMAIN for name i, with the SOA of its zone (RFC 2308 §2.1). */
static void make_negative(uint64_t i, struct bench_msg *m)
{
	struct msg_writer w;
	uint8_t rdata[2 * 64 + 20];
	size_t zone_len, n;
	const uint8_t *zone = zone_of(m, &zone_len);
	begin(&w, m);
	n = put_name(rdata, "ns1", zone, zone_len);
	n += put_name(rdata + n, "hostmaster", zone, zone_len);
	store_be32(rdata + n, 2024010100u + zone[1]);
	store_be32(rdata + n + 4, 7200);
	store_be32(rdata + n + 8, 3600);
	store_be32(rdata + n + 12, 1209600);
	store_be32(rdata + n + 16, 300);
	writer_rr(&w, zone, zone_len, RRTYPE_SOA, CLASS_IN, 900, rdata, n + 20);
	end(&w, m, i, RCODE_NXDOMAIN, 0, 1);
}

/* Message i / 4 for one of its four subnets; the last byte of its data differs between them. */
static void make_scoped(uint64_t i, struct bench_msg *m, struct ecs_prefix *ecs)
{
	uint64_t nth = i / SUBNETS, subnet = i % SUBNETS;
	bench_message(m, MIX_PUBLISHED, nth);
	*ecs = (struct ecs_prefix){ .family = 1, .bits = 24, .addr = { 192, 0, 2, 0 } };
	ecs->addr[1] = (uint8_t)(nth % 251);
	ecs->addr[2] = (uint8_t)(subnet * 64 + nth % 64);
	m->bytes[m->len - 1] = (uint8_t)(m->bytes[m->len - 1] ^ subnet);
}

/* Three aliases and two addresses, as content networks answer:
 * name → name.edge.example → e123.g.edge.example → a1.pop7.edge.example A A */
static void make_chain(uint64_t i, struct bench_msg *m)
{
	static const uint8_t edge[] = "\4edge\7example";
	struct msg_writer w;
	uint8_t names[CHAIN_LEN + 1][NAME_MAX_LEN];
	size_t lens[CHAIN_LEN + 1];
	char label[2][16];
	struct prng r;
	prng_seed(&r, i + 4242);
	m->type = RRTYPE_A;
	begin(&w, m);
	lens[0] = m->name_len;
	memcpy(names[0], m->name, lens[0]);
	lens[1] = m->name_len - 1u;
	memcpy(names[1], m->name, lens[1]);
	memcpy(names[1] + lens[1], edge, sizeof edge);
	lens[1] += sizeof edge;
	snprintf(label[0], sizeof label[0], "e%u", (unsigned)(prng_next(&r) % 100000));
	size_t g = put_name(names[2] + 1 + strlen(label[0]), "g", edge, sizeof edge);
	lens[2] = 1 + strlen(label[0]) + g;
	names[2][0] = (uint8_t)strlen(label[0]);
	memcpy(names[2] + 1, label[0], strlen(label[0]));
	snprintf(label[0], sizeof label[0], "a%u", (unsigned)(prng_next(&r) % 1000));
	snprintf(label[1], sizeof label[1], "pop%u", (unsigned)(prng_next(&r) % 200));
	uint8_t pop[64];
	size_t pop_len = put_name(pop, label[1], edge, sizeof edge);
	lens[3] = put_name(names[3], label[0], pop, pop_len);
	for (unsigned k = 0; k < CHAIN_LEN; k++)
		writer_rr(&w, names[k], lens[k], RRTYPE_CNAME, CLASS_IN, k == 0 ? 3600 : 300, names[k + 1], lens[k + 1]);
	for (unsigned k = 0; k < CHAIN_ADDRESSES; k++) {
		uint8_t addr[4];
		store_be32(addr, (uint32_t)prng_next(&r));
		writer_rr(&w, names[CHAIN_LEN], lens[CHAIN_LEN], RRTYPE_A, CLASS_IN, 60, addr, 4);
	}
	end(&w, m, i, RCODE_NOERROR, CHAIN_LEN + CHAIN_ADDRESSES, 0);
}

void supply_message(enum supply s, uint64_t i, struct bench_msg *m, struct ecs_prefix *ecs)
{
	*ecs = (struct ecs_prefix){ 0 };
	if (s == SUPPLY_ECS) {
		make_scoped(i, m, ecs);
		return;
	}
	bench_message(m, s == SUPPLY_SMALL ? MIX_SMALL_TXT : MIX_PUBLISHED, i);
	if (s == SUPPLY_SIGNED)
		make_signed(i, m);
	else if (s == SUPPLY_NEGATIVE)
		make_negative(i, m);
	else if (s == SUPPLY_CHAIN)
		make_chain(i, m);
}
