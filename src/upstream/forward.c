/* SPDX-License-Identifier: BSD-3-Clause */
/* The forwarder: whom to ask, how long to wait, when to give up.
 *
 * An errand asks one server at a time: the quickest first, the next after forward-timeout or after a failure. A try that ran out
 * of time stays open, as a slow answer is an answer too: whichever comes first ends the errand. A server that answered with a
 * failure (SERVFAIL, REFUSED, garbage) is not asked again by this errand; one that was silent is, in the next round, until
 * the errand's own patience ends. Where some server gave a failure and the rest are known to be dead, waiting is no use.
 * One try of 20 takes longer than the other 19: when a first try has had the time in which 95 of 100 answers came, a second copy is sent
 * to the next server (forward-hedge bounds how often). The first is not given up for that, and whoever is overtaken counts as slower.
 * Server choice, backoff and probes: servers.c. Sending and judging: errand.c.
 *
 * Invariant: `done` comes from the loop only (an errand that cannot go on sets its timer to now), so no start calls back. */
#include "upstream/forward.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "config/config.h"
#include "upstream/errand.h"

/* Everything of f but its memory. */
static void errand_close(struct errand *f)
{
	struct forwarder *fw = f->forwarder;

	for (int i = 0; i < ERRAND_TRIES; i++)
		try_release(&f->tries[i]);
	tcp_release(&f->tcp);
	timer_cancel(&f->timer);
	if (f->pinned)
		f->pinned->probing = false;
	else
		fw->pending--;
	if (f->next)
		f->next->prev = f->prev;
	if (f->prev)
		f->prev->next = f->next;
	else
		fw->first = f->next;
}

static void errand_finish(struct errand *f, struct upstream_reply *r)
{
	struct forwarder *fw = f->forwarder;

	errand_close(f);
	if (f->done) {
		r->source = FROM_FORWARD;
		if (r->status == UPSTREAM_OK)
			stat_inc(fw->stats, STAT_UPSTREAM_ANSWERS);
		f->done(f->arg, r);
	}
	mem_free(f);
}

/* The server's own words; control characters would only spoil a log. */
static void why_copy(struct errand *f, const struct edns *e)
{
	size_t n = e->ede_text_len < sizeof f->why - 1 ? e->ede_text_len : sizeof f->why - 1;

	for (size_t i = 0; i < n; i++)
		f->why[i] = e->ede_text[i] < 0x20 || e->ede_text[i] == 0x7f ? '?' : (char)e->ede_text[i];
	f->why[n] = '\0';
}

static bool try_is_open(const struct try *t)
{
	return t && t->slot.port;
}

void errand_finish_ok(struct errand *f, struct server *s, const uint8_t *msg, size_t len, const struct edns *e, uint8_t ecs_scope)
{
	struct upstream_reply r = { .status = UPSTREAM_OK, .msg = msg, .len = len, .ede = e->ede, .server = s->text, .ecs_scope = ecs_scope };

	if (e->ede != EDE_NONE && e->ede_text_len > 0) {
		why_copy(f, e);
		r.why = f->why;
	}
	if (try_is_open(f->hedged) && f->hedged->server != s)
		server_overtaken(f->hedged->server, clock_real_mono_ns() / 1000 - f->hedged->sent_us);
	errand_finish(f, &r);
}

void errand_note(struct errand *f, struct server *s, const struct edns *e, unsigned rcode)
{
	char name[16];

	f->server_text = s->text;
	if (e->ede != EDE_NONE && e->ede_text_len > 0)
		why_copy(f, e);
	else if (e->ede != EDE_NONE || f->ede == EDE_NONE)
		snprintf(f->why, sizeof f->why, "%s answered %s", s->text, rcode_text(rcode, name, sizeof name));
	if (e->ede != EDE_NONE)
		f->ede = e->ede;
	else if (f->ede == EDE_NONE)
		f->ede = rcode == RCODE_REFUSED ? EDE_NO_REACHABLE_AUTHORITY : EDE_OTHER;
}

static void errand_finish_failed(struct errand *f)
{
	struct upstream_reply r = { .ede = f->ede, .why = f->why, .server = f->server_text };

	r.status = f->answered || f->network || f->set->n == 0 ? UPSTREAM_FAILED : UPSTREAM_TIMEOUT;
	if (f->set->n == 0) {
		r.ede = EDE_NO_REACHABLE_AUTHORITY;
		r.why = "no forwarder is configured for this name";
	} else if (f->why[0] == '\0') {
		r.ede = f->network ? EDE_NETWORK_ERROR : f->answered ? EDE_INVALID_DATA : EDE_NO_REACHABLE_AUTHORITY;
		r.why = f->network ? "no forwarder can be reached" : f->answered ? "the forwarders' answers are malformed" : "no forwarder answered in time";
	}
	errand_finish(f, &r);
}

/* Nobody is left to ask. From the loop, as this may be inside of start. */
static void errand_give_up(struct errand *f)
{
	f->deadline_ms = 0;
	timer_set(&f->timer, 0);
}

/* How long to wait before a second copy is sent; 0: none will be. */
static uint64_t hedge_delay_ms(const struct errand *f, const struct server *s)
{
	uint64_t usual = figures_percentile_us(&s->figures, 0.95);

	if (f->moves != 1 || f->pinned || usual == 0 || f->forwarder->conf->forward_hedge == 0)
		return 0;
	usual = usual / 1000 + 1;
	return usual < ERRAND_HEDGE_MIN_MS ? ERRAND_HEDGE_MIN_MS : usual;
}

static bool errand_send(struct errand *f, struct server *s, bool tcp, bool for_case)
{
	uint64_t now = clock_real_mono_ms(), left = f->deadline_ms > now ? f->deadline_ms - now : 0;
	uint64_t patience = f->forwarder->conf->forward_timeout, hedge;

	if ((tcp ? errand_send_tcp(f, s, for_case) : errand_send_udp(f, s)) != 0)
		return false;
	f->moves++;
	/* TCP needs a handshake first. */
	if (tcp)
		patience *= 2;
	if (patience > left)
		patience = left;
	hedge = tcp ? 0 : hedge_delay_ms(f, s);
	f->hedged = NULL;
	f->hedge_due = hedge != 0 && hedge < patience;
	timer_set(&f->timer, f->hedge_due ? hedge : patience);
	return true;
}

void errand_ask(struct errand *f, struct server *s, bool tcp, bool for_case)
{
	if (f->moves < ERRAND_MOVES && errand_send(f, s, tcp, for_case))
		return;
	errand_server_failed(f, s, true);
}

void errand_server_failed(struct errand *f, struct server *s, bool network)
{
	f->failed |= 1u << s->index;
	figure_add(&s->figures.failures, 1);
	if (network)
		f->network = true;
	else
		f->answered = true;
	/* The other of two copies may yet be answered in time. */
	for (int i = 0; i < ERRAND_TRIES && f->hedged; i++) {
		if (try_is_open(&f->tries[i]) && !(f->failed & 1u << f->tries[i].server->index)) {
			f->last = &f->tries[i];
			return;
		}
	}
	errand_next(f);
}

void errand_next(struct errand *f)
{
	uint64_t now = clock_real_mono_ms(), limit = (uint64_t)f->forwarder->conf->forward_server_flights;

	/* Enough was sent: one of the tries that are still open may yet be answered. */
	if (f->moves >= ERRAND_MOVES && f->deadline_ms > now) {
		timer_set(&f->timer, f->deadline_ms - now);
		return;
	}
	while (f->moves < ERRAND_MOVES && !f->pinned) {
		struct server *s = server_pick(f->set, f->failed | f->asked, limit);

		if (s == NULL) {
			f->asked = 0;
			s = server_pick(f->set, f->failed, limit);
		}
		if (s == NULL)
			s = server_pick(f->set, f->failed, 0);
		if (s == NULL || (f->answered && server_is_dead(s)))
			break;
		f->asked |= 1u << s->index;
		f->plain = f->caseless = f->subnetless = f->tcp_again = false;
		if (f->moves > 0)
			stat_inc(f->forwarder->stats, STAT_UPSTREAM_RETRIES);
		if (errand_send(f, s, false, false))
			return;
		f->failed |= 1u << s->index;
		figure_add(&s->figures.failures, 1);
		f->network = true;
	}
	errand_give_up(f);
}

/* The first try takes longer than usual: a second copy, if that may be, to another server or else to the same. */
static void errand_hedge(struct errand *f)
{
	struct forwarder *fw = f->forwarder;
	struct try *first = f->last;
	uint64_t now = clock_real_mono_ms(), patience = fw->conf->forward_timeout, spent = now - first->sent_us / 1000;
	uint64_t left = f->deadline_ms > now ? f->deadline_ms - now : 0;
	struct server *s = server_pick(f->set, f->failed | f->asked, (uint64_t)fw->conf->forward_server_flights);

	f->hedge_due = false;
	if (s == NULL || server_is_dead(s))
		s = first->server;
	if (fw->hedges >= 100 && errand_send_udp(f, s) == 0) {
		fw->hedges -= 100;
		f->hedged = first;
		f->asked |= 1u << s->index;
		f->moves++;
		stat_inc(fw->stats, STAT_UPSTREAM_HEDGES);
	} else {
		patience = patience > spent ? patience - spent : 0;
	}
	timer_set(&f->timer, patience < left ? patience : left);
}

static void errand_on_timer(void *arg)
{
	struct errand *f = arg;
	uint64_t now = clock_real_mono_ms();
	struct server *s = f->last ? f->last->server : f->tcp.server;
	uint64_t sent_ms = (f->last ? f->last->sent_us : f->tcp.sent_us) / 1000;
	bool for_case = f->last == NULL && f->tcp.for_case;

	if (f->deadline_ms == 0 || s == NULL) {
		errand_finish_failed(f);
		return;
	}
	if (f->hedge_due && try_is_open(f->last)) {
		errand_hedge(f);
		return;
	}
	if (try_is_open(f->hedged) && f->hedged != f->last) {
		uint64_t first_ms = f->hedged->sent_us / 1000;

		server_was_silent(f->hedged->server, first_ms, (uint32_t)(now - first_ms), now);
	}
	f->hedged = NULL;
	stat_inc(f->forwarder->stats, STAT_UPSTREAM_TIMEOUTS);
	server_was_silent(s, sent_ms, (uint32_t)(now - sent_ms), now);
	if (f->last == NULL) {
		tcp_release(&f->tcp);
		/* Nothing at all since then: the connection is dead, and the others on it need not find out one by one. */
		if (s->answered_ms < sent_ms)
			stream_break(&s->stream);
	}
	if (now >= f->deadline_ms) {
		errand_finish_failed(f);
	} else if (for_case) {
		s->no_case_until_ms = now + SERVER_QUIRK_MS;
		f->caseless = true;
		errand_ask(f, s, false, false);
	} else {
		errand_next(f);
	}
}

/* Each letter in a case of its own (0x20). */
static void name_randomise(uint8_t *dst, const uint8_t *name, size_t len)
{
	uint8_t bits[NAME_MAX_LEN / 8 + 1];

	random_bytes(bits, len / 8 + 1);
	for (size_t i = 0; i < len; i++) {
		bool letter = (uint8_t)(name[i] - 'a') < 26;

		dst[i] = letter && bits[i / 8] >> (i % 8) & 1 ? name[i] ^ 0x20 : name[i];
	}
}

static struct errand *errand_new(struct forwarder *fw, struct server_set *set, const struct upstream_ask *a)
{
	struct errand *f = mem_calloc(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->job.way = &fw->way;
	f->forwarder = fw;
	f->set = set;
	f->deadline_ms = clock_real_mono_ms() + a->timeout_ms;
	f->ede = EDE_NONE;
	f->cd = a->cd;
	f->type = a->type;
	f->rrclass = a->rrclass;
	f->name_len = a->name_len;
	memcpy(f->name, a->name, a->name_len);
	name_randomise(f->cased, a->name, a->name_len);
	if (a->ecs && a->ecs_len <= ERRAND_ECS_MAX) {
		f->ecs_len = (uint8_t)a->ecs_len;
		memcpy(f->ecs, a->ecs, a->ecs_len);
	}
	timer_init(fw->loop, &f->timer, errand_on_timer, f);
	f->next = fw->first;
	if (fw->first)
		fw->first->prev = f;
	fw->first = f;
	return f;
}

/* Puts the same question to another server, only to see how that one is. */
static void probe_start(struct forwarder *fw, const struct route *r, const struct upstream_ask *a, const struct server *chosen)
{
	struct server *s = server_pick_probe(r->servers, chosen, clock_real_mono_ms());
	struct errand *f = s ? errand_new(fw, r->servers, a) : NULL;

	if (f == NULL)
		return;
	f->pinned = s;
	s->probing = true;
	errand_ask(f, s, false, false);
}

static enum step forward_start(const struct route *r, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job)
{
	struct forwarder *fw = (struct forwarder *)r->way;
	struct errand *f;

	if (fw->conf->forward_server_flights && r->servers->n > 0 && !server_pick(r->servers, 0, (uint64_t)fw->conf->forward_server_flights)) {
		stat_inc(fw->stats, STAT_UPSTREAM_LIMITED);
		return STEP_FAILED;
	}
	if (fw->pending >= (uint64_t)fw->conf->max_flights || (f = errand_new(fw, r->servers, a)) == NULL)
		return STEP_FAILED;
	fw->hedges += (unsigned)fw->conf->forward_hedge;
	if (fw->hedges > ERRAND_HEDGES_MAX)
		fw->hedges = ERRAND_HEDGES_MAX;
	f->done = done;
	f->arg = arg;
	fw->pending++;
	*job = &f->job;
	errand_next(f);
	if (f->last)
		probe_start(fw, r, a, f->last->server);
	return STEP_PENDING;
}

static void forward_cancel(struct upstream_job *job)
{
	struct errand *f = (struct errand *)job;

	errand_close(f);
	mem_free(f);
}

static unsigned forward_pending(const struct way *w)
{
	return ((const struct forwarder *)w)->pending;
}

static void forward_set_conf(struct way *w, const struct conf *c)
{
	((struct forwarder *)w)->conf = c;
}

static void forward_free(struct way *w)
{
	struct forwarder *fw = (struct forwarder *)w;

	while (fw->first)
		forward_cancel(&fw->first->job);
	port_pool_end(&fw->pool);
	for (unsigned i = 0; i < fw->n_sets; i++) {
		for (unsigned j = 0; j < fw->sets[i]->n; j++)
			stream_end(&fw->sets[i]->servers[j].stream);
		server_set_free(fw->sets[i]);
	}
	mem_free(fw->sets);
	mem_free(fw);
}

static const struct upstream_kind forward_kind = {
	"forward", forward_start, forward_cancel, forward_pending, forward_set_conf, forward_free, NULL,
};

struct way *forward_new(struct loop *l, const struct conf *c, struct stats_thread *stats, unsigned sockets)
{
	struct forwarder *fw = mem_calloc(1, sizeof *fw);

	if (fw == NULL)
		return NULL;
	fw->way.kind = &forward_kind;
	fw->loop = l;
	fw->conf = c;
	fw->stats = stats;
	port_pool_init(&fw->pool, l, sockets, errand_port_ready, fw);
	return &fw->way;
}

struct server_set *forward_add_servers(struct way *w, const char *zone, unsigned n, char *const *addrs, unsigned *bad)
{
	struct forwarder *fw = (struct forwarder *)w;
	struct server_set **sets, *set = server_set_new(zone, n, addrs, bad);

	if (set == NULL)
		return NULL;
	sets = mem_realloc(fw->sets, (fw->n_sets + 1) * sizeof *sets);
	if (sets == NULL) {
		server_set_free(set);
		return NULL;
	}
	fw->sets = sets;
	sets[fw->n_sets++] = set;
	for (unsigned i = 0; i < set->n; i++) {
		struct server *s = &set->servers[i];

		stream_init(&s->stream, fw->loop, &s->ports.sa, s->ports.sa_len, &errand_stream_events, fw);
		s->stream.gauge = &s->figures.streams;
	}
	return set;
}

bool forward_add_figures(const struct way *w, unsigned i, struct upstream_server *sum)
{
	const struct forwarder *fw = (const struct forwarder *)w;

	for (unsigned k = 0; k < fw->n_sets; k++) {
		const struct server_set *set = fw->sets[k];

		if (i < set->n) {
			const struct server *s = &set->servers[i];

			sum->zone = set->zone;
			sum->address = s->text;
			figures_sum(&s->figures, clock_real_mono_ms(), sum);
			return true;
		}
		i -= set->n;
	}
	return false;
}
