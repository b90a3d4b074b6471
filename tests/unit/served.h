/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A RESP server in a thread of its own, and clients of it, for the tests of resp and admin: hiredis where replies are to be
 * understood, a plain socket where bytes are.
 */
#ifndef TESTS_SERVED_H
#define TESTS_SERVED_H

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/config.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "unit.h"

enum { SERVED_PATIENCE_S = 30 };

struct served {
	struct loop *loop;
	struct stats *stats;
	const struct conf *conf;
	struct thread thread;
	int port;
};

/* A port that nobody listens on now. */
static inline int served_free_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	check(fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 && getsockname(fd, (struct sockaddr *)&a, &len) == 0);
	close(fd);
	return ntohs(a.sin_port);
}

/* Loop, statistics and a configuration: loopback on a free port, and the words given ("--name", "value", …, NULL). */
static inline void served_begin(struct served *s, const char *const *words)
{
	char port[8], err[400] = "";
	char *argv[40] = { (char *)"--bind", (char *)"127.0.0.1", (char *)"--port", port };
	int argc = 4;
	struct conf *c;

	memset(s, 0, sizeof *s);
	s->port = served_free_port();
	snprintf(port, sizeof port, "%d", s->port);
	while (words && *words)
		argv[argc++] = (char *)*words++;
	if (conf_load(NULL, argc, argv, &c, err, sizeof err) != 0)
		printf("%s\n", err);
	check_eq_str(err, "");
	s->conf = c;
	s->loop = loop_new();
	s->stats = stats_new(1);
	check(s->loop && s->stats);
}

static inline void served_run(void *arg)
{
	loop_run(arg);
}

static inline void served_go(struct served *s)
{
	check_eq_int(thread_start(&s->thread, "served", -1, served_run, s->loop), 0);
}

static inline void served_halt(struct served *s)
{
	loop_stop(s->loop);
	thread_join(&s->thread);
}

static inline void served_end(struct served *s)
{
	loop_free(s->loop);
	stats_free(s->stats);
	conf_unref(s->conf);
}

/* ---- clients ---- */

static inline int served_socket(const struct served *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)s->port) };
	struct timeval patience = { .tv_sec = SERVED_PATIENCE_S };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	check_eq_int(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
	return fd;
}

static inline void served_send(int fd, const void *p, size_t n)
{
	check_eq_int(send(fd, p, n, MSG_NOSIGNAL), n);
}

static inline void served_say(int fd, const char *text)
{
	served_send(fd, text, strlen(text));
}

/* Exactly these bytes come next. */
static inline void served_hear(int fd, const char *want)
{
	char got[4096];
	size_t n = strlen(want), have = 0;
	ssize_t r = 1;

	check(n <= sizeof got);
	while (have < n && (r = recv(fd, got + have, n - have, 0)) > 0)
		have += (size_t)r;
	check_eq_mem(got, have, want, n);
}

/* The server closed, and nothing more came. */
static inline void served_closed(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, 0);

	check(n == 0 || (n < 0 && errno == ECONNRESET));
}

static inline redisContext *served_redis(const struct served *s)
{
	redisContext *c = redisConnectWithTimeout("127.0.0.1", s->port, (struct timeval){ .tv_sec = SERVED_PATIENCE_S });

	check(c && !c->err);
	redisSetTimeout(c, (struct timeval){ .tv_sec = SERVED_PATIENCE_S });
	return c;
}

/* The reply as text: a string as it is, ":5" a number, "nil", "-ERR …" an error, "[a b]" an array. */
static inline void served_reply_text(const redisReply *r, char *to, size_t cap)
{
	size_t at = 0;

	switch (r->type) {
	case REDIS_REPLY_INTEGER: snprintf(to, cap, ":%lld", r->integer); break;
	case REDIS_REPLY_NIL: snprintf(to, cap, "nil"); break;
	case REDIS_REPLY_ERROR: snprintf(to, cap, "-%s", r->str); break;
	case REDIS_REPLY_ARRAY:
		at += (size_t)snprintf(to, cap, "[");
		for (size_t i = 0; i < r->elements && at + 3 < cap; i++) {
			if (i)
				to[at++] = ' ';
			served_reply_text(r->element[i], to + at, cap - at);
			at += strlen(to + at);
		}
		snprintf(to + at, cap - at, "]");
		break;
	default: snprintf(to, cap, "%s", r->str);
	}
}

/* Puts a command and returns the reply as text; static storage. */
static inline const char *served_ask(redisContext *c, const char *fmt, ...)
{
	static char text[1 << 16];
	va_list ap;

	va_start(ap, fmt);
	redisReply *r = redisvCommand(c, fmt, ap);
	va_end(ap);
	if (!r) {
		snprintf(text, sizeof text, "(%s)", c->errstr);
		return text;
	}
	served_reply_text(r, text, sizeof text);
	freeReplyObject(r);
	return text;
}

#endif
