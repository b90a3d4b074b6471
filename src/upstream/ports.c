/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP sockets towards servers.
 *
 * An answer can be forged by whoever guesses source port and ID (RFC 5452 §9.2), so both are random for each query, and a port is
 * short-lived. One fresh socket per query would be the plainest, and that is what happens below PORTS_ACTIVE queries in
 * PORT_LIFE_MS. Under load socket, bind, connect, epoll and close would cost more than the query itself, so a query then takes
 * one of PORTS_ACTIVE open sockets by chance, and each is retired after PORT_USES queries: at 20,000 queries a second a
 * port lives 26 ms and 625 sockets a second are made. A retired socket stays until its last query has ended.
 * Sockets are connected: the kernel drops what comes from another address or port, and reports a closed port at once.
 * Ports start at PORT_LOWEST, above what most services listen on: 15.6 bits, besides the ID's 16 and the case of the name.
 * At the limit of descriptors, retired sockets take PORT_USES queries more, the least busy first.
 *
 * Invariant: open counts the list; a port is closed when it is not active, not held, and has no query. */
#include "upstream/ports.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/must.h"
#include "base/random.h"

enum { SWEEP_MS = 1000, BIND_TRIES = 8, ID_TRIES = 16 };

static void port_close(struct port *p)
{
	struct port_pool *pool = p->pool;

	io_end(&p->io);
	close(p->fd);
	if (p->next)
		p->next->prev = p->prev;
	if (p->prev)
		p->prev->next = p->next;
	else
		pool->first = p->next;
	pool->open--;
	if (pool->first == NULL)
		timer_cancel(&pool->sweep);
	mem_free(p);
}

static void port_close_if_done(struct port *p)
{
	if (!p->active && !p->held && p->in_flight == 0)
		port_close(p);
}

static void port_deactivate(struct port *p)
{
	struct port_set *set = p->set;

	if (!p->active)
		return;
	for (unsigned i = 0; i < set->n_active; i++) {
		if (set->active[i] == p) {
			set->active[i] = set->active[--set->n_active];
			break;
		}
	}
	p->active = false;
}

void port_retire(struct port *p)
{
	port_deactivate(p);
	port_close_if_done(p);
}

static void pool_sweep(void *arg)
{
	struct port_pool *pool = arg;
	uint64_t now = clock_real_mono_ms();

	for (struct port *p = pool->first, *next; p; p = next) {
		next = p->next;
		if (p->active && now - p->born_ms >= PORT_LIFE_MS)
			port_retire(p);
	}
	if (pool->first)
		timer_set(&pool->sweep, SWEEP_MS);
}

static void port_readable(struct io *io, unsigned ready, void *arg)
{
	struct port *p = arg;

	(void)io;
	(void)ready;
	p->held = true;
	p->pool->ready(p, p->pool->arg);
	p->held = false;
	port_close_if_done(p);
}

void port_pool_init(struct port_pool *pool, struct loop *l, unsigned limit, void (*ready)(struct port *, void *), void *arg)
{
	memset(pool, 0, sizeof *pool);
	pool->loop = l;
	pool->limit = limit < 8 ? 8 : limit;
	pool->ready = ready;
	pool->arg = arg;
	timer_init(l, &pool->sweep, pool_sweep, pool);
}

void port_pool_end(struct port_pool *pool)
{
	while (pool->first) {
		must(pool->first->in_flight == 0);
		port_deactivate(pool->first);
		port_close(pool->first);
	}
	timer_cancel(&pool->sweep);
}

/* Binds fd to a random port, of any of our addresses; after a few that were taken, to one of the kernel's choice. */
static int bind_random(int fd, int family)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} a;
	socklen_t len = family == AF_INET ? sizeof a.in : sizeof a.in6;

	for (int i = 0; i <= BIND_TRIES; i++) {
		uint16_t port = i < BIND_TRIES ? (uint16_t)(PORT_LOWEST + random_below(65536 - PORT_LOWEST)) : 0;

		memset(&a, 0, sizeof a);
		a.sa.sa_family = (sa_family_t)family;
		if (family == AF_INET)
			a.in.sin_port = htons(port);
		else
			a.in6.sin6_port = htons(port);
		if (bind(fd, &a.sa, len) == 0)
			return 0;
	}
	return ERR_SYS;
}

static int socket_towards(const struct port_set *set)
{
	int family = set->sa.ss_family, one = 1, saved;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	if (bind_random(fd, family) == 0 && connect(fd, (const struct sockaddr *)&set->sa, set->sa_len) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

static struct port *port_open(struct port_pool *pool, struct port_set *set)
{
	struct port *p = mem_calloc(1, sizeof *p);

	if (p == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	p->fd = socket_towards(set);
	if (p->fd < 0 || io_init(pool->loop, &p->io, LOOP_BACK, p->fd, port_readable, p) != 0) {
		int saved = errno;
		if (p->fd >= 0)
			close(p->fd);
		mem_free(p);
		errno = saved;
		return NULL;
	}
	io_want(&p->io, IO_READ);
	p->born_ms = clock_real_mono_ms();
	p->pool = pool;
	p->set = set;
	p->next = pool->first;
	if (pool->first)
		pool->first->prev = p;
	pool->first = p;
	pool->open++;
	p->active = true;
	set->active[set->n_active++] = p;
	if (!timer_is_set(&pool->sweep))
		timer_set(&pool->sweep, SWEEP_MS);
	return p;
}

/* At the limit: some other server's socket without a query gives way. */
static bool pool_make_room(struct port_pool *pool)
{
	for (struct port *p = pool->first; p; p = p->next) {
		if (p->in_flight == 0 && !p->held) {
			port_deactivate(p);
			port_close(p);
			return true;
		}
	}
	return false;
}

/* At the limit: of the server's retired sockets, the one with the least under way takes new queries again. */
static struct port *port_revive(struct port_pool *pool, struct port_set *set)
{
	struct port *best = NULL;

	for (struct port *p = pool->first; p; p = p->next) {
		if (p->set == set && !p->active && (best == NULL || p->in_flight < best->in_flight))
			best = p;
	}
	if (best) {
		best->active = true;
		set->active[set->n_active++] = best;
	}
	return best;
}

/* NULL: errno tells; EMFILE: all sockets that there may be are taken. */
static struct port *port_choose(struct port_pool *pool, struct port_set *set)
{
	struct port *p = NULL;

	if (set->n_active < PORTS_ACTIVE) {
		errno = EMFILE;
		if (pool->open < pool->limit)
			p = port_open(pool, set);
		if (p == NULL && (errno == EMFILE || errno == ENFILE))
			p = port_revive(pool, set);
		if (p == NULL && set->n_active == 0 && pool->open >= pool->limit && pool_make_room(pool))
			p = port_open(pool, set);
	}
	if (p == NULL && set->n_active > 0)
		p = set->active[random_below(set->n_active)];
	return p;
}

int port_take(struct port_pool *pool, struct port_set *set, struct slot *s)
{
	struct port *p;

	p = port_choose(pool, set);
	if (p == NULL)
		return errno == EMFILE ? ERR_BUSY : ERR_SYS;
	for (int i = 0; i < ID_TRIES; i++) {
		uint16_t id = (uint16_t)random_u32();

		if (port_find(p, id))
			continue;
		s->id = id;
		s->port = p;
		s->next = p->by_id[id % PORT_BUCKETS];
		p->by_id[id % PORT_BUCKETS] = s;
		p->in_flight++;
		if (++p->uses % PORT_USES == 0)
			port_deactivate(p);
		return 0;
	}
	return ERR_BUSY;
}

void port_release(struct slot *s)
{
	struct port *p = s->port;
	struct slot **at;

	if (p == NULL)
		return;
	for (at = &p->by_id[s->id % PORT_BUCKETS]; *at != s; at = &(*at)->next)
		must(*at != NULL);
	*at = s->next;
	s->port = NULL;
	p->in_flight--;
	port_close_if_done(p);
}

struct slot *port_find(const struct port *p, uint16_t id)
{
	struct slot *s = p->by_id[id % PORT_BUCKETS];

	while (s && s->id != id)
		s = s->next;
	return s;
}

struct slot *port_any(const struct port *p)
{
	for (int i = 0; i < PORT_BUCKETS; i++) {
		if (p->by_id[i])
			return p->by_id[i];
	}
	return NULL;
}
