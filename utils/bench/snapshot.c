/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench snapshot`: the cache into a file and back, beside a plain write and read of the same bytes in the same run.
 *
 * Files lie in the working directory's folder `pith-bench-snapshot`, which is made and taken away. Growth of the resident set is sampled while
 * the save runs, by a thread of its own. The read of both files comes from the page cache, as a restart's usually does. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bench.h"
#include "cache/cache.h"
#include "loop/loop.h"
#include "persist/file.h"

enum { CHUNK = 256 * 1024, SAMPLE_US = 2000 };

static const char folder[] = "pith-bench-snapshot";

struct watch {
	atomic_bool stop;
	size_t worst;
};

static void watch_rss(void *arg)
{
	struct watch *w = arg;
	while (!atomic_load(&w->stop)) {
		size_t rss = mem_rss();
		if (rss > w->worst)
			w->worst = rss;
		usleep(SAMPLE_US);
	}
}

static void die(const char *what)
{
	fprintf(stderr, "pith-bench snapshot: %s\n", what);
	exit(1);
}

static struct cache *filled(const struct bench_options *o)
{
	struct cache *c = cache_new(&(struct cache_options){ .maxmemory = o->entries * 400 + (64u << 20), .hash_seed = o->seed });
	struct entry_scratch *scratch = malloc(sizeof *scratch);
	if (!c || !scratch)
		die("no memory");
	cache_thread_begin(c);
	for (uint64_t i = 0; i < o->entries; i++) {
		struct bench_msg m;
		struct cache_key key;
		struct entry_meta meta = { .now_s = clock_s(), .min_ttl_s = 86400, .max_ttl_s = 86400, .max_negative_ttl_s = 3600,
					   .source = SOURCE_FORWARD, .ede = EDE_NONE };
		bench_message(&m, o->mix, i);
		cache_key_init(c, &key, m.name, m.name_len, m.type, false);
		cache_prefetch(c, &key);
		if (entry_from_message(scratch, &key, m.bytes, m.len, &meta) != INGEST_OK || cache_store(c, &key, scratch) != 0)
			die("an entry was not stored");
	}
	free(scratch);
	return c;
}

/* Seconds that writing n bytes in large pieces takes, fsync included; and reading them. */
static double plain_write(uint64_t n, const char *path)
{
	char *chunk = malloc(CHUNK);
	if (!chunk)
		die("no memory");
	memset(chunk, 0x5a, CHUNK);
	double from = bench_now_s();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (uint64_t at = 0; at < n; at += CHUNK)
		if (fd < 0 || write(fd, chunk, n - at < CHUNK ? n - at : CHUNK) < 0)
			die("cannot write beside the snapshot");
	if (fsync(fd) < 0)
		die("cannot fsync");
	close(fd);
	free(chunk);
	return bench_now_s() - from;
}

static double plain_read(const char *path)
{
	char *chunk = malloc(CHUNK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!chunk || fd < 0)
		die("cannot read beside the snapshot");
	double from = bench_now_s();
	while (read(fd, chunk, CHUNK) > 0)
		;
	double s = bench_now_s() - from;
	close(fd);
	free(chunk);
	return s;
}

int bench_snapshot(const struct bench_options *o)
{
	static struct save_job save = { .dir = folder, .name = "dump.pith" };
	static struct load_job load = { .dir = folder, .name = "dump.pith" };
	struct watch w = { .worst = 0 };
	struct thread watcher = { .running = false };
	char plain[64], file[64];
	snprintf(plain, sizeof plain, "%s/plain", folder);
	snprintf(file, sizeof file, "%s/dump.pith", folder);
	if (mkdir(folder, 0700) < 0)
		die("cannot make the folder pith-bench-snapshot here");
	struct cache *c = save.cache = filled(o);
	size_t before = w.worst = mem_rss();
	if (thread_start(&watcher, "rss", -1, watch_rss, &w) < 0)
		die("no thread");
	double from = bench_now_s();
	if (snapshot_save(&save) < 0)
		die(save.why);
	double save_s = bench_now_s() - from;
	atomic_store(&w.stop, true);
	thread_join(&watcher);
	double write_s = plain_write(save.bytes, plain);
	double growth = (double)(w.worst - before) / (double)before;
	cache_thread_end(c);
	cache_free(c);
	load.cache = cache_new(&(struct cache_options){ .maxmemory = o->entries * 400 + (64u << 20) });
	if (!load.cache)
		die("no memory");
	cache_thread_begin(load.cache);
	from = bench_now_s();
	enum load_end end = snapshot_load(&load);
	double load_s = bench_now_s() - from, read_s = plain_read(file);
	if (end != LOAD_WHOLE || load.loaded != o->entries)
		die("what was loaded is not what was saved");
	cache_thread_end(load.cache);
	cache_free(load.cache);
	unlink(plain);
	unlink(file);
	rmdir(folder);
	double n = (double)o->entries;
	if (o->json)
		printf("{\"entries\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"save_per_s\": %.0f, \"load_per_s\": %.0f, \"write_per_s\": %.0f, "
		       "\"read_per_s\": %.0f, \"save_s\": %.3f, \"load_s\": %.3f, \"write_s\": %.3f, \"read_s\": %.3f, \"rss_growth\": %.4f}\n",
		       o->entries, (uint64_t)save.bytes, n / save_s, n / load_s, n / write_s, n / read_s, save_s, load_s, write_s, read_s, growth);
	else
		printf("machine        %s\nentries        %" PRIu64 ", %.1f bytes each in the file\n"
		       "save           %.0f entries/s (%.2f s); a plain write of the same bytes with fsync: %.0f entries/s\n"
		       "load           %.0f entries/s (%.2f s); a plain read of the same bytes: %.0f entries/s\n"
		       "rss            +%.2f %% while saving\n",
		       bench_machine(), o->entries, (double)save.bytes / n, n / save_s, save_s, n / write_s, n / load_s, load_s, n / read_s,
		       growth * 100);
	return 0;
}
