/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the writing of a snapshot.
 *
 * No fork: the thread copies shard after shard under short read sections, so that memory grows by one block and nothing is
 * copied on write. What changes meanwhile is in the snapshot or is not; each entry in it is one that the cache held.
 * The kernel is asked to write early, so that the final fsync has little left to wait for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "persist/file.h"
#include "persist/format.h"

enum { WRITE_BEHIND = 8 * 1024 * 1024, NAME_CAP = 256 };

struct out {
	struct save_job *job;
	int dir, fd;
	char tmp[NAME_CAP];
	uint8_t *block;
	uint64_t id, written, pushed, blocks, entries;
};

static int fail(struct out *o, const char *doing)
{
	snprintf(o->job->why, sizeof o->job->why, "cannot %s %s/%s: %s", doing, o->job->dir, o->tmp, strerror(errno));
	return ERR_SYS;
}

static int put(struct out *o, const uint8_t *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(o->fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(o, "write");
		p += n;
		len -= (size_t)n;
		o->written += (uint64_t)n;
	}
	if (o->written - o->pushed >= WRITE_BEHIND) {
		sync_file_range(o->fd, (off_t)o->pushed, (off_t)(o->written - o->pushed), SYNC_FILE_RANGE_WRITE);
		o->pushed = o->written;
	}
	atomic_store_explicit(&o->job->bytes, o->written, memory_order_relaxed);
	return 0;
}

static int put_block(struct out *o, size_t len, unsigned n, bool end)
{
	struct block_head h = { .id = o->id, .len = (uint32_t)len, .n = n, .wall_us = clock_wall_us(), .clock_s = clock_s(), .end = end };
	block_seal(o->block, &h);
	return put(o, o->block, BLOCK_HEAD_LEN + len);
}

static int put_entries(struct out *o)
{
	uint64_t place = 0;
	do {
		unsigned n;
		if (atomic_load_explicit(&o->job->cancel, memory_order_relaxed))
			return ERR_REFUSED;
		size_t len = cache_export(o->job->cache, &place, clock_s(), o->block + BLOCK_HEAD_LEN, BLOCK_MAX, &n);
		int rc = len ? put_block(o, len, n, false) : 0;
		if (rc < 0)
			return rc;
		o->blocks += len > 0;
		o->entries += n;
		atomic_store_explicit(&o->job->entries, o->entries, memory_order_relaxed);
	} while (place);
	store_le64(o->block + BLOCK_HEAD_LEN, o->entries);
	store_le64(o->block + BLOCK_HEAD_LEN + 8, o->blocks);
	return put_block(o, END_LEN, 0, true);
}

static int write_all(struct out *o)
{
	uint8_t head[HEAD_LEN];
	random_bytes(&o->id, sizeof o->id);
	o->id |= 1; /* 0 is "any" */
	head_write(head, &(struct head){ .version = FORMAT_VERSION, .id = o->id, .wall_us = clock_wall_us() });
	int rc = put(o, head, sizeof head);
	if (rc == 0)
		rc = put_entries(o);
	if (rc == 0 && fsync(o->fd) < 0)
		rc = fail(o, "fsync");
	return rc;
}

int snapshot_save(struct save_job *j)
{
	struct out o = { .job = j, .dir = -1, .fd = -1, .block = mem_alloc(BLOCK_HEAD_LEN + BLOCK_MAX) };
	int rc = ERR_NOMEM;
	snprintf(o.tmp, sizeof o.tmp, "%s.tmp", j->name);
	snprintf(j->why, sizeof j->why, "no memory");
	if (!o.block)
		return rc;
	o.dir = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o.dir < 0) {
		rc = fail(&o, "open the folder of");
		goto out;
	}
	/* What a killed save left; O_EXCL so that nothing somebody else put there is written to. */
	unlinkat(o.dir, o.tmp, 0);
	o.fd = openat(o.dir, o.tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (o.fd < 0) {
		rc = fail(&o, "create");
		goto out;
	}
	rc = write_all(&o);
	if (close(o.fd) < 0 && rc == 0)
		rc = fail(&o, "close");
	if (rc == 0 && renameat(o.dir, o.tmp, o.dir, j->name) < 0)
		rc = fail(&o, "rename");
	if (rc < 0)
		unlinkat(o.dir, o.tmp, 0);
	else if (fsync(o.dir) < 0)
		rc = fail(&o, "fsync the folder of");
out:
	if (o.dir >= 0)
		close(o.dir);
	mem_free(o.block);
	return rc;
}
