/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the persist room: one writing and one reading of a snapshot, each a call that takes as long as it takes.
 * Thread: any that has called cache_thread_begin; the fields marked so may be read, and cancel set, by others meanwhile. */
#ifndef PITH_PERSIST_FILE_H
#define PITH_PERSIST_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cache/cache.h"

enum { FILE_WHY_MAX = 2048 };

struct save_job {
	struct cache *cache;
	const char *dir, *name;
	atomic_bool cancel;             /* others */
	_Atomic uint64_t entries, bytes; /* others: written so far */
	char why[FILE_WHY_MAX];          /* what went wrong */
};
/* Writes dir/name by way of dir/name.tmp, fsync, rename and fsync of the folder: whatever happens, dir/name is a whole snapshot, the
 * one before or this. 0; ERR_SYS or ERR_NOMEM with why; ERR_REFUSED when cancelled. */
int snapshot_save(struct save_job *j);

enum load_end { LOAD_WHOLE, LOAD_DAMAGED, LOAD_NO_FILE, LOAD_REFUSED, LOAD_FAILED, LOAD_CANCELLED };
struct load_job {
	struct cache *cache;
	const char *dir, *name;
	atomic_bool cancel;           /* others */
	_Atomic uint64_t done, total; /* others: bytes */
	_Atomic uint64_t loaded, expired, there, bad, left_out; /* others: entries; bad were malformed in a block that is whole */
	_Atomic uint64_t damaged_blocks;
	uint64_t lost;                /* entries that were in damaged blocks or behind the file's early end, as far as it tells */
	bool clock_went_back;
	char why[FILE_WHY_MAX];
};
/* Puts what still serves anybody into the cache, where that has nothing for its key. */
enum load_end snapshot_load(struct load_job *j);

#endif
