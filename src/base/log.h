/* SPDX-License-Identifier: BSD-3-Clause */
/* The log: lines with time, level and text, to a file, standard error or syslog-style collectors that read it.
 *
 * Rate-limited per cause, a cause being the call's place in the source: LOG_BURST lines in LOG_WINDOW_S seconds,
 * then one line that counts what was left out. The level check is one load and a compare, so a debug line costs
 * nothing when off. Thread: any. */
#ifndef PITH_BASE_LOG_H
#define PITH_BASE_LOG_H

#include <stdatomic.h>
#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_VERBOSE, LOG_NOTICE, LOG_WARNING, LOG_NOTHING };

enum { LOG_BURST = 20, LOG_WINDOW_S = 10 };

/* One per call site; static storage, zero at first. */
struct log_site {
	atomic_llong window_ms; /* when the present window began */
	atomic_uint n;          /* lines asked for in it */
};

/* path NULL or "" is standard error. 0, or ERR_SYS (the old file stays in use). */
int log_open(const char *path);
/* Opens the same path anew, for log rotation. */
int log_reopen(void);
void log_set_level(enum log_level level);
enum log_level log_level(void);
/* "debug" "verbose" "notice" "warning" "nothing" → level, or -1. */
int log_level_from_text(const char *s);

void log_write(struct log_site *site, enum log_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define log_at(level, ...) \
	do { \
		static struct log_site log_site_; \
		if ((level) >= log_level()) \
			log_write(&log_site_, (level), __VA_ARGS__); \
	} while (0)
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)
#define log_verbose(...) log_at(LOG_VERBOSE, __VA_ARGS__)
#define log_notice(...) log_at(LOG_NOTICE, __VA_ARGS__)
#define log_warn(...) log_at(LOG_WARNING, __VA_ARGS__)

#endif
