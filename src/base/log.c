/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the log's file and level. A line is formatted on the caller's stack and written with one write(2), so lines
 * of several threads never mix and no lock is held while the disk is slow. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

static atomic_int level_now = LOG_NOTICE;
static atomic_int log_fd = STDERR_FILENO;
static char log_path[4096]; /* written at start-up and by the admin thread alone */

static const char *const level_names[] = { "debug", "verbose", "notice", "warning", "nothing" };

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&level_now, (int)level, memory_order_relaxed);
}

enum log_level log_level(void)
{
	return (enum log_level)atomic_load_explicit(&level_now, memory_order_relaxed);
}

int log_level_from_text(const char *s)
{
	for (int i = 0; i <= LOG_NOTHING; i++)
		if (strcasecmp(s, level_names[i]) == 0)
			return i;
	return -1;
}

static int open_path(const char *path)
{
	if (!*path)
		return dup(STDERR_FILENO);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

int log_open(const char *path)
{
	int fd = open_path(path ? path : "");
	if (fd < 0)
		return ERR_SYS;
	snprintf(log_path, sizeof log_path, "%s", path ? path : "");
	int old = atomic_exchange(&log_fd, fd);
	/* dup2 and not close: a thread that has just read the old number writes into the new file, never into a stranger's. */
	if (old > STDERR_FILENO) {
		dup2(fd, old);
		atomic_store(&log_fd, old);
		close(fd);
	}
	return 0;
}

int log_reopen(void)
{
	char path[sizeof log_path];
	memcpy(path, log_path, sizeof path);
	return log_open(path);
}

/* True when this line may go out; *left_out is what the window before swallowed. */
static int may_write(struct log_site *site, unsigned *left_out)
{
	long long now = (long long)clock_real_mono_ms(), began = atomic_load_explicit(&site->window_ms, memory_order_relaxed);
	*left_out = 0;
	if (began == 0 || now - began >= LOG_WINDOW_S * 1000) {
		if (atomic_compare_exchange_strong(&site->window_ms, &began, now)) {
			unsigned n = atomic_exchange(&site->n, 0);
			*left_out = n > LOG_BURST ? n - LOG_BURST : 0;
		}
	}
	return atomic_fetch_add_explicit(&site->n, 1, memory_order_relaxed) < LOG_BURST;
}

void log_write(struct log_site *site, enum log_level level, const char *fmt, ...)
{
	unsigned left_out;
	if (!may_write(site, &left_out))
		return;
	char line[1024];
	uint64_t now_us = clock_wall_us();
	time_t now_s = (time_t)(now_us / 1000000);
	struct tm tm;
	localtime_r(&now_s, &tm);
	size_t n = strftime(line, sizeof line, "%Y-%m-%d %H:%M:%S", &tm);
	n += (size_t)snprintf(line + n, sizeof line - n, ".%03u %c ", (unsigned)(now_us / 1000 % 1000), ".-*#"[level & 3]);
	va_list ap;
	va_start(ap, fmt);
	int m = vsnprintf(line + n, sizeof line - n - 80, fmt, ap);
	va_end(ap);
	n += m < 0 ? 0 : (size_t)m < sizeof line - n - 80 ? (size_t)m : sizeof line - n - 81;
	if (left_out)
		n += (size_t)snprintf(line + n, sizeof line - n, " (%u more like this left out)", left_out);
	line[n++] = '\n';
	/* A log that cannot be written is no reason to stop serving. */
	if (write(atomic_load(&log_fd), line, n) < 0)
		return;
}
