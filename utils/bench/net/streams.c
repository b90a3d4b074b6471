/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the TCP connections of the floor and the upstream: what one read has brought is answered in one write. Writes block: their
 * clients, generators and resolvers, read all the time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/bytes.h"
#include "net.h"

enum { IN_SIZE = 65536 + 2, OUT_SIZE = 65536, EVENTS = 64 };

struct stream {
	int fd;
	size_t len; /* bytes in buf */
	uint8_t buf[IN_SIZE];
};

void net_streams_init(struct net_streams *s, uint16_t port, net_answer *answer, void *arg)
{
	struct sockaddr_in a = net_loopback(port);
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL };
	int one = 1;
	*s = (struct net_streams){ .ep = epoll_create1(EPOLL_CLOEXEC), .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
				   .answer = answer, .arg = arg };
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (s->ep < 0 || s->listener < 0 || bind(s->listener, (struct sockaddr *)&a, sizeof a) != 0 || listen(s->listener, 256) != 0 ||
	    epoll_ctl(s->ep, EPOLL_CTL_ADD, s->listener, &ev) != 0) {
		fprintf(stderr, "pith-bench: cannot listen on 127.0.0.1:%u: ", port);
		perror("");
		exit(1);
	}
}

static void stream_accept(struct net_streams *s)
{
	struct stream *t = malloc(sizeof *t);
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = t };
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	if (!t || fd < 0 || epoll_ctl(s->ep, EPOLL_CTL_ADD, fd, &ev) != 0) {
		free(t);
		if (fd >= 0)
			close(fd);
		return;
	}
	t->fd = fd;
	t->len = 0;
}

static bool send_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Answers the whole messages at the front of buf and moves the rest there. */
static bool answer_whole(struct net_streams *s, struct stream *t)
{
	static uint8_t out[OUT_SIZE];
	size_t at = 0, filled = 0;
	while (t->len - at >= 2) {
		size_t n = load_be16(t->buf + at);
		if (t->len - at < n + 2)
			break;
		if (n > NET_PACKET)
			return false;
		if (OUT_SIZE - filled < NET_PACKET + 2) {
			if (!send_all(t->fd, out, filled))
				return false;
			filled = 0;
		}
		memcpy(out + filled + 2, t->buf + at + 2, n);
		size_t len = s->answer(s->arg, out + filled + 2, n);
		store_be16(out + filled, (uint16_t)len);
		filled += len ? len + 2 : 0;
		at += n + 2;
	}
	memmove(t->buf, t->buf + at, t->len - at);
	t->len -= at;
	return send_all(t->fd, out, filled);
}

/* False when the connection is over. */
static bool stream_turn(struct net_streams *s, struct stream *t)
{
	ssize_t n = recv(t->fd, t->buf + t->len, sizeof t->buf - t->len, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	t->len += (size_t)n;
	return answer_whole(s, t);
}

void net_streams_turn(struct net_streams *s, int timeout_ms)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(s->ep, ev, EVENTS, timeout_ms);
	for (int i = 0; i < n; i++) {
		struct stream *t = ev[i].data.ptr;
		if (!t) {
			stream_accept(s);
		} else if (!stream_turn(s, t)) {
			close(t->fd);
			free(t);
		}
	}
}
