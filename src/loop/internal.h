/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the loop room share: the loop's own fields. Its thread alone touches them, but for mail and the two
 * descriptors that other threads write to. */
#ifndef PITH_LOOP_INTERNAL_H
#define PITH_LOOP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "loop/loop.h"

struct letter;

struct loop {
	struct event_base *base;
	atomic_bool runs;            /* loop_run is at work, in thread runner */
	pthread_t runner;

	struct deferred waiting;     /* head of a ring: deferred calls */
	struct deferred running;     /* head of a ring: those of the present round */
	struct event deferred_ev;

	struct deferred yielded;     /* head of a ring: io.resume of the files that let the back have its turn */
	struct event yield_ev;       /* of the back, so its turn comes after all that waited when it was activated */
	struct event turn_ev;        /* of the front: the turn has lasted long enough */

	int stop_fd;                 /* readable once loop_stop was called */
	struct event stop_ev;

	int mail_fd;                 /* readable while mail waits */
	struct event mail_ev;
	pthread_mutex_t mail_lock;   /* guards the two below */
	struct letter *mail, **mail_end;
};

/* An empty ring's head points to itself. */
void ring_init(struct deferred *head);
bool ring_is_empty(const struct deferred *head);
/* Appends d, which must not be queued. */
void ring_add(struct deferred *head, struct deferred *d);
/* Takes d out of whichever ring it is in; nothing happens when it is in none. */
void ring_remove(struct deferred *d);
/* Moves all of from into the empty ring to, in order. */
void ring_move(struct deferred *to, struct deferred *from);
/* The first, taken out; NULL when there is none. */
struct deferred *ring_take(struct deferred *head);

/* mail.c. mail_begin: 0 or ERR_SYS, and then nothing is left to end. */
int mail_begin(struct loop *l);
void mail_end(struct loop *l);
/* Runs all that waits. */
void mail_run(struct loop *l);
/* io.c */
void yield_begin(struct loop *l);
void yield_end(struct loop *l);

#endif
