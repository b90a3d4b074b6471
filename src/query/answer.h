/* SPDX-License-Identifier: BSD-3-Clause */
/* From a cache entry to the bytes of a reply: ID, flags, TTLs counted down, compression, truncation.
 *
 * Pure: no lock, no allocation, no clock. Thread: any. */
#ifndef PITH_QUERY_ANSWER_H
#define PITH_QUERY_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "cache/cache.h"
#include "wire/wire.h"

/* What answers depend on besides question and entry; fixed per configuration. */
struct answer_options {
	uint16_t udp_size;       /* edns-udp-size: announced in OPT */
	bool minimal;            /* minimal-responses */
	bool rotate;             /* rrset-rotate */
	uint32_t stale_ttl_s;    /* TTL of records served stale */
	const char *nsid;        /* server-identity; "" or NULL: none */
};

struct answer_ask {
	const struct question *q;
	size_t limit;     /* largest message: 512 … 65535; over it TC=1 */
	uint32_t now_s;
	uint32_t rotation; /* any number; records of A and AAAA start at it modulo their count */
	bool stale;       /* entry is expired: stale_ttl_s, EDE 3 or 19 */
	bool tcp;
	uint16_t keepalive_100ms; /* for edns-tcp-keepalive over TCP (RFC 7828), in units of 100 ms */
	const struct answer_options *o;
};

/* The reply from e, for the question a->q. Returns its length in out (cap ≥ a->limit), or ERR_BAD when the entry is damaged.
 * RFC 1035 §4.1, RFC 2181 §9 (TC), RFC 4035 §3.2 (DO, AD, CD), RFC 6891 §7, RFC 8767 §4, RFC 8914 §2. *truncated when TC=1. */
int answer_from_entry(uint8_t *out, const struct answer_ask *a, const struct entry *e, bool *truncated);
/* A reply without records: rcode (extended allowed), with ede (EDE_NONE: none) and text when the client sent OPT. */
int answer_error(uint8_t *out, const struct answer_ask *a, unsigned rcode, int ede, const char *ede_text);
/* The largest UDP reply to q: 512 without EDNS, else its size between 512 and ours (RFC 6891 §6.2.3). */
size_t answer_udp_limit(const struct question *q, const struct answer_options *o);

#endif
