/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the way from the feed to those who watch: keyspace notifications to subscribers, answers to DNS.MONITOR.
 *
 * The threads that serve do nothing before somebody listens: watch_update, called whenever that may have changed and each RATE_MS,
 * switches on exactly the kinds that are wanted. Then a timer empties the rings every POLL_MS, at most POLL_EVENTS at a go, so that a
 * storm of events delays no other command by more than a fraction of a millisecond. Nobody is woken for an event: at worst it is
 * POLL_MS late.
 * Invariant: while nothing is wanted the timer does not run. */
#include "admin/internal.h"
#include "base/log.h"

enum { POLL_MS = 10, POLL_CALM_MS = 100, POLL_EVENTS = 512 };

/* What a kind is called, and the letter of notify-keyspace-events that switches it on. */
static const struct {
	const char *name;
	char letter;
} kinds[FEED_KINDS] = {
	[FEED_NEW] = { "new", 'n' },         [FEED_SET] = { "set", '$' },     [FEED_EXPIRED] = { "expired", 'x' },
	[FEED_EVICTED] = { "evicted", 'e' }, [FEED_DEL] = { "del", 'g' },     [FEED_EXPIRE] = { "expire", 'g' },
	[FEED_MISS] = { "keymiss", 'm' },    [FEED_STALE] = { "stale", 'd' },
};

static bool has_letter(const char *flags, char letter)
{
	return letter && (strchr(flags, letter) || (strchr(flags, 'A') && strchr("g$xed", letter)));
}

/* The kinds that subscribers would be told of. */
static uint32_t notified(const struct admin *a)
{
	const char *flags = a->conf->notify_keyspace_events;
	uint32_t bits = 0;

	if ((!strchr(flags, 'K') && !strchr(flags, 'E')) || (!resp_topics(a->server, RESP_CHANNEL) && !resp_topics(a->server, RESP_PATTERN)))
		return 0;
	for (unsigned k = 0; k < FEED_KINDS; k++)
		if (has_letter(flags, kinds[k].letter))
			bits |= 1u << k;
	return bits;
}

/* The slow log alone is in no hurry. */
static unsigned poll_ms(const struct admin *a)
{
	return a->watched & ~(1u << FEED_SLOW) ? POLL_MS : POLL_CALM_MS;
}

void watch_update(struct admin *a)
{
	uint32_t bits = notified(a) | (a->monitors ? 1u << FEED_ANSWER : 0) | (a->conf->dns_slowlog_log_slower_than >= 0 ? 1u << FEED_SLOW : 0);

	if (bits == a->watched)
		return;
	if (feed_want(cache_feed(a->ctx.cache), bits, (unsigned)a->conf->event_ring_size) != 0) {
		log_warn("no memory for event-ring-size: nothing is told of keys and queries");
		return;
	}
	a->watched = bits;
	if (bits)
		timer_set(&a->watch_timer, poll_ms(a));
}

/* ---- notifications ---- */

static void publish(struct admin *a, const char *prefix, const char *channel, const char *msg)
{
	struct resp_out *t = &a->text;

	text_reset(t);
	text_add(t, prefix);
	text_add(t, channel);
	if (!t->failed)
		resp_publish(a->server, t->data, t->len, msg, strlen(msg));
}

static void notify(struct admin *a, const struct feed_event *e)
{
	const char *flags = a->conf->notify_keyspace_events, *name = kinds[e->kind].name;
	char key[CACHE_KEY_TEXT_MAX + 1];
	struct cache_key k = { .name = e->name, .name_len = e->name_len, .type = e->type, .cd = e->how & FEED_CD };

	k.ecs.family = e->family;
	k.ecs.bits = e->bits;
	memcpy(k.ecs.addr, e->addr, sizeof k.ecs.addr);
	int len = cache_key_to_text(&k, key, CACHE_KEY_TEXT_MAX);
	if (len < 0)
		return;
	key[len] = '\0';
	if (strchr(flags, 'K'))
		publish(a, "__keyspace@0__:", key, name);
	if (strchr(flags, 'E'))
		publish(a, "__keyevent@0__:", name, key);
}

/* ---- the timer ---- */

void watch_poll(void *arg)
{
	struct admin *a = arg;
	struct feed *f = cache_feed(a->ctx.cache);
	struct feed_event e;
	unsigned n = 0;

	while (n < POLL_EVENTS && feed_take(f, &e)) {
		n++;
		if (e.kind == FEED_ANSWER)
			monitors_show(a, &e);
		else if (e.kind == FEED_SLOW)
			slow_answer_add(a, &e);
		else if (e.kind < FEED_KINDS && has_letter(a->conf->notify_keyspace_events, kinds[e.kind].letter))
			notify(a, &e);
	}
	if (n == POLL_EVENTS)
		timer_set(&a->watch_timer, 0);
	else if (a->watched)
		timer_set(&a->watch_timer, poll_ms(a));
}
