/* SPDX-License-Identifier: BSD-3-Clause */
/* The process: reads the arguments, builds the server, runs it, tears it down in reverse.
 *
 * struct server holds everything, and nothing else does: there is no global state. The main thread is the admin thread: it starts the DNS
 * workers, then turns its own loop (RESP, signals, the cache's care) until SIGTERM, SIGINT or SHUTDOWN. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "admin/admin.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/version.h"
#include "cache/cache.h"
#include "config/config.h"
#include "front/front.h"
#include "loop/loop.h"
#include "persist/persist.h"
#include "stats/stats.h"

/* The cache's care comes in slices; one round over all shards takes about 13 s (longer above 8 GB). */
enum { TICK_MS = 100, TICKS_PER_ROUND = 128, TICK_SHARDS_MAX = 256, SHARD_BYTES = 262144 };

struct server {
	const struct conf *conf; /* in force; replaced whole */
	struct loop *loop;
	struct stats *stats;
	struct cache *cache;
	struct front_pool *pool;
	struct persist *persist;
	struct admin *admin;
	struct timer tick;
	struct signal_watch signals[3];
	bool has_pidfile;
};

static void cache_care(void *arg)
{
	struct server *s = arg;
	uint64_t shards = s->conf->maxmemory / SHARD_BYTES / TICKS_PER_ROUND + 1;
	cache_tick(s->cache, clock_s(), shards < TICK_SHARDS_MAX ? (unsigned)shards : TICK_SHARDS_MAX);
	timer_set(&s->tick, TICK_MS);
}

static void take_conf(void *arg, const struct conf *c)
{
	struct server *s = arg;
	const struct conf *old = s->conf;
	s->conf = conf_ref(c);
	conf_unref(old);
	log_set_level((enum log_level)c->loglevel);
	cache_set_maxmemory(s->cache, c->maxmemory);
	cache_set_policy(s->cache, (enum cache_policy)c->maxmemory_policy);
	cache_set_stale_for(s->cache, c->serve_stale ? c->serve_stale_for : 0);
	persist_set_conf(s->persist, c);
	if (front_pool_set_conf(s->pool, c) < 0)
		log_warn("no memory to hand the new configuration to every worker");
}

static enum step resolve(void *arg, const uint8_t *msg, size_t len, admin_resolved *done, void *done_arg)
{
	return front_pool_resolve(((struct server *)arg)->pool, ((struct server *)arg)->loop, msg, len, done, done_arg) == 0 ? STEP_PENDING : STEP_FAILED;
}

static void forget(void *arg)
{
	front_pool_forget(((struct server *)arg)->pool);
}

static bool upstream(void *arg, unsigned i, struct upstream_server *out)
{
	return front_pool_upstream(((struct server *)arg)->pool, i, out);
}

static void stop(void *arg)
{
	struct server *s = arg;
	log_notice("stopping");
	loop_stop(s->loop);
}

static void reload(void *arg)
{
	struct server *s = arg;
	struct conf *c;
	char err[4096] = "";
	if (log_reopen() < 0)
		log_warn("cannot reopen the log file; the old one stays in use");
	int rc = conf_reload(s->conf, &c, err, sizeof err);
	if (*err)
		log_warn("reload: %s", err);
	if (rc < 0)
		return;
	take_conf(s, c);
	admin_set_conf(s->admin, c);
	conf_unref(c);
	log_notice("configuration reloaded");
}

static void signal_came(int signo, void *arg)
{
	(signo == SIGHUP ? reload : stop)(arg);
}

/* ---- building and tearing down ---- */

static int server_start(struct server *s, char *err, size_t cap)
{
	if (log_open(s->conf->logfile) < 0) {
		snprintf(err, cap, "logfile: cannot open %s: %m", s->conf->logfile);
		return ERR_SYS;
	}
	log_set_level((enum log_level)s->conf->loglevel);
	s->loop = loop_new();
	s->stats = stats_new(front_pool_size(s->conf) + 1); /* block 0 is the admin thread's */
	s->cache = cache_new(&(struct cache_options){
		.maxmemory = s->conf->maxmemory, .stale_for_s = s->conf->serve_stale ? s->conf->serve_stale_for : 0 });
	if (!s->loop || !s->stats || !s->cache) {
		snprintf(err, cap, "no memory to start with");
		return ERR_NOMEM;
	}
	cache_set_policy(s->cache, (enum cache_policy)s->conf->maxmemory_policy);
	cache_thread_begin(s->cache);
	for (unsigned i = 0; i < 3; i++)
		signal_watch(s->loop, &s->signals[i], (int[]){ SIGTERM, SIGINT, SIGHUP }[i], signal_came, s);
	timer_init(s->loop, &s->tick, cache_care, s);
	timer_set(&s->tick, TICK_MS);
	s->persist = persist_new(s->cache, s->loop, s->conf);
	s->pool = s->persist ? front_pool_new(s->conf, s->cache, s->stats, err, cap) : NULL;
	if (!s->pool)
		return ERR_SYS;
	struct admin_context ctx = { .loop = s->loop, .cache = s->cache, .stats = s->stats, .own = stats_of(s->stats, 0), .conf = s->conf,
				     .persist = s->persist, .hooks = { .arg = s, .resolve = resolve, .forget = forget, .upstream = upstream,
					.conf_changed = take_conf, .stop = stop } };
	s->admin = admin_new(&ctx, err, cap);
	if (!s->admin || (*s->conf->pidfile && process_write_pidfile(s->conf->pidfile, err, cap) < 0))
		return ERR_SYS;
	s->has_pidfile = *s->conf->pidfile;
	if (front_pool_start(s->pool, err, cap) < 0)
		return ERR_SYS;
	persist_load(s->persist);
	log_notice("Pith %s serves DNS on port %d with %u workers", PITH_VERSION, (int)s->conf->dns_port, front_pool_size(s->conf));
	return 0;
}

static void server_end(struct server *s)
{
	front_pool_free(s->pool);
	if (s->signals[0].fn) {
		loop_stop(s->loop); /* one empty turn: the workers may have left mail */
		loop_run(s->loop);
		timer_cancel(&s->tick);
		for (unsigned i = 0; i < 3; i++)
			signal_unwatch(&s->signals[i]);
	}
	admin_free(s->admin);
	persist_free(s->persist);
	if (s->has_pidfile)
		unlink(s->conf->pidfile);
	if (s->cache)
		cache_thread_end(s->cache);
	cache_free(s->cache);
	stats_free(s->stats);
	loop_free(s->loop);
	conf_unref(s->conf);
}

static void usage(void)
{
	puts("usage: pith-server [CONF] [--name value ...]   serve; each --name value overrides a directive of CONF\n"
	     "       pith-server --check CONF                say what is wrong with a configuration\n"
	     "       pith-server --version | --help\n\ndirectives, their defaults and what they do:");
	conf_print_options();
}

int main(int argc, char **argv)
{
	struct server s = { 0 };
	struct conf *conf = NULL;
	char err[8192] = "";
	const char *first = argc > 1 ? argv[1] : "";
	if (argc == 2 && strcmp(first, "--version") == 0)
		return printf("pith-server %s (%s)\n", PITH_VERSION, mem_allocator()) < 0;
	if (argc == 2 && strcmp(first, "--help") == 0)
		return usage(), 0;
	bool check = argc == 3 && strcmp(first, "--check") == 0, named = *first && *first != '-';
	int skip = check ? 3 : named ? 2 : 1;
	int rc = conf_load(check ? argv[2] : named ? first : NULL, argc - skip, argv + skip, &conf, err, sizeof err);
	s.conf = conf;
	if (rc == 0 && !check) {
		signal(SIGPIPE, SIG_IGN);
		process_raise_files();
		rc = server_start(&s, err, sizeof err);
		if (rc == 0)
			loop_run(s.loop), persist_finish(s.persist);
	}
	server_end(&s);
	if (rc < 0)
		fprintf(stderr, "%s%s\n", conf ? "pith-server: " : "", err); /* the reader's faults begin with file and line */
	return rc < 0 || (check && puts("no faults found") < 0);
}
