/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending an errand's question, and judging what comes back.
 *
 * An answer counts only if address and port (the kernel: sockets are connected), ID and question match what was sent, the question in
 * its exact case (draft-vixie-dnsext-dns0x20); all else is dropped and counted, and the wait goes on. When only the case differs, it is
 * either a forger who guessed port and ID, or a server that does not keep the case: TCP, which cannot be forged from afar,
 * tells the two apart, and gives the answer too.
 * DO is always set, so that one fetch serves clients with and without it. An AD bit is not looked at: whoever sits between us and a
 * forwarder could set it, so `secure` stays false (RFC 4035 §4.9.3 asks for a secure channel).
 *
 * A server that answers FORMERR or NOTIMP without an OPT of its own knows no EDNS (RFC 6891 §7) and is asked again without. Silence
 * is not taken for that: since 2019 nobody works around servers that drop EDNS. */
#include "upstream/errand.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "config/config.h"

static int query_build(const struct errand *f, uint8_t *out, uint16_t id, bool cased, bool edns, bool ecs)
{
	uint8_t opts[4 + ERRAND_ECS_MAX];
	size_t opts_len = 0;
	int len;

	if (ecs) {
		store_be16(opts, EDNS_ECS);
		store_be16(opts + 2, f->ecs_len);
		memcpy(opts + 4, f->ecs, f->ecs_len);
		opts_len = 4 + (size_t)f->ecs_len;
	}
	len = query_write(out, ERRAND_QUERY_MAX, id, (uint16_t)(FLAG_RD | (f->cd ? FLAG_CD : 0)), cased ? f->cased : f->name, f->name_len,
			  f->type, edns ? (uint16_t)f->forwarder->conf->forward_udp_size : 0, edns, opts, opts_len);
	if (len > 0)
		store_be16(out + DNS_HEADER_LEN + f->name_len + 2, f->rrclass);
	return len;
}

static bool speaks_edns(const struct errand *f, const struct server *s)
{
	return !f->plain && clock_real_mono_ms() >= s->no_edns_until_ms;
}

static bool sends_ecs(const struct errand *f, bool edns)
{
	return f->ecs_len > 0 && edns && !f->subnetless;
}

static void count_sent(struct errand *f, struct server *s, bool *counted)
{
	*counted = true;
	figure_move(&s->figures.in_flight, 1);
	figure_add(&s->figures.sent, 1);
	stat_inc(f->forwarder->stats, STAT_UPSTREAM_SENT);
}

static void count_over(struct server *s, bool *counted)
{
	if (*counted)
		figure_move(&s->figures.in_flight, -1);
	*counted = false;
}

void try_release(struct try *t)
{
	count_over(t->server, &t->counted);
	port_release(&t->slot);
}

void tcp_release(struct tcp_try *t)
{
	count_over(t->server, &t->counted);
	stream_release(&t->slot);
}

/* A place among the tries: a free one, else the oldest. */
static struct try *try_place(struct errand *f)
{
	struct try *oldest = &f->tries[0];

	for (int i = 0; i < ERRAND_TRIES; i++) {
		struct try *t = &f->tries[i];

		if (t->slot.port == NULL)
			return t;
		if (t->sent_us < oldest->sent_us)
			oldest = t;
	}
	try_release(oldest);
	return oldest;
}

int errand_send_udp(struct errand *f, struct server *s)
{
	struct try *t = try_place(f);
	uint8_t query[ERRAND_QUERY_MAX];
	int len, err = port_take(&f->forwarder->pool, &s->ports, &t->slot);
	ssize_t n;

	if (err != 0)
		return err;
	t->errand = f;
	t->server = s;
	t->cased = !f->caseless && clock_real_mono_ms() >= s->no_case_until_ms;
	t->edns = speaks_edns(f, s);
	t->sent_us = clock_real_mono_ns() / 1000;
	t->ecs = sends_ecs(f, t->edns);
	len = query_build(f, query, t->slot.id, t->cased, t->edns, t->ecs);
	n = len > 0 ? send(t->slot.port->fd, query, (size_t)len, MSG_NOSIGNAL) : -1;
	/* The socket may report what an earlier query met (ECONNREFUSED): this one was not sent yet. */
	if (n < 0 && len > 0 && errno == ECONNREFUSED)
		n = send(t->slot.port->fd, query, (size_t)len, MSG_NOSIGNAL);
	/* A full send buffer is like a packet lost on the way: the timer sees to it. */
	if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) {
		port_release(&t->slot);
		return ERR_SYS;
	}
	f->last = t;
	count_sent(f, s, &t->counted);
	return 0;
}

int errand_send_tcp(struct errand *f, struct server *s, bool for_case)
{
	uint8_t query[ERRAND_QUERY_MAX];
	struct tcp_try *t = &f->tcp;
	int len, err;

	tcp_release(t);
	t->errand = f;
	t->server = s;
	t->for_case = for_case;
	t->edns = speaks_edns(f, s);
	t->sent_us = clock_real_mono_ns() / 1000;
	t->ecs = sends_ecs(f, t->edns);
	len = query_build(f, query, 0, true, t->edns, t->ecs);
	err = len > 0 ? stream_send(&s->stream, &t->slot, query, (size_t)len) : len;
	if (err != 0)
		return err;
	f->last = NULL;
	count_sent(f, s, &t->counted);
	figure_add(&s->figures.tcp, 1);
	stat_inc(f->forwarder->stats, STAT_UPSTREAM_TCP);
	return 0;
}

enum match { MATCH_NO, MATCH_BUT_CASE, MATCH_EXACT };

/* Is the question of msg the one we asked, with the name as in `sent`? */
static enum match question_match(const uint8_t *msg, size_t len, const struct dns_header *h, const struct errand *f, const uint8_t *sent)
{
	const uint8_t *q = msg + DNS_HEADER_LEN, *end = msg + len;

	if (h->qdcount != 1 || end - q < f->name_len + 4 || name_len(q, end) != f->name_len)
		return MATCH_NO;
	if (load_be16(q + f->name_len) != f->type || load_be16(q + f->name_len + 2) != f->rrclass)
		return MATCH_NO;
	if (memcmp(q, sent, f->name_len) == 0)
		return MATCH_EXACT;
	return name_equal(q, f->name_len, f->name, f->name_len) ? MATCH_BUT_CASE : MATCH_NO;
}

/* Walks all records. False: malformed. *e is the OPT's, *len loses what trails behind the last record. */
static bool answer_read(const uint8_t *msg, size_t *len, struct edns *e)
{
	struct msg_reader r;
	struct wire_rr rr;
	int more;

	memset(e, 0, sizeof *e);
	e->ede = EDE_NONE;
	if (msg_begin(&r, msg, *len) != 0)
		return false;
	while ((more = msg_next(&r, &rr)) == 1) {
		if (rr.type != RRTYPE_OPT || rr.section != SECTION_ADDITIONAL)
			continue;
		if (e->present || edns_read(&r, &rr, e) != 0)
			return false;
	}
	if (more != 0)
		return false;
	*len = r.off;
	return true;
}

/* An authoritative server in a forwarder's place refers us elsewhere, and offers no recursion. */
static bool is_referral(const struct dns_header *h)
{
	return (h->flags & FLAG_RCODE_MASK) == RCODE_NOERROR && h->ancount == 0 && !(h->flags & (FLAG_RA | FLAG_AA));
}

/* RFC 7871 §7.3: family, source length and address must be those that were asked for. */
static bool subnet_match(const struct errand *f, const struct edns *e)
{
	return e->ecs == NULL || (e->ecs_len == f->ecs_len && memcmp(e->ecs, f->ecs, 3) == 0 && memcmp(e->ecs + 4, f->ecs + 4, f->ecs_len - 4u) == 0);
}

/* What an answer that matches is worth. edns, ecs: the query had an OPT, and a subnet in it. */
static void answer_judge(struct errand *f, struct server *s, const uint8_t *msg, size_t len, bool edns, bool ecs, bool tcp)
{
	struct stats_thread *stats = f->forwarder->stats;
	struct dns_header h = { 0 };
	struct edns e;
	unsigned rcode;

	(void)header_read(msg, len, &h);
	if ((h.flags & FLAG_TC) && !tcp) {
		errand_ask(f, s, true, false);
		return;
	}
	if (!answer_read(msg, &len, &e) || (h.flags & FLAG_TC)) {
		stat_inc(stats, STAT_UPSTREAM_BAD);
		errand_server_failed(f, s, false);
		return;
	}
	if (ecs && !subnet_match(f, &e)) {
		stat_inc(stats, STAT_UPSTREAM_MISMATCH);
		errand_server_failed(f, s, false);
		return;
	}
	rcode = (h.flags & FLAG_RCODE_MASK) | (unsigned)e.ext_rcode << 4;
	if ((rcode == RCODE_FORMERR || rcode == RCODE_NOTIMP) && edns && !e.present) {
		f->plain = true;
		errand_ask(f, s, tcp, false);
		return;
	}
	/* Some refuse whoever tells them a subnet (RFC 7871 §7.1.3). */
	if (rcode == RCODE_REFUSED && ecs) {
		f->subnetless = true;
		errand_ask(f, s, tcp, false);
		return;
	}
	/* YXDOMAIN is an answer too: a DNAME made the name too long (RFC 6672 §2.2). */
	if ((rcode == RCODE_NOERROR || rcode == RCODE_NXDOMAIN || rcode == RCODE_YXDOMAIN) && !is_referral(&h)) {
		if (f->plain && !edns)
			s->no_edns_until_ms = clock_real_mono_ms() + SERVER_QUIRK_MS;
		errand_finish_ok(f, s, msg, len, &e, ecs && e.ecs ? e.ecs[3] : 0);
		return;
	}
	errand_note(f, s, &e, rcode);
	errand_server_failed(f, s, false);
}

static void server_heard(struct server *s, uint64_t sent_us)
{
	uint64_t now_ns = clock_real_mono_ns();

	server_answered(s, now_ns / 1000 > sent_us ? now_ns / 1000 - sent_us : 0, now_ns / 1000000);
}

/* RFC 1035's servers may answer FORMERR with nothing but the header. */
static bool is_bare_error(const struct dns_header *h)
{
	unsigned rcode = h->flags & FLAG_RCODE_MASK;

	return h->qdcount == 0 && (rcode == RCODE_FORMERR || rcode == RCODE_NOTIMP);
}

static void udp_packet(struct forwarder *fw, struct port *p, const uint8_t *msg, size_t len)
{
	struct dns_header h;
	struct slot *slot;
	struct try *t;
	enum match match;

	if (!header_read(msg, len, &h) || !(h.flags & FLAG_QR) || (h.flags & FLAG_OPCODE_MASK) != 0 || !(slot = port_find(p, h.id))) {
		stat_inc(fw->stats, STAT_UPSTREAM_MISMATCH);
		return;
	}
	t = (struct try *)slot;
	match = question_match(msg, len, &h, t->errand, t->cased ? t->errand->cased : t->errand->name);
	if (match == MATCH_NO && !is_bare_error(&h)) {
		stat_inc(fw->stats, STAT_UPSTREAM_MISMATCH);
		return;
	}
	if (match == MATCH_BUT_CASE && t->cased) {
		stat_inc(fw->stats, STAT_UPSTREAM_MISMATCH);
		if (t->errand->tcp.slot.stream == NULL) {
			try_release(t);
			errand_ask(t->errand, t->server, true, true);
		}
		return;
	}
	try_release(t);
	server_heard(t->server, t->sent_us);
	answer_judge(t->errand, t->server, msg, len, t->edns, t->ecs, false);
}

/* The network says that nobody listens there: all that was asked on p goes elsewhere. */
static void port_failed(struct port *p)
{
	uint64_t now_ms = clock_real_mono_ms();

	for (unsigned n = p->in_flight; n > 0; n--) {
		struct try *t = (struct try *)port_any(p);

		if (t == NULL)
			break;
		try_release(t);
		server_was_silent(t->server, t->sent_us / 1000, 0, now_ms);
		if (t == t->errand->last)
			errand_server_failed(t->errand, t->server, true);
	}
}

void errand_port_ready(struct port *p, void *forwarder)
{
	struct forwarder *fw = forwarder;

	for (int i = 0; i < ERRAND_DRAIN; i++) {
		ssize_t n = recv(p->fd, fw->packet, sizeof fw->packet, 0);

		if (n >= 0) {
			udp_packet(fw, p, fw->packet, (size_t)n);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno != EINTR) {
			port_retire(p);
			port_failed(p);
			return;
		}
	}
}

static void stream_message(struct stream *st, uint8_t *msg, size_t len, void *arg)
{
	struct forwarder *fw = arg;
	struct dns_header h;
	struct stream_slot *slot;
	struct tcp_try *t;
	enum match match;

	if (!header_read(msg, len, &h) || !(h.flags & FLAG_QR) || (h.flags & FLAG_OPCODE_MASK) != 0 || !(slot = stream_find(st, h.id))) {
		stat_inc(fw->stats, STAT_UPSTREAM_MISMATCH);
		return;
	}
	t = (struct tcp_try *)slot;
	match = question_match(msg, len, &h, t->errand, t->errand->cased);
	if (match == MATCH_NO && !is_bare_error(&h)) {
		stat_inc(fw->stats, STAT_UPSTREAM_MISMATCH);
		return;
	}
	if (match == MATCH_BUT_CASE)
		t->server->no_case_until_ms = clock_real_mono_ms() + SERVER_QUIRK_MS;
	tcp_release(t);
	server_heard(t->server, t->sent_us);
	answer_judge(t->errand, t->server, msg, len, t->edns, t->ecs, true);
}

/* Over TCP the server cannot be reached, after its UDP answers came in another case: it is taken for one that does not keep it. */
static void stream_lost(struct stream_slot *slot, bool reused, void *arg)
{
	struct tcp_try *t = (struct tcp_try *)slot;
	struct errand *f = t->errand;

	(void)arg;
	count_over(t->server, &t->counted);
	if (reused && !f->tcp_again) {
		f->tcp_again = true;
		errand_ask(f, t->server, true, t->for_case);
	} else if (t->for_case) {
		t->server->no_case_until_ms = clock_real_mono_ms() + SERVER_QUIRK_MS;
		f->caseless = true;
		errand_ask(f, t->server, false, false);
	} else {
		errand_server_failed(f, t->server, true);
	}
}

const struct stream_events errand_stream_events = { stream_message, stream_lost };
