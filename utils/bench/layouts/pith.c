/* SPDX-License-Identifier: BSD-3-Clause */
/* Pith's own cache as a subject: through the doors that the server uses, locks, read sections and checks included. */
#include "base/alloc.h"
#include "layout.h"
#include "query/answer.h"

struct pith {
	struct cache *cache;
	struct entry_scratch scratch;
};

static const struct answer_options options = { .udp_size = REPLY_LIMIT, .minimal = true, .rotate = false, .stale_ttl_s = 30 };

static void *pith_open(const struct subject *self, uint64_t entries, uint64_t seed)
{
	struct cache_options o = { .maxmemory = 1ull << 40, .stale_for_s = 86400, .hash_seed = seed };
	struct pith *x = mem_alloc(sizeof *x);
	(void)self;
	(void)entries;
	if (!x)
		return NULL;
	memset(x, 0, sizeof *x);
	x->cache = cache_new(&o);
	if (!x->cache) {
		mem_free(x);
		return NULL;
	}
	cache_thread_begin(x->cache);
	return x;
}

static void pith_key(const struct pith *x, struct cache_key *k, const uint8_t *name, uint8_t len, uint16_t type,
		     const struct ecs_prefix *ecs)
{
	if (ecs && ecs->family)
		cache_key_init_ecs(x->cache, k, name, len, type, false, ecs);
	else
		cache_key_init(x->cache, k, name, len, type, false);
}

static bool pith_insert(void *arg, const uint8_t *name, uint8_t name_len, uint16_t type, const struct ecs_prefix *ecs,
			const uint8_t *msg, size_t len, uint32_t now_s)
{
	struct pith *x = arg;
	struct cache_key key;
	struct entry_meta meta = { .now_s = now_s, .max_ttl_s = TTL_MAX_S, .max_negative_ttl_s = TTL_MAX_NEGATIVE_S,
				   .source = SOURCE_FORWARD, .ede = EDE_NONE };
	pith_key(x, &key, name, name_len, type, ecs);
	cache_prefetch(x->cache, &key);
	return entry_from_message(&x->scratch, &key, msg, len, &meta) == INGEST_OK && cache_store(x->cache, &key, &x->scratch) == 0;
}

/* The reply's length, 0 when there is no live entry, ERR_BAD. */
static int build_reply(const struct question *q, const struct entry *e, uint32_t now_s, uint8_t *out)
{
	struct answer_ask ask = { .q = q, .limit = REPLY_LIMIT, .now_s = now_s, .o = &options };
	bool truncated;
	if (!e || entry_ttl_left(e, now_s) <= 0)
		return 0;
	entry_touch(e, (uint32_t)(uintptr_t)q);
	return answer_from_entry(out, &ask, e, &truncated);
}

static int pith_answer(void *arg, const struct question *q, const struct ecs_prefix *ecs, uint32_t now_s, uint8_t *out)
{
	struct pith *x = arg;
	struct cache_key key;
	pith_key(x, &key, q->name, q->name_len, q->qtype, ecs);
	cache_read_begin();
	int n = build_reply(q, cache_lookup(x->cache, &key, now_s), now_s, out);
	cache_read_end();
	return n;
}

static unsigned pith_answer_batch(void *arg, const struct question *const *q, unsigned n, uint32_t now_s, uint8_t *out, size_t stride)
{
	struct pith *x = arg;
	struct cache_key keys[CACHE_BATCH];
	const struct entry *found[CACHE_BATCH];
	unsigned answered = 0;
	for (unsigned i = 0; i < n; i++)
		cache_key_init(x->cache, &keys[i], q[i]->name, q[i]->name_len, q[i]->qtype, false);
	cache_read_begin();
	cache_lookup_batch(x->cache, keys, n, now_s, found);
	for (unsigned i = 0; i < n; i++)
		answered += build_reply(q[i], found[i], now_s, out + i * stride) > 0;
	cache_read_end();
	return answered;
}

static void pith_bytes(void *arg, struct subject_bytes *b)
{
	struct pith *x = arg;
	struct cache_info i;
	cache_info(x->cache, MEASURE_NOW_S, &i);
	*b = (struct subject_bytes){ .net = (double)(i.entry_bytes + i.slot_bytes),
				     .allocated = (double)(i.entry_bytes + i.slot_bytes + i.overhead_bytes),
				     .table = (double)i.table_bytes, .blocks = (double)i.shards };
}

static void pith_close(void *arg)
{
	struct pith *x = arg;
	cache_thread_end(x->cache);
	cache_free(x->cache);
	mem_free(x);
}

const struct subject subject_pith = {
	.step = "pith", .what = "Pith's cache: one block an entry, packed in segments",
	.open = pith_open, .insert = pith_insert, .answer = pith_answer, .answer_batch = pith_answer_batch, .bytes = pith_bytes,
	.close = pith_close,
};
