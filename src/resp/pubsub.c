/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what a connection gets without having asked: messages of channels and patterns, the lines of MONITOR and of streams.
 *
 * A topic (a channel, or a pattern) lives as long as somebody is subscribed to it. Its subscribers hang from it in a list, and a
 * client's subscriptions hang from the client, so that both ends let go at once. Channels are found by hash; patterns are all
 * tried for each message, as in Redis.
 * What is pushed never falls into the middle of a reply: while a client's command is under way it waits in `held`, and moves
 * behind the reply when that is whole. It counts against the output limit: a subscriber that does not read is cut, and costs the
 * publisher nothing but the copy.
 * Invariant: a topic has at least one subscriber; a pair of topic and client has at most one subscription. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "config/config.h"
#include "resp/client.h"

struct topic {
	struct topic *next;       /* in its bucket */
	struct sub *subs;
	unsigned n_subs;
	uint32_t hash;
	size_t len;
	char name[];
};

struct sub {
	struct topic *topic;
	struct resp_client *client;
	struct sub *next_here, *prev_here;  /* of the topic */
	struct sub *next_mine, *prev_mine;  /* of the client */
};

enum { FIRST_BUCKETS = 16 };

/* ---- pushing ---- */

struct resp_out *resp_push_begin(struct resp_client *c)
{
	struct resp_out *o = c->in_command ? &c->held : &c->out;

	if (c->in_command) {
		o->proto = c->out.proto;
		o->limit = c->server->conf->output_buffer_limit;
	} else {
		client_lend_out(c);
		o->limit = c->server->conf->output_buffer_limit;
	}
	return o;
}

void resp_push_end(struct resp_client *c)
{
	if (c->in_command && c->held.failed)
		c->out.failed = true;
	if (!c->ended)
		client_queue(c);
}

void pubsub_release(struct resp_client *c)
{
	c->in_command = false;
	if (c->held.len)
		resp_raw(&c->out, c->held.data, c->held.len);
	if (c->held.failed)
		c->out.failed = true;
	resp_out_free(&c->held);
	c->held.failed = false;
}

/* ---- topics ---- */

static uint32_t topic_hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h ^ h >> 15;
}

static struct topic *topic_find(const struct topics *t, const char *name, size_t len)
{
	uint32_t h = topic_hash(name, len);
	struct topic *at = t->buckets ? t->buckets[h & t->mask] : NULL;

	while (at && (at->hash != h || at->len != len || memcmp(at->name, name, len) != 0))
		at = at->next;
	return at;
}

/* At least as many buckets as topics; without memory for more, the chains grow. */
static bool topics_room(struct topics *t)
{
	uint32_t n = t->buckets ? (t->mask + 1) * 2 : FIRST_BUCKETS;

	if (t->buckets && t->n <= t->mask)
		return true;
	struct topic **more = mem_calloc(n, sizeof(*more));
	if (!more)
		return t->buckets != NULL;
	for (uint32_t i = 0; t->buckets && i <= t->mask; i++)
		for (struct topic *at = t->buckets[i], *next; at; at = next) {
			next = at->next;
			at->next = more[at->hash & (n - 1)];
			more[at->hash & (n - 1)] = at;
		}
	mem_free(t->buckets);
	t->buckets = more;
	t->mask = n - 1;
	return true;
}

static struct topic *topic_add(struct topics *t, const char *name, size_t len)
{
	struct topic *topic;

	if (!topics_room(t) || !(topic = mem_alloc(sizeof *topic + len)))
		return NULL;
	*topic = (struct topic){ .hash = topic_hash(name, len), .len = len };
	if (len)
		memcpy(topic->name, name, len);
	topic->next = t->buckets[topic->hash & t->mask];
	t->buckets[topic->hash & t->mask] = topic;
	t->n++;
	return topic;
}

static void topic_end(struct topics *t, struct topic *topic)
{
	struct topic **at = &t->buckets[topic->hash & t->mask];

	while (*at != topic)
		at = &(*at)->next;
	*at = topic->next;
	t->n--;
	mem_free(topic);
}

/* ---- subscriptions ---- */

/* Looks through the shorter of the two lists. */
static struct sub *sub_find(const struct topic *topic, const struct resp_client *c, enum resp_topic kind)
{
	struct sub *s;

	if (topic->n_subs < c->n_subs[kind]) {
		for (s = topic->subs; s && s->client != c; s = s->next_here)
			;
		return s;
	}
	for (s = c->subs[kind]; s && s->topic != topic; s = s->next_mine)
		;
	return s;
}

static void sub_end(struct sub *s, enum resp_topic kind)
{
	struct topic *topic = s->topic;
	struct resp_client *c = s->client;

	*(s->prev_here ? &s->prev_here->next_here : &topic->subs) = s->next_here;
	if (s->next_here)
		s->next_here->prev_here = s->prev_here;
	*(s->prev_mine ? &s->prev_mine->next_mine : &c->subs[kind]) = s->next_mine;
	if (s->next_mine)
		s->next_mine->prev_mine = s->prev_mine;
	c->n_subs[kind]--;
	topic->n_subs--;
	mem_free(s);
	if (topic->n_subs == 0)
		topic_end(&c->server->topics[kind], topic);
}

int resp_subscribe(struct resp_client *c, enum resp_topic kind, const char *name, size_t len)
{
	struct topics *all = &c->server->topics[kind];
	struct topic *topic = topic_find(all, name, len);
	struct sub *s;

	if (topic && sub_find(topic, c, kind))
		return 0;
	if (resp_subscriptions(c) >= (unsigned)c->server->conf->pubsub_max_subscriptions)
		return ERR_RANGE;
	if (!(s = mem_calloc(1, sizeof *s)))
		return ERR_NOMEM;
	if (!topic && !(topic = topic_add(all, name, len))) {
		mem_free(s);
		return ERR_NOMEM;
	}
	s->topic = topic;
	s->client = c;
	s->next_here = topic->subs;
	if (s->next_here)
		s->next_here->prev_here = s;
	topic->subs = s;
	topic->n_subs++;
	s->next_mine = c->subs[kind];
	if (s->next_mine)
		s->next_mine->prev_mine = s;
	c->subs[kind] = s;
	c->n_subs[kind]++;
	return 0;
}

void resp_unsubscribe(struct resp_client *c, enum resp_topic kind, const char *name, size_t len)
{
	struct topic *topic = topic_find(&c->server->topics[kind], name, len);
	struct sub *s = topic ? sub_find(topic, c, kind) : NULL;

	if (s)
		sub_end(s, kind);
}

const char *resp_subscribed_to(const struct resp_client *c, enum resp_topic kind, size_t *len)
{
	if (!c->subs[kind])
		return NULL;
	*len = c->subs[kind]->topic->len;
	return c->subs[kind]->topic->name;
}

unsigned resp_subscriptions(const struct resp_client *c)
{
	return c->n_subs[RESP_CHANNEL] + c->n_subs[RESP_PATTERN];
}

/* ---- messages ---- */

static void deliver(const struct sub *s, const struct topic *pattern, const char *channel, size_t len, const char *msg, size_t msg_len)
{
	struct resp_out *o = resp_push_begin(s->client);

	resp_push(o, pattern ? 4 : 3);
	if (pattern) {
		resp_str(o, "pmessage");
		resp_bulk(o, pattern->name, pattern->len);
	} else {
		resp_str(o, "message");
	}
	resp_bulk(o, channel, len);
	resp_bulk(o, msg, msg_len);
	resp_push_end(s->client);
}

unsigned resp_publish(struct resp_server *s, const char *channel, size_t len, const char *msg, size_t msg_len)
{
	const struct topics *patterns = &s->topics[RESP_PATTERN];
	const struct topic *topic = topic_find(&s->topics[RESP_CHANNEL], channel, len);
	unsigned n = 0;

	for (const struct sub *to = topic ? topic->subs : NULL; to; to = to->next_here, n++)
		deliver(to, NULL, channel, len, msg, msg_len);
	for (uint32_t i = 0; patterns->n && i <= patterns->mask; i++)
		for (topic = patterns->buckets[i]; topic; topic = topic->next) {
			if (!glob_match(topic->name, topic->len, channel, len, false))
				continue;
			for (const struct sub *to = topic->subs; to; to = to->next_here, n++)
				deliver(to, topic, channel, len, msg, msg_len);
		}
	return n;
}

unsigned resp_topics(const struct resp_server *s, enum resp_topic kind)
{
	return s->topics[kind].n;
}

unsigned resp_subscribers(const struct resp_server *s, enum resp_topic kind, const char *name, size_t len)
{
	const struct topic *topic = topic_find(&s->topics[kind], name, len);

	return topic ? topic->n_subs : 0;
}

void resp_topics_each(const struct resp_server *s, enum resp_topic kind, void (*fn)(void *arg, const char *name, size_t len), void *arg)
{
	const struct topics *t = &s->topics[kind];

	for (uint32_t i = 0; t->n && i <= t->mask; i++)
		for (const struct topic *at = t->buckets[i]; at; at = at->next)
			fn(arg, at->name, at->len);
}

/* ---- MONITOR ---- */

void resp_client_set_monitor(struct resp_client *c, bool yes)
{
	if (c->monitor != yes)
		c->server->n_monitors += yes ? 1u : -1u;
	c->monitor = yes;
}

/* An argument as redis-cli reads it back. */
static void add_quoted(struct resp_out *o, const struct resp_arg *a)
{
	static const char hex[] = "0123456789abcdef", from[] = "\\\"\n\r\t\a\b", to[] = "\\\"nrtab";
	char *at = resp_out_room(o, a->len * 4 + 3);
	size_t n = 0;

	if (!at)
		return;
	at[n++] = ' ';
	at[n++] = '"';
	for (size_t i = 0; i < a->len; i++) {
		unsigned char c = (unsigned char)a->p[i];
		const char *special = c ? strchr(from, c) : NULL;

		if (special) {
			at[n++] = '\\';
			at[n++] = to[special - from];
		} else if (c >= ' ' && c < 127) {
			at[n++] = (char)c;
		} else {
			at[n++] = '\\';
			at[n++] = 'x';
			at[n++] = hex[c >> 4];
			at[n++] = hex[c & 15];
		}
	}
	at[n++] = '"';
	o->len += n;
}

void monitor_feed(struct resp_client *from, unsigned argc, const struct resp_arg *argv)
{
	struct resp_server *s = from->server;
	struct resp_out *line = &s->line;
	uint64_t now_us = clock_wall_us();
	char head[128];
	int n = snprintf(head, sizeof head, "+%llu.%06llu [0 %s]", (unsigned long long)(now_us / 1000000), (unsigned long long)(now_us % 1000000),
			 from->peer);

	line->len = 0;
	line->failed = false;
	line->limit = s->conf->output_buffer_limit;
	resp_raw(line, head, (size_t)n);
	for (unsigned i = 0; i < argc; i++)
		add_quoted(line, &argv[i]);
	resp_raw(line, "\r\n", 2);
	for (struct resp_client *c = resp_client_first(s); c && !line->failed; c = resp_client_next(c)) {
		if (!c->monitor)
			continue;
		resp_raw(resp_push_begin(c), line->data, line->len);
		resp_push_end(c);
	}
	if (line->cap > CLIENT_KEEP)
		resp_out_free(line);
}

/* ---- streams ---- */

void resp_client_set_stream(struct resp_client *c, void *stream, void (*drop)(void *stream))
{
	void (*old_drop)(void *) = c->stream_drop;
	void *old = c->stream;

	c->stream = stream;
	c->stream_drop = drop;
	if (old_drop)
		old_drop(old);
}

size_t resp_client_owed(const struct resp_client *c)
{
	return c->out.len - c->sent + c->held.len;
}

/* ---- life ---- */

void pubsub_client_end(struct resp_client *c)
{
	for (unsigned kind = 0; kind < RESP_TOPICS; kind++)
		while (c->subs[kind])
			sub_end(c->subs[kind], kind);
	resp_client_set_monitor(c, false);
	resp_client_set_stream(c, NULL, NULL);
}

void pubsub_end(struct resp_server *s)
{
	for (unsigned kind = 0; kind < RESP_TOPICS; kind++)
		mem_free(s->topics[kind].buckets);
	resp_out_free(&s->line);
}
