/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns one rule: where a CNAME is, nothing else is (RFC 1034 §3.6.2, RFC 2181 §10.1).
 *
 * The cache keeps a name's types apart, so an answer by way of a CNAME and older data of another type could both live to their ends and
 * contradict each other: the name was changed from one to the other in between. So what is stored sweeps out what it contradicts. Only the
 * types of the list are looked at, one batch of lookups per stored answer, a small part of what the miss cost; others live
 * out their TTL. RRSIG, NSEC and DS say nothing: they may stand beside a CNAME, or belong to the parent. */
#include "query/internal.h"

static const uint16_t types[] = {
	RRTYPE_A, RRTYPE_AAAA, RRTYPE_HTTPS, RRTYPE_SVCB, RRTYPE_TXT, RRTYPE_MX, RRTYPE_NS, RRTYPE_SOA, RRTYPE_SRV, RRTYPE_PTR,
	RRTYPE_CAA, RRTYPE_NAPTR, RRTYPE_TLSA, RRTYPE_CNAME,
};
enum { N_TYPES = sizeof types / sizeof *types };

enum nature { NATURE_NONE, NATURE_ALIAS, NATURE_DATA };

/* What the entry holds at the question's own name. */
static enum nature entry_nature(const struct entry *e)
{
	struct entry_view v;
	struct rrset_cursor c;
	struct rrset_view s;
	if (!e || !entry_open(e, &v) || v.failure || rrtype_is_dnssec_meta(v.type) || v.type == RRTYPE_DS)
		return NATURE_NONE;
	entry_rrsets(&v, &c);
	/* A DNAME, with another owner, may stand before the CNAME that was made from it. */
	while (entry_next_rrset(&v, &c, &s) == 1) {
		if (s.section == SECTION_ANSWER && s.owner_is_question && !s.signature)
			return s.type == RRTYPE_CNAME ? NATURE_ALIAS : NATURE_DATA;
	}
	return NATURE_NONE;
}

void siblings_sweep(struct worker *w, const struct cache_key *k)
{
	struct cache_key gone[N_TYPES];
	unsigned n = 0;
	enum nature now = entry_nature(entry_in_scratch(&w->scratch));
	if (now == NATURE_NONE)
		return;
	cache_read_begin();
	for (unsigned i = 0; i < N_TYPES; i++) {
		if (types[i] == k->type)
			continue;
		cache_key_init_ecs(w->cache, &gone[n], k->name, k->name_len, types[i], k->cd, &k->ecs);
		enum nature was = entry_nature(cache_find(w->cache, &gone[n]));
		n += was != NATURE_NONE && was != now;
	}
	cache_read_end();
	while (n)
		cache_remove(w->cache, &gone[--n]);
}
