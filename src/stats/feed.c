/* SPDX-License-Identifier: BSD-3-Clause */
/* The rings behind a feed; feed.h says what for.
 *
 * A slot's `turn` plus its index says whose it is: equal to the place that a teller has taken, it is free for him; one more, it is the
 * taker's. So fresh zeros mean free, and rings that nothing was told into cost no memory but their addresses. A teller who
 * is stopped between taking his place and filling it holds back those behind him in his lane, and nobody else.
 * Invariant: places go up by one for each event; the slot of a place is its low bits. */
#include "stats/feed.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

struct slot {
	_Atomic uint64_t turn;
	struct feed_event event;
};

struct feed_lane {
	_Atomic uint64_t tail;  /* the next place to be told into */
	char apart[56];
	uint64_t head;          /* the taker's */
	uint64_t mask;
	struct slot *slots;
	char behind[40];
};

static void lanes_free(struct feed_lane *lanes)
{
	for (unsigned i = 0; lanes && i < FEED_LANES; i++)
		mem_free(lanes[i].slots);
	mem_free(lanes);
}

static struct feed_lane *lanes_new(unsigned at_least)
{
	struct feed_lane *lanes = mem_calloc(FEED_LANES, sizeof *lanes);
	uint64_t n = 2;

	while (n < at_least)
		n *= 2;
	for (unsigned i = 0; lanes && i < FEED_LANES; i++) {
		struct feed_lane *l = &lanes[i];

		l->mask = n - 1;
		if (!(l->slots = mem_calloc((size_t)n, sizeof *l->slots))) {
			lanes_free(lanes);
			return NULL;
		}
	}
	return lanes;
}

int feed_want(struct feed *f, uint32_t bits, unsigned slots)
{
	if (bits && !atomic_load_explicit(&f->lanes, memory_order_relaxed)) {
		struct feed_lane *lanes = lanes_new(slots);

		if (!lanes)
			return ERR_NOMEM;
		atomic_store_explicit(&f->lanes, lanes, memory_order_release);
	}
	atomic_store_explicit(&f->wanted, bits, memory_order_release);
	return 0;
}

void feed_free(struct feed *f)
{
	lanes_free(atomic_load(&f->lanes));
	atomic_store(&f->lanes, NULL);
}

/* The bytes of an event that has a name of this length. */
static size_t event_size(const struct feed_event *e)
{
	return offsetof(struct feed_event, name) + e->name_len;
}

bool feed_tell(struct feed *f, unsigned which, const struct feed_event *e)
{
	struct feed_lane *l = atomic_load_explicit(&f->lanes, memory_order_acquire);

	if (!l)
		return false;
	l += which % FEED_LANES;
	uint64_t place = atomic_load_explicit(&l->tail, memory_order_relaxed);
	for (;;) {
		struct slot *s = &l->slots[place & l->mask];
		int64_t ahead = (int64_t)(atomic_load_explicit(&s->turn, memory_order_acquire) + (place & l->mask) - place);

		if (ahead < 0) {
			atomic_fetch_add_explicit(&f->dropped, 1, memory_order_relaxed);
			return false;
		}
		if (ahead > 0) {
			place = atomic_load_explicit(&l->tail, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&l->tail, &place, place + 1, memory_order_relaxed, memory_order_relaxed)) {
			memcpy(&s->event, e, event_size(e));
			atomic_store_explicit(&s->turn, place + 1 - (place & l->mask), memory_order_release);
			return true;
		}
	}
}

static bool lane_take(struct feed_lane *l, struct feed_event *e)
{
	struct slot *s = &l->slots[l->head & l->mask];

	uint64_t i = l->head & l->mask;
	if (atomic_load_explicit(&s->turn, memory_order_acquire) + i != l->head + 1)
		return false;
	memcpy(e, &s->event, event_size(&s->event));
	atomic_store_explicit(&s->turn, l->head + l->mask + 1 - i, memory_order_release);
	l->head++;
	return true;
}

bool feed_take(struct feed *f, struct feed_event *e)
{
	struct feed_lane *lanes = atomic_load_explicit(&f->lanes, memory_order_relaxed);

	for (unsigned i = 0; lanes && i < FEED_LANES; i++) {
		if (lane_take(&lanes[f->next_lane % FEED_LANES], e))
			return true;
		f->next_lane++;
	}
	return false;
}

uint64_t feed_dropped(const struct feed *f)
{
	return atomic_load_explicit(&((struct feed *)(uintptr_t)f)->dropped, memory_order_relaxed);
}
