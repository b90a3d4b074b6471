/* SPDX-License-Identifier: BSD-3-Clause */
/* A client's packet: header, one question, and an OPT somewhere in the additional section.
 *
 * The first thing that happens to every query, so it runs over the bytes once, clears nothing it need not, and looks at other
 * records only to step over them. The packet is walked to its end even after a fault as far as it can be, as an OPT
 * of an unknown version outweighs every other fault (RFC 6891 §6.1.3) and a reply owes its OPT to a client that sent one.
 * The invariant: no byte at or behind msg + len is read, and each step forward is at least one byte. */
#include "base/bytes.h"
#include "wire/edns.h"
#include "wire/name.h"
#include "wire/wire.h"

enum { QUESTION_FIXED_LEN = 4, RR_FIXED_LEN = 10, QUESTION_FAULT = -1 };

/* Steps over the QDCOUNT questions, keeping the first when it is the only one. The offset behind them, or 0 when they are broken. */
static size_t questions_take(const uint8_t *msg, size_t len, unsigned qdcount, struct question *q)
{
	size_t off = DNS_HEADER_LEN;

	if (qdcount == 1) {
		int n = name_len(msg + off, msg + len); /* no pointers: nothing stands before it to point to */

		if (n < 0 || len - off - (size_t)n < QUESTION_FIXED_LEN)
			return 0;
		q->wire = msg + off;
		q->wire_len = (uint16_t)(n + QUESTION_FIXED_LEN);
		q->name_len = (uint8_t)n;
		q->qtype = load_be16(q->wire + n);
		q->qclass = load_be16(q->wire + n + 2);
		name_lower(q->name, q->wire, (size_t)n);
		return off + q->wire_len;
	}
	for (; qdcount > 0; qdcount--) {
		int n = name_skip(msg, len, off);

		if (n < 0 || len - off - (size_t)n < QUESTION_FIXED_LEN)
			return 0;
		off += (size_t)n + QUESTION_FIXED_LEN;
	}
	return off;
}

/* Steps over count records from *off on. 0, or QUESTION_FAULT when something is wrong with them; *off is 0 when the walk cannot go on. */
static int records_take(const uint8_t *msg, size_t len, size_t *off, unsigned count, bool additional, struct edns *e)
{
	int fault = 0;

	for (; count > 0; count--) {
		int n = name_skip(msg, len, *off);

		if (n < 0 || len - *off - (size_t)n < RR_FIXED_LEN) {
			*off = 0;
			return QUESTION_FAULT;
		}
		const uint8_t *fixed = msg + *off + n;
		size_t rdlen = load_be16(fixed + 8), at = *off + (size_t)n + RR_FIXED_LEN;

		if (rdlen > len - at) {
			*off = 0;
			return QUESTION_FAULT;
		}
		*off = at + rdlen;
		if (load_be16(fixed) != RRTYPE_OPT)
			continue;
		/* RFC 6891 §6.1.1: one, in the additional section, owned by the root */
		if (!additional || n != 1 || e->present)
			fault = QUESTION_FAULT;
		else if (edns_parse(fixed, rdlen, true, e) < 0)
			fault = QUESTION_FAULT;
	}
	return fault;
}

enum question_verdict question_parse(const uint8_t *msg, size_t len, struct question *q, unsigned *rcode)
{
	struct dns_header h;

	if (!header_read(msg, len, &h) || (h.flags & FLAG_QR) != 0)
		return QUESTION_DROP;
	q->id = h.id;
	q->flags = h.flags;
	q->qtype = q->qclass = 0;
	q->wire = NULL;
	q->wire_len = 0;
	q->name_len = 0;
	q->edns = (struct edns){.ede = EDE_NONE};

	size_t off = questions_take(msg, len, h.qdcount, q);
	int fault = h.qdcount != 1 ? QUESTION_FAULT : 0;
	if (off != 0 && h.ancount + h.nscount > 0)
		fault |= records_take(msg, len, &off, (unsigned)h.ancount + h.nscount, false, &q->edns);
	if (off != 0 && h.arcount > 0)
		fault |= records_take(msg, len, &off, h.arcount, true, &q->edns);
	if (off != len)
		fault = QUESTION_FAULT;

	if (q->edns.version > 0)
		*rcode = RCODE_BADVERS;
	else if ((h.flags & FLAG_OPCODE_MASK) >> FLAG_OPCODE_SHIFT != OPCODE_QUERY)
		*rcode = RCODE_NOTIMP;
	else if (fault != 0)
		*rcode = RCODE_FORMERR;
	else if (q->qtype == RRTYPE_AXFR || q->qtype == RRTYPE_IXFR)
		*rcode = RCODE_REFUSED;
	else
		return QUESTION_OK;
	return QUESTION_REPLY;
}
