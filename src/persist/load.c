/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the reading of a snapshot: a file that may be cut, damaged, of another version, or somebody else's.
 *
 * Blocks are checked one by one. Behind a damaged one the next is where its length says, if there is one; else wherever the mark of
 * this file's blocks is found next. The mark holds the file's random id, since cached records hold what strangers chose.
 * Times are by the wall clock. One that went back counts as one that stood still, so that no age shrinks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "persist/file.h"
#include "persist/format.h"

enum { WINDOW = 2 * (BLOCK_HEAD_LEN + BLOCK_MAX) };

struct in {
	struct load_job *job;
	int fd;
	uint64_t size, id;
	uint8_t *window;
	size_t at, end;       /* what of the window is not yet used */
	uint64_t off;         /* of window[at] in the file */
	struct cache_import sum;
	uint64_t seen, damaged; /* entries in whole blocks; runs of damaged bytes */
	bool ended, failed;
};

/* Brings n bytes (≤ WINDOW) to window[at]; how many there are, less only at the end of the file. */
static size_t in_need(struct in *in, size_t n)
{
	if (in->end - in->at >= n || in->failed)
		return in->end - in->at;
	memmove(in->window, in->window + in->at, in->end - in->at);
	in->end -= in->at;
	in->at = 0;
	while (in->end < WINDOW) {
		ssize_t got = pread(in->fd, in->window + in->end, WINDOW - in->end, (off_t)(in->off + in->end));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			snprintf(in->job->why, sizeof in->job->why, "cannot read %s/%s: %s", in->job->dir, in->job->name, strerror(errno));
			in->failed = true;
		}
		if (got <= 0)
			break;
		in->end += (size_t)got;
	}
	return in->end - in->at;
}

static void in_skip(struct in *in, size_t n)
{
	in->at += n;
	in->off += n;
	atomic_store_explicit(&in->job->done, in->off, memory_order_relaxed);
}

/* ---- the head ---- */

/* The id of a file whose head does not tell: of the block behind it, or of the last. 0: neither is whole. */
static uint64_t id_from_blocks(struct in *in)
{
	const size_t tail = BLOCK_HEAD_LEN + END_LEN;
	struct block_head h;
	uint8_t last[BLOCK_HEAD_LEN + END_LEN];
	size_t n = in_need(in, HEAD_LEN + BLOCK_HEAD_LEN + BLOCK_MAX);
	const uint8_t *first = in->window + in->at + HEAD_LEN;
	if (n >= HEAD_LEN + BLOCK_HEAD_LEN && block_read(first, 0, &h) && n - HEAD_LEN - BLOCK_HEAD_LEN >= h.len && block_whole(first, &h))
		return h.id;
	if (in->size < HEAD_LEN + tail || pread(in->fd, last, tail, (off_t)(in->size - tail)) != (ssize_t)tail)
		return 0;
	return block_read(last, 0, &h) && h.end && block_whole(last, &h) ? h.id : 0;
}

static bool refuse(struct in *in, const char *text)
{
	snprintf(in->job->why, sizeof in->job->why, "%s/%s %s", in->job->dir, in->job->name, text);
	return false;
}

static bool read_head(struct in *in)
{
	struct head h;
	char text[100];
	if (in_need(in, HEAD_LEN) < HEAD_LEN)
		return in->failed ? false : refuse(in, "is no snapshot, or cut within its head");
	switch (head_read(in->window + in->at, &h)) {
	case HEAD_GOOD:
		in->id = h.id;
		break;
	case HEAD_OTHER_VERSION:
		snprintf(text, sizeof text, "is a snapshot of version %u, and this server reads version %d", h.version, FORMAT_VERSION);
		return refuse(in, text);
	case HEAD_DAMAGED:
		in->id = id_from_blocks(in);
		if (!in->id)
			return in->failed ? false : refuse(in, "is no snapshot, or damaged beyond use");
		in->damaged++;
		break;
	}
	in_skip(in, HEAD_LEN);
	return true;
}

/* ---- blocks ---- */

static void publish(struct in *in)
{
	struct load_job *j = in->job;
	atomic_store_explicit(&j->loaded, in->sum.stored, memory_order_relaxed);
	atomic_store_explicit(&j->expired, in->sum.gone, memory_order_relaxed);
	atomic_store_explicit(&j->there, in->sum.there, memory_order_relaxed);
	atomic_store_explicit(&j->bad, in->sum.bad, memory_order_relaxed);
	atomic_store_explicit(&j->left_out, in->sum.left_out, memory_order_relaxed);
	atomic_store_explicit(&j->damaged_blocks, in->damaged, memory_order_relaxed);
}

static void take_block(struct in *in, const struct block_head *h)
{
	uint8_t *content = in->window + in->at + BLOCK_HEAD_LEN;
	if (h->end) {
		uint64_t all = load_le64(content);
		in->job->lost = all > in->seen ? all - in->seen : 0;
		in->ended = true;
		return;
	}
	uint64_t now = clock_wall_us(), passed_s = now > h->wall_us ? (now - h->wall_us + 999999) / 1000000 : 0;
	in->job->clock_went_back |= now < h->wall_us;
	in->sum.then_s = h->clock_s;
	in->sum.elapsed_s = passed_s < UINT32_MAX ? (uint32_t)passed_s : UINT32_MAX;
	in->sum.now_s = clock_s();
	cache_import(in->job->cache, content, h->len, &in->sum);
	in->seen += h->n;
}

/* Moves on from what is no whole block to where the next may begin; h: its head, or NULL when it has none. */
static void skip_damage(struct in *in, const struct block_head *h)
{
	in->damaged++;
	if (h) {
		struct block_head next;
		size_t len = BLOCK_HEAD_LEN + h->len;
		if (in_need(in, len + BLOCK_HEAD_LEN) >= len + BLOCK_HEAD_LEN && block_read(in->window + in->at + len, in->id, &next)) {
			in_skip(in, len);
			return;
		}
	}
	in_skip(in, 1);
	for (;;) {
		size_t n = in_need(in, WINDOW);
		const uint8_t *from = in->window + in->at, *found = block_find(from, n, in->id);
		if (found) {
			in_skip(in, (size_t)(found - from));
			return;
		}
		/* All but what may be the beginning of a mark. */
		if (n < WINDOW) {
			in_skip(in, n);
			return;
		}
		in_skip(in, n - BLOCK_MARK_LEN + 1);
	}
}

static void read_blocks(struct in *in)
{
	while (!in->ended && !atomic_load_explicit(&in->job->cancel, memory_order_relaxed)) {
		struct block_head h;
		size_t n = in_need(in, BLOCK_HEAD_LEN);
		if (n == 0 || in->failed)
			break;
		bool headed = n >= BLOCK_HEAD_LEN && block_read(in->window + in->at, in->id, &h);
		if (headed && in_need(in, BLOCK_HEAD_LEN + h.len) >= BLOCK_HEAD_LEN + h.len && block_whole(in->window + in->at, &h)) {
			take_block(in, &h);
			in_skip(in, BLOCK_HEAD_LEN + h.len);
		} else {
			skip_damage(in, headed ? &h : NULL);
		}
		publish(in);
	}
	/* Without its last block the file was cut, or that block itself is damaged, and counted. */
	if (!in->ended && !in->failed && in->damaged == 0 && !atomic_load(&in->job->cancel))
		in->damaged++;
	publish(in);
}

static enum load_end load_from(struct in *in)
{
	struct load_job *j = in->job;
	in->window = mem_alloc(WINDOW);
	if (!in->window) {
		snprintf(j->why, sizeof j->why, "no memory to read %s/%s", j->dir, j->name);
		return LOAD_FAILED;
	}
	if (!read_head(in))
		return in->failed ? LOAD_FAILED : LOAD_REFUSED;
	read_blocks(in);
	if (in->failed)
		return LOAD_FAILED;
	if (atomic_load(&j->cancel))
		return LOAD_CANCELLED;
	return in->damaged ? LOAD_DAMAGED : LOAD_WHOLE;
}

enum load_end snapshot_load(struct load_job *j)
{
	struct in in = { .job = j, .fd = -1 };
	struct stat st;
	char path[1400]; /* both were checked when they were read */;
	enum load_end end = LOAD_FAILED;
	snprintf(path, sizeof path, "%s/%s", j->dir, j->name);
	/* O_NONBLOCK: a pipe of that name must not hold the thread for ever. */
	in.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in.fd < 0 && errno == ENOENT)
		return LOAD_NO_FILE;
	if (in.fd < 0 || fstat(in.fd, &st) < 0) {
		snprintf(j->why, sizeof j->why, "cannot open %s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		refuse(&in, "is no ordinary file");
		end = LOAD_REFUSED;
	} else {
		in.size = (uint64_t)st.st_size;
		atomic_store_explicit(&j->total, in.size, memory_order_relaxed);
		posix_fadvise(in.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		end = load_from(&in);
	}
	if (in.fd >= 0)
		close(in.fd);
	mem_free(in.window);
	return end;
}
