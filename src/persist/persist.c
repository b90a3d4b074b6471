/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns when a snapshot is saved and loaded, and by which thread; the files are save.c's and load.c's.
 *
 * A thread says that it ended by one atomic word, which the loop's timer looks at every POLL_MS while one runs: no mail that could be lost
 * for want of memory. Each job holds a reference to the configuration it began with. Periodic saves count by the clock that tests can
 * jump (clock_ms), durations are real. */
#include "persist/persist.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/config.h"
#include "loop/loop.h"
#include "persist/file.h"

enum { POLL_MS = 5, IDLE_MS = 200 };

struct task {
	struct thread thread;
	const struct conf *conf;  /* held while it runs */
	atomic_bool ended;
	bool running;             /* from its start until its end was taken notice of */
	uint64_t started_ms;      /* real */
};

struct persist {
	struct cache *cache;
	struct loop *loop;
	const struct conf *conf;
	struct timer timer;
	struct task load, save;
	struct load_job load_job;
	struct save_job save_job;
	enum load_end load_end;
	int save_rc;
	persist_saved *done;
	void *done_arg;
	bool load_tried;
	uint64_t load_ms, load_started_wall_s;
	uint64_t tried_ms;        /* when the last save began, by clock_ms */
	uint64_t saves, last_save_wall_s, last_entries, last_bytes;
	int64_t last_ms;
	bool last_ok;
	enum persist_end end;
};

/* `save` in seconds; 0: never by itself. The form was checked when it was read. */
static uint32_t save_s(const struct conf *c)
{
	uint64_t s;
	return *c->save && conf_seconds_parse(c->save, &s) == 0 ? (uint32_t)s : 0;
}

/* ---- the two threads ---- */

static void load_run(void *arg)
{
	struct persist *p = arg;
	cache_thread_begin(p->cache);
	p->load_end = snapshot_load(&p->load_job);
	cache_thread_end(p->cache);
	atomic_store_explicit(&p->load.ended, true, memory_order_release);
}

static void save_run(void *arg)
{
	struct persist *p = arg;
	cache_thread_begin(p->cache);
	p->save_rc = snapshot_save(&p->save_job);
	cache_thread_end(p->cache);
	atomic_store_explicit(&p->save.ended, true, memory_order_release);
}

/* The configuration for a task that begins, and its clock. */
static void task_begin(struct task *t, const struct conf *c)
{
	t->conf = conf_ref(c);
	t->started_ms = clock_real_mono_ms();
	t->running = true;
	atomic_store(&t->ended, false);
}

static uint64_t task_end(struct task *t)
{
	thread_join(&t->thread);
	conf_unref(t->conf);
	t->conf = NULL;
	t->running = false;
	return clock_real_mono_ms() - t->started_ms;
}

static int task_start(struct task *t, const char *name, void (*run)(void *), struct persist *p)
{
	int rc = thread_start(&t->thread, name, -1, run, p);
	if (rc < 0)
		task_end(t);
	else
		timer_set(&p->timer, POLL_MS);
	return rc;
}

/* ---- loading ---- */

static void tell_load(const struct persist *p)
{
	const struct load_job *j = &p->load_job;
	char more[200] = "";
	switch (p->load_end) {
	case LOAD_NO_FILE:
		log_verbose("no snapshot %s/%s: the cache starts empty", j->dir, j->name);
		return;
	case LOAD_REFUSED:
	case LOAD_FAILED:
		log_warn("snapshot not loaded: %s; the cache starts without it", j->why);
		return;
	default:
		break;
	}
	if (j->damaged_blocks)
		snprintf(more, sizeof more, "; %llu damaged places skipped, %llu entries lost with them or unknown", (unsigned long long)j->damaged_blocks,
			 (unsigned long long)j->lost);
	if (j->bad || j->left_out)
		snprintf(more + strlen(more), sizeof more - strlen(more), "; %llu malformed, %llu without memory", (unsigned long long)j->bad,
			 (unsigned long long)j->left_out);
	log_at(*more ? LOG_WARNING : LOG_NOTICE, "snapshot %s/%s %s in %.3f s: %llu entries, %llu had expired, for %llu the cache had newer%s",
	       j->dir, j->name, p->load_end == LOAD_CANCELLED ? "loaded in part" : "loaded", (double)p->load_ms / 1000,
	       (unsigned long long)j->loaded, (unsigned long long)j->expired, (unsigned long long)j->there, more);
	if (j->clock_went_back)
		log_warn("the wall clock is behind the snapshot's: its entries count as old as they were when it was saved");
}

static void load_ended(struct persist *p)
{
	p->load_ms = clock_real_mono_ms() - p->load.started_ms;
	tell_load(p); /* while its configuration still has the names */
	task_end(&p->load);
}

void persist_load(struct persist *p)
{
	if (p->load.running || p->save.running)
		return;
	task_begin(&p->load, p->conf);
	p->load_job = (struct load_job){ .cache = p->cache, .dir = p->load.conf->dir, .name = p->load.conf->dbfilename };
	p->load_tried = true;
	p->load_started_wall_s = clock_wall_s();
	if (task_start(&p->load, "pith-load", load_run, p) < 0) {
		p->load_end = LOAD_FAILED;
		log_warn("no thread to load the snapshot with; the cache starts without it");
	}
}

void persist_load_stop(struct persist *p)
{
	if (!p->load.running)
		return;
	atomic_store(&p->load_job.cancel, true);
	thread_join(&p->load.thread);
	load_ended(p);
}

bool persist_is_loading(const struct persist *p)
{
	return p->load.running;
}

/* ---- saving ---- */

static void begin_save(struct persist *p)
{
	task_begin(&p->save, p->conf);
	p->save_job = (struct save_job){ .cache = p->cache, .dir = p->save.conf->dir, .name = p->save.conf->dbfilename };
	p->tried_ms = clock_ms();
}

static void tell_save(struct persist *p, uint64_t ms)
{
	const struct save_job *j = &p->save_job;
	p->last_ms = (int64_t)ms;
	p->last_ok = p->save_rc == 0;
	if (p->save_rc < 0) {
		if (p->save_rc == ERR_REFUSED)
			snprintf(p->save_job.why, sizeof p->save_job.why, "given up at the end");
		log_warn("no snapshot saved: %s; the one before stays", j->why);
		return;
	}
	p->saves++;
	p->last_save_wall_s = clock_wall_s();
	p->last_entries = j->entries;
	p->last_bytes = j->bytes;
	log_notice("snapshot %s/%s saved in %.3f s: %llu entries, %llu bytes", j->dir, j->name, (double)ms / 1000, (unsigned long long)j->entries,
		   (unsigned long long)j->bytes);
}

static void save_ended(struct persist *p)
{
	persist_saved *fn = p->done;
	p->done = NULL;
	thread_join(&p->save.thread);
	tell_save(p, clock_real_mono_ms() - p->save.started_ms);
	task_end(&p->save);
	if (fn)
		fn(p->done_arg, p->save_rc, p->save_rc < 0 ? p->save_job.why : "");
}

int persist_save(struct persist *p, persist_saved *fn, void *arg)
{
	if (p->load.running)
		return ERR_REFUSED;
	if (p->save.running)
		return ERR_BUSY;
	begin_save(p);
	int rc = task_start(&p->save, "pith-save", save_run, p);
	if (rc == 0) {
		p->done = fn;
		p->done_arg = arg;
	}
	return rc;
}

void persist_forget(struct persist *p, const void *arg)
{
	if (p->done_arg == arg)
		p->done = NULL;
}

static void look(void *arg)
{
	struct persist *p = arg;
	uint32_t every = save_s(p->conf);
	if (p->load.running && atomic_load_explicit(&p->load.ended, memory_order_acquire))
		load_ended(p);
	if (p->save.running && atomic_load_explicit(&p->save.ended, memory_order_acquire))
		save_ended(p);
	if (every && !p->load.running && !p->save.running && clock_ms() - p->tried_ms >= every * 1000ull && persist_save(p, NULL, NULL) < 0)
		log_warn("no thread to save a snapshot with");
	timer_set(&p->timer, p->load.running || p->save.running ? POLL_MS : IDLE_MS);
}

/* ---- the end ---- */

void persist_set_end(struct persist *p, enum persist_end how)
{
	p->end = how;
}

bool persist_end_saves(const struct persist *p)
{
	return p->end == PERSIST_END_SAVES || (p->end == PERSIST_END_BY_CONF && save_s(p->conf) > 0);
}

/* A save that runs is ended: the one at the end is newer. */
static void save_stop(struct persist *p)
{
	if (!p->save.running)
		return;
	p->done = NULL;
	atomic_store(&p->save_job.cancel, true);
	save_ended(p);
}

int persist_finish(struct persist *p)
{
	bool was_loading = p->load.running;
	persist_load_stop(p);
	save_stop(p);
	if (!persist_end_saves(p))
		return 0;
	if (was_loading) {
		log_warn("no snapshot saved at the end: the one there was not wholly loaded yet, and stays");
		return ERR_REFUSED;
	}
	begin_save(p);
	p->save_rc = snapshot_save(&p->save_job);
	tell_save(p, clock_real_mono_ms() - p->save.started_ms);
	task_end(&p->save);
	return p->save_rc;
}

/* ---- life ---- */

struct persist *persist_new(struct cache *cache, struct loop *loop, const struct conf *conf)
{
	struct persist *p = mem_calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->cache = cache;
	p->loop = loop;
	p->conf = conf_ref(conf);
	p->tried_ms = clock_ms();
	p->last_save_wall_s = clock_wall_s();
	p->last_ok = true;
	p->last_ms = -1;
	timer_init(loop, &p->timer, look, p);
	timer_set(&p->timer, IDLE_MS);
	return p;
}

void persist_free(struct persist *p)
{
	if (!p)
		return;
	timer_cancel(&p->timer);
	persist_load_stop(p);
	save_stop(p);
	conf_unref(p->conf);
	mem_free(p);
}

void persist_set_conf(struct persist *p, const struct conf *conf)
{
	const struct conf *old = p->conf;
	p->conf = conf_ref(conf);
	conf_unref(old);
}

void persist_status(const struct persist *p, struct persist_status *s)
{
	static const char *const states[] = {
		[LOAD_WHOLE] = "ok", [LOAD_DAMAGED] = "damaged", [LOAD_NO_FILE] = "none", [LOAD_REFUSED] = "refused", [LOAD_FAILED] = "failed",
		[LOAD_CANCELLED] = "stopped",
	};
	const struct load_job *l = &p->load_job;
	uint64_t now = clock_real_mono_ms();
	*s = (struct persist_status){
		.loading = p->load.running, .load_done_bytes = l->done, .load_total_bytes = l->total, .load_started_wall_s = p->load_started_wall_s,
		.loaded = l->loaded, .load_expired = l->expired, .load_there = l->there, .load_bad = l->bad, .load_damaged_blocks = l->damaged_blocks,
		.load_lost = p->load.running ? 0 : l->lost, .load_ms = p->load.running ? now - p->load.started_ms : p->load_ms,
		.load_state = p->load.running ? "loading" : p->load_tried ? states[p->load_end] : "none",
		.saving = p->save.running, .saving_entries = p->save.running ? p->save_job.entries : 0,
		.saving_ms = p->save.running ? now - p->save.started_ms : 0,
		.saves = p->saves, .last_save_wall_s = p->last_save_wall_s, .last_ok = p->last_ok, .last_ms = p->last_ms,
		.last_entries = p->last_entries, .last_bytes = p->last_bytes,
	};
}
