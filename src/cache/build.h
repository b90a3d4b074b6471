/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing an entry's bytes into the scratch, RRset by RRset (layout.h). Owns no decisions: what goes in is chosen by ingest.c.
 *
 * The message writer compresses names against what stands in the entry before, the packet reader resolves them again. */
#ifndef PITH_CACHE_BUILD_H
#define PITH_CACHE_BUILD_H

#include "cache/layout.h"

struct build_name {
	size_t len;
	uint8_t bytes[NAME_MAX_LEN];
};

struct build {
	struct entry_scratch *s;
	const struct cache_key *key;
	struct msg_writer w;
	bool single;         /* one plain RRset: no tag */
	bool link;           /* the set under way is a link of the chain */
	uint32_t ttl_s;
	/* what a set without an owner of its own has for one; not used when single */
	struct build_name chain, before;
};

struct build_head {
	unsigned rcode;
	bool negative, denies_name, single;
	uint32_t ttl_s;
};
/* Head, name, EDE, prefix. */
void build_begin(struct build *b, struct entry_scratch *s, const struct cache_key *k, const struct entry_meta *m,
		 const struct build_head *h);
/* An RRset of n records follows by build_record. owner NULL: the question's. */
void build_rrset(struct build *b, enum section section, uint16_t type, bool meta, uint32_t ttl_s, const uint8_t *owner,
		 size_t owner_len, unsigned n);
/* rdata uncompressed and valid. */
void build_record(struct build *b, uint16_t type, const uint8_t *rdata, size_t len);
/* Sets the size. ERR_SPACE when it grew beyond what a key can hold. */
int build_end(struct build *b);

#endif
