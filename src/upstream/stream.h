/* SPDX-License-Identifier: BSD-3-Clause */
/* One TCP connection to a server, shared by all queries that need one: pipelined, answered in any order (RFC 7766 §6.2.1).
 *
 * Thread: the worker's own. */
#ifndef PITH_UPSTREAM_STREAM_H
#define PITH_UPSTREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "loop/loop.h"

enum { STREAM_BUCKETS = 16, STREAM_IDLE_MS = 5000 };

struct stream;

/* One query on a stream. */
struct stream_slot {
	struct stream *stream; /* NULL: on none */
	struct stream_slot *next;
	uint16_t id;
	bool lost;             /* its connection is gone, and its owner is about to hear so */
};

struct stream_events {
	/* A whole message came. It lies in the stream's buffer until this returns. */
	void (*message)(struct stream *st, uint8_t *msg, size_t len, void *arg);
	/* The connection under this query is gone; the slot is free again. reused: it had served before, so that a server which closes idle
	 * connections explains it (RFC 7766 §6.2.4: ask again on a new one). */
	void (*lost)(struct stream_slot *s, bool reused, void *arg);
};

struct stream {
	struct loop *loop;
	const struct sockaddr_storage *sa;
	socklen_t sa_len;
	const struct stream_events *events;
	void *arg;
	uint32_t *gauge;      /* counts this one while it is open, for others to see; NULL: nobody looks */
	struct io io;
	int fd;               /* -1: closed */
	bool connecting, answered; /* answered: it has brought at least one message */
	bool held, broken;    /* a callback runs; close when it returns */
	struct timer idle;
	uint8_t *in, *out;
	size_t in_len, out_len, out_off, out_cap;
	unsigned pending;
	struct stream_slot *by_id[STREAM_BUCKETS];
	struct stream_slot *losing; /* being told that the connection is gone */
};

/* sa stays the owner's. Opens nothing yet. */
void stream_init(struct stream *st, struct loop *l, const struct sockaddr_storage *sa, socklen_t sa_len,
		 const struct stream_events *events, void *arg);
/* Closes. No slot may be in use. */
void stream_end(struct stream *st);
/* Sends msg (len bytes, its ID is overwritten by a random one that is free), connecting first where needed. 0, ERR_SYS, ERR_NOMEM, or
 * ERR_BUSY. */
int stream_send(struct stream *st, struct stream_slot *s, uint8_t *msg, size_t len);
/* The query is no longer interested; a slot on no stream may be given too. */
void stream_release(struct stream_slot *s);
struct stream_slot *stream_find(const struct stream *st, uint16_t id);
/* The peer is silent or talks nonsense: closes, and every query on it hears `lost`. */
void stream_break(struct stream *st);

#endif
