/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the answers that are neither cached nor fetched: class CH, and ANY.
 *
 * They are written on the spot, one record at most, with the flags and the OPT that every other answer has. Left out: NSID and
 * keepalive in these answers. */
#include <string.h>

#include "base/must.h"
#include "query/internal.h"

enum { ANY_TTL_S = 3600 };

static size_t refused(struct worker *w, const struct question *q, const struct transport *via, uint8_t *out)
{
	return query_answer(w, q, via, &(struct outcome){ .rcode = RCODE_REFUSED, .ede = EDE_NONE }, out);
}

static size_t one_record(struct worker *w, const struct question *q, uint16_t type, uint32_t ttl_s, const uint8_t *rdata, size_t len,
			 uint8_t *out)
{
	struct msg_writer mw;
	struct dns_header h = {
		.id = q->id, .flags = FLAG_QR | FLAG_RA | (q->flags & (FLAG_RD | FLAG_CD)), .qdcount = 1, .ancount = 1,
		.arcount = q->edns.present,
	};
	writer_begin(&mw, out, answer_udp_limit(q, &w->answer));
	writer_question(&mw, q->wire, q->wire_len);
	writer_rr(&mw, q->wire, (size_t)q->wire_len - 4, type, q->qclass, ttl_s, rdata, len);
	if (q->edns.present)
		writer_opt(&mw, w->answer.udp_size, RCODE_NOERROR, q->edns.do_bit, NULL, 0);
	if (!should(mw.err == 0)) /* 12 + 259 + 268 + 11 bytes at the worst, and the long name has the short record */
		return 0;
	header_write(out, &h);
	stat_inc(w->stats, STAT_ANSWER_NOERROR);
	return mw.len;
}

size_t local_chaos(struct worker *w, const struct question *q, const struct transport *via, uint8_t *out)
{
	static const struct {
		const char *name; /* wire form */
		size_t len;
		bool version;
	} names[] = {
		{ "\7version\4bind", 14, true }, { "\7version\6server", 16, true },
		{ "\2id\6server", 11, false }, { "\10hostname\4bind", 15, false },
	};
	if (q->qclass != CLASS_CH || (q->qtype != RRTYPE_TXT && q->qtype != RRTYPE_ANY))
		return refused(w, q, via, out);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!name_equal(q->name, q->name_len, (const uint8_t *)names[i].name, names[i].len))
			continue;
		const char *text = names[i].version ? w->conf->server_version : w->conf->server_identity;
		uint8_t rdata[256];
		size_t len = text ? strnlen(text, 255) : 0; /* one character-string (RFC 1035 §3.3.14) */
		if (len == 0)
			break;
		rdata[0] = (uint8_t)len;
		memcpy(rdata + 1, text, len);
		return one_record(w, q, RRTYPE_TXT, 0, rdata, len + 1, out);
	}
	return refused(w, q, via, out);
}

size_t local_any(struct worker *w, const struct question *q, uint8_t *out)
{
	static const uint8_t rdata[] = "\7RFC8482"; /* the literal's NUL is HINFO's empty OS */
	return one_record(w, q, RRTYPE_HINFO, ANY_TTL_S, rdata, sizeof rdata, out);
}
