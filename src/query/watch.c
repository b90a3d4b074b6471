/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what is told of an answer to those who watch queries (DNS.MONITOR): who asked what, and what came of it.
 *
 * Called only while somebody watches. The clock is read here, and not for each answer that nobody looks at. */
#include "base/bytes.h"
#include "base/clock.h"
#include "query/internal.h"

static void watch_client(struct feed_event *e, const struct reply_to *to)
{
	if (to->client.any.sa_family == AF_INET) {
		e->family = 1;
		e->port = ntohs(to->client.in4.sin_port);
		memcpy(e->addr, &to->client.in4.sin_addr, 4);
	} else if (to->client.any.sa_family == AF_INET6) {
		e->family = 2;
		e->port = ntohs(to->client.in6.sin6_port);
		memcpy(e->addr, &to->client.in6.sin6_addr, 16);
	}
}

void watch_answer(struct worker *w, enum feed_kind kind, const struct question *q, const struct reply_to *to, const uint8_t *msg, size_t len,
		  unsigned how, uint64_t took_us)
{
	struct feed_event e = { .kind = (uint8_t)kind, .how = (uint8_t)(how | (to->via->stream ? FEED_STREAM : 0)), .type = q->qtype,
				.wall_us = clock_wall_us() };

	if (q->wire_len == 0 || len < DNS_HEADER_LEN)
		return; /* there was no question that could be read */
	e.took_us = took_us < UINT32_MAX ? (uint32_t)took_us : UINT32_MAX;
	e.how |= q->flags & FLAG_CD ? FEED_CD : 0;
	e.rcode = load_be16(msg + 2) & FLAG_RCODE_MASK;
	e.name_len = q->name_len;
	memcpy(e.name, q->name, q->name_len);
	watch_client(&e, to);
	/* one lane a worker, as far as they go: workers lie far apart */
	feed_tell(w->feed, (unsigned)((uintptr_t)w / sizeof *w), &e);
}
