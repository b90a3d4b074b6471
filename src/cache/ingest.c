/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the judgement of a response: which of its records answer the question, in which order, for how long.
 *
 * The chain is followed from the question's name: an RRset of the asked type ends it, a CNAME or DNAME leads on. What is not on the chain is
 * left (RFC 2181 §5.4.1): a server may say whatever it likes about other names. Of a negative answer the SOA of a zone
 * above the chain's end is kept, with the NSEC records that prove it. Owners are hashed once, so that a message made of four thousand
 * records costs one pass, not one per link. */
#include <string.h>

#include "cache/build.h"
#include "cache/ingest.h"

enum { MAX_RECORDS = 6000, MAX_SETS = 96, DEDUP_MAX = 64 };

struct rec {
	struct wire_rr rr;
	uint32_t owner_hash;
};

struct set {
	enum section section;
	uint16_t type, covered;  /* covered: of signatures, the type they sign; else 0 */
	bool meta, question_owner;
	uint16_t owner_off;
	uint16_t first;          /* index of its first record; the others are found again by owner, type, covered */
	unsigned n;
	uint32_t hash, ttl_s;
};

struct ingest_run {
	const uint8_t *msg;
	size_t len;
	const struct cache_key *key;
	const struct entry_meta *meta;
	struct rec *recs;
	unsigned n_recs;
	struct set sets[MAX_SETS];
	unsigned n_sets;
	uint8_t *tmp; /* DNS_MSG_MAX bytes for expanded rdata */
	uint8_t at[NAME_MAX_LEN]; /* where the chain stands, lower case */
	size_t at_len;
	uint32_t at_hash;
	unsigned rcode, links;
};
_Static_assert(MAX_RECORDS * sizeof(struct rec) + DNS_MSG_MAX + 1 <= sizeof((struct entry_scratch *)0)->work, "the workbench holds both");

/* FNV-1a over lower-case bytes: only to tell owners of one message apart. */
static uint32_t owner_hash(const uint8_t *name, size_t len)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < len; i++)
		h = (h ^ byte_lower(name[i])) * 16777619u;
	return h;
}

/* Reads all records; 0 or ERR_BAD. */
static int collect(struct ingest_run *x)
{
	struct msg_reader r;
	struct wire_rr rr;
	int more;
	uint16_t last_off = 0;
	uint32_t last_hash = 0;
	if (msg_begin(&r, x->msg, x->len) != 0)
		return ERR_BAD;
	while ((more = msg_next(&r, &rr)) == 1) {
		if (rr.section == SECTION_ADDITIONAL || rr.rrclass != CLASS_IN)
			continue;
		if (x->n_recs == MAX_RECORDS)
			return ERR_BAD;
		struct rec *c = &x->recs[x->n_recs++];
		c->rr = rr;
		if (rr.owner_off != last_off) {
			/* Nearly every owner is a pointer to the question or to the owner before. */
			size_t off = rr.owner_off;
			if (x->msg[off] >= 0xc0 && x->msg[off] == 0xc0 && x->msg[off + 1] == DNS_HEADER_LEN) {
				last_hash = x->at_hash;
			} else {
				uint8_t name[NAME_MAX_LEN];
				size_t next;
				int n = name_read(x->msg, x->len, off, name, &next);
				if (n < 0)
					return ERR_BAD;
				last_hash = owner_hash(name, (size_t)n);
			}
			last_off = rr.owner_off;
		}
		c->owner_hash = last_hash;
	}
	return more < 0 || msg_end(&r) != 0 ? ERR_BAD : 0;
}

static bool owner_is(const struct ingest_run *x, const struct rec *c, const uint8_t *name, size_t len, uint32_t hash)
{
	uint8_t owner[NAME_MAX_LEN];
	size_t next, off = c->rr.owner_off;
	if (c->owner_hash != hash)
		return false;
	if (x->msg[off] == 0xc0 && x->msg[off + 1] == DNS_HEADER_LEN && len == x->key->name_len && memcmp(name, x->key->name, len) == 0)
		return true;
	int n = name_read(x->msg, x->len, off, owner, &next);
	return n > 0 && name_equal(owner, (size_t)n, name, len);
}

static uint16_t covered_type(const struct ingest_run *x, const struct rec *c)
{
	return c->rr.type == RRTYPE_RRSIG && c->rr.rdata_len >= 2 ? load_be16(x->msg + c->rr.rdata_off) : 0;
}

static bool in_set(const struct ingest_run *x, const struct set *s, const struct rec *c, const uint8_t *owner, size_t owner_len)
{
	return c->rr.type == s->type && c->rr.section == s->section && (!s->covered || covered_type(x, c) == s->covered) &&
	       owner_is(x, c, owner, owner_len, s->hash);
}

/* Adds the RRset of that owner, type and section, if there is one; returns it or NULL. */
static struct set *add_set(struct ingest_run *x, enum section section, const uint8_t *owner, size_t owner_len, uint32_t hash,
			   uint16_t type, uint16_t covered, bool meta)
{
	struct set s = { .section = section, .type = type, .covered = covered, .meta = meta, .hash = hash, .ttl_s = UINT32_MAX };
	if (x->n_sets == MAX_SETS)
		return NULL;
	for (unsigned i = 0; i < x->n_recs; i++) {
		const struct rec *c = &x->recs[i];
		if (!in_set(x, &s, c, owner, owner_len))
			continue;
		if (!s.n++) {
			s.first = (uint16_t)i;
			s.owner_off = c->rr.owner_off;
		}
		/* RFC 2181 §5.2: differing TTLs in a set are an error; the least is safe. */
		if (c->rr.ttl < s.ttl_s)
			s.ttl_s = c->rr.ttl;
	}
	if (!s.n)
		return NULL;
	s.question_owner = owner_len == x->key->name_len && memcmp(owner, x->key->name, owner_len) == 0;
	x->sets[x->n_sets] = s;
	return &x->sets[x->n_sets++];
}

static void add_signatures(struct ingest_run *x, enum section section, const uint8_t *owner, size_t owner_len, uint32_t hash, uint16_t type)
{
	if (type != RRTYPE_RRSIG)
		add_set(x, section, owner, owner_len, hash, RRTYPE_RRSIG, type, true);
}

/* Moves the chain on to the name in the rdata of a CNAME set. False: malformed. */
static bool follow(struct ingest_run *x, const struct set *s)
{
	size_t next;
	int n = name_read(x->msg, x->len, x->recs[s->first].rr.rdata_off, x->at, &next);
	if (n < 0)
		return false;
	name_lower(x->at, x->at, (size_t)n);
	x->at_len = (size_t)n;
	x->at_hash = owner_hash(x->at, x->at_len);
	return true;
}

/* A DNAME above the chain's place, with its signatures (RFC 6672 §3.1): it stands before the CNAME made from it. */
static void add_dname(struct ingest_run *x)
{
	for (size_t off = 0; x->at[off]; ) {
		off += 1u + x->at[off];
		const uint8_t *above = x->at + off;
		size_t len = x->at_len - off;
		uint32_t h = owner_hash(above, len);
		if (add_set(x, SECTION_ANSWER, above, len, h, RRTYPE_DNAME, 0, false)) {
			add_signatures(x, SECTION_ANSWER, above, len, h, RRTYPE_DNAME);
			return;
		}
	}
}

static bool message_has(const struct ingest_run *x, enum section section, uint16_t type)
{
	for (unsigned i = 0; i < x->n_recs; i++)
		if (x->recs[i].rr.section == section && x->recs[i].rr.type == type)
			return true;
	return false;
}

/* Two CNAMEs at one name that differ: nobody can say which (RFC 2181 §10.1). */
static bool one_target(const struct ingest_run *x, const struct set *s)
{
	uint8_t first[NAME_MAX_LEN], other[NAME_MAX_LEN];
	size_t next;
	int n = name_read(x->msg, x->len, x->recs[s->first].rr.rdata_off, first, &next);
	for (unsigned i = s->first + 1u; i < x->n_recs && s->n > 1 && n > 0; i++) {
		if (!in_set(x, s, &x->recs[i], x->at, x->at_len))
			continue;
		int m = name_read(x->msg, x->len, x->recs[i].rr.rdata_off, other, &next);
		if (m < 0 || !name_equal(first, (size_t)n, other, (size_t)m))
			return false;
	}
	return n > 0;
}

enum chain { CHAIN_ANSWERED, CHAIN_ENDS, CHAIN_LOOPS, CHAIN_BAD };

static enum chain walk_chain(struct ingest_run *x)
{
	uint16_t type = x->key->type;
	bool dnames = message_has(x, SECTION_ANSWER, RRTYPE_DNAME);
	for (;;) {
		struct set *s = add_set(x, SECTION_ANSWER, x->at, x->at_len, x->at_hash, type, 0, false);
		if (s) {
			if (type == RRTYPE_CNAME && !one_target(x, s))
				return CHAIN_BAD;
			add_signatures(x, SECTION_ANSWER, x->at, x->at_len, x->at_hash, type);
			return CHAIN_ANSWERED;
		}
		if (type == RRTYPE_CNAME)
			return CHAIN_ENDS;
		if (dnames && type != RRTYPE_DNAME)
			add_dname(x);
		s = add_set(x, SECTION_ANSWER, x->at, x->at_len, x->at_hash, RRTYPE_CNAME, 0, false);
		if (!s)
			return CHAIN_ENDS;
		if (!one_target(x, s))
			return CHAIN_BAD;
		struct set link = *s;
		add_signatures(x, SECTION_ANSWER, x->at, x->at_len, x->at_hash, RRTYPE_CNAME);
		if (!follow(x, &link))
			return CHAIN_BAD;
		if (++x->links > CHAIN_MAX || (x->at_len == x->key->name_len && memcmp(x->at, x->key->name, x->at_len) == 0))
			return CHAIN_LOOPS;
	}
}

/* NSEC and NSEC3 of the authority section with their signatures: they prove the denial, or the wildcard. */
static void add_proof(struct ingest_run *x)
{
	for (unsigned i = 0; i < x->n_recs; i++) {
		const struct rec *c = &x->recs[i];
		if (c->rr.section != SECTION_AUTHORITY || (c->rr.type != RRTYPE_NSEC && c->rr.type != RRTYPE_NSEC3))
			continue;
		uint8_t owner[NAME_MAX_LEN];
		size_t next;
		int n = name_read(x->msg, x->len, c->rr.owner_off, owner, &next);
		bool seen = n < 0;
		name_lower(owner, owner, seen ? 0 : (size_t)n);
		for (unsigned j = 0; j < x->n_sets && !seen; j++)
			seen = in_set(x, &x->sets[j], c, owner, (size_t)n);
		if (seen)
			continue;
		add_set(x, SECTION_AUTHORITY, owner, (size_t)n, c->owner_hash, c->rr.type, 0, true);
		add_signatures(x, SECTION_AUTHORITY, owner, (size_t)n, c->owner_hash, c->rr.type);
	}
}

/* The SOA of a zone above the chain's end. *ttl_s: the negative answer's life (RFC 2308 §5). */
static bool add_soa(struct ingest_run *x, uint32_t *ttl_s)
{
	for (unsigned i = 0; i < x->n_recs; i++) {
		const struct rec *c = &x->recs[i];
		uint8_t owner[NAME_MAX_LEN];
		size_t next;
		if (c->rr.section != SECTION_AUTHORITY || c->rr.type != RRTYPE_SOA)
			continue;
		int n = name_read(x->msg, x->len, c->rr.owner_off, owner, &next);
		int len = rdata_expand(x->msg, x->len, &c->rr, x->tmp, DNS_MSG_MAX);
		if (n < 0 || len < 20 || !name_is_below(x->at, x->at_len, owner, (size_t)n))
			continue;
		name_lower(owner, owner, (size_t)n);
		struct set *s = add_set(x, SECTION_AUTHORITY, owner, (size_t)n, c->owner_hash, RRTYPE_SOA, 0, false);
		if (!s)
			return false;
		uint32_t minimum = load_be32(x->tmp + len - 4);
		/* A SOA's own field has no sign either (RFC 2181 §8). */
		if (minimum > INT32_MAX)
			minimum = 0;
		*ttl_s = s->ttl_s < minimum ? s->ttl_s : minimum;
		if (*ttl_s > x->meta->max_negative_ttl_s)
			*ttl_s = x->meta->max_negative_ttl_s;
		add_signatures(x, SECTION_AUTHORITY, owner, (size_t)n, c->owner_hash, RRTYPE_SOA);
		return true;
	}
	return false;
}

/* Writes a set's records; duplicates once, however their names were compressed. 0 or ERR_BAD. */
static int write_set(struct ingest_run *x, struct build *b, const struct set *s)
{
	uint8_t owner[NAME_MAX_LEN];
	uint32_t off[DEDUP_MAX + 1] = { 0 }; /* of the distinct ones in tmp */
	size_t next;
	unsigned n = 0;
	int owner_len = name_read(x->msg, x->len, s->owner_off, owner, &next);
	if (owner_len < 0)
		return ERR_BAD;
	name_lower(owner, owner, (size_t)owner_len);
	bool few = s->n <= DEDUP_MAX;
	if (!few)
		build_rrset(b, s->section, s->type, s->meta, s->ttl_s, s->question_owner ? NULL : owner, (size_t)owner_len, s->n);
	for (unsigned i = s->first; i < x->n_recs; i++) {
		if (!in_set(x, s, &x->recs[i], owner, (size_t)owner_len))
			continue;
		uint8_t *at = x->tmp + off[n];
		int len = rdata_expand(x->msg, x->len, &x->recs[i].rr, at, DNS_MSG_MAX - off[n]);
		if (len < 0)
			return ERR_BAD;
		if (!few) {
			build_record(b, s->type, at, (size_t)len);
			continue;
		}
		bool dup = s->type == RRTYPE_CNAME && n; /* one_target: they differ in case at most */
		for (unsigned j = 0; j < n && !dup; j++)
			dup = off[j + 1] - off[j] == (uint32_t)len && memcmp(x->tmp + off[j], at, (size_t)len) == 0;
		if (!dup) {
			off[n + 1] = off[n] + (uint32_t)len;
			n++;
		}
	}
	if (few)
		build_rrset(b, s->section, s->type, s->meta, s->ttl_s, s->question_owner ? NULL : owner, (size_t)owner_len, n);
	for (unsigned j = 0; j < n; j++)
		build_record(b, s->type, x->tmp + off[j], off[j + 1] - off[j]);
	return 0;
}

/* Is msg a response to the key's question? Sets *header and the place behind the question. */
static bool answers_question(const struct ingest_run *x, struct dns_header *h)
{
	uint8_t name[NAME_MAX_LEN];
	size_t next;
	if (!header_read(x->msg, x->len, h) || !(h->flags & FLAG_QR) || h->qdcount != 1)
		return false;
	int n = name_read(x->msg, x->len, DNS_HEADER_LEN, name, &next);
	return n > 0 && next + 4 <= x->len && name_equal(name, (size_t)n, x->key->name, x->key->name_len) &&
	       load_be16(x->msg + next) == x->key->type && load_be16(x->msg + next + 2) == CLASS_IN;
}

enum ingest entry_from_message(struct entry_scratch *s, const struct cache_key *k, const uint8_t *msg, size_t len,
			       const struct entry_meta *m)
{
	struct ingest_run x;
	struct dns_header h;
	s->len = 0;
	/* Questions that no one RRset answers: ANY, transfers; and what is no data at all, such as OPT. */
	if (rrtype_is_meta(k->type))
		return INGEST_NO_ANSWER;
	enum ingest plain = ingest_plain(s, k, msg, len, m);
	if (plain != INGEST_BAD)
		return plain;
	x.msg = msg;
	x.len = len;
	x.key = k;
	x.meta = m;
	x.recs = (struct rec *)(void *)s->work;
	x.tmp = (uint8_t *)s->work + MAX_RECORDS * sizeof(struct rec);
	x.n_recs = x.n_sets = x.links = 0;
	memcpy(x.at, k->name, k->name_len);
	x.at_len = k->name_len;
	x.at_hash = owner_hash(x.at, x.at_len);
	if (!answers_question(&x, &h) || collect(&x) != 0)
		return INGEST_BAD;
	x.rcode = h.flags & FLAG_RCODE_MASK;
	if ((x.rcode != RCODE_NOERROR && x.rcode != RCODE_NXDOMAIN) || (h.flags & FLAG_TC))
		return INGEST_NO_ANSWER;
	enum chain chain = walk_chain(&x);
	if (chain == CHAIN_LOOPS)
		return INGEST_LOOP;
	if (chain == CHAIN_BAD)
		return INGEST_BAD;
	uint32_t ttl = ENTRY_TTL_MAX, negative_ttl = ENTRY_TTL_MAX;
	bool negative = chain == CHAIN_ENDS, soa = false;
	for (unsigned i = 0; i < x.n_sets; i++)
		x.sets[i].ttl_s = ingest_clamp_ttl(x.sets[i].ttl_s, m->min_ttl_s, m->max_ttl_s);
	unsigned n_chain = x.n_sets;
	if (negative) {
		soa = add_soa(&x, &negative_ttl);
		if (!soa && (!x.links || x.rcode == RCODE_NXDOMAIN))
			return INGEST_NO_ANSWER;
	} else {
		/* An RRset was found: the name exists, whatever the RCODE claims. */
		x.rcode = RCODE_NOERROR;
	}
	if (message_has(&x, SECTION_AUTHORITY, RRTYPE_NSEC) || message_has(&x, SECTION_AUTHORITY, RRTYPE_NSEC3))
		add_proof(&x);
	for (unsigned i = 0; i < x.n_sets; i++) {
		if (i >= n_chain)
			x.sets[i].ttl_s = ingest_clamp_ttl(x.sets[i].ttl_s, 0, negative ? negative_ttl : m->max_ttl_s);
		if (x.sets[i].ttl_s < ttl)
			ttl = x.sets[i].ttl_s;
	}
	struct build b;
	struct build_head head = {
		.rcode = x.rcode,
		.negative = negative,
		.denies_name = x.rcode == RCODE_NXDOMAIN && !x.links,
		.single = x.n_sets == 1 && !negative && !x.links && !rrtype_compresses(k->type),
		.ttl_s = ttl,
	};
	build_begin(&b, s, k, m, &head);
	for (unsigned i = 0; i < x.n_sets; i++)
		if (write_set(&x, &b, &x.sets[i]) != 0) {
			s->len = 0;
			return INGEST_BAD;
		}
	if (build_end(&b) != 0)
		return INGEST_BAD;
	if (negative && !soa)
		return INGEST_NO_ANSWER;
	return ttl ? INGEST_OK : INGEST_TTL0;
}

void entry_from_failure(struct entry_scratch *s, const struct cache_key *k, unsigned rcode, uint32_t ttl_s, const struct entry_meta *m)
{
	struct build b;
	struct build_head head = { .rcode = rcode, .ttl_s = ttl_s };
	build_begin(&b, s, k, m, &head);
	build_end(&b);
}

int entry_from_rrset(struct entry_scratch *s, const struct cache_key *k, uint32_t ttl_s, unsigned n, const uint8_t *const *rdata,
		     const size_t *rdata_len, const struct entry_meta *m)
{
	struct build b;
	struct build_head head = { .single = !rrtype_compresses(k->type), .ttl_s = ttl_s };
	if (!n || n > UINT16_MAX || !ttl_s || ttl_s > ENTRY_TTL_MAX || rrtype_is_meta(k->type))
		return ERR_BAD;
	build_begin(&b, s, k, m, &head);
	build_rrset(&b, SECTION_ANSWER, k->type, false, ttl_s, NULL, 0, n);
	for (unsigned i = 0; i < n; i++) {
		if (!rdata_valid(k->type, rdata[i], rdata_len[i]))
			return ERR_BAD;
		build_record(&b, k->type, rdata[i], rdata_len[i]);
	}
	return build_end(&b);
}
