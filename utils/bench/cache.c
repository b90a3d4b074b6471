/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench cache`: the cache in process, from wire message to linked entry, from question to reply.
 *
 * Messages are made before the clock starts, in blocks that are used and forgotten, so that neither their making nor their
 * memory is counted. Bytes per entry means everything: growth of the resident set over the number of entries. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/random.h"
#include "bench.h"
#include "cache/cache.h"
#include "loop/loop.h"
#include "query/answer.h"

enum { BLOCK = 4096, LOOKUPS = 2000000, BATCH = 32, ROUNDS = 5 };

static const struct answer_options options = { .udp_size = 1232, .minimal = true, .rotate = true, .stale_ttl_s = 30 };

struct figures {
	double rss, allocated, payload, slots, inserts_per_s, insert_worst_us, lookup_ns, batch_ns, lookup_min_ns, batch_min_ns;
	uint64_t entries, checked;
};

static double median(double *v, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
			double t = v[j];
			v[j] = v[j - 1];
			v[j - 1] = t;
		}
	return v[n / 2];
}

static void fill(struct cache *c, const struct bench_options *o, struct figures *f)
{
	struct bench_msg *block = malloc(BLOCK * sizeof *block);
	struct entry_scratch *scratch = malloc(sizeof *scratch);
	memset(block, 1, BLOCK * sizeof *block);
	memset(scratch, 1, sizeof *scratch);
	double spent = 0, payload = 0;
	struct cache_info info;
	uint32_t now = clock_s();
	cache_info(c, now, &info);
	size_t rss = mem_rss();
	struct mem_stats before, after;
	mem_stats(&before);
	for (uint64_t i = 0; i < o->entries; i += BLOCK) {
		unsigned n = o->entries - i < BLOCK ? (unsigned)(o->entries - i) : BLOCK;
		for (unsigned k = 0; k < n; k++) {
			bench_message(&block[k], o->mix, i + k);
			payload += block[k].payload;
		}
		double from = bench_now_s();
		for (unsigned k = 0; k < n; k++) {
			struct bench_msg *m = &block[k];
			struct cache_key key;
			struct entry_meta meta = { .now_s = now, .max_ttl_s = 86400, .max_negative_ttl_s = 3600,
						   .source = SOURCE_FORWARD, .ede = EDE_NONE };
			cache_key_init(c, &key, m->name, m->name_len, m->type, false);
			cache_prefetch(c, &key);
			if (entry_from_message(scratch, &key, m->bytes, m->len, &meta) != INGEST_OK || cache_store(c, &key, scratch) != 0) {
				fprintf(stderr, "message %" PRIu64 " was not stored\n", i + k);
				exit(1);
			}
		}
		spent += bench_now_s() - from;
	}
	cache_info(c, now, &info);
	mem_stats(&after);
	double n = (double)o->entries;
	f->entries = info.entries;
	f->rss = (double)(mem_rss() - rss) / n;
	f->allocated = (double)(info.entry_bytes + info.slot_bytes + info.overhead_bytes) / n;
	f->payload = payload / n;
	f->slots = 0;
	f->inserts_per_s = n / spent;
	free(block);
	free(scratch);
}

/* One reply must hold what was stored: the records' bytes stand behind the question. */
static bool same_answer(const struct bench_msg *m, const uint8_t *reply, int len)
{
	struct msg_reader a, b;
	struct wire_rr x, y;
	unsigned n = 0, found = 0;
	if (msg_begin(&a, m->bytes, m->len) != 0)
		return false;
	while (msg_next(&a, &x) == 1) {
		n++;
		if (msg_begin(&b, reply, (size_t)len) != 0)
			return false;
		while (msg_next(&b, &y) == 1)
			if (y.rdata_len == x.rdata_len && memcmp(m->bytes + x.rdata_off, reply + y.rdata_off, x.rdata_len) == 0) {
				found++;
				break;
			}
	}
	return n && n == found;
}

struct asked {
	struct question q;
	uint8_t wire[80];
};

static void make_question(struct asked *a, const struct bench_msg *m)
{
	memcpy(a->wire, m->name, m->name_len);
	store_be16(a->wire + m->name_len, m->type);
	store_be16(a->wire + m->name_len + 2, CLASS_IN);
	a->q = (struct question){ .flags = FLAG_RD, .qtype = m->type, .qclass = CLASS_IN, .wire = a->wire,
				  .wire_len = (uint16_t)(m->name_len + 4), .name_len = m->name_len };
	memcpy(a->q.name, m->name, m->name_len);
	a->q.edns.ede = EDE_NONE;
}

static bool build_reply(uint8_t *out, const struct question *q, const struct entry *e, uint32_t now, uint32_t r, int *len)
{
	struct answer_ask ask = { .q = q, .limit = 1232, .now_s = now, .rotation = r, .o = &options };
	bool truncated;
	if (!e)
		return false;
	entry_touch(e, r);
	*len = answer_from_entry(out, &ask, e, &truncated);
	return *len > 0;
}

static void fail_lookup(uint64_t i)
{
	fprintf(stderr, "entry %" PRIu64 " was not found or is not what was stored\n", i);
	exit(1);
}

struct run {
	struct cache *c;
	const struct bench_options *o;
	uint64_t seed, lookups;
	bool batch;
	double ns;
};

/* Random lookups over all entries; questions are made in blocks outside of the clock. */
static void look_up(struct run *r)
{
	struct asked *block = malloc(BLOCK * sizeof *block);
	uint8_t *out = malloc((size_t)BATCH * 1536);
	struct prng rnd;
	prng_seed(&rnd, r->seed);
	double spent = 0;
	uint32_t now = clock_s();
	for (uint64_t done = 0; done < r->lookups; done += BLOCK) {
		for (unsigned k = 0; k < BLOCK; k++) {
			struct bench_msg m;
			bench_question(&m, r->o->mix, prng_next(&rnd) % r->o->entries);
			make_question(&block[k], &m);
		}
		double from = bench_now_s();
		for (unsigned k = 0; k < BLOCK; k += BATCH) {
			struct cache_key keys[BATCH];
			const struct entry *found[BATCH];
			int len = 0;
			if (r->batch) {
				for (unsigned j = 0; j < BATCH; j++)
					cache_key_init(r->c, &keys[j], block[k + j].q.name, block[k + j].q.name_len,
						       block[k + j].q.qtype, false);
				cache_read_begin();
				cache_lookup_batch(r->c, keys, BATCH, now, found);
				for (unsigned j = 0; j < BATCH; j++)
					if (!build_reply(out + (size_t)j * 1536, &block[k + j].q, found[j], now, k + j, &len))
						fail_lookup(done + k + j);
				cache_read_end();
				continue;
			}
			for (unsigned j = 0; j < BATCH; j++) {
				const struct question *q = &block[k + j].q;
				cache_key_init(r->c, &keys[0], q->name, q->name_len, q->qtype, false);
				cache_read_begin();
				if (!build_reply(out + (size_t)j * 1536, q, cache_lookup(r->c, &keys[0], now), now, k + j, &len))
					fail_lookup(done + k + j);
				cache_read_end();
			}
		}
		spent += bench_now_s() - from;
	}
	r->ns = spent * 1e9 / (double)r->lookups;
	free(block);
	free(out);
}

static void check_answers(struct cache *c, const struct bench_options *o, struct figures *f)
{
	struct prng rnd;
	prng_seed(&rnd, 99);
	uint8_t out[4096];
	for (int i = 0; i < 20000; i++) {
		struct bench_msg m;
		struct asked a;
		struct cache_key key;
		int len = 0;
		uint64_t n = prng_next(&rnd) % o->entries;
		bench_message(&m, o->mix, n);
		make_question(&a, &m);
		cache_key_init(c, &key, a.q.name, a.q.name_len, a.q.qtype, false);
		cache_read_begin();
		if (!build_reply(out, &a.q, cache_lookup(c, &key, clock_s()), clock_s(), (uint32_t)i, &len) || !same_answer(&m, out, len))
			fail_lookup(n);
		cache_read_end();
		f->checked++;
	}
}

/* ---- threads: readers that look up in batches, beside one writer at a steady 50,000 inserts a second ---- */

struct worker {
	struct thread thread;
	struct run run;
	atomic_bool *stop;
	uint64_t inserted;
};

static void reader_main(void *arg)
{
	struct worker *w = arg;
	cache_thread_begin(w->run.c);
	look_up(&w->run);
	cache_thread_end(w->run.c);
}

static void writer_main(void *arg)
{
	struct worker *w = arg;
	struct entry_scratch *scratch = malloc(sizeof *scratch);
	double from = bench_now_s();
	cache_thread_begin(w->run.c);
	while (!atomic_load(w->stop)) {
		struct bench_msg m;
		struct cache_key key;
		struct entry_meta meta = { .now_s = clock_s(), .max_ttl_s = 86400, .max_negative_ttl_s = 3600, .source = SOURCE_FORWARD,
					   .ede = EDE_NONE };
		bench_message(&m, w->run.o->mix, w->run.o->entries + w->inserted);
		cache_key_init(w->run.c, &key, m.name, m.name_len, m.type, false);
		if (entry_from_message(scratch, &key, m.bytes, m.len, &meta) == INGEST_OK)
			cache_store(w->run.c, &key, scratch);
		if (++w->inserted % 500 == 0) {
			double ahead = (double)w->inserted / 50000 - (bench_now_s() - from);
			if (ahead > 0) {
				struct timespec ts = { 0, (long)(ahead * 1e9) };
				nanosleep(&ts, NULL);
			}
		}
	}
	cache_thread_end(w->run.c);
	free(scratch);
}

static double threads_rate(struct cache *c, const struct bench_options *o, unsigned n, double *inserts)
{
	struct worker w[65] = { 0 };
	atomic_bool stop = false;
	double from, spent;
	w[n] = (struct worker){ .run = { c, o, 0, 0, false, 0 }, .stop = &stop };
	thread_start(&w[n].thread, "writer", -1, writer_main, &w[n]);
	from = bench_now_s();
	for (unsigned i = 0; i < n; i++) {
		w[i].run = (struct run){ c, o, 1000 + i, LOOKUPS, true, 0 };
		thread_start(&w[i].thread, "reader", (int)i, reader_main, &w[i]);
	}
	double rate = 0;
	for (unsigned i = 0; i < n; i++) {
		thread_join(&w[i].thread);
		rate += 1e9 / w[i].run.ns;
	}
	spent = bench_now_s() - from;
	atomic_store(&stop, true);
	thread_join(&w[n].thread);
	*inserts = (double)w[n].inserted / spent;
	return rate;
}

int bench_cache(const struct bench_options *o)
{
	struct cache_options co = { .maxmemory = 1ull << 40, .stale_for_s = 86400, .hash_seed = o->seed };
	struct cache *c = cache_new(&co);
	struct figures f = { 0 };
	double one[ROUNDS], batch[ROUNDS];
	if (!c || !o->entries) {
		fputs("no memory, or no entries\n", stderr);
		return 1;
	}
	cache_thread_begin(c);
	fill(c, o, &f);
	if (f.entries != o->entries) {
		fprintf(stderr, "%" PRIu64 " entries stored, %" PRIu64 " counted\n", o->entries, f.entries);
		return 1;
	}
	check_answers(c, o, &f);
	for (int i = 0; i < ROUNDS; i++) {
		struct run r = { c, o, (uint64_t)i + 1, LOOKUPS, false, 0 };
		look_up(&r);
		one[i] = r.ns;
		r.batch = true;
		look_up(&r);
		batch[i] = r.ns;
	}
	f.lookup_ns = median(one, ROUNDS);
	f.batch_ns = median(batch, ROUNDS);
	f.lookup_min_ns = one[0];
	f.batch_min_ns = batch[0];
	struct cache_info info;
	cache_info(c, clock_s(), &info);
	f.slots = (double)info.table_bytes / (double)f.entries;
	if (o->json)
		printf("{\"entries\": %" PRIu64 ", \"rss_bytes_per_entry\": %.2f, \"allocated_bytes_per_entry\": %.2f, "
		       "\"payload_bytes_per_entry\": %.2f, \"slot_bytes_per_entry\": %.2f, \"inserts_per_s\": %.0f, "
		       "\"lookup_ns\": %.1f, \"lookup_batch_ns\": %.1f, \"lookup_min_ns\": %.1f, \"lookup_batch_min_ns\": %.1f",
		       f.entries, f.rss, f.allocated, f.payload, f.slots, f.inserts_per_s, f.lookup_ns, f.batch_ns, f.lookup_min_ns,
		       f.batch_min_ns);
	else
		printf("machine        %s\nentries        %" PRIu64 "\nrss/entry      %.2f bytes\nallocated      %.2f bytes\n"
		       "payload        %.2f bytes\nslots          %.2f bytes\ninserts        %.0f /s\n"
		       "lookup         %.1f ns (min %.1f), answer built\nlookup batch   %.1f ns (min %.1f), 32 at a time\n",
		       bench_machine(), f.entries, f.rss, f.allocated, f.payload, f.slots, f.inserts_per_s, f.lookup_ns, f.lookup_min_ns,
		       f.batch_ns, f.batch_min_ns);
	if (o->threads > 1) {
		double ins1, insn, r1 = threads_rate(c, o, 1, &ins1), rn = threads_rate(c, o, o->threads, &insn);
		if (o->json)
			printf(", \"threads\": %u, \"lookups_per_s_1\": %.0f, \"lookups_per_s_n\": %.0f, \"scaling\": %.3f, \"writer_per_s\": %.0f",
			       o->threads, r1, rn, rn / r1, insn);
		else
			printf("threads        1: %.0f/s, %u: %.0f/s, factor %.3f, beside a writer at %.0f/s\n", r1, o->threads, rn, rn / r1,
			       insn);
	}
	if (o->json)
		puts("}");
	cache_thread_end(c);
	cache_free(c);
	return 0;
}
