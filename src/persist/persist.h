/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the persist room: the cache in a file, so that a restart does not begin cold.
 *
 * Saving and loading each run in a thread of their own beside serving: saving reads the cache as any reader does (no fork), loading
 * adds entries where there are none. Options: dir, dbfilename, save. While a snapshot is being loaded none is saved: it would
 * replace the whole by a part.
 * Thread: the loop's own (admin), all of it. */
#ifndef PITH_PERSIST_PERSIST_H
#define PITH_PERSIST_PERSIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cache;
struct conf;
struct loop;
struct persist;

/* Takes a reference to conf. Saves from time to time as conf says, from the loop. NULL: no memory. */
struct persist *persist_new(struct cache *cache, struct loop *loop, const struct conf *conf);
/* Ends threads that still run (a save then leaves the snapshot before). NULL is fine. */
void persist_free(struct persist *p);
void persist_set_conf(struct persist *p, const struct conf *conf);

/* Starts loading the snapshot, if there is one. */
void persist_load(struct persist *p);
/* Gives loading up, at once: what is loaded stays. */
void persist_load_stop(struct persist *p);
bool persist_is_loading(const struct persist *p);

/* rc: 0, or what went wrong, of which why is a sentence (valid during the call). */
typedef void persist_saved(void *arg, int rc, const char *why);
/* Starts a save. fn (may be NULL) comes once, later, from the loop; not after persist_forget of its arg, nor persist_free. 0; ERR_BUSY:
 * one runs; ERR_REFUSED: loading; ERR_SYS: no thread; ERR_NOMEM. */
int persist_save(struct persist *p, persist_saved *fn, void *arg);
void persist_forget(struct persist *p, const void *arg);

/* Whether the end saves, whatever `save` says. */
enum persist_end { PERSIST_END_BY_CONF, PERSIST_END_SAVES, PERSIST_END_PLAIN };
void persist_set_end(struct persist *p, enum persist_end how);
/* Does the end save, as things are? */
bool persist_end_saves(const struct persist *p);
/* The loop has ended: stops loading, and saves in this thread if it is to. 0, or what persist_saved gets. */
int persist_finish(struct persist *p);

struct persist_status {
	/* Of the load at the start. */
	bool loading;
	uint64_t load_done_bytes, load_total_bytes, load_started_wall_s;
	uint64_t loaded, load_expired, load_there, load_bad, load_damaged_blocks, load_lost;
	uint64_t load_ms;             /* how long it took, or takes */
	const char *load_state;       /* "none" "loading" "ok" "damaged" "refused" "failed" "stopped" */
	/* Of saves. */
	bool saving;
	uint64_t saving_entries, saving_ms;
	uint64_t saves;               /* that succeeded */
	uint64_t last_save_wall_s;    /* when the last good one ended; at first the process's start */
	bool last_ok;
	int64_t last_ms;              /* how long the last one took, -1: none yet */
	uint64_t last_entries, last_bytes;
};
void persist_status(const struct persist *p, struct persist_status *s);

#endif
