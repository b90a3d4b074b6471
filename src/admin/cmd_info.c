/* SPDX-License-Identifier: BSD-3-Clause */
/* INFO: figures by section, in the names that Redis's tools read, and a section `dns` of our own.
 *
 * Counters come from counters.def by their rows; what stands here by name is what tools look for by name, and zeros for what
 * a cache does not do (persistence, replication) where a tool would stumble over a missing line. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/version.h"

typedef unsigned long long ull;

/* ---- rates ---- */

static void rate_add(struct rate *s, unsigned at, uint64_t now, uint64_t ms)
{
	s->per_s[at] = now > s->before && ms ? (now - s->before) * 1000 / ms : 0;
	s->before = now;
}

void info_sample(struct admin *a)
{
	uint64_t now_ms = clock_real_mono_ms(), ms = now_ms - a->rate_ms;

	rate_add(&a->ops, a->rate_at, (uint64_t)stats_sum(a->ctx.stats, STAT_COMMANDS), ms);
	rate_add(&a->net_in, a->rate_at, (uint64_t)stats_sum(a->ctx.stats, STAT_NET_IN), ms);
	rate_add(&a->net_out, a->rate_at, (uint64_t)stats_sum(a->ctx.stats, STAT_NET_OUT), ms);
	a->rate_at = (a->rate_at + 1) % RATE_SAMPLES;
	a->rate_ms = now_ms;
}

static uint64_t rate_of(const struct rate *s)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < RATE_SAMPLES; i++)
		sum += s->per_s[i];
	return sum / RATE_SAMPLES;
}

/* ---- sections ---- */

struct info {
	struct admin *a;
	struct resp_out *t;
	struct memory_figures m;
};

static void add_counters(const struct info *i, const char *section)
{
	for (unsigned c = 0; c < STAT_COUNT; c++)
		if (strcmp(counter_section(c), section) == 0)
			text_addf(i->t, "%s:%lld\r\n", counter_name(c), (long long)stats_sum(i->a->ctx.stats, c));
}

static void server_section(const struct info *i)
{
	uint64_t up_s = clock_real_mono_ms() / 1000 - i->a->started_s;
	char exe[512] = "";
	struct utsname u;

	if (uname(&u) != 0)
		u = (struct utsname){ .sysname = "?" };
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = '\0';
	text_addf(i->t, "redis_version:%s\r\nredis_git_sha1:00000000\r\nredis_git_dirty:0\r\nredis_build_id:0\r\nredis_mode:standalone\r\n",
		  REDIS_VERSION);
	text_addf(i->t, "pith_version:%s\r\n", PITH_VERSION);
	text_addf(i->t, "os:%s %s %s\r\narch_bits:64\r\nmonotonic_clock:POSIX clock_gettime\r\nmultiplexing_api:epoll\r\n", u.sysname, u.release,
		  u.machine);
#ifdef __GNUC__
	text_addf(i->t, "gcc_version:%d.%d.%d\r\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
	text_addf(i->t, "process_id:%d\r\nprocess_supervised:no\r\nrun_id:%s\r\ntcp_port:%lld\r\ndns_port:%lld\r\n", (int)getpid(), i->a->run_id,
		  (long long)i->a->conf->port, (long long)i->a->conf->dns_port);
	text_addf(i->t, "server_time_usec:%llu\r\nuptime_in_seconds:%llu\r\nuptime_in_days:%llu\r\nhz:10\r\nconfigured_hz:10\r\n",
		  (ull)clock_wall_us(), (ull)up_s, (ull)(up_s / 86400));
	text_addf(i->t, "executable:%s\r\nconfig_file:%s\r\n", exe, i->a->conf->path ? i->a->conf->path : "");
}

static void clients_section(const struct info *i)
{
	struct resp_memory m = resp_clients_memory(i->a->server);

	text_addf(i->t, "connected_clients:%u\r\ncluster_connections:0\r\nmaxclients:%lld\r\n", resp_clients(i->a->server),
		  (long long)i->a->conf->maxclients);
	text_addf(i->t, "client_recent_max_input_buffer:%zu\r\nclient_recent_max_output_buffer:%zu\r\nblocked_clients:%u\r\n", m.largest_in,
		  m.largest_out, resp_clients_blocked(i->a->server));
	text_add(i->t, "tracking_clients:0\r\nclients_in_timeout_table:0\r\n");
}

static void add_bytes(const struct info *i, const char *name, uint64_t n)
{
	char human[32];

	text_addf(i->t, "%s:%llu\r\n%s_human:%s\r\n", name, (ull)n, name, text_human(human, n));
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void policy_line(void *arg, const char *name, const char *value)
{
	(void)name;
	text_addf(arg, "maxmemory_policy:%s\r\n", value);
}

static void memory_section(const struct info *i)
{
	const struct memory_figures *m = &i->m;
	uint64_t system = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	add_bytes(i, "used_memory", m->used);
	add_bytes(i, "used_memory_rss", m->rss);
	add_bytes(i, "used_memory_peak", m->peak);
	text_addf(i->t, "used_memory_peak_perc:%.2f%%\r\nused_memory_overhead:%llu\r\nused_memory_startup:0\r\n", 100 * share(m->used, m->peak),
		  (ull)m->overhead);
	text_addf(i->t, "used_memory_dataset:%llu\r\nused_memory_dataset_perc:%.2f%%\r\n", (ull)m->dataset, 100 * share(m->dataset, m->used));
	text_addf(i->t, "allocator_allocated:%llu\r\nallocator_active:%llu\r\nallocator_resident:%llu\r\n", (ull)m->allocated, (ull)m->active,
		  (ull)m->resident);
	add_bytes(i, "total_system_memory", system);
	add_bytes(i, "maxmemory", m->cache.maxmemory);
	conf_get(i->a->conf, "maxmemory-policy", policy_line, i->t);
	text_addf(i->t, "allocator_frag_ratio:%.2f\r\nallocator_frag_bytes:%llu\r\n", share(m->active, m->allocated),
		  (ull)(m->active > m->allocated ? m->active - m->allocated : 0));
	text_addf(i->t, "allocator_rss_ratio:%.2f\r\nallocator_rss_bytes:%llu\r\n", share(m->resident, m->active),
		  (ull)(m->resident > m->active ? m->resident - m->active : 0));
	text_addf(i->t, "mem_fragmentation_ratio:%.2f\r\nmem_fragmentation_bytes:%lld\r\n", share(m->rss, m->used),
		  (long long)m->rss - (long long)m->used);
	text_addf(i->t, "mem_clients_normal:%llu\r\nmem_clients_slaves:0\r\nmem_aof_buffer:0\r\nmem_replication_backlog:0\r\n", (ull)m->clients);
	text_addf(i->t, "mem_allocator:%s\r\nactive_defrag_running:0\r\nlazyfree_pending_objects:0\r\nlazyfreed_objects:0\r\n", mem_allocator());
	text_addf(i->t, "cache_entry_bytes:%llu\r\ncache_slot_bytes:%llu\r\ncache_overhead_bytes:%llu\r\ncache_segment_bytes:%llu\r\n",
		  (ull)m->cache.entry_bytes, (ull)m->cache.slot_bytes, (ull)m->cache.overhead_bytes, (ull)m->cache.segment_bytes);
	text_addf(i->t, "cache_bytes_per_entry:%.1f\r\n", m->cache.entries ? share(m->cache.segment_bytes, m->cache.entries) : 0);
}

static void persistence_section(const struct info *i)
{
	snapshot_info(i->a, i->t);
}

static void stats_section(const struct info *i)
{
	const struct cache_info *c = &i->m.cache;
	const struct admin *a = i->a;

	add_counters(i, "stats");
	text_addf(i->t, "instantaneous_ops_per_sec:%llu\r\ninstantaneous_input_kbps:%.2f\r\ninstantaneous_output_kbps:%.2f\r\n",
		  (ull)rate_of(&a->ops), (double)rate_of(&a->net_in) / 1024, (double)rate_of(&a->net_out) / 1024);
	text_addf(i->t, "expired_keys:%llu\r\nevicted_keys:%llu\r\nevicted_clients:0\r\n", (ull)(c->expired - a->expired_before),
		  (ull)(c->evicted - a->evicted_before));
	text_add(i->t, "expired_stale_perc:0.00\r\nexpired_time_cap_reached_count:0\r\nsync_full:0\r\nsync_partial_ok:0\r\n"
		       "sync_partial_err:0\r\nlatest_fork_usec:0\r\ntotal_forks:0\r\n"
		       "migrate_cached_sockets:0\r\ntracking_total_keys:0\r\n");
	text_addf(i->t, "pubsub_channels:%u\r\npubsub_patterns:%u\r\nfeed_dropped:%llu\r\n", resp_topics(a->server, RESP_CHANNEL),
		  resp_topics(a->server, RESP_PATTERN), (ull)feed_dropped(cache_feed(a->ctx.cache)));
	text_addf(i->t, "failed_internal_checks:%lu\r\n", should_count());
}

static void replication_section(const struct info *i)
{
	text_addf(i->t, "role:master\r\nconnected_slaves:0\r\nmaster_failover_state:no-failover\r\nmaster_replid:%s\r\n"
			"master_repl_offset:0\r\nsecond_repl_offset:-1\r\nrepl_backlog_active:0\r\nrepl_backlog_size:0\r\n", i->a->run_id);
}

static void cpu_section(const struct info *i)
{
	static const struct {
		int who;
		const char *suffix;
	} whose[] = { { RUSAGE_SELF, "" }, { RUSAGE_CHILDREN, "_children" }, { RUSAGE_THREAD, "_main_thread" } };

	for (unsigned w = 0; w < sizeof whose / sizeof *whose; w++) {
		struct rusage u;

		if (getrusage(whose[w].who, &u) != 0)
			continue;
		text_addf(i->t, "used_cpu_sys%s:%ld.%06ld\r\n", whose[w].suffix, u.ru_stime.tv_sec, u.ru_stime.tv_usec);
		text_addf(i->t, "used_cpu_user%s:%ld.%06ld\r\n", whose[w].suffix, u.ru_utime.tv_sec, u.ru_utime.tv_usec);
	}
}

/* Calls fn for every command and subcommand that was called. */
static void each_command(const struct info *i, void (*fn)(const struct info *, const struct resp_command *, const struct resp_command_stats *))
{
	for (unsigned c = 0; c < commands_table.n; c++) {
		const struct resp_command *top = &commands_table.commands[c];

		for (unsigned s = 0; s <= top->n_subs; s++) {
			const struct resp_command *each = s == 0 ? top : &top->subs[s - 1];
			const struct resp_command_stats *st = resp_stats_of(i->a->server, each);

			if (st->calls || st->rejected)
				fn(i, each, st);
		}
	}
}

static void command_line(const struct info *i, const struct resp_command *c, const struct resp_command_stats *st)
{
	text_addf(i->t, "cmdstat_%s:calls=%llu,usec=%llu,usec_per_call=%.2f,rejected_calls=%llu,failed_calls=%llu\r\n", c->full_name,
		  (ull)st->calls, (ull)st->usec, share(st->usec, st->calls), (ull)st->rejected, (ull)st->failed);
}

static void latency_line(const struct info *i, const struct resp_command *c, const struct resp_command_stats *st)
{
	if (st->calls)
		text_addf(i->t, "latency_percentiles_usec_%s:p50=%.3f,p99=%.3f,p99.9=%.3f\r\n", c->full_name, resp_latency_percentile(st, 0.5),
			  resp_latency_percentile(st, 0.99), resp_latency_percentile(st, 0.999));
}

static void commandstats_section(const struct info *i)
{
	each_command(i, command_line);
}

static void latencystats_section(const struct info *i)
{
	each_command(i, latency_line);
}

static void errorstats_section(const struct info *i)
{
	unsigned n;
	const struct resp_error_count *e = resp_errors(i->a->server, &n);

	for (unsigned k = 0; k < n; k++)
		text_addf(i->t, "errorstat_%s:count=%llu\r\n", e[k].code, (ull)e[k].n);
}

static void cluster_section(const struct info *i)
{
	text_add(i->t, "cluster_enabled:0\r\n");
}

static void modules_section(const struct info *i)
{
	(void)i;
}

static void keyspace_section(const struct info *i)
{
	const struct cache_info *c = &i->m.cache;

	if (c->entries)
		text_addf(i->t, "db0:keys=%llu,expires=%llu,avg_ttl=%llu\r\n", (ull)c->entries, (ull)c->entries,
			  (ull)(c->ttl_n ? c->ttl_sum_s * 1000 / c->ttl_n : 0));
}

static void dns_section(const struct info *i)
{
	const struct stats *s = i->a->ctx.stats;
	const struct cache_info *c = &i->m.cache;
	uint64_t hits = (uint64_t)stats_sum(s, STAT_HITS), misses = (uint64_t)stats_sum(s, STAT_MISSES);

	add_counters(i, "dns");
	text_addf(i->t, "cache_hit_ratio:%.4f\r\n", share(hits, hits + misses));
	text_addf(i->t, "cache_entries:%llu\r\ncache_shards:%llu\r\ncache_evicted:%llu\r\ncache_expired:%llu\r\ncache_replaced:%llu\r\n"
			"cache_removed:%llu\r\ncache_rebuilds:%llu\r\ncache_splits:%llu\r\n", (ull)c->entries, (ull)c->shards, (ull)c->evicted,
		  (ull)c->expired, (ull)c->replaced, (ull)c->removed, (ull)c->rebuilds, (ull)c->splits);
	for (unsigned h = 0; h < HIST_COUNT; h++) {
		uint64_t sum_us, n = stats_samples(s, h, &sum_us);

		text_addf(i->t, "%s_usec:samples=%llu,avg=%.1f,p50=%.1f,p90=%.1f,p99=%.1f,p99.9=%.1f\r\n", histogram_name(h), (ull)n, share(sum_us, n),
			  stats_percentile(s, h, 0.5), stats_percentile(s, h, 0.9), stats_percentile(s, h, 0.99), stats_percentile(s, h, 0.999));
	}
}

static void upstreams_section(const struct info *i)
{
	upstreams_info(i->a, i->t);
}

static const struct info_section {
	const char *name, *title;
	void (*write)(const struct info *i);
	bool by_default;
} sections[] = {
	{ "server", "Server", server_section, true },
	{ "clients", "Clients", clients_section, true },
	{ "memory", "Memory", memory_section, true },
	{ "persistence", "Persistence", persistence_section, true },
	{ "stats", "Stats", stats_section, true },
	{ "replication", "Replication", replication_section, true },
	{ "cpu", "CPU", cpu_section, true },
	{ "modules", "Modules", modules_section, true },
	{ "commandstats", "Commandstats", commandstats_section, false },
	{ "errorstats", "Errorstats", errorstats_section, true },
	{ "latencystats", "Latencystats", latencystats_section, false },
	{ "cluster", "Cluster", cluster_section, true },
	{ "dns", "Dns", dns_section, true },
	{ "upstreams", "Upstreams", upstreams_section, true },
	{ "keyspace", "Keyspace", keyspace_section, true },
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Is the section asked for? */
static bool wanted(const struct resp_call *r, const struct info_section *s)
{
	bool yes = r->argc == 1 && s->by_default;

	for (unsigned i = 1; i < r->argc && !yes; i++)
		yes = resp_arg_is(&r->argv[i], s->name) || resp_arg_is(&r->argv[i], "all") || resp_arg_is(&r->argv[i], "everything") ||
		      (resp_arg_is(&r->argv[i], "default") && s->by_default);
	return yes;
}

enum step cmd_info(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct info i = { .a = a, .t = &a->text };

	memory_figures(a, &i.m);
	text_reset(i.t);
	for (unsigned s = 0; s < SECTIONS; s++) {
		if (!wanted(r, &sections[s]))
			continue;
		text_addf(i.t, "%s# %s\r\n", i.t->len ? "\r\n" : "", sections[s].title);
		sections[s].write(&i);
	}
	resp_verbatim(r->out, "txt", i.t->data, i.t->len);
	return STEP_DONE;
}
