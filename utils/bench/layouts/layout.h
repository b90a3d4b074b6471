/* SPDX-License-Identifier: BSD-3-Clause */
/* The six published ways to keep an answer (rows 0 to 5), and what they share.
 *
 * A layout knows how to turn a response into an entry, an entry into a reply, and how to free it. Everything around that
 * is the same for all: reading the response (message.c), writing the reply (reply.h), the hash table (table.c), the
 * account of bytes (row.c). What a row shows against another is therefore its layout's doing alone.
 *
 * The published report names an entry's vectors but not its plain fields. Those of struct item are what a resolver shared by
 * many needs: links for eviction, times, a reference count, the answer's subnet and server. They are the same in
 * all rows; with them rows 0 and 5 ask for within a few percent of the published bytes, and no byte is there only to get closer.
 *
 * Rows 0 to 5 are safe for threads in the plain way: a lock a shard, and a reference held to an entry while it is answered from. What
 * favours them: their table has its final size from the start, and they neither refuse duplicate records nor follow chains.
 * Pith's row grows as it goes and does both. */
#ifndef PITH_BENCH_LAYOUT_H
#define PITH_BENCH_LAYOUT_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash.h"
#include "cache/cache.h"
#include "wire/wire.h"

enum {
	RECORDS_MAX = 256,     /* of a message; one with more is not stored */
	DATA_PUBLISHED = 144,  /* bytes of parsed record data before step 4, as published */
	DATA_SMALL = 24,       /* and from step 4 on */
	REPLY_LIMIT = 1232,
	TTL_MAX_S = 86400, TTL_MAX_NEGATIVE_S = 3600,
	MEASURE_NOW_S = CLOCK_ORIGIN_S, /* when everything is stored: time stands still while a row is measured */
};

/* What was asked of the allocator and is not yet given back. */
struct account {
	uint64_t asked, blocks;
};
void *account_alloc(struct account *a, size_t n);
/* Zeroed. */
void *account_calloc(struct account *a, size_t n);
/* From `had` to `n` bytes; NULL: the old block stands. */
void *account_realloc(struct account *a, void *p, size_t had, size_t n);
void account_free(struct account *a, void *p, size_t n);

/* What finds an entry: name and type, and the tag that tells variants apart (here: the client subnet). */
struct item_key {
	const uint8_t *name; /* wire form, lower case; must outlive the key */
	uint8_t name_len, tag_len;
	uint16_t type;
	uint8_t tag[18];
	uint64_t hash;
};

/* The fields that every layout keeps beside its vectors; the first member of each layout's entry. */
struct item {
	struct item *newer, *older; /* order of arrival in the shard, for eviction with a second chance */
	struct timespec stored, expires, refreshed, last_used;
	_Atomic uint32_t refs;
	uint32_t hits, stale_hits;
	uint32_t ttl_s;
	struct ecs_prefix ecs;
	uint8_t scope, rcode;
	struct sockaddr_in6 server;
	uint16_t type, rrclass;
};
_Static_assert(sizeof(struct item) == 152, "the same in all rows; a change moves all of them");

/* ---- a response being read (message.c) ---- */

struct source {
	const struct item_key *key;
	struct msg_reader r;
	bool negative;       /* no answer: the SOA's TTL is capped by its MINIMUM (RFC 2308 §5) */
	uint32_t ttl_s;      /* least so far */
	uint8_t owner[NAME_MAX_LEN];
	uint8_t rdata[DNS_MSG_MAX];
};
struct source_rr {
	const uint8_t *owner; /* lower case; valid until the next record */
	uint8_t owner_len;
	bool owner_is_question;
	enum section section;
	uint16_t type, rrclass;
	uint32_t ttl_s;
	const uint8_t *rdata; /* uncompressed, of its type's shape */
	uint16_t rdata_len;
};
/* 0, or ERR_BAD when msg is no response to the key's question. */
int source_begin(struct source *s, const struct item_key *key, const uint8_t *msg, size_t len);
/* 1, 0 at the end, ERR_BAD. OPT and its like, and other classes, are passed over. */
int source_next(struct source *s, struct source_rr *rr);

/* Record data in parsed form: a fixed part and up to two strings cover all types (those without a form of their own are one string). */
struct parts {
	const uint8_t *fix, *a, *b;
	uint16_t fix_len, a_len, b_len;
};
void parts_split(struct parts *p, uint16_t type, const uint8_t *rdata, size_t len);

/* ---- the rows (row.c, table.c) ---- */

struct row;

struct layout {
	/* The entry of the response in row->source, without what struct item holds; NULL: malformed, or no memory. */
	struct item *(*make)(struct row *row, const struct item_key *key, struct source *s);
	bool (*has_key)(const struct item *e, const struct item_key *key);
	/* The reply in out; its length or ERR_BAD. age: seconds since it was stored. */
	int (*answer)(const struct item *e, const struct question *q, uint32_t age_s, uint8_t *out);
	void (*drop)(struct row *row, struct item *e);
};
extern const struct layout layout_step0, layout_step1, layout_step2, layout_step3, layout_step4, layout_step5;

/* A shard of the table: open addressing with linear probing over words that hold a pointer and 16 bits of the hash in its unused high
 * bits. Made for the number of entries to come, three quarters full at the end: it never grows while it is measured. */
struct shard {
	_Alignas(64) pthread_mutex_t lock;
	uint64_t *words;
	size_t n;
	struct item *newest, *oldest;
};
enum { SHARDS = 64 };
struct table {
	struct shard shards[SHARDS];
	uint64_t *words;
	size_t n;
};
/* False: no memory. */
bool table_init(struct table *t, uint64_t entries);
/* No entry may be in it. */
void table_free(struct table *t);
/* The entry of that key with a reference taken, its hit counted, when it is alive at now_s; else NULL. */
struct item *table_hold(struct table *t, const struct layout *l, const struct item_key *key, uint32_t now_s);
/* Links e, and hands back the entry of the same key that it replaces, or NULL: the table's reference to it is the caller's now. */
struct item *table_link(struct table *t, const struct layout *l, const struct item_key *key, struct item *e);
/* Unlinks the oldest entry of any shard; NULL when the table is empty. The reference is the caller's. Only to take the table down: find does
 * not work any more afterwards. */
struct item *table_take_oldest(struct table *t);

struct row {
	const struct layout *layout;
	struct table table;
	struct account account;
	struct hash_secret secret;
	size_t allocated_before; /* by the allocator's count, when there was neither table nor entry */
	struct source source;
	/* Where a step builds before it copies out what it needs: never smaller than RECORDS_MAX records of any layout. */
	_Alignas(16) uint8_t scratch[DNS_MSG_MAX + 32768];
};

/* ---- what is measured: a row or Pith ---- */

struct subject_bytes {
	double net, allocated, table, blocks; /* of everything stored; allocated includes the table */
};

struct subject {
	const char *step, *what;
	const struct layout *layout;
	/* Room for `entries`. NULL: no memory. */
	void *(*open)(const struct subject *self, uint64_t entries, uint64_t seed);
	/* From wire message to linked entry; ecs may be NULL. */
	bool (*insert)(void *x, const uint8_t *name, uint8_t name_len, uint16_t type, const struct ecs_prefix *ecs, const uint8_t *msg,
		       size_t len, uint32_t now_s);
	/* From question to reply (REPLY_LIMIT bytes of room); its length, 0 when not there, ERR_BAD. */
	int (*answer)(void *x, const struct question *q, const struct ecs_prefix *ecs, uint32_t now_s, uint8_t *out);
	/* n ≤ CACHE_BATCH questions without ECS, replies `stride` bytes apart. Number answered. NULL: the subject knows no batches. */
	unsigned (*answer_batch)(void *x, const struct question *const *q, unsigned n, uint32_t now_s, uint8_t *out, size_t stride);
	void (*bytes)(void *x, struct subject_bytes *b);
	void (*close)(void *x);
};
enum { N_STEPS = 6, N_SUBJECTS = N_STEPS + 1 };
extern const struct subject subject_steps[N_STEPS];
extern const struct subject subject_pith;
/* Steps 0 to 5, then Pith. */
static inline const struct subject *subject_at(unsigned i)
{
	return i < N_STEPS ? &subject_steps[i] : &subject_pith;
}

#endif
