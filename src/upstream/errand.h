/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the forwarder: one question under way (an errand), its tries, and the forwarder's state.
 *
 * forward.c decides whom to ask and when; errand.c sends, and judges what comes back. */
#ifndef PITH_UPSTREAM_ERRAND_H
#define PITH_UPSTREAM_ERRAND_H

#include "stats/stats.h"
#include "upstream/kind.h"
#include "upstream/servers.h"
#include "wire/wire.h"

enum {
	ERRAND_TRIES = 6,     /* UDP queries of one errand that may still be answered; the oldest gives way */
	ERRAND_MOVES = 24,    /* sends of one errand, in all */
	ERRAND_DRAIN = 16,    /* packets read from one socket in a row */
	ERRAND_HEDGE_MIN_MS = 5,  /* sooner no second is sent: the first answer is as good as here */
	ERRAND_HEDGES_MAX = 1600, /* saved up by questions that needed none, in hundredths */
	ERRAND_WHY_MAX = 128,
	ERRAND_ECS_MAX = 20,  /* family, two lengths, 16 bytes of address (RFC 7871 §6) */
	ERRAND_QUERY_MAX = DNS_HEADER_LEN + NAME_MAX_LEN + 4 + 11 + 4 + ERRAND_ECS_MAX,
};

struct forwarder {
	struct way way;
	struct loop *loop;
	const struct conf *conf;
	struct stats_thread *stats;
	struct port_pool pool;
	struct server_set **sets;
	unsigned n_sets;
	struct errand *first;
	unsigned pending;      /* errands that somebody waits for */
	unsigned hedges;       /* how many may be sent, in hundredths */
	uint8_t packet[DNS_MSG_MAX];
};

struct try {
	struct slot slot;      /* first member: found by it */
	struct errand *errand;
	struct server *server;
	uint64_t sent_us;
	bool cased, edns, ecs; /* as sent */
	bool counted;          /* in the server's in_flight */
};

struct tcp_try {
	struct stream_slot slot; /* first member */
	struct errand *errand;
	struct server *server;
	uint64_t sent_us;
	bool edns, ecs;
	bool for_case;         /* asked over TCP because the case of the name came back changed */
	bool counted;
};

struct errand {
	struct upstream_job job; /* first member */
	struct forwarder *forwarder;
	struct server_set *set;
	struct errand *prev, *next;
	upstream_done *done;   /* NULL: a probe, nobody waits */
	void *arg;
	struct server *pinned; /* probe: the only server */
	struct timer timer;    /* the present try's patience, or the errand's */
	uint64_t deadline_ms;
	struct try tries[ERRAND_TRIES];
	struct tcp_try tcp;
	struct try *last;      /* the UDP try that the timer watches; NULL: TCP */
	struct try *hedged;    /* the one that a second was sent besides, while both may be answered in time */
	bool hedge_due;        /* the timer waits for the time to send that second one */
	unsigned moves;
	uint32_t asked;        /* servers asked in this round, a bit each */
	uint32_t failed;       /* servers that answered with a failure or cannot be reached: not asked again */
	bool network;          /* one of them could not be reached */
	bool answered;         /* one of them gave an answer, and it was a failure */
	bool plain;            /* without EDNS, for the server that did not like it */
	bool caseless;         /* without random case, likewise */
	bool subnetless;       /* without ECS, likewise */
	bool tcp_again;        /* a reused connection was lost, and the question put once more */
	int ede;               /* of the last failure */
	char why[ERRAND_WHY_MAX];
	const char *server_text;
	bool cd;
	uint16_t type, rrclass;
	uint8_t name_len, ecs_len;
	uint8_t ecs[ERRAND_ECS_MAX];
	uint8_t name[NAME_MAX_LEN];
	uint8_t cased[NAME_MAX_LEN]; /* the name as sent: 0x20 */
};

/* ---- errand.c: sending, and judging answers ---- */

/* Puts the question to s over UDP. 0, or negative: it could not be sent. */
int errand_send_udp(struct errand *f, struct server *s);
/* The same over TCP, *without* touching the UDP tries. */
int errand_send_tcp(struct errand *f, struct server *s, bool for_case);
/* Nothing more is expected of the try; one that is not under way may be given too. */
void try_release(struct try *t);
void tcp_release(struct tcp_try *t);
/* A socket of the pool is readable. */
void errand_port_ready(struct port *p, void *forwarder);
extern const struct stream_events errand_stream_events;

/* ---- forward.c: what to do next ---- */

/* Asks the next server, or ends the errand when none is left. */
void errand_next(struct errand *f);
/* Asks s (again), or the next one when that fails. */
void errand_ask(struct errand *f, struct server *s, bool tcp, bool for_case);
/* s is not to be asked again; then errand_next. */
void errand_server_failed(struct errand *f, struct server *s, bool network);
/* Ends the errand with this answer. */
void errand_finish_ok(struct errand *f, struct server *s, const uint8_t *msg, size_t len, const struct edns *e, uint8_t ecs_scope);
/* Keeps what the failure's OPT says, for the case that nobody knows better. */
void errand_note(struct errand *f, struct server *s, const struct edns *e, unsigned rcode);

#endif
