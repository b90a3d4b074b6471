/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the wire room: the DNS codec. Names, header bits, bounded reading, writing with compression, EDNS.
 *
 * Nothing here keeps state or knows a cache, and nothing but the text functions allocates. Readers never pass `end`, whatever the bytes say; a reader and
 * a writer keep a sticky error, so ten steps need one check. Names are handled in wire form (RFC 1035 §3.1):
 * length bytes and labels up to and with the root's zero, 1 to 255 bytes.
 * Thread: any, all functions are pure but for what they are handed. */
#ifndef PITH_WIRE_WIRE_H
#define PITH_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	NAME_MAX_LEN = 255,   /* bytes of a name in wire form, root included (RFC 1035 §2.3.4) */
	NAME_MAX_TEXT = 1021, /* characters of a name in presentation form (every byte as \DDD), with the final NUL */
	LABEL_MAX_LEN = 63,
	DNS_HEADER_LEN = 12,
	DNS_MSG_MAX = 65535,
	DNS_UDP_MIN = 512, /* RFC 1035 §4.2.1 */
};

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

enum { OPCODE_QUERY = 0, OPCODE_IQUERY = 1, OPCODE_STATUS = 2, OPCODE_NOTIFY = 4, OPCODE_UPDATE = 5 };
enum { CLASS_IN = 1, CLASS_CH = 3, CLASS_HS = 4, CLASS_NONE = 254, CLASS_ANY = 255 };
enum {
	RCODE_NOERROR = 0, RCODE_FORMERR = 1, RCODE_SERVFAIL = 2, RCODE_NXDOMAIN = 3, RCODE_NOTIMP = 4, RCODE_REFUSED = 5,
	RCODE_YXDOMAIN = 6, RCODE_NOTAUTH = 9, RCODE_BADVERS = 16, RCODE_BADCOOKIE = 23,
};
/* RRTYPE_A, RRTYPE_NS, … from the table. */
enum rrtype {
#define RRTYPE(name, num, shape) RRTYPE_##name = num,
#include "wire/rrtype.def"
#undef RRTYPE
};
enum {
	EDNS_NSID = 3, EDNS_ECS = 8, EDNS_EXPIRE = 9, EDNS_COOKIE = 10, EDNS_KEEPALIVE = 11, EDNS_PADDING = 12,
	EDNS_CHAIN = 13, EDNS_KEYTAG = 14, EDNS_EDE = 15, EDNS_REPORT_CHANNEL = 18,
};
/* Extended DNS Errors (RFC 8914 §4). */
enum {
	EDE_NONE = -1, EDE_OTHER = 0, EDE_DNSKEY_ALGORITHM = 1, EDE_DS_DIGEST = 2, EDE_STALE_ANSWER = 3, EDE_FORGED = 4,
	EDE_INDETERMINATE = 5, EDE_BOGUS = 6, EDE_SIG_EXPIRED = 7, EDE_SIG_NOT_YET = 8, EDE_DNSKEY_MISSING = 9,
	EDE_RRSIGS_MISSING = 10, EDE_NO_ZONE_KEY = 11, EDE_NSEC_MISSING = 12, EDE_CACHED_ERROR = 13, EDE_NOT_READY = 14,
	EDE_BLOCKED = 15, EDE_CENSORED = 16, EDE_FILTERED = 17, EDE_PROHIBITED = 18, EDE_STALE_NXDOMAIN = 19,
	EDE_NOT_AUTHORITATIVE = 20, EDE_NOT_SUPPORTED = 21, EDE_NO_REACHABLE_AUTHORITY = 22, EDE_NETWORK_ERROR = 23,
	EDE_INVALID_DATA = 24,
};

/* "A", "TYPE123" (RFC 3597 §5) into buf (16 bytes are always enough); returns buf. */
const char *rrtype_text(uint16_t type, char *buf, size_t cap);
/* len characters, any case; mnemonic or TYPEn. The type, or ERR_UNKNOWN. */
int rrtype_from_text(const char *s, size_t len);
/* "NOERROR", "RCODE17"; "IN", "CLASS7"; EDE's registered phrase ("Stale Answer") or "Other". */
const char *rcode_text(unsigned rcode, char *buf, size_t cap);
const char *rrclass_text(uint16_t rrclass, char *buf, size_t cap);
int rrclass_from_text(const char *s, size_t len);
const char *ede_text(int code);
/* RRSIG, NSEC, NSEC3 (and DNSKEY's kin are not): what DO=0 does not see unless asked for (RFC 4035 §3.2.1). */
static inline bool rrtype_is_dnssec_meta(uint16_t type);
/* QTYPEs and pseudo types that are never cached as an RRset: OPT, TSIG, TKEY, IXFR, AXFR, MAILB, MAILA, ANY. */
bool rrtype_is_meta(uint16_t type);
/* Size of this type's rdata when it never varies (A 4, AAAA 16), else 0. Inlined for those two. */


/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Length of the uncompressed name at p, root included, or ERR_BAD when it passes end, is over 255 bytes or holds a pointer. */
int name_len(const uint8_t *p, const uint8_t *end);
/* dst = src in lower case (RFC 4343); may be the same place. len bytes; fast: 8 bytes at a time. */
void name_lower(uint8_t *dst, const uint8_t *src, size_t len);
/* Equal without case. */
bool name_equal(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
/* Is name at or below zone? Both uncompressed, any case. */
bool name_is_below(const uint8_t *name, size_t name_len, const uint8_t *zone, size_t zone_len);
/* Labels without the root's: 0 for ".". */
unsigned name_labels(const uint8_t *name);
/* Decompresses the name at offset off of msg into out (NAME_MAX_LEN bytes). Returns its length in out; *next is the offset
 * behind the name in msg. ERR_BAD: out of bounds, pointer not strictly backwards, over 255 bytes, label type 01 or 10. Keeps case. */
int name_read(const uint8_t *msg, size_t msg_len, size_t off, uint8_t *out, size_t *next);
/* Presentation form with the final dot (RFC 1035 §5.1; non-printing bytes \DDD; '.' ';' '"' '\\' '(' ')' '@' '$' and blank
 * escaped by a backslash or \032). Returns the length without NUL, or ERR_SPACE. NAME_MAX_TEXT always suffices. */
int name_to_text(const uint8_t *name, size_t len, char *buf, size_t cap);
/* Parses presentation form of len characters; the final dot may be missing (the name is taken as absolute). Keeps case.
 * Returns the wire length in out (NAME_MAX_LEN bytes), or ERR_BAD. */
int name_from_text(const char *s, size_t len, uint8_t *out);
/* Canonical order (RFC 4034 §6.1): <0, 0, >0. */
int name_compare(const uint8_t *a, const uint8_t *b);

/* ---- header ----------------------------------------------------------------------------------------------------- */

enum {
	FLAG_QR = 0x8000, FLAG_AA = 0x0400, FLAG_TC = 0x0200, FLAG_RD = 0x0100, FLAG_RA = 0x0080, FLAG_Z = 0x0040,
	FLAG_AD = 0x0020, FLAG_CD = 0x0010, FLAG_OPCODE_SHIFT = 11, FLAG_OPCODE_MASK = 0x7800, FLAG_RCODE_MASK = 0x000f,
};

struct dns_header {
	uint16_t id, flags, qdcount, ancount, nscount, arcount;
};
/* False when len < 12. */
static inline bool header_read(const uint8_t *msg, size_t len, struct dns_header *h);
static inline void header_write(uint8_t *msg, const struct dns_header *h);

/* ---- a question from a client (or the question of a reply) -------------------------------------------------------- */

struct edns {
	bool present, do_bit;
	uint8_t version;      /* as sent; a query with version > 0 is answered BADVERS */
	uint8_t ext_rcode;    /* upper 8 bits of the RCODE, in a response */
	uint16_t udp_size;    /* as sent; a value under 512 counts as 512 (RFC 6891 §6.2.3) */
	const uint8_t *opts;  /* the options' bytes inside the message, bounds checked */
	uint16_t opts_len;
	/* what was found in them; pointers into the message, NULL or 0 when absent */
	const uint8_t *ecs;    uint16_t ecs_len;
	const uint8_t *cookie; uint16_t cookie_len;
	bool nsid, keepalive, padding;
	int ede;               /* first EDE's code, EDE_NONE when absent */
	const uint8_t *ede_text; uint16_t ede_text_len;
};

struct question {
	uint16_t id, flags, qtype, qclass;
	const uint8_t *wire;          /* QNAME, QTYPE, QCLASS as sent, to be echoed byte for byte */
	uint16_t wire_len;            /* = name_len + 4 */
	uint8_t name_len;
	uint8_t name[NAME_MAX_LEN];   /* QNAME in lower case */
	struct edns edns;
};

enum question_verdict {
	QUESTION_OK,      /* *q is whole */
	QUESTION_DROP,    /* no answer may be sent: shorter than a header, or QR=1 (a response is never answered) */
	QUESTION_REPLY,   /* answer with *rcode and no data; q->id, flags valid; wire/wire_len set when the question was readable, else 0 */
};
/* Parses a client's packet. *rcode (for QUESTION_REPLY): NOTIMP opcode ≠ QUERY; FORMERR QDCOUNT ≠ 1, truncated, trailing bytes,
 * compressed QNAME, two OPTs, OPT with an owner or outside of the additional section, broken option list, ECS (RFC 7871 §7.1.2) or
 * COOKIE (RFC 7873 §5.2.2); BADVERS EDNS version > 0
 * (before anything else, RFC 6891 §6.1.3); REFUSED AXFR, IXFR. Answer or authority records in a query are skipped, bounded. */
enum question_verdict question_parse(const uint8_t *msg, size_t len, struct question *q, unsigned *rcode);

/* ---- reading a message record by record ---------------------------------------------------------------------------- */

enum section { SECTION_ANSWER, SECTION_AUTHORITY, SECTION_ADDITIONAL };

struct wire_rr {
	uint16_t owner_off;  /* offset of the owner in the message (name_read decompresses it) */
	uint16_t type, rrclass;
	uint32_t ttl;        /* ≥ 2^31 already turned into 0 (RFC 2181 §8) */
	uint16_t rdata_off, rdata_len;
	enum section section;
};

struct msg_reader {
	const uint8_t *msg;
	size_t len, off;
	struct dns_header h;
	unsigned seen;    /* records handed out so far */
	bool have_opt;    /* a second OPT is an error (RFC 6891 §6.1.1) */
	int err;          /* sticky; ERR_BAD once anything was malformed */
};
/* Checks the header, skips QDCOUNT questions. ERR_BAD, or 0 and the reader stands at the first record. */
int msg_begin(struct msg_reader *r, const uint8_t *msg, size_t len);
/* The next record: 1, 0 when all counted records were read (trailing bytes then are ERR_BAD by msg_end), or ERR_BAD. */
int msg_next(struct msg_reader *r, struct wire_rr *rr);
/* 0 when every record was read and nothing trails. */
int msg_end(const struct msg_reader *r);
/* Parses the OPT pseudo record rr of r's message into *e. 0 or ERR_BAD. */
int edns_read(const struct msg_reader *r, const struct wire_rr *rr, struct edns *e);

/* rdata of rr with its names decompressed (types of RFC 1035 and RFC 3597 §4 only; a pointer in any other known type is
 * ERR_BAD, unknown types are copied as they are), names keep case, into out.
 * Checks the type's shape (A is 4 bytes, a SOA ends after MINIMUM, and so on). Returns its length, ERR_BAD, or ERR_SPACE. */
int rdata_expand(const uint8_t *msg, size_t msg_len, const struct wire_rr *rr, uint8_t *out, size_t cap);
/* Is this uncompressed rdata well-formed for its type? Unknown types always are. */
bool rdata_valid(uint16_t type, const uint8_t *rdata, size_t len);
/* Where the first name inside uncompressed rdata begins, for the types that lead on (CNAME, DNAME, NS, PTR: 0;
 * MX, KX, SVCB, HTTPS: 2; SRV: 6), else -1. */
int rdata_target_off(uint16_t type);

/* ---- writing -------------------------------------------------------------------------------------------------------- */

enum { WRITER_NAMES = 64 }; /* places remembered as compression targets; further names are still written, uncompressed */

struct msg_writer {
	uint8_t *base;
	size_t len, limit;   /* limit: TC decides by it (512 … 65535) */
	int err;             /* sticky: ERR_SPACE; ERR_BAD when handed an owner that is no name */
	uint16_t n_names;
	uint16_t name_off[WRITER_NAMES]; /* offsets (< 0x4000) at which a name suffix was written */
	uint8_t name_len[WRITER_NAMES];  /* and its length when uncompressed: only equal lengths are compared */
};
/* Starts a message in base; the first DNS_HEADER_LEN bytes are left for header_write at the end. cap ≥ limit ≥ 12. */
static inline void writer_begin(struct msg_writer *w, uint8_t *base, size_t limit);
static inline void writer_u8(struct msg_writer *w, uint8_t v);
static inline void writer_u16(struct msg_writer *w, uint16_t v);
static inline void writer_u32(struct msg_writer *w, uint32_t v);
static inline void writer_bytes(struct msg_writer *w, const void *p, size_t n);
/* Writes the question's bytes as given and remembers its name as the first compression target. */
void writer_question(struct msg_writer *w, const uint8_t *wire, size_t len);
/* A name in wire form, compressed against what was written before (without case), its suffixes remembered. compress false: whole, and not remembered. */
void writer_name(struct msg_writer *w, const uint8_t *name, size_t len, bool compress);
/* One record with owner, and rdata from uncompressed bytes; names in rdata of RFC 1035 types are compressed, all others copied. */
void writer_rr(struct msg_writer *w, const uint8_t *owner, size_t owner_len, uint16_t type, uint16_t rrclass, uint32_t ttl,
	       const uint8_t *rdata, size_t rdata_len);
/* RDLENGTH and rdata only, the same compression: for an answer builder that writes owner, type, class and TTL itself. */
void writer_rdata(struct msg_writer *w, uint16_t type, const uint8_t *rdata, size_t rdata_len);
/* For truncation by RRset: mark before, rollback to it when err is set afterwards (clears the error, forgets later names). */
struct writer_mark {
	size_t len;
	uint16_t n_names;
};
static inline struct writer_mark writer_mark(const struct msg_writer *w);
static inline void writer_rollback(struct msg_writer *w, struct writer_mark m);
/* An OPT record (RFC 6891 §6.1.2): udp_size ours, ext_rcode = rcode >> 4, options' bytes as given. */
void writer_opt(struct msg_writer *w, uint16_t udp_size, unsigned rcode, bool do_bit, const uint8_t *opts, size_t opts_len);

/* A query to a server: header with id and flags, one question, OPT when udp_size > 0. Returns its length or ERR_SPACE. */
int query_write(uint8_t *out, size_t cap, uint16_t id, uint16_t flags, const uint8_t *name, size_t name_len, uint16_t qtype,
		uint16_t udp_size, bool do_bit, const uint8_t *opts, size_t opts_len);

/* ---- text (ldns's home: up to tens of microseconds, and it allocates: never on the hot path) --------------------------
 * Thread: any. The one type for which ldns would ask libc's unlocked protocol tables, WKS, is kept from it. */

/* "owner ttl IN TYPE rdata" without a newline, zone-file form. Returns the length without NUL, ERR_SPACE or ERR_BAD.
 * Rdata that its type does not allow comes out in RFC 3597 form (\# len hex). */
int rr_to_text(const uint8_t *owner, size_t owner_len, uint32_t ttl, uint16_t rrclass, uint16_t type, const uint8_t *rdata,
	       size_t rdata_len, char *buf, size_t cap);
/* Only the rdata's text. */
int rdata_to_text(uint16_t type, const uint8_t *rdata, size_t rdata_len, char *buf, size_t cap);
/* Rdata in zone text (len characters) → uncompressed wire bytes. Length, ERR_BAD (why names the fault), or ERR_SPACE. */
int rdata_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why);

#include "wire/inline.h"

#endif
