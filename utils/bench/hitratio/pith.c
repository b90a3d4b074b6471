/* SPDX-License-Identifier: BSD-3-Clause */
/* The real cache along a trace: asked, touched, filled and tended as the server does it, on the simulated clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "cache/cache.h"
#include "hitratio.h"

/* As in src/main.c: every 100 ms so many shards that a round takes 128 slices. */
enum { TICK_MS = 100, TICKS_PER_ROUND = 128, SHARD_BYTES = 262144, STALE_FOR_S = 86400 };

struct pith {
	const struct trace *t;
	struct cache *c;
	struct entry_scratch *scratch;
	struct prng random;
	uint32_t base_s;      /* clock at the trace's second 0 */
	uint32_t ticked_s;
	unsigned shards;
	struct bench_msg m;
};

/* "No such name" for the question of m: SOA of its parent, some 90 bytes of rdata as large zones have them. */
static void deny(struct bench_msg *m)
{
	static const uint8_t soa[] = "\3ns1\7example\0\12hostmaster\7example\0\0\0\0\1\0\0\x1c\x20\0\0\3\x84\0\x12\x75\0\0\0\3\x84";
	uint8_t question[68];
	struct msg_writer w;
	memcpy(question, m->name, m->name_len);
	store_be16(question + m->name_len, m->type);
	store_be16(question + m->name_len + 2, CLASS_IN);
	writer_begin(&w, m->bytes, sizeof m->bytes);
	writer_question(&w, question, m->name_len + 4u);
	writer_rr(&w, (const uint8_t *)"\7example", 9, RRTYPE_SOA, CLASS_IN, 900, soa, sizeof soa - 1);
	struct dns_header h = { .flags = FLAG_QR | FLAG_RD | FLAG_RA | RCODE_NXDOMAIN, .qdcount = 1, .nscount = 1 };
	header_write(m->bytes, &h);
	m->len = (uint16_t)w.len;
}

/* The answer for id, into the scratch, as if it had come from upstream. */
static void fetch(struct pith *p, const struct cache_key *k, uint32_t id, uint32_t now_s)
{
	bench_message(&p->m, MIX_PUBLISHED, id);
	if (id >= p->t->n_names && p->t->kind->attack == ATTACK_DENIED)
		deny(&p->m);
	uint32_t ttl = trace_ttl_s(p->t, id);
	struct entry_meta meta = { .now_s = now_s, .min_ttl_s = ttl, .max_ttl_s = ttl, .max_negative_ttl_s = 3600,
				   .source = SOURCE_FORWARD, .ede = EDE_NONE };
	if (entry_from_message(p->scratch, k, p->m.bytes, p->m.len, &meta) != INGEST_OK) {
		fprintf(stderr, "message %u is no answer\n", id);
		exit(1);
	}
}

static void key_for(struct pith *p, struct cache_key *k, uint32_t id)
{
	bench_question(&p->m, MIX_PUBLISHED, id);
	cache_key_init(p->c, k, p->m.name, p->m.name_len, p->m.type, false);
}

void *pith_begin(const struct trace *t, uint64_t budget, const char *policy)
{
	struct cache_options o = { .maxmemory = budget, .stale_for_s = STALE_FOR_S, .hash_seed = t->seed };
	struct pith *p = calloc(1, sizeof *p);
	struct cache *c = cache_new(&o);
	struct entry_scratch *scratch = malloc(sizeof *scratch);
	if (!p || !c || !scratch) {
		free(p);
		cache_free(c);
		free(scratch);
		return NULL;
	}
	p->t = t;
	p->c = c;
	p->scratch = scratch;
	static const char *const names[] = { "value", "lfu", "lru" };
	for (unsigned i = 0; policy && i < 3; i++)
		if (strcmp(policy, names[i]) == 0)
			cache_set_policy(p->c, (enum cache_policy)i);
	prng_seed(&p->random, t->seed);
	p->base_s = clock_s() + 1;
	p->shards = (unsigned)(budget / SHARD_BYTES / TICKS_PER_ROUND + 1) * (1000 / TICK_MS);
	cache_thread_begin(p->c);
	return p;
}

void pith_end(void *v)
{
	struct pith *p = v;
	cache_thread_end(p->c);
	cache_free(p->c);
	free(p->scratch);
	free(p);
}

bool pith_costs(struct trace *t)
{
	struct pith *p = pith_begin(t, 64u << 20, NULL);
	if (!p)
		return false;
	for (uint32_t id = 0; id < t->n_ids; id++) {
		struct cache_key k;
		key_for(p, &k, id);
		fetch(p, &k, id, 1);
		t->cost[id] = (uint16_t)cache_entry_cost(p->c, entry_in_scratch(p->scratch));
	}
	pith_end(p);
	return true;
}

bool pith_ask(void *v, uint32_t id, uint32_t trace_s)
{
	struct pith *p = v;
	uint32_t now_s = p->base_s + trace_s, clock = clock_s();
	if (clock < now_s)
		clock_jump((uint64_t)(now_s - clock) * 1000);
	for (; p->ticked_s < trace_s; p->ticked_s++)
		cache_tick(p->c, now_s, p->shards);
	struct cache_key k;
	key_for(p, &k, id);
	cache_read_begin();
	const struct entry *e = cache_lookup(p->c, &k, now_s);
	bool hit = e && entry_ttl_left(e, now_s) > 0;
	if (hit)
		entry_touch(e, (uint32_t)prng_next(&p->random));
	cache_read_end();
	if (hit)
		return true;
	fetch(p, &k, id, now_s);
	cache_store(p->c, &k, p->scratch);
	return false;
}
