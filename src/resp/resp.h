/* SPDX-License-Identifier: BSD-3-Clause */
/* The door of the resp room: a server that speaks the Redis protocol, over a command table it is handed. Knows no DNS.
 *
 * Commands run one at a time in the server's thread. One that takes longer than a millisecond does its work in slices
 * (resp_continue), or waits for somebody (resp_park); its client's later commands wait meanwhile, other clients go on. A client
 * that does not read its replies is not read from; one whose single reply passes the limit is cut, and counted.
 *
 * Memory: a quiet connection holds none of the buffers. The server lends its own to the connection it serves and takes
 * them back when all was parsed and written, so that steady traffic allocates nothing.
 * Thread: the loop's own, all of it. */
#ifndef PITH_RESP_RESP_H
#define PITH_RESP_RESP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "resp/reply.h"

struct conf;
struct loop;
struct stats;
struct stats_thread;
struct resp_client;
struct resp_server;
struct resp_command;

/* ---- commands ----------------------------------------------------------------------------------------------------- */

struct resp_arg {
	const char *p; /* len bytes, not terminated; valid during the call only */
	size_t len;
};

struct resp_call {
	struct resp_client *client;
	struct resp_out *out;   /* where the reply goes */
	void *owner;            /* resp_options.owner */
	const struct resp_command *command;
	unsigned argc;          /* the command's name included; of a subcommand too */
	const struct resp_arg *argv;
};
/* Writes exactly one reply and returns STEP_DONE, or returns what resp_continue or resp_park gave. */
typedef enum step resp_fn(struct resp_call *r);

enum {
	RESP_CMD_WRITE = 1 << 0,    /* changes keys */
	RESP_CMD_READONLY = 1 << 1,
	RESP_CMD_ADMIN = 1 << 2,
	RESP_CMD_FAST = 1 << 3,
	RESP_CMD_NO_AUTH = 1 << 4,  /* allowed before AUTH */
	RESP_CMD_LOADING = 1 << 5,
	RESP_CMD_STALE = 1 << 6,
	RESP_CMD_NOSCRIPT = 1 << 7,
	RESP_CMD_SKIP_SLOWLOG = 1 << 8,
	RESP_CMD_BLOCKING = 1 << 9,
	RESP_CMD_SENSITIVE = 1 << 10, /* arguments hold secrets: never in the slow log, nor shown by MONITOR */
	RESP_CMD_UNPAUSE = 1 << 13,   /* runs in spite of CLIENT PAUSE */
	RESP_CMD_ALL_KEYS = 1 << 12,  /* reaches keys that no argument names */
	RESP_CMD_PUBSUB = 1 << 11,    /* allowed to a RESP2 connection that has subscriptions */
};

struct resp_command {
	const char *name;       /* lower case; of a subcommand: its own word only */
	const char *full_name;  /* "object|freq" */
	resp_fn *fn;            /* NULL: a container that needs a subcommand */
	int arity;              /* words, name included; negative: at least so many */
	uint32_t flags;
	uint32_t id;            /* index into the statistics, 0 … n_ids-1, no two alike */
	const struct resp_command *subs;
	unsigned n_subs;
	const void *docs;       /* whoever made the table knows */
};

struct resp_table {
	const struct resp_command *commands; /* sorted by name */
	unsigned n, n_ids;
};

/* Is the argument this word, without case? */
bool resp_arg_is(const struct resp_arg *a, const char *word);
/* As a signed decimal number; false when it is none. */
bool resp_arg_int(const struct resp_arg *a, int64_t *n);

/* ---- commands that take their time -------------------------------------------------------------------------------- */

/* One slice of a long command: well under a millisecond of work. STEP_DONE when the reply stands in resp_client_out(c), else STEP_PENDING. */
typedef enum step resp_slice(struct resp_client *c, void *state);
/* Calls slice from the loop until it is done. drop(state) comes exactly once: after the last slice, or when the client goes. */
enum step resp_continue(struct resp_call *r, resp_slice *slice, void *state, void (*drop)(void *state));
/* Blocks the client until resp_unpark. drop as above: a state that is dropped must no longer unpark. */
enum step resp_park(struct resp_call *r, void *state, void (*drop)(void *state));
/* The reply stands in resp_client_out(c); never inside of the parking call. */
void resp_unpark(struct resp_client *c);
/* Same for a parked command that must go on in slices. */
void resp_unpark_continue(struct resp_client *c, resp_slice *slice);
struct resp_out *resp_client_out(struct resp_client *c);
/* Cuts the client as one whose reply passes the output limit. Safe inside of a command or slice. */
void resp_client_cut(struct resp_client *c);

/* ---- the server --------------------------------------------------------------------------------------------------- */

struct resp_options {
	struct loop *loop;
	struct stats_thread *stats;
	const struct conf *conf;   /* takes a reference */
	struct resp_table table;
	void *owner;               /* handed to commands */
	/* A command that is not in the table: true when it wrote a reply of its own. May be NULL. */
	bool (*unknown)(struct resp_call *r);
	/* May the client run this command? False: the error is written. NULL: everybody may, once authenticated. */
	bool (*permit)(struct resp_call *r, const struct resp_command *c);
	/* A connection begins, or is as it was when it began (RESET): sets who it is. NULL: authenticated unless there is a requirepass. */
	void (*greet)(void *owner, struct resp_client *c);
};
/* Listens on conf's bind × port. NULL: err says why. */
struct resp_server *resp_server_new(const struct resp_options *o, char *err, size_t cap);
/* Closes everything; slices and parked commands are dropped. */
void resp_server_free(struct resp_server *s);
void resp_server_set_conf(struct resp_server *s, const struct conf *c);
/* Number of open connections; of those whose command is under way. */
unsigned resp_clients(const struct resp_server *s);
unsigned resp_clients_blocked(const struct resp_server *s);
/* Bytes that connections hold in buffers. Walks them. */
struct resp_memory {
	size_t total, largest_in, largest_out;
};
struct resp_memory resp_clients_memory(const struct resp_server *s);
/* Name → command, without case; NULL. */
const struct resp_command *resp_command_find(const struct resp_server *s, const char *name, size_t len);
const struct resp_command *resp_subcommand_find(const struct resp_command *c, const char *name, size_t len);

/* ---- what the server counts ---------------------------------------------------------------------------------------- */

enum { RESP_LATENCY_BUCKETS = 32 }; /* bucket i: below 2^i microseconds, and not below 2^(i-1) */
struct resp_command_stats {
	uint64_t calls, usec, rejected, failed;
	uint32_t latency[RESP_LATENCY_BUCKETS];
};
const struct resp_command_stats *resp_stats_of(const struct resp_server *s, const struct resp_command *c);
/* Upper end, in microseconds, of the bucket below which a share of q of the calls lie. */
double resp_latency_percentile(const struct resp_command_stats *st, double q);
void resp_stats_reset(struct resp_server *s);

/* Errors by the first word of their text. */
struct resp_error_count {
	char code[24];
	uint64_t n;
};
const struct resp_error_count *resp_errors(const struct resp_server *s, unsigned *n);

/* The slow log: newest first. */
enum { RESP_SLOW_ARGS = 32, RESP_SLOW_ARG_LEN = 128 };
struct resp_slow_entry {
	uint64_t id, wall_s, usec;
	unsigned argc;
	struct resp_arg argv[RESP_SLOW_ARGS];
	char peer[64];
	char *name;
};
unsigned resp_slow_len(const struct resp_server *s);
/* i: 0 is the newest; NULL beyond the last. */
const struct resp_slow_entry *resp_slow_at(const struct resp_server *s, unsigned i);
void resp_slow_reset(struct resp_server *s);

/* Latency events: the worst of each second in which a command took longer than latency-monitor-threshold. */
enum resp_event { RESP_EVENT_COMMAND, RESP_EVENT_FAST_COMMAND, RESP_EVENTS };
enum { RESP_EVENT_SAMPLES = 160 };
struct resp_latency_event {
	uint32_t at_s[RESP_EVENT_SAMPLES], ms[RESP_EVENT_SAMPLES]; /* a ring */
	unsigned n, next;
	uint32_t max_ms;
};
const char *resp_event_name(enum resp_event e);
struct resp_latency_event *resp_latency_event(struct resp_server *s, enum resp_event e);

/* ---- channels, patterns, MONITOR, streams -------------------------------------------------------------------------- */

enum resp_topic { RESP_CHANNEL, RESP_PATTERN, RESP_TOPICS };
/* 0 (also when it was subscribed already), ERR_RANGE (over pubsub-max-subscriptions), ERR_NOMEM. */
int resp_subscribe(struct resp_client *c, enum resp_topic kind, const char *name, size_t len);
void resp_unsubscribe(struct resp_client *c, enum resp_topic kind, const char *name, size_t len);
/* The name of one of the client's subscriptions, valid until it ends; NULL when it has none. */
const char *resp_subscribed_to(const struct resp_client *c, enum resp_topic kind, size_t *len);
/* Channels and patterns together. */
unsigned resp_subscriptions(const struct resp_client *c);
/* How many got it: once for the channel, and once for each pattern that fits. */
unsigned resp_publish(struct resp_server *s, const char *channel, size_t len, const char *msg, size_t msg_len);
/* Topics that somebody is subscribed to; how many are subscribed to one; all of their names. */
unsigned resp_topics(const struct resp_server *s, enum resp_topic kind);
unsigned resp_subscribers(const struct resp_server *s, enum resp_topic kind, const char *name, size_t len);
void resp_topics_each(const struct resp_server *s, enum resp_topic kind, void (*fn)(void *arg, const char *name, size_t len), void *arg);

/* What is written to the returned buffer between the two goes to the client as it stands, behind the reply that is under way. */
struct resp_out *resp_push_begin(struct resp_client *c);
void resp_push_end(struct resp_client *c);
/* The client gets a line for each command of anybody. */
void resp_client_set_monitor(struct resp_client *c, bool yes);
/* The client is fed by somebody until it goes or is reset: then drop(stream) comes, once. Both NULL: no longer. */
void resp_client_set_stream(struct resp_client *c, void *stream, void (*drop)(void *stream));
/* Bytes that wait to be written to it. */
size_t resp_client_owed(const struct resp_client *c);

/* ---- one client --------------------------------------------------------------------------------------------------- */

enum resp_reply_mode { RESP_REPLY_ON, RESP_REPLY_OFF, RESP_REPLY_SKIP, RESP_REPLY_SKIPPING };

/* What CLIENT LIST shows; the commands of connections set the rest through the functions below. */
struct resp_client_info {
	uint64_t id, age_s, idle_s;
	int fd;
	const char *peer, *local;            /* "127.0.0.1:4711", "[::1]:4711" */
	const char *name, *lib_name, *lib_ver; /* "" when not set */
	const char *last;                    /* full name of the last command, or "NULL" */
	uint8_t proto;
	bool authenticated, no_evict, no_touch, blocked, closing, monitor;
	unsigned channels, patterns;         /* subscribed to */
	size_t in_used, in_free, out_len, args_mem, total_mem;
	uint64_t net_in, net_out, commands;
};
void resp_client_info(const struct resp_client *c, struct resp_client_info *i);
struct resp_server *resp_client_server(const struct resp_client *c);
uint64_t resp_client_id(const struct resp_client *c);
bool resp_client_authenticated(const struct resp_client *c);
bool resp_client_no_touch(const struct resp_client *c);
/* Who it has come in as: whatever the owner sets, NULL at first. */
const void *resp_client_user(const struct resp_client *c);
void resp_client_set_user(struct resp_client *c, const void *user);
void resp_client_set_authenticated(struct resp_client *c, bool yes);
void resp_client_set_proto(struct resp_client *c, uint8_t proto);
/* A copy is kept; 0 or ERR_NOMEM. len 0: none. */
enum resp_client_text { RESP_NAME, RESP_LIB_NAME, RESP_LIB_VER, RESP_TEXTS };
int resp_client_set_text(struct resp_client *c, enum resp_client_text which, const char *p, size_t len);
void resp_client_set_no_evict(struct resp_client *c, bool yes);
void resp_client_set_no_touch(struct resp_client *c, bool yes);
/* CLIENT PAUSE: until then (milliseconds of the real monotonic clock) commands of clients wait, all of them or those that write; 0 ends it.
 * A longer pause is not shortened by a second one; what ends a pause (RESP_CMD_UNPAUSE) never waits. */
void resp_pause(struct resp_server *s, uint64_t until_ms, bool writes_only);
void resp_client_set_reply(struct resp_client *c, enum resp_reply_mode m);
/* As it was when it connected (RESET). */
void resp_client_reset(struct resp_client *c);
/* Closes it once its replies are written. */
void resp_client_close_after_reply(struct resp_client *c);
/* Closes it now; safe from any command (of another client or of its own: then after the reply). */
void resp_client_kill(struct resp_client *c, const struct resp_client *by);
/* All clients, oldest first; the next one must be fetched before the present one is killed. */
struct resp_client *resp_client_first(const struct resp_server *s);
struct resp_client *resp_client_next(const struct resp_client *c);

#endif
