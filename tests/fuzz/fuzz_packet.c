/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a packet: parsed as a client's question, and walked as a server's answer, whose records are expanded, written
 * into a new message, read from that again, and turned into text and back.
 *
 * Besides what the sanitizers see, it aborts when a record does not survive: what was read and what was written
 * must be the same records, and text must read back as the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { TEXTS = 3, TEXT_MAX = 400000 }; /* records that go to text: it is slow */

static uint8_t out[DNS_MSG_MAX], rdata[DNS_MSG_MAX], again[DNS_MSG_MAX];
static char text[TEXT_MAX];

static void try_question(const uint8_t *data, size_t len)
{
	struct question q;
	unsigned rcode = 0;

	memset(&q, 0x5a, sizeof q);
	if (question_parse(data, len, &q, &rcode) == QUESTION_DROP)
		return;
	must(q.wire_len == 0 || (q.wire_len == q.name_len + 4 && name_len(q.name, q.name + q.name_len) == q.name_len));
	must(q.edns.ecs == NULL || (q.edns.ecs >= data && q.edns.ecs + q.edns.ecs_len <= data + len));
	must(q.edns.opts == NULL || q.edns.opts + q.edns.opts_len <= data + len);
	must(q.edns.ede_text == NULL || q.edns.ede_text + q.edns.ede_text_len <= data + len);
}

static void try_text(const uint8_t *owner, size_t owner_len, const struct wire_rr *rr, size_t n)
{
	char name_text[NAME_MAX_TEXT];
	uint8_t name[NAME_MAX_LEN];
	int k = name_to_text(owner, owner_len, name_text, sizeof name_text);

	must(k > 0 && name_from_text(name_text, (size_t)k, name) == (int)owner_len && memcmp(name, owner, owner_len) == 0);
	k = rr_to_text(owner, owner_len, rr->ttl, rr->rrclass, rr->type, rdata, n, text, sizeof text);
	must(k > 0 && strlen(text) == (size_t)k);
	if (rrtype_is_meta(rr->type))
		return;
	k = rdata_to_text(rr->type, rdata, n, text, sizeof text);
	must(k > 0);
	must(rdata_from_text(rr->type, text, (size_t)k, again, sizeof again, NULL) == (int)n && memcmp(again, rdata, n) == 0);
}

/* The same, names without case: a compressed name takes the case of what it points to. */
static bool same(const uint8_t *a, const uint8_t *b, size_t n)
{
	name_lower(rdata, a, n);
	name_lower(again, b, n);
	return memcmp(rdata, again, n) == 0;
}

/* The next record of r must be the one that was read from data as was. */
static void must_read_same(struct msg_reader *r, const struct wire_rr *was, const uint8_t *data, size_t len)
{
	static uint8_t a[DNS_MSG_MAX], b[DNS_MSG_MAX];
	struct wire_rr rr;
	size_t next;

	must(msg_next(r, &rr) == 1);
	must(rr.type == was->type && rr.rrclass == was->rrclass && rr.ttl == was->ttl);
	int n = name_read(data, len, was->owner_off, a, &next), m = name_read(r->msg, r->len, rr.owner_off, b, &next);
	must(n == m && name_equal(a, (size_t)n, b, (size_t)m));
	n = rdata_expand(data, len, was, a, sizeof a);
	m = rdata_expand(r->msg, r->len, &rr, b, sizeof b);
	must(n == m && same(a, b, (size_t)n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct wire_rr kept[DNS_MSG_MAX / 11];
	uint8_t owner[NAME_MAX_LEN];
	struct msg_reader r;
	struct wire_rr rr;
	struct msg_writer w;
	struct edns e;
	unsigned n_kept = 0;
	size_t next;

	try_question(data, len);
	if (msg_begin(&r, data, len) < 0)
		return 0;
	writer_begin(&w, out, sizeof out);
	while (msg_next(&r, &rr) > 0) {
		if (rr.type == RRTYPE_OPT) {
			edns_read(&r, &rr, &e);
			continue;
		}
		int owner_len = name_read(data, len, rr.owner_off, owner, &next);
		int n = rdata_expand(data, len, &rr, rdata, sizeof rdata);
		if (owner_len < 0 || n < 0)
			continue;
		must(rdata_valid(rr.type, rdata, (size_t)n));
		if (r.seen <= TEXTS)
			try_text(owner, (size_t)owner_len, &rr, (size_t)n);
		struct writer_mark mark = writer_mark(&w);
		writer_rr(&w, owner, (size_t)owner_len, rr.type, rr.rrclass, rr.ttl, rdata, (size_t)n);
		if (w.err < 0)
			writer_rollback(&w, mark);
		else
			kept[n_kept++] = rr;
	}
	struct dns_header h = {.flags = FLAG_QR, .ancount = (uint16_t)n_kept};
	header_write(out, &h);
	must(msg_begin(&r, out, w.len) == 0);
	for (unsigned i = 0; i < n_kept; i++)
		must_read_same(&r, &kept[i], data, len);
	must(msg_end(&r) == 0);
	return 0;
}
