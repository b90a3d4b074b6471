/* SPDX-License-Identifier: BSD-3-Clause */
/* The RESP server over a table of its own: connections, limits, slices, blocking, accounts. */
#include <errno.h>
#include <fcntl.h>

#include "resp/resp.h"
#include "served.h"

#include "base/alloc.h"

/* ---- the table ---- */

static enum step ping(struct resp_call *r)
{
	resp_simple(r->out, "PONG");
	return STEP_DONE;
}

static enum step echo(struct resp_call *r)
{
	resp_bulk(r->out, r->argv[1].p, r->argv[1].len);
	return STEP_DONE;
}

static enum step big(struct resp_call *r)
{
	int64_t n;
	char line[1000] = { 0 };

	if (!resp_arg_int(&r->argv[1], &n)) {
		resp_error(r->out, "ERR value is not an integer or out of range");
		return STEP_DONE;
	}
	resp_array(r->out, (size_t)n);
	for (int64_t i = 0; i < n; i++)
		resp_bulk(r->out, line, sizeof line);
	return STEP_DONE;
}

struct work {
	int64_t left;
};
static int dropped; /* the server's thread; read after it ended */

static enum step work_slice(struct resp_client *c, void *state)
{
	struct work *w = state;

	if (--w->left > 0)
		return STEP_PENDING;
	resp_simple(resp_client_out(c), "WORKED");
	return STEP_DONE;
}

static void work_drop(void *state)
{
	dropped++;
	mem_free(state);
}

static enum step work(struct resp_call *r)
{
	struct work *w = mem_alloc(sizeof *w);

	resp_arg_int(&r->argv[1], &w->left);
	return resp_continue(r, work_slice, w, work_drop);
}

static struct resp_client *parked;

static void parked_drop(void *state)
{
	(void)state;
	dropped++;
	parked = NULL;
}

static enum step park(struct resp_call *r)
{
	parked = r->client;
	return resp_park(r, NULL, parked_drop);
}

static enum step wake(struct resp_call *r)
{
	if (parked) {
		resp_simple(resp_client_out(parked), "AWAKE");
		resp_unpark(parked);
	}
	resp_ok(r->out);
	return STEP_DONE;
}

static enum step login(struct resp_call *r)
{
	resp_client_set_authenticated(r->client, true);
	resp_ok(r->out);
	return STEP_DONE;
}

static enum step reply(struct resp_call *r)
{
	resp_client_set_reply(r->client, resp_arg_is(&r->argv[1], "off") ? RESP_REPLY_OFF : resp_arg_is(&r->argv[1], "skip") ?
			      RESP_REPLY_SKIP : RESP_REPLY_ON);
	resp_ok(r->out);
	return STEP_DONE;
}

static enum step quit(struct resp_call *r)
{
	resp_ok(r->out);
	resp_client_close_after_reply(r->client);
	return STEP_DONE;
}

static enum step murder(struct resp_call *r)
{
	for (struct resp_client *c = resp_client_first(resp_client_server(r->client)), *next; c; c = next) {
		next = resp_client_next(c);
		if (c != r->client)
			resp_client_kill(c, r->client);
	}
	resp_ok(r->out);
	return STEP_DONE;
}

static const struct resp_command box_subs[] = { { "item", "box|item", ping, 3, 0, 9, NULL, 0, NULL } };
static const struct resp_command commands[] = {
	{ "big", "big", big, 2, 0, 0, NULL, 0, NULL },
	{ "box", "box", NULL, -2, 0, 1, box_subs, 1, NULL },
	{ "echo", "echo", echo, 2, 0, 2, NULL, 0, NULL },
	{ "login", "login", login, 1, RESP_CMD_NO_AUTH, 3, NULL, 0, NULL },
	{ "murder", "murder", murder, 1, 0, 4, NULL, 0, NULL },
	{ "park", "park", park, 1, 0, 5, NULL, 0, NULL },
	{ "ping", "ping", ping, 1, RESP_CMD_FAST, 6, NULL, 0, NULL },
	{ "quit", "quit", quit, 1, RESP_CMD_NO_AUTH, 7, NULL, 0, NULL },
	{ "reply", "reply", reply, 2, 0, 8, NULL, 0, NULL },
	{ "wake", "wake", wake, 1, 0, 10, NULL, 0, NULL },
	{ "work", "work", work, 2, 0, 11, NULL, 0, NULL },
};

static struct served s;
static struct resp_server *server;

static void begin(const char *const *words)
{
	char err[200];

	dropped = 0;
	parked = NULL;
	served_begin(&s, words);
	server = resp_server_new(&(struct resp_options){ .loop = s.loop, .stats = stats_of(s.stats, 0), .conf = s.conf,
							 .table = { commands, sizeof commands / sizeof *commands, 12 } }, err, sizeof err);
	check_eq_str(err, "");
	check(server);
	served_go(&s);
}

/* Ends the server; what it counted can then be looked at. */
static void halt(void)
{
	served_halt(&s);
}

static void end(void)
{
	resp_server_free(server);
	served_end(&s);
}
#define BEGIN(...) begin((const char *const[]){ __VA_ARGS__, NULL })

/* ---- tests ---- */

static void test_commands_in_one_piece_and_byte_by_byte(void)
{
	static const char text[] = "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nEcHo\r\n$3\r\na\r\n\r\nping\r\n";

	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, text);
	served_hear(fd, "+PONG\r\n$3\r\na\r\n\r\n+PONG\r\n");
	for (const char *p = text; *p; p++) {
		served_send(fd, p, 1);
		if (unit_below(4) == 0)
			usleep(200);
	}
	served_hear(fd, "+PONG\r\n$3\r\na\r\n\r\n+PONG\r\n");
	close(fd);
	halt();
	end();
}

static void test_refusals_have_the_words_that_clients_know(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "foo a b\r\nbox\r\nbox zip x\r\nbox item\r\nping a\r\n");
	served_hear(fd, "-ERR unknown command 'foo', with args beginning with: 'a' 'b' \r\n"
			"-ERR wrong number of arguments for 'box' command\r\n"
			"-ERR unknown subcommand 'zip'. Try BOX HELP.\r\n"
			"-ERR wrong number of arguments for 'box|item' command\r\n"
			"-ERR wrong number of arguments for 'ping' command\r\n");
	served_say(fd, "*1\r\n!\r\n");
	served_hear(fd, "-ERR Protocol error: expected '$', got '!'\r\n");
	served_closed(fd);
	close(fd);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_ERROR_REPLIES), 6);
	check_eq_int(stats_sum(s.stats, STAT_CLIENTS), 0);
	check_eq_int(resp_stats_of(server, &commands[6])->rejected, 1);
	end();
}

static void test_a_browser_gets_nothing_done(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "POST / HTTP/1.1\r\nping\r\n");
	served_closed(fd);
	close(fd);
	halt();
	check_eq_int(resp_stats_of(server, &commands[6])->calls, 0);
	end();
}

static void test_without_the_password_nothing_works(void)
{
	BEGIN("--requirepass", "x");
	int fd = served_socket(&s);
	served_say(fd, "ping\r\n");
	served_hear(fd, "-NOAUTH Authentication required.\r\n");
	served_say(fd, "login\r\nping\r\n");
	served_hear(fd, "+OK\r\n+PONG\r\n");
	close(fd);
	fd = served_socket(&s);
	served_say(fd, "*1\r\n$20000\r\n");
	served_hear(fd, "-ERR Protocol error: unauthenticated bulk length\r\n");
	served_closed(fd);
	close(fd);
	halt();
	end();
}

static void test_one_client_too_many_is_told_so(void)
{
	BEGIN("--maxclients", "2");
	int a = served_socket(&s), b = served_socket(&s);
	served_say(a, "ping\r\n");
	served_say(b, "ping\r\n");
	served_hear(a, "+PONG\r\n");
	served_hear(b, "+PONG\r\n");
	int c = served_socket(&s);
	served_hear(c, "-ERR max number of clients reached\r\n");
	served_closed(c);
	close(a);
	close(b);
	close(c);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_REJECTED_CONNECTIONS), 1);
	check_eq_int(stats_sum(s.stats, STAT_CONNECTIONS), 2);
	end();
}

static void test_a_long_command_delays_its_own_client_only(void)
{
	begin(NULL);
	int busy = served_socket(&s), other = served_socket(&s);

	served_say(busy, "work 100000000\r\nping\r\n"); /* would take minutes */
	for (unsigned i = 0; i < 100; i++) {
		served_say(other, "ping\r\n");
		served_hear(other, "+PONG\r\n");
	}
	fcntl(busy, F_SETFL, O_NONBLOCK);
	char c;
	check(recv(busy, &c, 1, 0) < 0 && errno == EAGAIN);
	served_say(other, "murder\r\n");
	served_hear(other, "+OK\r\n");
	close(busy);
	close(other);
	halt();
	check_eq_int(dropped, 1);
	check_eq_int(resp_clients_blocked(server), 0);
	end();
}

static void test_commands_behind_a_long_one_wait_for_it(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "ping\r\nwork 5000\r\nping\r\nwork 1\r\nping\r\n");
	served_hear(fd, "+PONG\r\n+WORKED\r\n+PONG\r\n+WORKED\r\n+PONG\r\n");
	close(fd);
	halt();
	check_eq_int(dropped, 2);
	check_eq_int(resp_stats_of(server, &commands[10])->calls, 2);
	end();
}

static void test_a_parked_command_ends_when_it_is_woken(void)
{
	begin(NULL);
	int sleeper = served_socket(&s), other = served_socket(&s);
	served_say(sleeper, "park\r\nping\r\n");
	do
		served_say(other, "wake\r\n"), served_hear(other, "+OK\r\n");
	while (recv(sleeper, &(char){ 0 }, 1, MSG_DONTWAIT | MSG_PEEK) < 0);
	served_hear(sleeper, "+AWAKE\r\n+PONG\r\n");
	served_say(sleeper, "park\r\n"); /* and goes while it is parked */
	served_say(other, "ping\r\n");
	served_hear(other, "+PONG\r\n");
	close(sleeper);
	halt();
	close(other);
	end();
	check_eq_int(dropped, 2);
}

static void test_a_half_closed_connection_still_gets_its_answers(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "work 1000\r\nping\r\n*1\r\n$4\r\nPI");
	shutdown(fd, SHUT_WR);
	served_hear(fd, "+WORKED\r\n+PONG\r\n");
	served_closed(fd);
	close(fd);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_CLIENTS), 0);
	end();
}

static void test_quit_answers_and_closes_and_runs_nothing_more(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "ping\r\nquit\r\nping\r\n");
	served_hear(fd, "+PONG\r\n+OK\r\n");
	served_closed(fd);
	close(fd);
	halt();
	check_eq_int(resp_stats_of(server, &commands[6])->calls, 1);
	end();
}

static void test_replies_can_be_switched_off(void)
{
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "reply skip\r\nping\r\nping\r\nreply off\r\nping\r\nfoo\r\nwork 3\r\nreply on\r\nping\r\n");
	served_hear(fd, "+PONG\r\n+OK\r\n+PONG\r\n");
	close(fd);
	halt();
	end();
}

static void test_a_reply_over_the_limit_cuts_its_client(void)
{
	BEGIN("--client-output-buffer-limit", "1mb");
	int fd = served_socket(&s), other = served_socket(&s);
	served_say(fd, "big 2000\r\n");
	served_closed(fd);
	served_say(other, "ping\r\n");
	served_hear(other, "+PONG\r\n");
	close(fd);
	close(other);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_OUTPUT_LIMIT), 1);
	end();
}

static void test_a_client_that_does_not_read_is_not_read_from(void)
{
	char *line = malloc(1 << 20);
	size_t sent = 0, got = 0;
	ssize_t n;

	BEGIN("--client-output-buffer-limit", "4mb");
	for (unsigned i = 0; i < (1 << 20); i += 8)
		memcpy(line + i, "big 10\r\n", 8);
	int fd = served_socket(&s);
	int flags = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	/* 131,072 commands ask for 1.3 GB: the server takes what fits and lets the rest wait */
	for (unsigned idle = 0; sent < (1 << 20) && idle < 200;) {
		n = send(fd, line + sent % 8, (1 << 20) - sent - sent % 8, MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
		idle = n > 0 ? 0 : idle + 1;
		usleep(1000);
	}
	fcntl(fd, F_SETFL, flags);
	size_t whole = sent / 8, want = whole * (5 + 10 * (1000 + 9));
	want = want < 50u << 20 ? want : 50u << 20;
	char *sink = malloc(1 << 20);
	while (got < want && (n = recv(fd, sink, 1 << 20, 0)) > 0)
		got += (size_t)n;
	check(got >= want);
	close(fd);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_OUTPUT_LIMIT), 0);
	end();
	free(line);
	free(sink);
}

static void test_a_command_over_the_query_limit_closes(void)
{
	BEGIN("--client-query-buffer-limit", "64kb");
	int fd = served_socket(&s);
	char *text = malloc(200000);
	memset(text, 'a', 200000);
	served_say(fd, "*2\r\n$4\r\nECHO\r\n$190000\r\n");
	ssize_t n = send(fd, text, 190000, MSG_NOSIGNAL);
	(void)n;
	served_closed(fd);
	close(fd);
	free(text);
	halt();
	check_eq_int(stats_sum(s.stats, STAT_QUERY_LIMIT), 1);
	end();
}

static void test_a_large_argument_comes_back_whole(void)
{
	enum { LEN = 3000000 };
	char *text = malloc(LEN), *back = malloc(LEN), head[64];
	size_t have = 0;
	ssize_t n = 1;

	begin(NULL);
	for (size_t i = 0; i < LEN; i++)
		text[i] = (char)unit_below(256);
	int fd = served_socket(&s);
	served_say(fd, "*2\r\n$4\r\nECHO\r\n$3000000\r\n");
	served_send(fd, text, LEN);
	served_say(fd, "\r\nping\r\n");
	served_hear(fd, "$3000000\r\n");
	while (have < LEN && (n = recv(fd, back + have, LEN - have, 0)) > 0)
		have += (size_t)n;
	check(have == LEN && memcmp(text, back, LEN) == 0);
	snprintf(head, sizeof head, "\r\n+PONG\r\n");
	served_hear(fd, head);
	close(fd);
	halt();
	end();
	free(text);
	free(back);
}

static void test_idle_clients_are_closed_after_the_timeout(void)
{
	BEGIN("--timeout", "1s");
	int fd = served_socket(&s);
	served_say(fd, "ping\r\n");
	served_hear(fd, "+PONG\r\n");
	served_closed(fd); /* within served_socket's patience */
	close(fd);
	halt();
	check_eq_int(resp_clients(server), 0);
	end();
}

static void test_a_quiet_connection_holds_no_buffers(void)
{
	begin(NULL);
	int fds[20];
	for (unsigned i = 0; i < 20; i++) {
		fds[i] = served_socket(&s);
		served_say(fds[i], "big 20\r\nping\r\n");
	}
	for (unsigned i = 0; i < 20; i++) {
		char sink[20 * 1009 + 6 + 7];
		size_t have = 0;
		while (have < sizeof sink - 1) {
			ssize_t n = recv(fds[i], sink + have, sizeof sink - 1 - have, 0);
			check(n > 0);
			have += (size_t)n;
		}
	}
	halt();
	struct resp_memory m = resp_clients_memory(server);
	check_eq_int(resp_clients(server), 20);
	check_eq_int(m.largest_in, 0);
	check_eq_int(m.largest_out, 0);
	check(m.total < 300 * 1024); /* the server's two spare buffers and 20 clients */
	for (unsigned i = 0; i < 20; i++)
		close(fds[i]);
	end();
}

static void test_slow_commands_are_remembered_newest_first(void)
{
	BEGIN("--slowlog-log-slower-than", "0", "--slowlog-max-len", "3");
	int fd = served_socket(&s);
	served_say(fd, "ping\r\necho a\r\necho b\r\nwork 2\r\n");
	served_hear(fd, "+PONG\r\n$1\r\na\r\n$1\r\nb\r\n+WORKED\r\n");
	close(fd);
	halt();
	check_eq_int(resp_slow_len(server), 3);
	check_eq_mem(resp_slow_at(server, 0)->argv[0].p, resp_slow_at(server, 0)->argv[0].len, "work", 4);
	check_eq_int(resp_slow_at(server, 0)->id, 3);
	check_eq_int(resp_slow_at(server, 1)->argc, 2);
	check_mem(resp_slow_at(server, 1)->argv[1].p, "b", 1);
	check_mem(resp_slow_at(server, 2)->argv[1].p, "a", 1);
	check(!resp_slow_at(server, 3));
	resp_slow_reset(server);
	check_eq_int(resp_slow_len(server), 0);
	end();
}

static void test_a_port_in_use_is_said(void)
{
	char err[200];

	begin(NULL);
	halt(); /* its listener still stands */
	struct resp_server *second = resp_server_new(&(struct resp_options){ .loop = s.loop, .stats = stats_of(s.stats, 0), .conf = s.conf,
									     .table = { commands, sizeof commands / sizeof *commands, 12 } },
						     err, sizeof err);
	check(!second);
	check(strstr(err, "cannot listen on 127.0.0.1 port") && strstr(err, "Address already in use"));
	end();
}
