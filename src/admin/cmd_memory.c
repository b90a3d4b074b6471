/* SPDX-License-Identifier: BSD-3-Clause */
/* MEMORY: what an entry costs, and where the rest goes.
 *
 * One set of figures for MEMORY STATS and INFO, so that no two disagree: used = what the allocator handed out + the cache's
 * segments, which do not come from it; dataset = entries and slots, which is exactly the sum of MEMORY USAGE over all keys. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"

void memory_figures(struct admin *a, struct memory_figures *f)
{
	struct mem_stats m;

	mem_stats(&m);
	cache_info(a->ctx.cache, clock_s(), &f->cache);
	f->allocated = m.allocated;
	f->active = m.active;
	f->resident = m.resident;
	f->rss = m.rss;
	f->used = m.allocated + f->cache.segment_bytes;
	f->dataset = f->cache.entry_bytes + f->cache.slot_bytes;
	if (f->used < f->dataset) /* an allocator that cannot tell */
		f->used = f->dataset;
	f->overhead = f->used - f->dataset;
	f->clients = resp_clients_memory(a->server).total;
	if (f->used > a->peak_memory)
		a->peak_memory = f->used;
	f->peak = a->peak_memory;
}

enum step cmd_memory_usage(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct cache_key_buf b;
	int64_t left, samples;
	size_t cost = 0;

	for (unsigned i = 3; i < r->argc; i += 2) { /* SAMPLES is for values with elements; there are none */
		if (!resp_arg_is(&r->argv[i], "samples") || i + 1 == r->argc) {
			resp_error(r->out, "ERR syntax error");
			return STEP_DONE;
		}
		if (!resp_arg_int(&r->argv[i + 1], &samples)) {
			resp_error(r->out, "ERR value is not an integer or out of range");
			return STEP_DONE;
		}
		if (samples < 0) {
			resp_error(r->out, "ERR syntax error");
			return STEP_DONE;
		}
	}
	cache_read_begin();
	const struct entry *e = admin_find(a, &r->argv[2], &b, clock_s(), &left);
	if (e)
		cost = cache_entry_cost(a->ctx.cache, e);
	cache_read_end();
	if (cost)
		resp_int(r->out, (int64_t)cost);
	else
		resp_null(r->out);
	return STEP_DONE;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

enum step cmd_memory_stats(struct resp_call *r)
{
	struct memory_figures f;
	struct resp_out *o = r->out;

	memory_figures(admin_of(r), &f);
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "peak.allocated", f.peak },
		{ "total.allocated", f.used },
		{ "startup.allocated", 0 },
		{ "replication.backlog", 0 },
		{ "clients.slaves", 0 },
		{ "clients.normal", f.clients },
		{ "aof.buffer", 0 },
		{ "overhead.total", f.overhead },
		{ "keys.count", f.cache.entries },
		{ "keys.bytes-per-key", f.cache.entries ? f.used / f.cache.entries : 0 },
		{ "dataset.bytes", f.dataset },
		{ "cache.entry-bytes", f.cache.entry_bytes },
		{ "cache.slot-bytes", f.cache.slot_bytes },
		{ "cache.overhead-bytes", f.cache.overhead_bytes },
		{ "cache.segment-bytes", f.cache.segment_bytes },
		{ "allocator.allocated", f.allocated },
		{ "allocator.active", f.active },
		{ "allocator.resident", f.resident },
	};
	const struct {
		const char *name;
		double d;
	} ratios[] = {
		{ "dataset.percentage", 100 * share(f.dataset, f.used) },
		{ "peak.percentage", 100 * share(f.used, f.peak) },
		{ "allocator-fragmentation.ratio", share(f.active, f.allocated) },
		{ "allocator-rss.ratio", share(f.resident, f.active) },
		{ "rss-overhead.ratio", share(f.rss, f.resident + f.cache.segment_bytes) },
		{ "fragmentation", share(f.rss, f.used) },
	};
	unsigned n_counts = sizeof counts / sizeof *counts, n_ratios = sizeof ratios / sizeof *ratios;
	resp_map(o, n_counts + n_ratios);
	for (unsigned i = 0; i < n_counts; i++) {
		resp_str(o, counts[i].name);
		resp_int(o, (int64_t)counts[i].n);
	}
	for (unsigned i = 0; i < n_ratios; i++) {
		resp_str(o, ratios[i].name);
		resp_double(o, ratios[i].d);
	}
	return STEP_DONE;
}

enum step cmd_memory_doctor(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct resp_out *t = &a->text;
	struct memory_figures f;
	char used[32], limit[32], rss[32];

	memory_figures(a, &f);
	text_reset(t);
	text_addf(t, "%llu entries, %s in use of maxmemory %s, resident %s.\n", (unsigned long long)f.cache.entries,
		  text_human(used, f.cache.segment_bytes), text_human(limit, f.cache.maxmemory), text_human(rss, f.rss));
	if (f.cache.evicted > 0)
		text_addf(t, "The cache is full: %llu entries had to make room. More maxmemory would raise the hit ratio.\n",
			  (unsigned long long)f.cache.evicted);
	if (f.rss > f.used + f.used / 2 && f.rss - f.used > 64u << 20)
		text_add(t, "Much more memory is resident than in use: MEMORY PURGE hands back what the allocator keeps.\n");
	if (f.clients > 64u << 20)
		text_addf(t, "Connections hold %s in buffers: CLIENT LIST shows which.\n", text_human(used, f.clients));
	if (should_count() > 0)
		text_addf(t, "%lu internal checks failed since the start; the log names them.\n", should_count());
	resp_verbatim(r->out, "txt", t->data, t->len);
	return STEP_DONE;
}

enum step cmd_memory_purge(struct resp_call *r)
{
	mem_purge();
	resp_ok(r->out);
	return STEP_DONE;
}

static void report_text(void *arg, const char *text)
{
	text_add(arg, text);
}

enum step cmd_memory_malloc_stats(struct resp_call *r)
{
	struct resp_out *t = &admin_of(r)->text;

	text_reset(t);
	mem_report(report_text, t);
	if (t->len == 0)
		text_addf(t, "The allocator (%s) has no report of its own.\n", mem_allocator());
	resp_verbatim(r->out, "txt", t->data, t->len);
	return STEP_DONE;
}
