/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the cache room: compact immutable entries, found by key, read without locks.
 *
 * Shape. The key's 64-bit hash is cut from the top: directory index (which shard), fingerprint (order inside the shard),
 * bucket. A shard is one block of at most 256 KB that holds its own table of 32-bit slots and the entries themselves, packed end to
 * end without rounding. A write appends; when a shard is full it is copied, without what is dead, expired or least worth
 * its bytes, and the copy is published in its place (src/cache/shard.c). No allocator stands between an entry and memory.
 *
 * Threads. Every thread that touches a cache calls cache_thread_begin once. Lookups happen between cache_read_begin and
 * cache_read_end, one section per batch; an entry found is valid until the section ends. Everything that writes takes a
 * shard's lock, never inside of a read section. Sections are free; a section held long only delays the return of memory. */
#ifndef PITH_CACHE_CACHE_H
#define PITH_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/stats.h"
#include "wire/wire.h"

struct cache;
struct entry; /* opaque bytes; see entry_open */

struct cache_options {
	uint64_t maxmemory;     /* bytes, all overhead included */
	uint32_t stale_for_s;   /* how long after its expiry an entry is kept */
	uint64_t hash_seed;     /* 0: a random secret; else repeatable, for tests and benchmarks */
};

/* NULL: no memory. */
struct cache *cache_new(const struct cache_options *o);
/* No thread may be using it. */
void cache_free(struct cache *c);
void cache_thread_begin(struct cache *c);
void cache_thread_end(struct cache *c);
/* Live. Down: shards give back what is over in cache_tick's slices. Thread: admin. */
void cache_set_maxmemory(struct cache *c, uint64_t bytes);
/* What goes first when memory is full, in the order of maxmemory-policy's values. Live. */
enum cache_policy { CACHE_POLICY_VALUE, CACHE_POLICY_LFU, CACHE_POLICY_LRU };
void cache_set_policy(struct cache *c, enum cache_policy p);
void cache_set_stale_for(struct cache *c, uint32_t seconds);

void cache_read_begin(void);
void cache_read_end(void);

/* ---- keys ----------------------------------------------------------------------------------------------------------- */

/* An EDNS client subnet (RFC 7871): family 1 IPv4, 2 IPv6, 0 none; address bits beyond `bits` are zero. In a key of an entry it is the
 * scope; a scope of 0 is no prefix at all, as such an answer is for everybody. Family 1 with 0 bits are those for whom no subnet
 * may be told, where others' answers depend on it. */
struct ecs_prefix {
	uint8_t family, bits;
	uint8_t addr[16];
};

struct cache_key {
	const uint8_t *name; /* lower case, wire form; must outlive the key */
	uint8_t name_len;
	bool cd;             /* answer to a question with CD=1: unvalidated */
	uint16_t type;
	struct ecs_prefix ecs;
	uint64_t hash;       /* filled by cache_key_init */
	uint64_t hash_name;  /* of the name and cd alone: where NXDOMAIN is filed */
};
/* Key for class IN without ECS. name is kept, not copied. */
void cache_key_init(const struct cache *c, struct cache_key *k, const uint8_t *name, uint8_t name_len, uint16_t type, bool cd);
/* As above with a scope prefix. */
void cache_key_init_ecs(const struct cache *c, struct cache_key *k, const uint8_t *name, uint8_t name_len, uint16_t type, bool cd,
			const struct ecs_prefix *ecs);

/* Cuts a prefix to at most `bits` bits, and what stands behind them to zero. */
void ecs_prefix_cut(struct ecs_prefix *p, unsigned bits);

/* Key text as operators see it (DESIGN §5): TYPE ":" name [ "@" prefix ] [ "@cd" ]. */
enum { CACHE_KEY_TEXT_MAX = 16 + NAME_MAX_TEXT + 64 };
struct cache_key_buf {
	struct cache_key key;
	uint8_t name[NAME_MAX_LEN];
};
/* ERR_BAD when the text is no key (any case, final dot optional). b owns the name. */
int cache_key_from_text(const struct cache *c, struct cache_key_buf *b, const char *s, size_t len);
/* Length without NUL. cap ≥ CACHE_KEY_TEXT_MAX suffices; else ERR_SPACE. */
int cache_key_to_text(const struct cache_key *k, char *buf, size_t cap);

/* ---- reading: inside of a read section ---------------------------------------------------------------------------------- */

/* The entry for the key: exact; else, or when the exact one is expired, a live NXDOMAIN entry of that name, whatever type
 * it was asked for (RFC 2308 §5). May be expired (entry_ttl_left tells). NULL: nothing there. */
const struct entry *cache_lookup(const struct cache *c, const struct cache_key *k, uint32_t now_s);
/* The entry for a client whose subnet is the key's prefix: the one with the longest scope that covers it, else the one for everybody; a
 * live one before an expired one (RFC 7871 §7.3.1; a scope of IPv6 over 64 bits is not found). At most one probe for each scope length
 * that this question's entries have. */
const struct entry *cache_lookup_subnet(const struct cache *c, const struct cache_key *k, uint32_t now_s);
/* n ≤ CACHE_BATCH keys at once: buckets prefetched, then entries, then compared; out[i] as cache_lookup. */
enum { CACHE_BATCH = 64 };
void cache_lookup_batch(const struct cache *c, const struct cache_key *keys, unsigned n, uint32_t now_s, const struct entry **out);
/* Only the exact key; what commands on keys see. */
const struct entry *cache_find(const struct cache *c, const struct cache_key *k);

enum entry_source { SOURCE_UNKNOWN, SOURCE_RECURSE, SOURCE_FORWARD, SOURCE_LOCAL, SOURCE_OPERATOR, SOURCE_SNAPSHOT, SOURCE_L2 };
const char *entry_source_text(enum entry_source s);

enum { ENTRY_TTL_MAX = 0xffffff };

struct entry_view {
	const uint8_t *name;
	uint8_t name_len;
	uint8_t rcode;
	bool secure;        /* validated: AD may be set */
	bool cd;
	bool negative;      /* NODATA or NXDOMAIN */
	bool failure;       /* a remembered SERVFAIL (RFC 9520) */
	uint16_t type;      /* of the question it answers */
	enum entry_source source;
	int ede;            /* EDE_NONE when absent */
	const uint8_t *ede_text;
	uint8_t ede_text_len;
	struct ecs_prefix ecs;
	uint32_t stored_s;  /* clock_s() at storing */
	uint32_t ttl_s;     /* life in seconds from then: the least TTL in it */
	uint8_t hits;       /* popularity, logarithmic */
	size_t size;        /* bytes of the entry itself */
	const uint8_t *base, *body, *end;
	bool single;        /* body is one plain RRset */
};
/* Decodes the head. False when the bytes are not a whole entry (memory damage, hostile snapshot): treat as absent. */
bool entry_open(const struct entry *e, struct entry_view *v);
/* Seconds left, 0 or less: expired since. */
int64_t entry_ttl_left(const struct entry *e, uint32_t now_s);
/* Counts a hit: at most one relaxed byte store, and only when the logarithmic counter changes. r: any random bits. */
void entry_touch(const struct entry *e, uint32_t r);
/* The key of an entry, pointing into it; hash included. False when damaged. */
bool cache_key_of(const struct cache *c, const struct entry *e, struct cache_key *k);

/* RRsets in the order they go into the message. */
struct rrset_view {
	enum section section;
	uint16_t type;
	uint16_t n;           /* records */
	uint32_t ttl_s;       /* at storing */
	bool owner_is_question;
	bool signature;       /* RRSIGs of the RRset before it, or NSEC/NSEC3 proof: only for DO=1 or if asked for */
	uint8_t owner[NAME_MAX_LEN]; /* only when not owner_is_question */
	uint8_t owner_len;
	const uint8_t *at, *end; /* walked by rrset_next */
	bool packed;             /* rdata holds names with references into the entry */
	bool link;               /* rdata is such a name and nothing else */
	uint16_t fixed_len;
};
struct rrset_cursor {
	const uint8_t *at;
	uint16_t owner_off, chain_off; /* in the entry: owner of the set before, where the chain stands; 0 the question */
	bool done;
};
void entry_rrsets(const struct entry_view *v, struct rrset_cursor *c);
/* 1 and *s, 0 at the end, ERR_BAD when damaged. */
int entry_next_rrset(const struct entry_view *v, struct rrset_cursor *c, struct rrset_view *s);
/* The next record's rdata, uncompressed: *rdata points into the entry, or into scratch (RDATA_SCRATCH bytes) when names had to be
 * put together. 1, 0 at the end, ERR_BAD. */
enum { RDATA_SCRATCH = 2 * NAME_MAX_LEN + 64 };
int rrset_next(const struct entry_view *v, struct rrset_view *s, const uint8_t **rdata, size_t *len, uint8_t *scratch);

/* ---- building an entry ----------------------------------------------------------------------------------------------------- */

/* One thread's workbench: an entry is built here and then copied out at its exact size. */
struct entry_scratch {
	size_t len;         /* of the entry in buf */
	uint8_t buf[65536 + 1024];
	uint64_t work[32768]; /* records of the message at hand */
};
struct entry_meta {
	uint32_t now_s;
	uint32_t min_ttl_s, max_ttl_s, max_negative_ttl_s; /* clamps: min for positive answers only */
	bool secure;
	enum entry_source source;
	int ede;                 /* EDE_NONE */
	const char *ede_text;    /* NULL, or at most 120 bytes are kept */
};
enum ingest {
	INGEST_OK,          /* an entry stands in the scratch; its TTL is at least 1 */
	INGEST_TTL0,        /* as above, but for this transaction only: answer from it, do not store it */
	INGEST_NO_ANSWER,   /* not to be stored: another RCODE, a referral, a negative without SOA. Scratch len > 0: a chain that
	                     * ends in nothing, which may be answered once */
	INGEST_BAD,         /* malformed or hostile: nothing usable */
	INGEST_LOOP,        /* CNAME loop or a chain over CHAIN_MAX */
};
enum { CHAIN_MAX = 16 };
/* From a response to the key's question. Keeps what belongs to the question's chain (RFC 2181 §5.4.1, §10): the answer RRsets in chain
 * order with CNAME and DNAME before what they lead to, their RRSIGs; of a negative answer the SOA and its proof; nothing else.
 * TTLs: least of an RRset (RFC 2181 §5.2), negative min(SOA TTL, MINIMUM) (RFC 2308 §5), clamped. Duplicate records go once. */
enum ingest entry_from_message(struct entry_scratch *s, const struct cache_key *k, const uint8_t *msg, size_t len,
			       const struct entry_meta *m);
/* A failure, to be remembered for ttl_s. */
void entry_from_failure(struct entry_scratch *s, const struct cache_key *k, unsigned rcode, uint32_t ttl_s, const struct entry_meta *m);
/* One RRset of n records given by hand; rdata uncompressed. ERR_BAD, ERR_SPACE. */
int entry_from_rrset(struct entry_scratch *s, const struct cache_key *k, uint32_t ttl_s, unsigned n, const uint8_t *const *rdata,
		     const size_t *rdata_len, const struct entry_meta *m);
/* The entry that stands in the scratch, for answering before or without storing it. */
const struct entry *entry_in_scratch(const struct entry_scratch *s);
/* A copy of another entry's bytes, checked as hostile. ERR_BAD, ERR_SPACE. */
int entry_from_bytes(struct entry_scratch *s, const void *bytes, size_t len);
/* The entry in the scratch was stored then: where it comes from had a clock of its own. */
void entry_set_stored(struct entry_scratch *s, uint32_t stored_s);

/* ---- writing: outside of read sections ---------------------------------------------------------------------------------------- */

/* Brings near what cache_store will touch for the key; worth a call before the entry is built. Any thread, any time. */
void cache_prefetch(const struct cache *c, const struct cache_key *k);
/* Links a copy of the entry in the scratch in place of the one with its key. 0, or ERR_NOMEM (counted; the old one still stands). */
int cache_store(struct cache *c, const struct cache_key *k, const struct entry_scratch *s);
/* True when it was there. */
bool cache_remove(struct cache *c, const struct cache_key *k);
/* Shortens the life left to ttl_s seconds: 1; 0 when it would not be shorter; ERR_UNKNOWN when there is no such key. */
int cache_shorten(struct cache *c, const struct cache_key *k, uint32_t now_s, uint32_t ttl_s);
/* All gone; returns how many there were. */
uint64_t cache_flush(struct cache *c);
/* The same in steps: empties the shard at place (0 at first) and returns the place of the next, 0 behind the last. What is stored
 * behind the step's back stays. */
uint64_t cache_flush_step(struct cache *c, uint64_t place);

/* ---- what happens to entries, for whoever watches ------------------------------------------------------------------------------- */

/* The cache's feed: it tells FEED_NEW … FEED_EXPIRE of entries; whoever serves from it tells the rest. */
struct feed *cache_feed(struct cache *c);
/* Tells of a key, when somebody wants that kind. Thread: any. */
void cache_tell(struct cache *c, enum feed_kind kind, const struct cache_key *k);

/* ---- going through everything: admin thread ------------------------------------------------------------------------------------- */

/* Calls fn for about `count` entries from the cursor on, inside of a read section of its own; returns the next cursor, 0 at the end.
 * What is present from the first call to the last is seen at least once, whatever grows, shrinks or moves meanwhile: the cursor
 * is a place in the order of hashes. Cursors are below 2^53. */
uint64_t cache_scan(struct cache *c, uint64_t cursor, unsigned count, void (*fn)(void *arg, const struct entry *e), void *arg);
/* Any one entry, inside of the caller's read section; NULL when empty. */
const struct entry *cache_random(struct cache *c);
/* Background care: drops what expired beyond the stale time, applies maxmemory; about `shards` shards of work, each under its lock
 * for well under 100 µs. Thread: admin, from a timer. */
void cache_tick(struct cache *c, uint32_t now_s, unsigned shards);

/* ---- in bulk: what a snapshot is written and read with -------------------------------------------------------------------------- */

/* Room that the entries of any one shard fit into. */
enum { CACHE_EXPORT_MAX = 512 * 1024 };
/* Copies entries end to end into buf, whole shards from *place (0 at first) on, while another surely fits; popularity included. Left
 * out is what no longer serves anybody at now_s, and failures. Moves *place to the next shard, 0 behind the last; *n entries
 * were copied. Bytes written; cap ≥ CACHE_EXPORT_MAX. What is there from the first call to the last is copied at least once, but for an
 * entry that a writer moves to its second bucket at that very moment. Any thread, outside of read sections (takes one a shard). */
size_t cache_export(struct cache *c, uint64_t *place, uint32_t now_s, void *buf, size_t cap, unsigned *n);

struct cache_import {
	/* What the entries' times mean: they were written when clock_s() said then_s, elapsed_s before now_s. */
	uint32_t then_s, elapsed_s, now_s;
	/* Added to. gone: served nobody any more; there: the cache had newer; bad: malformed; left_out: no memory. */
	uint64_t stored, gone, there, bad, left_out;
};
/* Takes in entries that lie end to end, checking them as hostile; each is stored only where the cache has nothing for its key or name,
 * aged by what has passed, its TTL as it was. Changes bytes. Any thread, outside of read sections. */
void cache_import(struct cache *c, void *bytes, size_t len, struct cache_import *sum);

/* Entries now; a sum over 256 counters, no scan. */
uint64_t cache_count(struct cache *c);

struct cache_info {
	uint64_t entries;
	uint64_t entry_bytes;    /* live entries, exactly */
	uint64_t slot_bytes;     /* 4 for each live entry */
	uint64_t overhead_bytes; /* free slots, dead entries, unused room in segments, directory */
	uint64_t segment_bytes;  /* memory that all segments hold = the three above, in whole pages */
	uint64_t external_bytes; /* of entries too large for a segment, in entry_bytes too */
	uint64_t maxmemory;
	uint64_t shards;
	uint64_t table_bytes;    /* of all slots, used or free, in overhead_bytes as far as free */
	uint64_t evicted, expired, replaced, removed;
	uint64_t rebuilds, splits;
	uint64_t ttl_sum_s;      /* of a sample, for avg_ttl: see ttl_n */
	uint64_t ttl_n;
};
void cache_info(struct cache *c, uint32_t now_s, struct cache_info *info);
/* What the entry costs: its bytes and its slot. The sum over all entries is entry_bytes + slot_bytes of cache_info. */
size_t cache_entry_cost(const struct cache *c, const struct entry *e);

#endif
