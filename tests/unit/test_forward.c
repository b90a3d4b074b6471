/* SPDX-License-Identifier: BSD-3-Clause */
/* The forwarder against servers of our own on loopback, each a thread that answers as the test says. */
#include "unit.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "config/config.h"
#include "fake_dns.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "upstream/forward.h"
#include "wire/wire.h"

/* ---- our side ---- */

static struct side {
	struct loop *loop;
	struct conf *conf;
	struct stats *stats;
	struct stats_thread *st;
	struct way *way;
	struct route route;
	unsigned left;         /* answers the loop runs for */
} side;
static unsigned side_sockets = 512; /* that the forwarder may open */

struct heard {
	unsigned n;
	enum upstream_status status;
	uint8_t msg[2048];
	size_t len;
	int ede, source;
	bool secure;
	char why[128], server[128];
	struct upstream_job *job;
};

static void side_open_with(unsigned n, char **addrs, unsigned argc, char **argv)
{
	char err[256] = "";
	unsigned bad;

	memset(&side, 0, sizeof side);
	side.loop = loop_new();
	check_eq_int(conf_load(NULL, (int)argc, argv, &side.conf, err, sizeof err), 0);
	side.stats = stats_new(1);
	side.st = stats_of(side.stats, 0);
	side.way = forward_new(side.loop, side.conf, side.st, side_sockets);
	check(side.way != NULL);
	side.route = (struct route){ .way = side.way, .servers = forward_add_servers(side.way, ".", n, addrs, &bad) };
	check(side.route.servers != NULL);
}

static void side_open_timeout(struct fake *a, struct fake *b, char *timeout)
{
	char *args[] = { "--forward-timeout", timeout };
	char *addrs[2] = { a->addr, b ? b->addr : NULL };

	side_open_with(b ? 2 : 1, addrs, 2, args);
}

/* So patient that a busy machine makes no difference. */
static void side_open(struct fake *a, struct fake *b)
{
	side_open_timeout(a, b, "10s");
}

static void side_close(void)
{
	side.way->kind->free(side.way);
	stats_free(side.stats);
	conf_unref(side.conf);
	loop_free(side.loop);
}

static void heard_reply(void *arg, const struct upstream_reply *r)
{
	struct heard *h = arg;

	h->n++;
	h->status = r->status;
	h->len = r->len < sizeof h->msg ? r->len : sizeof h->msg;
	if (r->msg)
		memcpy(h->msg, r->msg, h->len);
	h->ede = r->ede;
	h->source = r->source;
	h->secure = r->secure;
	snprintf(h->why, sizeof h->why, "%s", r->why ? r->why : "");
	snprintf(h->server, sizeof h->server, "%s", r->server ? r->server : "");
	h->job = NULL;
	if (--side.left == 0)
		loop_stop(side.loop);
}

static void ask_full(struct heard *h, const char *name, uint32_t timeout_ms, bool cd, const uint8_t *ecs, size_t ecs_len)
{
	uint8_t wire[NAME_MAX_LEN];
	int len = name_from_text(name, strlen(name), wire);
	struct upstream_ask a = { .name = wire, .name_len = (uint8_t)len, .type = RRTYPE_A, .rrclass = CLASS_IN, .timeout_ms = timeout_ms,
				  .cd = cd, .ecs = ecs, .ecs_len = (uint16_t)ecs_len };

	memset(h, 0, sizeof *h);
	check(len > 0);
	check_eq_int(side.way->kind->start(&side.route, &a, heard_reply, h, &h->job), STEP_PENDING);
	check_eq_int(h->n, 0);
	side.left++;
}

static void ask(struct heard *h, const char *name)
{
	ask_full(h, name, 15000, false, NULL, 0);
}

static void on_late(void *arg)
{
	(void)arg;
	loop_stop(side.loop);
}

/* Runs until all have answered, 20 s at most. */
static void run_all(void)
{
	struct timer late;

	timer_init(side.loop, &late, on_late, NULL);
	timer_set(&late, 20000);
	if (side.left)
		loop_run(side.loop);
	timer_cancel(&late);
	check_eq_int(side.left, 0);
}

static void run_ms(unsigned ms)
{
	struct timer late;

	timer_init(side.loop, &late, on_late, NULL);
	timer_set(&late, ms);
	loop_run(side.loop);
	timer_cancel(&late);
}

static void check_a(const struct heard *h, int last)
{
	check_eq_int(h->n, 1);
	check_eq_int(h->status, UPSTREAM_OK);
	check(h->len > 12 + 16);
	check_eq_int(load_be16(h->msg + 6), 1);
	for (size_t i = 12; i + 4 <= h->len; i++) {
		if (memcmp(h->msg + i, "\xc0\x00\x02", 3) == 0 && h->msg[i - 1] == 4) {
			check_eq_int(h->msg[i + 3], last);
			return;
		}
	}
	check(!"no A record");
}

/* ---- the tests ---- */

static void serve_plain(struct fake_query *q)
{
	fake_answer(q, 0, 7);
}

static void test_a_question_is_answered_whole_with_server_and_source_and_never_secure(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_plain);
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	check_eq_int(side.way->kind->pending(side.way), 1);
	run_all();
	check_a(&h, 7);
	check_eq_int(h.ede, EDE_NONE);
	check_eq_int(h.source, 2);
	check(!h.secure);
	check_eq_str(h.server, k.addr);
	check_eq_int(side.way->kind->pending(side.way), 0);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_SENT), 1);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_ANSWERS), 1);
	side_close();
	fake_stop(&k);
}

static void test_a_server_on_ipv6_is_asked_like_any_other(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);
	struct sockaddr_in6 lo = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool v6 = fd >= 0 && bind(fd, (struct sockaddr *)&lo, sizeof lo) == 0;
	struct fake k;
	struct heard h;

	if (fd >= 0)
		close(fd);
	if (!v6) {
		puts("no IPv6 on this machine");
		return;
	}
	fake_start_on(&k, serve_plain, "::1");
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	run_all();
	check_a(&h, 7);
	check_eq_str(h.server, k.addr);
	side_close();
	fake_stop(&k);
}

static void serve_check_query(struct fake_query *q)
{
	const uint8_t *opt = q->msg + q->question_end;

	/* RD and CD; OPT with size 1232, DO, and the subnet option. */
	check_eq_int(load_be16(q->msg + 2), 0x0110);
	check_eq_int(q->len - q->question_end, 11 + 4 + 7);
	check_eq_int(load_be16(opt + 3), 1232);
	check_eq_int(opt[7], 0x80);
	check_mem(opt + 9, "\0\x0b\0\x08\0\x07\0\x01\x18\0\xc0\0\x02", 13);
	fake_answer(q, 0, 1);
}

static void test_a_query_carries_cd_do_our_size_and_the_client_subnet(void)
{
	static const uint8_t ecs[] = { 0, 1, 24, 0, 192, 0, 2 };
	struct fake k;
	struct heard h;

	fake_start(&k, serve_check_query);
	side_open(&k, NULL);
	ask_full(&h, "www.example.test.", 15000, true, ecs, sizeof ecs);
	run_all();
	check_a(&h, 1);
	side_close();
	fake_stop(&k);
}

/* Forgeries first: wrong ID, wrong type, wrong name, no response at all, too short; the real answer last. */
static void serve_forged(struct fake_query *q)
{
	uint8_t out[512];
	size_t len = fake_reply(q, out, 0, 66, true, NULL, 0);

	out[0] ^= 0x55;
	fake_send(q, out, len);
	out[0] ^= 0x55;
	out[q->question_end - 3] ^= 1;
	fake_send(q, out, len);
	out[q->question_end - 3] ^= 1;
	out[13] = out[13] == 'x' ? 'y' : 'x';
	fake_send(q, out, len);
	out[13] = q->msg[13];
	out[2] &= 0x7f;
	fake_send(q, out, len);
	fake_send(q, out, 5);
	fake_answer(q, 0, 7);
}

static void test_answers_that_do_not_match_are_dropped_and_counted(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_forged);
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	run_all();
	check_a(&h, 7);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_MISMATCH), 5);
	side_close();
	fake_stop(&k);
}

/* First to the very port and with the very ID, but from another socket. */
static void serve_from_elsewhere(struct fake_query *q)
{
	uint8_t out[512];
	size_t len = fake_reply(q, out, 0, 66, true, NULL, 0);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	check(sendto(fd, out, len, 0, (struct sockaddr *)&q->from, q->from_len) == (ssize_t)len);
	close(fd);
	fake_answer(q, 0, 7);
}

static void test_a_packet_from_another_address_is_not_an_answer(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_from_elsewhere);
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	run_all();
	check_a(&h, 7);
	side_close();
	fake_stop(&k);
}

static void serve_twice(struct fake_query *q)
{
	fake_answer(q, 0, 7);
	fake_answer(q, 0, 8);
}

static void test_a_second_answer_is_dropped_and_counted(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_twice);
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	run_all();
	run_ms(50);
	check_a(&h, 7);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_MISMATCH), 1);
	side_close();
	fake_stop(&k);
}

static void test_ids_and_ports_differ_from_query_to_query(void)
{
	enum { N = 256 };
	struct fake k;
	static struct heard h[N];
	unsigned same_id = 0, ports = 0;

	fake_start(&k, serve_plain);
	side_open(&k, NULL);
	for (int i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof name, "n%d.example.test.", i);
		ask(&h[i], name);
		run_all();
	}
	for (int i = 1; i < N; i++) {
		bool fresh = true;

		same_id += k.ids[i] == k.ids[i - 1];
		for (int j = 0; j < i; j++)
			fresh &= k.ports[j] != k.ports[i];
		ports += fresh;
	}
	check(same_id <= 2);
	/* The first PORTS_ACTIVE queries have a port each; later ones share, 32 at most. */
	check(ports >= 15);
	side_close();
	fake_stop(&k);
}

static void serve_never(struct fake_query *q)
{
	(void)q;
}

static void test_the_deadline_is_kept_when_nobody_answers(void)
{
	struct fake k;
	struct heard h;
	struct timespec a, b;

	fake_start(&k, serve_never);
	side_open_timeout(&k, NULL, "150ms");
	clock_gettime(CLOCK_MONOTONIC, &a);
	ask_full(&h, "www.example.test.", 400, false, NULL, 0);
	run_all();
	clock_gettime(CLOCK_MONOTONIC, &b);
	check_eq_int(h.n, 1);
	check_eq_int(h.status, UPSTREAM_TIMEOUT);
	check_eq_int(h.ede, EDE_NO_REACHABLE_AUTHORITY);
	check((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 >= 395);
	/* Put again after each 150 ms, when the machine lets us. */
	check(atomic_load(&k.seen) >= 1 && atomic_load(&k.seen) <= 3);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_TIMEOUTS), stats_sum(side.stats, STAT_UPSTREAM_SENT));
	side_close();
	fake_stop(&k);
}

static void test_the_next_server_is_asked_when_one_is_silent(void)
{
	struct fake dead, alive;
	struct heard h;

	fake_start(&dead, serve_never);
	fake_start(&alive, serve_plain);
	side_open_timeout(&dead, &alive, "150ms");
	for (int i = 0; i < 12; i++) {
		ask(&h, "www.example.test.");
		run_all();
		check_a(&h, 7);
		check_eq_str(h.server, alive.addr);
	}
	/* The silent one was tried, then left alone but for a probe. */
	check(atomic_load(&dead.seen) <= 8);
	side_close();
	fake_stop(&dead);
	fake_stop(&alive);
}

static void test_a_port_where_nobody_listens_is_noticed_at_once(void)
{
	struct fake closed, alive;
	struct heard h[8];

	fake_start(&closed, serve_never);
	fake_stop(&closed);
	fake_start(&alive, serve_plain);
	side_open(&closed, &alive);
	for (int i = 0; i < 8; i++)
		ask_full(&h[i], "www.example.test.", 9000, false, NULL, 0); /* less than forward-timeout */
	run_all();
	for (int i = 0; i < 8; i++)
		check_a(&h[i], 7);
	side_close();

	side_open(&closed, NULL);
	ask(&h[0], "www.example.test.");
	run_all();
	check_eq_int(h[0].status, UPSTREAM_FAILED);
	check_eq_int(h[0].ede, EDE_NETWORK_ERROR);
	side_close();
	fake_stop(&alive);
}

static void serve_servfail(struct fake_query *q)
{
	static const uint8_t ede[] = { 0, 15, 0, 9, 0, 6, 'n', 'o', ' ', 'k', 'e', 'y', 7 };
	uint8_t out[512];

	fake_send(q, out, fake_reply(q, out, RCODE_SERVFAIL, 0, true, ede, sizeof ede));
}

static void serve_refused(struct fake_query *q)
{
	fake_answer(q, RCODE_REFUSED, 0);
}

static void serve_garbage(struct fake_query *q)
{
	uint8_t out[512];
	size_t len = fake_reply(q, out, 0, 7, false, NULL, 0);

	fake_send(q, out, len - 3);
}

static void test_a_failure_leads_to_the_next_server_and_only_then_to_an_error(void)
{
	static void (*const bad[])(struct fake_query *) = { serve_servfail, serve_refused, serve_garbage };
	struct fake a, b;
	struct heard h;

	for (int i = 0; i < 3; i++) {
		fake_start(&a, bad[i]);
		fake_start(&b, serve_plain);
		side_open(&a, &b);
		for (int j = 0; j < 4; j++) {
			ask(&h, "www.example.test.");
			run_all();
			check_a(&h, 7);
		}
		check(atomic_load(&a.seen) >= 1);
		side_close();
		side_open(&a, NULL);
		ask(&h, "www.example.test.");
		run_all();
		check_eq_int(h.status, UPSTREAM_FAILED);
		check_eq_int(h.ede, i == 0 ? EDE_BOGUS : i == 1 ? EDE_NO_REACHABLE_AUTHORITY : EDE_INVALID_DATA);
		check_eq_str(i == 0 ? h.why : "no key?", "no key?");
		side_close();
		fake_stop(&a);
		fake_stop(&b);
	}
}

static void serve_nxdomain_with_ede(struct fake_query *q)
{
	static const uint8_t ede[] = { 0, 15, 0, 2, 0, 17 };
	uint8_t out[512];

	fake_send(q, out, fake_reply(q, out, RCODE_NXDOMAIN, 0, true, ede, sizeof ede));
}

static void test_nxdomain_is_an_answer_and_its_ede_is_passed_on(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_nxdomain_with_ede);
	side_open(&k, NULL);
	ask(&h, "www.example.test.");
	run_all();
	check_eq_int(h.status, UPSTREAM_OK);
	check_eq_int(h.msg[3] & 15, RCODE_NXDOMAIN);
	check_eq_int(h.ede, EDE_FILTERED);
	side_close();
	fake_stop(&k);
}

/* Over UDP truncated; over TCP two at a time, the later first. */
static void serve_tcp_pairs(struct fake_query *q)
{
	struct fake *k = q->fake;

	if (!q->tcp) {
		fake_answer(q, FLAG_TC, 0);
		return;
	}
	memcpy(k->held[k->n_held], q->msg, q->len);
	k->held_len[k->n_held++] = q->len;
	if (k->n_held < 2)
		return;
	for (int i = 1; i >= 0; i--) {
		struct fake_query again = *q;

		again.msg = k->held[i];
		again.len = k->held_len[i];
		fake_answer(&again, 0, k->held[i][13] | 0x20);
	}
	k->n_held = 0;
}

static void test_truncated_answers_come_over_one_tcp_connection_in_any_order(void)
{
	struct fake k;
	struct heard h[20];

	fake_start(&k, serve_tcp_pairs);
	side_open(&k, NULL);
	for (int i = 0; i < 20; i++) {
		char name[] = "a.example.test.";

		name[0] = (char)('a' + i);
		ask(&h[i], name);
	}
	run_all();
	for (int i = 0; i < 20; i++)
		check_a(&h[i], 'a' + i);
	check_eq_int(atomic_load(&k.conns), 1);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_TCP), 20);
	side_close();
	fake_stop(&k);
}

/* Closes the connection after each answer. */
static void serve_tcp_once(struct fake_query *q)
{
	fake_answer(q, q->tcp ? 0 : FLAG_TC, q->tcp ? 7 : 0);
	if (q->tcp)
		shutdown(q->fd, SHUT_RDWR);
}

static void test_a_connection_that_the_server_closed_is_opened_again(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_tcp_once);
	side_open(&k, NULL);
	for (int i = 0; i < 4; i++) {
		ask(&h, "www.example.test.");
		run_all();
		check_a(&h, 7);
	}
	check_eq_int(atomic_load(&k.conns), 4);
	side_close();
	fake_stop(&k);
}

static void serve_lower_case(struct fake_query *q)
{
	for (size_t i = 12; i < q->question_end - 4; i++)
		q->msg[i] = byte_lower(q->msg[i]);
	fake_answer(q, 0, 7);
}

static void test_a_server_that_changes_the_case_is_asked_over_tcp_once_and_then_without_random_case(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_lower_case);
	side_open(&k, NULL);
	for (int i = 0; i < 5; i++) {
		ask(&h, "a-rather-long-name-with-many-letters.example.test.");
		run_all();
		check_a(&h, 7);
	}
	check_eq_int(atomic_load(&k.seen_tcp), 1);
	check_eq_int(stats_sum(side.stats, STAT_UPSTREAM_MISMATCH), 1);
	side_close();
	fake_stop(&k);
}

static void serve_no_edns(struct fake_query *q)
{
	uint8_t out[512];

	if (!q->edns) {
		fake_answer(q, 0, 7);
	} else if (q->nth % 2) {
		fake_send(q, out, fake_reply(q, out, RCODE_NOTIMP, 0, false, NULL, 0));
	} else {
		memcpy(out, q->msg, 12);
		store_be16(out + 2, 0x8181);
		memset(out + 4, 0, 8);
		fake_send(q, out, 12);
	}
}

static void test_a_server_without_edns_is_asked_again_without_and_remembered(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_no_edns);
	side_open(&k, NULL);
	for (int i = 0; i < 5; i++) {
		ask(&h, "www.example.test.");
		run_all();
		check_a(&h, 7);
	}
	check_eq_int(atomic_load(&k.seen), 6);
	side_close();
	fake_stop(&k);
}

/* The first query is answered when the second comes: late, but an answer. */
static void serve_slow(struct fake_query *q)
{
	struct fake *k = q->fake;

	if (q->nth == 0) {
		memcpy(k->held[0], q->msg, q->len);
		k->held[1][0] = 0;
		memcpy(k->held[2], &q->from, q->from_len);
	} else {
		struct fake_query first = *q;

		first.msg = k->held[0];
		memcpy(&first.from, k->held[2], q->from_len);
		fake_answer(&first, 0, 9);
	}
}

static void test_a_slow_answer_counts_though_the_question_was_put_again(void)
{
	struct fake k;
	struct heard h;

	fake_start(&k, serve_slow);
	side_open_timeout(&k, NULL, "150ms");
	ask(&h, "www.example.test.");
	run_all();
	check_a(&h, 9);
	check(atomic_load(&k.seen) >= 2);
	side_close();
	fake_stop(&k);
}

static void test_a_cancelled_question_is_never_answered(void)
{
	struct fake k;
	struct heard a, b;

	fake_start(&k, serve_plain);
	side_open(&k, NULL);
	ask(&a, "a.example.test.");
	ask(&b, "b.example.test.");
	side.way->kind->cancel(a.job);
	side.left--;
	run_all();
	run_ms(50);
	check_eq_int(a.n, 0);
	check_a(&b, 7);
	check_eq_int(side.way->kind->pending(side.way), 0);
	side_close();
	fake_stop(&k);
}

static void test_freeing_with_questions_under_way_calls_nobody(void)
{
	struct fake k;
	static struct heard h[50];

	fake_start(&k, serve_tcp_pairs);
	side_open(&k, NULL);
	for (int i = 0; i < 49; i++)
		ask(&h[i], "www.example.test.");
	run_ms(30);
	side.way->kind->free(side.way);
	for (int i = 0; i < 49; i++)
		check(h[i].n <= 1);
	stats_free(side.stats);
	conf_unref(side.conf);
	loop_free(side.loop);
	fake_stop(&k);
}

static void test_no_server_configured_is_a_failure_that_says_so(void)
{
	struct heard h;

	side_open_with(0, NULL, 0, NULL);
	ask(&h, "www.example.test.");
	run_all();
	check_eq_int(h.status, UPSTREAM_FAILED);
	check_eq_str(h.why, "no forwarder is configured for this name");
	side_close();
}

static void test_max_flights_bounds_what_is_under_way(void)
{
	char *args[] = { "--max-flights", "3" };
	struct fake k;
	struct heard h[4];
	uint8_t root = 0;
	struct upstream_ask a = { .name = &root, .name_len = 1, .type = RRTYPE_NS, .rrclass = CLASS_IN, .timeout_ms = 100 };
	char *addrs[1];

	fake_start(&k, serve_plain);
	addrs[0] = k.addr;
	side_open_with(1, addrs, 2, args);
	for (int i = 0; i < 3; i++)
		ask(&h[i], ".");
	check_eq_int(side.way->kind->start(&side.route, &a, heard_reply, &h[3], &h[3].job), STEP_FAILED);
	run_all();
	for (int i = 0; i < 3; i++)
		check_a(&h[i], 7);
	side_close();
	fake_stop(&k);
}

/* Holds 1,000 queries, then answers them all: the last first. */
static struct {
	struct fake_query q[1000];
	uint8_t msg[1000][64];
	unsigned n;
} crowd;

static void serve_crowd(struct fake_query *q)
{
	struct fake_query *mine;

	if (crowd.n == 1000)
		return;
	mine = &crowd.q[crowd.n];
	*mine = *q;
	mine->msg = memcpy(crowd.msg[crowd.n++], q->msg, q->len);
	if (crowd.n < 1000)
		return;
	for (unsigned i = 1000; i-- > 0;) {
		if (i % 50 == 0)
			usleep(1000);
		fake_answer(&crowd.q[i], 0, (crowd.q[i].msg[13] - '0') * 10 + (crowd.q[i].msg[14] - '0') + 1);
	}
}

/* A thousand questions at once, each with an answer of its own. */
static void crowd_run(void)
{
	static struct heard h[1000];
	char *args[] = { "--forward-timeout", "15s" };
	struct fake k;
	char *addrs[1];

	crowd.n = 0;
	fake_start(&k, serve_crowd);
	addrs[0] = k.addr;
	side_open_with(1, addrs, 2, args);
	for (int i = 0; i < 1000; i++) {
		char name[40];

		snprintf(name, sizeof name, "%02d-%d.example.test.", i % 100, i);
		ask_full(&h[i], name, 15000, false, NULL, 0);
		if (i % 50 == 0)
			run_ms(2);
	}
	check_eq_int(side.way->kind->pending(side.way), 1000);
	run_all();
	for (int i = 0; i < 1000; i++)
		check_a(&h[i], i % 100 + 1);
	check_eq_int(atomic_load(&k.seen), 1000);
	side_close();
	fake_stop(&k);
}

static void test_a_thousand_questions_are_under_way_at_once_and_each_gets_its_own_answer(void)
{
	crowd_run();
}

static void test_with_few_sockets_a_thousand_questions_share_them(void)
{
	side_sockets = 8;
	crowd_run();
	side_sockets = 512;
}
