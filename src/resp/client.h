/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the resp room share: a server's and a client's own fields.
 *
 * A client's life: made by accept (server.c), served by client_serve (client.c), ended by client_end, which may be asked for
 * at any depth: it only marks, and the sweep at the end of the turn frees. So no pointer to a client dies under a command.
 * Thread: the loop's own. */
#ifndef PITH_RESP_CLIENT_H
#define PITH_RESP_CLIENT_H

#include "loop/loop.h"
#include "resp/parse.h"
#include "resp/resp.h"

enum {
	CLIENT_READ = 64 * 1024,          /* bytes asked for in one read */
	CLIENT_WRITE = 1024 * 1024,       /* bytes handed to one write */
	CLIENT_SOFT_OUT = 1024 * 1024,    /* no further command while more than this waits to be written */
	CLIENT_BATCH_NS = 500 * 1000,     /* commands of one client in one turn */
	CLIENT_SLICE_NS = 100 * 1000,     /* slices of long commands in one turn */
	CLIENT_KEEP = 256 * 1024,         /* a larger spare buffer is given back */
};

struct client_in {
	char *data;
	size_t off, len, cap;  /* bytes off … len wait */
};

struct resp_client {
	struct resp_client *next, *prev;  /* all clients, by age */
	struct resp_client *turn_next;    /* in the server's queue of those who have more to do without waiting */
	bool in_turn;
	bool paused;                      /* its next command waits for the end of CLIENT PAUSE; it is whole and parsed */
	size_t ready;                     /* that command's bytes */
	bool ended;                       /* freed at the end of this turn */
	bool closing;                     /* once its replies are written */
	bool authenticated, no_evict, no_touch, eof;
	enum resp_reply_mode reply_mode;
	const void *user;

	struct resp_server *server;
	struct io io;
	uint64_t id, born_ms, active_ms;
	struct client_in in;
	struct resp_parser parser;
	struct resp_out out;
	size_t sent;                      /* bytes of out that went already */

	/* what comes without having been asked for: pubsub.c */
	struct sub *subs[RESP_TOPICS];
	unsigned n_subs[RESP_TOPICS];
	bool monitor;
	bool in_command;                  /* a reply is under way: what is pushed waits in held */
	struct resp_out held;
	void *stream;
	void (*stream_drop)(void *stream);

	/* the command under way, when it takes its time */
	bool blocked;
	resp_slice *slice;                /* NULL: parked */
	void *state;
	void (*drop)(void *state);
	uint64_t blocked_ns;              /* CPU time it has used so far */
	size_t reply_at;                  /* where its reply begins in out */
	unsigned errors_before;

	const struct resp_command *last;
	char *text[RESP_TEXTS];
	char peer[64], local[64];
	uint64_t net_in, net_out, commands;
};

struct listener {
	struct io io;
	struct resp_server *server;
	struct listener *next;
};

struct slow_log;

struct topics {
	struct topic **buckets;           /* a power of two; NULL before the first */
	uint32_t mask;
	unsigned n;
};

struct resp_server {
	struct resp_options o;
	struct loop *loop;
	const struct conf *conf;
	struct listener *listeners;
	struct resp_client *clients, *clients_last;
	struct resp_client *timeout_at;   /* where the search for idle clients goes on */
	unsigned n_clients, n_blocked, n_ended;
	uint64_t next_id;
	struct resp_client *turn_first, *turn_last;
	struct timer turn, cron, accept_pause;

	struct client_in spare_in;        /* lent to the client that is served */
	struct resp_out spare_out;
	struct resp_arg *argv;
	unsigned argv_cap;

	const struct resp_command **by_hash; /* open addressing; a power of two */
	unsigned hash_mask;
	struct resp_command_stats *stats;
	struct resp_error_count *errors;
	unsigned n_errors;
	struct slow_log *slow;
	struct resp_latency_event events[RESP_EVENTS];
	struct topics topics[RESP_TOPICS];
	unsigned n_monitors;
	uint64_t pause_until_ms;          /* 0: no pause */
	bool pause_writes;                /* only what writes waits */
	struct timer pause;
	struct resp_out line;             /* MONITOR's, made once for all who watch */
};

/* ---- client.c ---- */

/* A connection that was accepted. fd is taken over, also on failure (NULL). */
struct resp_client *client_new(struct resp_server *s, int fd, const char *peer, const char *local);
/* Who it is, at its beginning. */
void client_greet(struct resp_client *c);
/* No more reading, writing or commands; freed by client_sweep. Twice is fine. */
void client_end(struct resp_client *c);
/* Frees what ended. Only from the loop's own callbacks, never below a command. */
void client_sweep(struct resp_server *s);
/* Runs what waits in its input, as far as the turn goes, and writes. */
void client_serve(struct resp_client *c);
/* Bytes in its buffers. */
size_t client_memory(const struct resp_client *c);
/* Lends it the server's reply buffer when it has none; takes it back once all is written. */
void client_lend_out(struct resp_client *c);
void client_take_back_out(struct resp_client *c);
/* Ends it when a reply did not fit. */
void client_cut_if_failed(struct resp_client *c);
/* The command under way is no longer: its state is dropped. */
void client_unblock(struct resp_client *c);

/* ---- turn.c ---- */

/* The timer's: everybody in the queue has a turn. */
void server_turn(void *arg);
/* It has more to do without waiting for its socket. */
void client_queue(struct resp_client *c);

/* ---- dispatch.c ---- */

int dispatch_begin(struct resp_server *s, const struct resp_table *t);
void dispatch_end(struct resp_server *s);
/* Runs the command in argv; start_ns is the time now, and the return value the time when it was done. */
uint64_t dispatch(struct resp_client *c, unsigned argc, const struct resp_arg *argv, uint64_t start_ns);
/* Must this command wait for the end of a pause? */
bool dispatch_waits(const struct resp_client *c, unsigned argc, const struct resp_arg *argv);
/* The timer's: the pause is over. */
void pause_over(void *arg);
/* A blocked command is done: its time and its errors are accounted for, its state dropped. */
void dispatch_finish(struct resp_client *c);

/* ---- pubsub.c ---- */

/* The reply under way is whole: what was pushed meanwhile goes behind it. */
void pubsub_release(struct resp_client *c);
/* Ends the client's subscriptions, its watching and its stream. */
void pubsub_client_end(struct resp_client *c);
void pubsub_end(struct resp_server *s);
/* Tells those who watch of a command; only when there are any. */
void monitor_feed(struct resp_client *from, unsigned argc, const struct resp_arg *argv);

/* ---- account.c ---- */

int account_begin(struct resp_server *s, unsigned n_commands);
void account_end(struct resp_server *s);
/* One command took usec. */
void account_command(struct resp_client *c, const struct resp_command *cmd, uint64_t usec, bool failed);
void account_error(struct resp_server *s, const char *reply, size_t len);
/* Remembers it when it was slow. */
void account_slow(struct resp_client *c, const struct resp_command *cmd, unsigned argc, const struct resp_arg *argv, uint64_t usec);

#endif
