/* SPDX-License-Identifier: BSD-3-Clause */
/* The servers of one forward zone, and their health.
 *
 * The quickest is asked: round-trip times are smoothed as in RFC 6298 §2 (an eighth of each sample). Nobody knows the speed of a server
 * that is never asked, and a client should not wait for us to find out, so it is found out by probes: copies of a real question,
 * to one of the others, whose answer is only timed. The same brings dead ones back: after SERVER_DEAD_AFTER timeouts in a row
 * a server is asked last, and probed once its backoff is over.
 * A timeout counts only if the server said nothing at all since that question went out: a thousand questions lost at once are
 * one silence, and a server that is slow with one name is not dead.
 *
 * Invariant: silent ≥ SERVER_DEAD_AFTER exactly when dead; any answer ends that, SERVFAIL too. */
#include "upstream/servers.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "config/config.h"

static void server_init(struct server *s, unsigned index, const struct conf_addr *a)
{
	char ip[INET6_ADDRSTRLEN] = "?";

	s->index = index;
	s->backoff_ms = SERVER_BACKOFF_MS;
	if (a->family == 6) {
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(a->port), .sin6_scope_id = a->scope };

		memcpy(&in6.sin6_addr, a->bytes, 16);
		memcpy(&s->ports.sa, &in6, sizeof in6);
		s->ports.sa_len = sizeof in6;
		inet_ntop(AF_INET6, a->bytes, ip, sizeof ip);
	} else {
		struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(a->port) };

		memcpy(&in.sin_addr, a->bytes, 4);
		memcpy(&s->ports.sa, &in, sizeof in);
		s->ports.sa_len = sizeof in;
		inet_ntop(AF_INET, a->bytes, ip, sizeof ip);
	}
	if (a->scope)
		snprintf(s->text, sizeof s->text, "%s%%%u@%u", ip, a->scope, a->port);
	else
		snprintf(s->text, sizeof s->text, "%s@%u", ip, a->port);
}

struct server_set *server_set_new(const char *zone, unsigned n, char *const *addrs, unsigned *bad)
{
	struct server_set *set = mem_calloc(1, sizeof *set + n * sizeof set->servers[0]);

	*bad = n;
	if (set == NULL)
		return NULL;
	set->zone = zone;
	set->n = n;
	for (unsigned i = 0; i < n; i++) {
		struct conf_addr a;

		if (conf_addr_parse(addrs[i], 53, &a) != 0) {
			*bad = i;
			mem_free(set);
			return NULL;
		}
		server_init(&set->servers[i], i, &a);
	}
	return set;
}

void server_set_free(struct server_set *set)
{
	mem_free(set);
}

bool server_is_dead(const struct server *s)
{
	return s->silent >= SERVER_DEAD_AFTER;
}

/* Is a to be asked before b? */
static bool server_before(const struct server *a, const struct server *b)
{
	if (server_is_dead(a) != server_is_dead(b))
		return server_is_dead(b);
	if (server_is_dead(a))
		return a->dead_until_ms < b->dead_until_ms;
	return a->srtt_us < b->srtt_us;
}

struct server *server_pick(struct server_set *set, uint32_t not, uint64_t limit)
{
	struct server *best = NULL;
	unsigned at = set->n ? random_below(set->n) : 0;

	for (unsigned i = 0; i < set->n; i++, at = at + 1 == set->n ? 0 : at + 1) {
		struct server *s = &set->servers[at];

		if (limit && s->figures.in_flight >= limit)
			continue;
		if (!(not & 1u << at) && (best == NULL || server_before(s, best)))
			best = s;
	}
	return best;
}

struct server *server_pick_probe(struct server_set *set, const struct server *chosen, uint64_t now_ms)
{
	struct server *s;

	if (set->n < 2)
		return NULL;
	for (unsigned i = 0; i < set->n; i++) {
		s = &set->servers[i];
		if (s != chosen && server_is_dead(s) && !s->probing && now_ms >= s->dead_until_ms)
			return s;
	}
	if (random_below(SERVER_PROBE_EVERY) != 0)
		return NULL;
	s = &set->servers[random_below(set->n)];
	return s == chosen || s->probing || server_is_dead(s) ? NULL : s;
}

static void server_show(struct server *s)
{
	__atomic_store_n(&s->figures.srtt_us, s->srtt_us, __ATOMIC_RELAXED);
	__atomic_store_n(&s->figures.dead_until_ms, server_is_dead(s) ? s->dead_until_ms : 0, __ATOMIC_RELAXED);
}

void server_answered(struct server *s, uint64_t rtt_us, uint64_t now_ms)
{
	uint32_t rtt = rtt_us > 60000000 ? 60000000 : (uint32_t)rtt_us + 1;

	s->srtt_us = s->srtt_us == 0 ? rtt : s->srtt_us - s->srtt_us / 8 + rtt / 8;
	s->silent = 0;
	s->backoff_ms = SERVER_BACKOFF_MS;
	s->answered_ms = now_ms;
	figure_add(&s->figures.answered, 1);
	figures_rtt(&s->figures, rtt);
	server_show(s);
}

void server_overtaken(struct server *s, uint64_t waited_us)
{
	if (waited_us > s->srtt_us && waited_us < UINT32_MAX)
		s->srtt_us += ((uint32_t)waited_us - s->srtt_us) / 8;
	server_show(s);
}

static void count_silence(struct server *s, uint64_t sent_ms, uint32_t timeout_ms, uint64_t now_ms)
{
	uint32_t cost_us = timeout_ms * 1000;

	if (cost_us > s->srtt_us)
		s->srtt_us += (cost_us - s->srtt_us) / 8;
	if (s->answered_ms >= sent_ms && s->answered_ms != 0)
		return;
	if (server_is_dead(s) && now_ms < s->dead_until_ms)
		return;
	if (!server_is_dead(s) && ++s->silent < SERVER_DEAD_AFTER)
		return;
	s->dead_until_ms = now_ms + s->backoff_ms;
	s->backoff_ms = s->backoff_ms * 2 > SERVER_BACKOFF_MAX_MS ? SERVER_BACKOFF_MAX_MS : s->backoff_ms * 2;
}

void server_was_silent(struct server *s, uint64_t sent_ms, uint32_t timeout_ms, uint64_t now_ms)
{
	if (timeout_ms > 0)
		figure_add(&s->figures.timeouts, 1);
	count_silence(s, sent_ms, timeout_ms, now_ms);
	server_show(s);
}
