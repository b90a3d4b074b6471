/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench churn`: a full cache under a stream of new answers, and `pith-bench growth`: a cache that grows.
 *
 * Churn moves the simulated clock as it goes, so that lives from a second to a day end while it runs. Growth times every
 * single insert and shows the histogram: what a worker's clients may have to wait for a rebuild, a split or the directory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "bench.h"
#include "cache/cache.h"

enum { POINTS = 12, HIST_US = 24 };

struct store_run {
	struct cache *c;
	struct entry_scratch *scratch;
	struct bench_msg m;
	const struct bench_options *o;
};

/* Message i into the cache with a life of at most max_ttl_s; seconds that storing alone took. */
static double store_one(struct store_run *r, uint64_t i, uint32_t max_ttl_s)
{
	struct cache_key key;
	struct entry_meta meta = { .now_s = clock_s(), .max_ttl_s = max_ttl_s, .max_negative_ttl_s = 3600, .source = SOURCE_FORWARD,
				   .ede = EDE_NONE };
	bench_message(&r->m, r->o->mix, i);
	double from = bench_now_s();
	cache_key_init(r->c, &key, r->m.name, r->m.name_len, r->m.type, false);
	cache_prefetch(r->c, &key);
	if (entry_from_message(r->scratch, &key, r->m.bytes, r->m.len, &meta) != INGEST_OK || cache_store(r->c, &key, r->scratch) != 0) {
		fprintf(stderr, "message %" PRIu64 " was not stored\n", i);
		exit(1);
	}
	return bench_now_s() - from;
}

static void begin(struct store_run *r, const struct bench_options *o, uint64_t maxmemory)
{
	struct cache_options co = { .maxmemory = maxmemory, .stale_for_s = 0, .hash_seed = o->seed };
	r->o = o;
	r->c = cache_new(&co);
	r->scratch = malloc(sizeof *r->scratch);
	if (!r->c || !r->scratch) {
		fputs("no memory\n", stderr);
		exit(1);
	}
	memset(r->scratch, 1, sizeof *r->scratch);
	cache_thread_begin(r->c);
}

static void end(struct store_run *r)
{
	cache_thread_end(r->c);
	cache_free(r->c);
	free(r->scratch);
}

/* Bytes of entries that still live, and of all: what is expired is dead weight. */
struct weigh {
	uint32_t now_s;
	uint64_t live;
	const struct cache *c;
};

static void weigh_one(void *arg, const struct entry *e)
{
	struct weigh *w = arg;
	if (entry_ttl_left(e, w->now_s) > 0)
		w->live += cache_entry_cost(w->c, e);
}

int bench_churn(const struct bench_options *o)
{
	struct store_run r;
	struct prng rnd;
	prng_seed(&rnd, o->seed);
	begin(&r, o, o->maxmemory);
	size_t before = mem_rss(), worst = 0;
	double spent = 0;
	for (uint64_t i = 0; i < o->entries; i++) {
		/* Uniform in the logarithm: as many lives under a minute as over an hour. */
		uint32_t ttl = 1u << prng_next(&rnd) % 17;
		ttl += (uint32_t)(prng_next(&rnd) % ttl);
		spent += store_one(&r, i, ttl < 86400 ? ttl : 86400);
		if (i % 64 == 63) {
			/* 20,000 new answers a second of simulated time, and the server's care ten times a second. */
			clock_jump(i % 128 == 63 ? 3 : 4);
			if (i % 2048 == 2047)
				cache_tick(r.c, clock_s(), 16);
		}
		if (i % 65536 == 65535 && mem_rss() - before > worst)
			worst = mem_rss() - before;
	}
	struct cache_info info;
	struct weigh w = { clock_s(), 0, r.c };
	uint64_t cursor = 0;
	cache_info(r.c, clock_s(), &info);
	do
		cursor = cache_scan(r.c, cursor, 1000, weigh_one, &w);
	while (cursor);
	double max = (double)o->maxmemory;
	if (o->json)
		printf("{\"inserts\": %" PRIu64 ", \"maxmemory\": %" PRIu64 ", \"rss_worst\": %.4f, \"rss_end\": %.4f, \"live\": %.4f, "
		       "\"entries\": %" PRIu64 ", \"evicted\": %" PRIu64 ", \"expired\": %" PRIu64 ", \"inserts_per_s\": %.0f}\n",
		       o->entries, o->maxmemory, (double)worst / max, (double)(mem_rss() - before) / max, (double)w.live / max, info.entries,
		       info.evicted, info.expired, (double)o->entries / spent);
	else
		printf("inserts        %" PRIu64 " into %.0f MB\nrss worst      %.3f of maxmemory\nrss at the end %.3f\n"
		       "live bytes     %.3f of maxmemory, slots included\nentries        %" PRIu64 ", evicted %" PRIu64 ", expired %" PRIu64
		       "\nrate           %.0f inserts/s\n",
		       o->entries, max / 1048576, (double)worst / max, (double)(mem_rss() - before) / max, (double)w.live / max, info.entries,
		       info.evicted, info.expired, (double)o->entries / spent);
	end(&r);
	return 0;
}

int bench_growth(const struct bench_options *o)
{
	struct store_run r;
	uint64_t histogram[HIST_US] = { 0 };
	double worst = 0, slots = 0, rss_worst = 0;
	uint64_t from = o->entries / 8 < 500000 ? o->entries / 8 : 500000, next = from, points = 0;
	begin(&r, o, 1ull << 40);
	size_t before = mem_rss();
	for (uint64_t i = 0; i < o->entries; i++) {
		double us = store_one(&r, i, 86400) * 1e6;
		int b = 0;
		while (b < HIST_US - 1 && us >= 0.25 * (double)(1u << b))
			b++;
		histogram[b]++;
		worst = us > worst ? us : worst;
		if (i + 1 == next || i + 1 == o->entries) {
			struct cache_info info;
			cache_info(r.c, clock_s(), &info);
			double rss = (double)(mem_rss() - before) / (double)info.entries, slot = (double)info.table_bytes / (double)info.entries;
			if (!o->json)
				printf("%10" PRIu64 " entries  %.2f bytes of RSS each, slots %.2f\n", info.entries, rss, slot);
			rss_worst = rss > rss_worst ? rss : rss_worst;
			slots += slot;
			points++;
			next = (uint64_t)((double)from + (double)(o->entries - from) * (double)points / (POINTS - 1));
		}
	}
	if (o->json)
		printf("{\"entries\": %" PRIu64 ", \"points\": %" PRIu64 ", \"rss_worst_point\": %.2f, \"slots_mean\": %.2f, \"worst_insert_us\": %.1f}\n",
		       o->entries, points, rss_worst, slots / (double)points, worst);
	else {
		printf("worst point    %.2f bytes of RSS an entry; slots %.2f on average\nworst insert   %.1f us\n", rss_worst,
		       slots / (double)points, worst);
		for (int b = 0; b < HIST_US; b++)
			if (histogram[b])
				printf("  under %10.2f us  %" PRIu64 "\n", 0.25 * (double)(1u << b), histogram[b]);
	}
	end(&r);
	return 0;
}
