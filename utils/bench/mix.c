/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the mixes: everything about message i follows from i, so that a million of them need no memory. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/random.h"
#include "bench.h"
#include "wire/wire.h"

static size_t put_label(uint8_t *p, const char *s, size_t n)
{
	p[0] = (uint8_t)n;
	memcpy(p + 1, s, n);
	return n + 1;
}

/* "<host><number in base 36, 7 digits>.<zone of 6>.example": 18 to 26 characters, 22 on average, all different. */
static void make_name(struct bench_msg *m, uint64_t i, struct prng *r)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char host[16];
	size_t n = prng_next(r) % 9;
	memcpy(host, "web-mail-", n);
	for (int k = 0; k < 6; k++, i /= 36)
		host[n++] = digits[i % 36];
	size_t at = put_label(m->name, host, n);
	char zone[5];
	uint64_t z = prng_next(r) % 1679616;
	for (int k = 0; k < 4; k++, z /= 36)
		zone[k] = digits[z % 36];
	at += put_label(m->name + at, zone, 4);
	at += put_label(m->name + at, "example", 7);
	m->name[at++] = 0;
	m->name_len = (uint8_t)at;
}

static struct prng start(struct bench_msg *m, uint64_t i)
{
	struct prng r;
	prng_seed(&r, i * 2654435761u + 12345);
	make_name(m, i, &r);
	uint64_t p = prng_next(&r) % 100;
	m->type = p < 56 ? RRTYPE_A : p < 81 ? RRTYPE_AAAA : RRTYPE_TXT;
	return r;
}

void bench_question(struct bench_msg *m, enum bench_mix mix, uint64_t i)
{
	(void)mix;
	start(m, i);
}

static size_t fill_rdata(uint8_t *out, uint16_t type, enum bench_mix mix, struct prng *r)
{
	size_t n = rrtype_fixed_len(type);
	if (!n)
		n = mix == MIX_PUBLISHED ? 64 + prng_next(r) % 161 : 16 + prng_next(r) % 81;
	for (size_t k = 0; k < n; k += 8) {
		uint64_t v = prng_next(r);
		memcpy(out + k, &v, n - k < 8 ? n - k : 8);
	}
	if (type == RRTYPE_TXT) {
		out[0] = (uint8_t)(n - 1);
		for (size_t k = 1; k < n; k++)
			out[k] = (uint8_t)(' ' + out[k] % 95);
	}
	return n;
}

void bench_message(struct bench_msg *m, enum bench_mix mix, uint64_t i)
{
	struct prng r = start(m, i);
	struct msg_writer w;
	uint8_t question[68], rdata[256];
	unsigned n = 1 + (unsigned)(prng_next(&r) % 4);
	uint32_t ttl = 60 + (uint32_t)(prng_next(&r) % 86340);
	memcpy(question, m->name, m->name_len);
	store_be16(question + m->name_len, m->type);
	store_be16(question + m->name_len + 2, CLASS_IN);
	writer_begin(&w, m->bytes, sizeof m->bytes);
	writer_question(&w, question, m->name_len + 4u);
	size_t payload = m->name_len + 12u;
	for (unsigned k = 0; k < n; k++) {
		size_t len = fill_rdata(rdata, m->type, mix, &r);
		writer_rr(&w, m->name, m->name_len, m->type, CLASS_IN, ttl, rdata, len);
		payload += len;
	}
	struct dns_header h = { .id = (uint16_t)i, .flags = FLAG_QR | FLAG_RD | FLAG_RA, .qdcount = 1, .ancount = (uint16_t)n };
	header_write(m->bytes, &h);
	m->len = (uint16_t)w.len;
	m->payload = (uint16_t)payload;
}

double bench_now_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

const char *bench_machine(void)
{
	static char text[256];
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");
	while (f && fgets(line, sizeof line, f)) {
		char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) == 0 && colon) {
			snprintf(text, sizeof text, "%.*s, %ld processors", (int)strcspn(colon + 2, "\n"), colon + 2,
				 sysconf(_SC_NPROCESSORS_ONLN));
			break;
		}
	}
	if (f)
		fclose(f);
	return text;
}
