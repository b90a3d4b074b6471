/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the mailbox: calls that other threads want made in the loop's.
 *
 * A mutex around a list, as posts are rare (an operator's command, a reload) and a lock-free one would buy nothing.
 * Only the post that finds the list empty wakes the loop. Posts that arrive while the mail is read wait for the next
 * round, so that two threads that post to each other in a circle starve nobody.
 * Invariant: mail_fd is readable whenever a letter waits and mail_run is not about to take it. */
#include <errno.h>
#include <event2/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "loop/internal.h"
#include "loop/loop.h"

struct letter {
	struct letter *next;
	void (*fn)(void *arg);
	void *arg;
};

static struct letter *mail_take_all(struct loop *l)
{
	pthread_mutex_lock(&l->mail_lock);
	struct letter *first = l->mail;
	l->mail = NULL;
	l->mail_end = &l->mail;
	pthread_mutex_unlock(&l->mail_lock);
	return first;
}

void mail_run(struct loop *l)
{
	struct letter *m = mail_take_all(l);
	while (m) {
		struct letter letter = *m;
		mem_free(m);
		letter.fn(letter.arg);
		m = letter.next;
	}
}

static void mail_ready(evutil_socket_t fd, short events, void *arg)
{
	uint64_t count;
	(void)events;
	/* The counter first, the list after it: a post in between wakes once more for nothing, and none is missed. */
	ssize_t n = read(fd, &count, sizeof count);
	(void)n;
	mail_run(arg);
}

int loop_post(struct loop *l, void (*fn)(void *arg), void *arg)
{
	struct letter *m = mem_alloc(sizeof *m);
	const uint64_t one = 1;
	if (!m)
		return ERR_NOMEM;
	*m = (struct letter){ .fn = fn, .arg = arg };
	pthread_mutex_lock(&l->mail_lock);
	bool first = !l->mail;
	*l->mail_end = m;
	l->mail_end = &m->next;
	pthread_mutex_unlock(&l->mail_lock);
	if (first) {
		ssize_t n = write(l->mail_fd, &one, sizeof one);
		(void)n;
	}
	return 0;
}

int mail_begin(struct loop *l)
{
	l->mail_end = &l->mail;
	l->mail_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (l->mail_fd < 0)
		return ERR_SYS;
	must(event_assign(&l->mail_ev, l->base, l->mail_fd, EV_READ | EV_PERSIST, mail_ready, l) == 0);
	if (event_add(&l->mail_ev, NULL) != 0) {
		close(l->mail_fd);
		return ERR_SYS;
	}
	must(pthread_mutex_init(&l->mail_lock, NULL) == 0);
	return 0;
}

void mail_end(struct loop *l)
{
	for (struct letter *m = mail_take_all(l); m;) {
		struct letter *next = m->next;
		mem_free(m);
		m = next;
	}
	event_del(&l->mail_ev);
	close(l->mail_fd);
	pthread_mutex_destroy(&l->mail_lock);
}
