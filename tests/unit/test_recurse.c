/* SPDX-License-Identifier: BSD-3-Clause */
/* The router, and libunbound behind it, with no network: zone files, built-in zones, silent servers on loopback. */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "config/config.h"
#include "fake_dns.h"
#include "loop/loop.h"
#include "stats/stats.h"
#include "upstream/recurse_why.h"
#include "upstream/upstream.h"
#include "wire/wire.h"

struct side {
	struct loop *loop;
	struct conf *conf;
	struct stats *stats;
	struct upstream *up;
	unsigned left;
	char err[512];
};

struct heard {
	struct side *side;
	unsigned n;
	enum upstream_status status;
	unsigned rcode, answers;
	uint32_t ttl; /* of the last record of the answer section */
	size_t len;
	int ede, source;
	bool secure;
	char why[256], server[256];
	struct upstream_job *job;
};

static char folder[64], zone_option[160];

/* A file in this test's own folder; its path. */
static const char *file(const char *name, const char *text)
{
	static char path[128];
	FILE *f;

	if (!folder[0]) {
		strcpy(folder, "/tmp/pith-recurse-XXXXXX");
		check(mkdtemp(folder) != NULL);
	}
	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	check(f != NULL);
	fputs(text, f);
	fclose(f);
	return path;
}

static void files_remove(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	check(folder[0] && system(command) == 0);
	folder[0] = '\0';
}

static const char zone_text[] =
	"$ORIGIN example.test.\n$TTL 300\n"
	"@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\n@ MX 10 mail\nns A 192.0.2.53\n"
	"www A 192.0.2.1\nwww A 192.0.2.2\nalias CNAME www\ndeep CNAME alias\n*.wild TXT \"found\" ; no DNSKEY here\n"
	"away CNAME www.corp.test.\n";

/* The option for example.test. from a fresh file. */
static char *zone(void)
{
	snprintf(zone_option, sizeof zone_option, "\"example.test.\" %s", file("example.zone", zone_text));
	return zone_option;
}

/* Options as pairs up to NULL. False: upstream_new refused; s->err says why. */
static bool side_open(struct side *s, ...)
{
	char *args[32];
	int n = 0;
	va_list ap;

	memset(s, 0, sizeof *s);
	va_start(ap, s);
	while (n < 31 && (args[n] = va_arg(ap, char *)) != NULL)
		n++;
	va_end(ap);
	if (conf_load(NULL, n, args, &s->conf, s->err, sizeof s->err) != 0)
		printf("%s\n", s->err);
	check(s->conf != NULL);
	s->loop = loop_new();
	s->stats = stats_new(1);
	s->up = upstream_new(s->loop, s->conf, stats_of(s->stats, 0), s->err, sizeof s->err);
	return s->up != NULL;
}

static void side_close(struct side *s)
{
	upstream_free(s->up);
	stats_free(s->stats);
	conf_unref(s->conf);
	loop_free(s->loop);
}

static uint32_t answer_ttl(const uint8_t *msg, size_t len)
{
	struct msg_reader m;
	struct wire_rr rr;
	uint32_t ttl = 0;

	if (msg == NULL || msg_begin(&m, msg, len) != 0)
		return 0;
	while (msg_next(&m, &rr) == 1)
		if (rr.section == SECTION_ANSWER)
			ttl = rr.ttl;
	return ttl;
}

static void heard_reply(void *arg, const struct upstream_reply *r)
{
	struct heard *h = arg;

	h->n++;
	h->status = r->status;
	h->rcode = r->msg ? r->msg[3] & 15 : 99;
	h->answers = r->msg ? load_be16(r->msg + 6) : 0;
	h->len = r->len;
	h->ttl = answer_ttl(r->msg, r->len);
	h->ede = r->ede;
	h->source = r->source;
	h->secure = r->secure;
	snprintf(h->why, sizeof h->why, "%s", r->why ? r->why : "");
	snprintf(h->server, sizeof h->server, "%s", r->server ? r->server : "");
	if (--h->side->left == 0)
		loop_stop(h->side->loop);
}

static void ask_in(struct side *s, struct heard *h, const char *name, uint16_t type, bool cd, uint32_t timeout_ms)
{
	uint8_t wire[NAME_MAX_LEN];
	int len = name_from_text(name, strlen(name), wire);
	struct upstream_ask a = { .name = wire, .name_len = (uint8_t)len, .type = type, .rrclass = CLASS_IN, .timeout_ms = timeout_ms, .cd = cd };

	memset(h, 0, sizeof *h);
	h->side = s;
	check(len > 0);
	check_eq_int(upstream_start(s->up, &a, heard_reply, h, &h->job), STEP_PENDING);
	check_eq_int(h->n, 0); /* never inside of start */
	s->left++;
}

static void late(void *arg)
{
	loop_stop(((struct side *)arg)->loop);
}

static void run_for(struct side *s, unsigned ms)
{
	struct timer t;

	timer_init(s->loop, &t, late, s);
	timer_set(&t, ms);
	loop_run(s->loop);
	timer_cancel(&t);
}

static void ask(struct side *s, struct heard *h, const char *name, uint16_t type)
{
	ask_in(s, h, name, type, false, 2000);
	run_for(s, 5000);
	check_eq_int(h->n, 1);
}

static void check_answer(const struct heard *h, unsigned rcode, unsigned answers)
{
	check_eq_int(h->status, UPSTREAM_OK);
	check_eq_int(h->rcode, rcode);
	check_eq_int(h->answers, answers);
}

/* A UDP socket on loopback that never answers. */
static int silent_server(const char *ip, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, ip, &a.sin_addr);
	check(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0);
	return fd;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof a;

	check(getsockname(fd, (struct sockaddr *)&a, &len) == 0);
	return ntohs(a.sin_port);
}

static void check_zone(struct side *s)
{
	struct heard h;

	ask(s, &h, "www.example.test.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 2);
	check_eq_int(h.source, 3);
	check(!h.secure);
	check_eq_str(h.server, "example.test. zone file");
	ask(s, &h, "deep.example.test.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 4);
	ask(s, &h, "x.wild.example.test.", RRTYPE_TXT);
	check_answer(&h, RCODE_NOERROR, 1);
	ask(s, &h, "www.example.test.", RRTYPE_AAAA);
	check_answer(&h, RCODE_NOERROR, 0);
	ask(s, &h, "nope.example.test.", RRTYPE_A);
	check_answer(&h, RCODE_NXDOMAIN, 0);
	ask(s, &h, "example.test.", RRTYPE_SOA);
	check_answer(&h, RCODE_NOERROR, 1);
	ask_in(s, &h, "www.example.test.", RRTYPE_A, true, 2000);
	run_for(s, 5000);
	check_answer(&h, RCODE_NOERROR, 2);
}

static void test_a_zone_file_answers_with_no_network_though_test_is_a_built_in_zone(void)
{
	struct side s;

	check(side_open(&s, "--auth-zone", zone(), NULL));
	check_zone(&s);
	check_eq_int(upstream_pending(s.up), 0);
	check_eq_int(stats_sum(s.stats, STAT_UPSTREAM_ANSWERS), 7);
	side_close(&s);
	files_remove();
}

static void test_a_zone_file_answers_beside_a_forwarder_too(void)
{
	struct side s;
	struct heard h;
	int fd = silent_server("127.0.0.1", 0);
	char addr[32];

	snprintf(addr, sizeof addr, "127.0.0.1@%u", port_of(fd));
	check(side_open(&s, "--resolver", "forward", "--forward-addr", addr, "--auth-zone", zone(), NULL));
	check_zone(&s);
	/* What is outside goes to the forwarder. */
	ask_in(&s, &h, "www.example.net.", RRTYPE_A, false, 100);
	run_for(&s, 5000);
	check_eq_int(h.status, UPSTREAM_TIMEOUT);
	check_eq_int(h.source, 2);
	side_close(&s);
	close(fd);
	files_remove();
}

static void test_localhost_and_private_reverse_names_have_their_built_in_answers(void)
{
	struct side s;
	struct heard h;

	check(side_open(&s, "--auth-zone", zone(), NULL));
	ask(&s, &h, "localhost.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	ask(&s, &h, "1.0.0.127.in-addr.arpa.", RRTYPE_PTR);
	check_answer(&h, RCODE_NOERROR, 1);
	ask(&s, &h, "1.2.168.192.in-addr.arpa.", RRTYPE_PTR);
	check_answer(&h, RCODE_NXDOMAIN, 0);
	ask(&s, &h, "other.test.", RRTYPE_A);
	check_answer(&h, RCODE_NXDOMAIN, 0);
	side_close(&s);
	files_remove();
}

static void test_a_zone_file_for_a_private_reverse_zone_is_not_shadowed(void)
{
	struct side s;
	struct heard h;
	char option[160];

	snprintf(option, sizeof option, "\"in-addr.arpa.\" %s",
		 file("arpa.zone", "$TTL 60\n@ SOA ns h 1 2 3 4 60\n@ NS ns.example.\n1.2.168.192 PTR mine.example.\n1.0.0.10 PTR too.example.\n"));
	check(side_open(&s, "--auth-zone", option, NULL));
	ask(&s, &h, "1.2.168.192.in-addr.arpa.", RRTYPE_PTR);
	check_answer(&h, RCODE_NOERROR, 1);
	ask(&s, &h, "1.0.0.10.in-addr.arpa.", RRTYPE_PTR);
	check_answer(&h, RCODE_NOERROR, 1);
	side_close(&s);
	files_remove();
}

static void test_the_longest_zone_wins_and_a_chain_leads_from_one_zone_into_another(void)
{
	struct side s;
	struct heard h;
	char corp[160], below[160];

	snprintf(corp, sizeof corp, "\"corp.test.\" %s", file("corp.zone", "$TTL 60\n@ SOA ns h 1 2 3 4 60\n@ NS ns\nwww A 192.0.2.7\nwww.lab A 192.0.2.8\n"));
	snprintf(below, sizeof below, "\"LAB.corp.test\" %s", file("lab.zone", "$TTL 60\n@ SOA ns h 1 2 3 4 60\n@ NS ns\nwww A 192.0.2.9\nwww A 192.0.2.10\n"));
	check(side_open(&s, "--auth-zone", corp, "--auth-zone", below, "--auth-zone", zone(), NULL));
	ask(&s, &h, "www.corp.test.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	ask(&s, &h, "www.lab.corp.test.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 2);
	check_eq_str(h.server, "lab.corp.test. zone file");
	ask(&s, &h, "away.example.test.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 2);
	side_close(&s);
	files_remove();
}

static void test_odd_names_go_through_whole(void)
{
	struct side s;
	struct heard h;

	check(side_open(&s, "--auth-zone", zone(), NULL));
	ask(&s, &h, "a\\000b\\.c\\\\d\\\"\\@.wild.example.test.", RRTYPE_TXT);
	check_answer(&h, RCODE_NOERROR, 1);
	side_close(&s);
	files_remove();
}

static void refused(const char *directive, const char *value, const char *words)
{
	struct side s;

	check(!side_open(&s, directive, value, NULL));
	if (!strstr(s.err, directive + 2) || !strstr(s.err, words))
		check_eq_str(s.err, words);
	side_close(&s);
}

static void test_what_cannot_be_is_refused_with_a_sentence_that_names_directive_and_file(void)
{
	char bad[160], empty[160], path[128];

	strcpy(path, file("bad.zone", "$ORIGIN example.test.\n@ 300 SOA ns h 1 2 3 4 5\nwww A 1.2.3.4.5\n"));
	snprintf(bad, sizeof bad, "\"example.test.\" %s", path);
	refused("--auth-zone", bad, path);
	strcpy(path, file("empty.zone", "; nothing, not even a SOA\n"));
	snprintf(empty, sizeof empty, "\"example.test.\" %s", path);
	refused("--auth-zone", empty, "no SOA");
	strcpy(path, file("other.zone", "$ORIGIN example.net.\n@ 300 SOA ns h 1 2 3 4 5\n"));
	snprintf(empty, sizeof empty, "\"example.test.\" %s", path);
	refused("--auth-zone", empty, path);
	strcpy(path, file("bad.key", "this is no key\n"));
	refused("--trust-anchor-file", path, path);
	refused("--root-hints", path, path);
	refused("--local-root", path, path);
	files_remove();
}

static void test_one_zone_twice_is_refused(void)
{
	struct side s;

	check(!side_open(&s, "--stub-zone", "\"a.example.\" 192.0.2.1", "--forward-zone", "\"A.example\" 192.0.2.2", NULL));
	check(strstr(s.err, "a.example.: this zone is configured twice") != NULL);
	side_close(&s);
}

static void test_the_deadline_is_ours_and_a_job_left_behind_is_cleaned_up(void)
{
	struct side s;
	struct heard h[3];
	int fd = silent_server("127.0.0.1", 0);
	char option[64];

	snprintf(option, sizeof option, "\"slow.example.\" 127.0.0.1@%u", port_of(fd));
	check(side_open(&s, "--stub-zone", option, "--dnssec-validation", "no", NULL));
	ask_in(&s, &h[0], "a.slow.example.", RRTYPE_A, false, 150);
	ask_in(&s, &h[1], "b.slow.example.", RRTYPE_A, false, 5000);
	ask_in(&s, &h[2], "c.slow.example.", RRTYPE_A, false, 5000);
	check_eq_int(upstream_pending(s.up), 3);
	upstream_cancel(s.up, h[1].job);
	check_eq_int(upstream_pending(s.up), 2);
	run_for(&s, 400);
	check_eq_int(h[0].n, 1);
	check_eq_int(h[0].status, UPSTREAM_TIMEOUT);
	check_eq_int(h[0].ede, EDE_NO_REACHABLE_AUTHORITY);
	check_eq_int(h[1].n, 0);
	check_eq_int(upstream_pending(s.up), 1);
	/* With one waiting, one cancelled and one timed out inside of the library. */
	side_close(&s);
	check_eq_int(h[2].n, 0);
	close(fd);
}

static void test_max_flights_bounds_recursion(void)
{
	struct side s;
	struct heard h[4];
	uint8_t root = 0;
	struct upstream_ask a = { .name = &root, .name_len = 1, .type = RRTYPE_NS, .rrclass = CLASS_IN, .timeout_ms = 100 };
	int fd = silent_server("127.0.0.1", 0);
	char option[64];

	snprintf(option, sizeof option, "\".\" 127.0.0.1@%u", port_of(fd));
	check(side_open(&s, "--stub-zone", option, "--dnssec-validation", "no", "--max-flights", "2", NULL));
	ask_in(&s, &h[0], "a.example.", RRTYPE_A, false, 100);
	ask_in(&s, &h[1], "b.example.", RRTYPE_A, false, 100);
	check_eq_int(upstream_start(s.up, &a, heard_reply, &h[3], &h[3].job), STEP_FAILED);
	run_for(&s, 2000);
	check_eq_int(h[0].n + h[1].n, 2);
	side_close(&s);
	close(fd);
}

/* An authoritative server: 192.0.2.7 for whatever A is asked, TTL 300. */
static void serve_authority(struct fake_query *q)
{
	bool a = q->msg[q->question_end - 3] == RRTYPE_A;

	fake_answer(q, FLAG_AA, a ? 7 : 0);
}

static void ask_fresh(struct side *s, struct heard *h, const char *name)
{
	uint8_t wire[NAME_MAX_LEN];
	int len = name_from_text(name, strlen(name), wire);
	struct upstream_ask a = { .name = wire, .name_len = (uint8_t)len, .type = RRTYPE_A, .rrclass = CLASS_IN, .timeout_ms = 2000, .fresh = true };

	memset(h, 0, sizeof *h);
	h->side = s;
	check_eq_int(upstream_start(s->up, &a, heard_reply, h, &h->job), STEP_PENDING);
	s->left++;
	run_for(s, 5000);
	check_eq_int(h->n, 1);
}

static void test_a_refresh_and_what_follows_a_purge_get_whole_ttls(void)
{
	struct side s;
	struct fake k;
	struct heard h;
	char option[128];

	fake_start(&k, serve_authority);
	snprintf(option, sizeof option, "\"zone.example.\" %s", k.addr);
	check(side_open(&s, "--stub-zone", option, "--dnssec-validation", "no", NULL));
	ask(&s, &h, "www.zone.example.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	check_eq_int(h.ttl, 300);
	run_for(&s, 1100);
	/* The library answers with what is left. */
	ask(&s, &h, "www.zone.example.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	check(h.ttl < 300);
	ask_fresh(&s, &h, "www.zone.example.");
	check_answer(&h, RCODE_NOERROR, 1);
	check_eq_int(h.ttl, 300);
	run_for(&s, 1100);
	upstream_forget(s.up);
	ask(&s, &h, "www.zone.example.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	check_eq_int(h.ttl, 300);
	side_close(&s);
	fake_stop(&k);
}

static void test_an_authoritative_server_on_ipv6_is_asked(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);
	struct sockaddr_in6 lo = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool v6 = fd >= 0 && bind(fd, (struct sockaddr *)&lo, sizeof lo) == 0;
	struct side s;
	struct fake k;
	struct heard h;
	char option[128];

	if (fd >= 0)
		close(fd);
	if (!v6) {
		puts("no IPv6 on this machine");
		return;
	}
	fake_start_on(&k, serve_authority, "::1");
	snprintf(option, sizeof option, "\"zone.example.\" %s", k.addr);
	check(side_open(&s, "--stub-zone", option, "--dnssec-validation", "no", NULL));
	ask(&s, &h, "www.zone.example.", RRTYPE_A);
	check_answer(&h, RCODE_NOERROR, 1);
	side_close(&s);
	fake_stop(&k);
}

static void test_forgetting_leaves_questions_under_way_alone(void)
{
	struct side s;
	struct heard slow, quick;
	int fd = silent_server("127.0.0.1", 0);
	char option[64];

	snprintf(option, sizeof option, "\"slow.example.\" 127.0.0.1@%u", port_of(fd));
	check(side_open(&s, "--stub-zone", option, "--auth-zone", zone(), "--dnssec-validation", "no", NULL));
	ask_in(&s, &slow, "a.slow.example.", RRTYPE_A, false, 300);
	upstream_forget(s.up);
	ask_in(&s, &quick, "www.example.test.", RRTYPE_A, false, 2000);
	run_for(&s, 5000);
	check_answer(&quick, RCODE_NOERROR, 2);
	check_eq_int(slow.status, UPSTREAM_TIMEOUT);
	side_close(&s);
	close(fd);
	files_remove();
}

static void *worker(void *arg)
{
	struct side s;
	struct heard h;

	for (int i = 0; i < 5; i++) {
		check(side_open(&s, "--auth-zone", arg, NULL));
		ask(&s, &h, "www.example.test.", RRTYPE_A);
		check_answer(&h, RCODE_NOERROR, 2);
		side_close(&s);
	}
	return NULL;
}

static void test_contexts_come_and_go_in_several_threads(void)
{
	pthread_t t[4];

	zone();
	for (int i = 0; i < 4; i++)
		check(pthread_create(&t[i], NULL, worker, zone_option) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	files_remove();
}

static void test_the_librarys_reasons_become_ede_codes(void)
{
	char why[RECURSE_WHY_MAX], longer[400];

	check_eq_int(bogus_ede("validation failure <www.example. A IN>: signature expired from 192.0.2.1 for key example."), EDE_SIG_EXPIRED);
	check_eq_int(bogus_ede("validation failure <a. A IN>: signature before inception date from 192.0.2.1"), EDE_SIG_NOT_YET);
	check_eq_int(bogus_ede("validation failure <a. A IN>: no signatures from 192.0.2.1"), EDE_RRSIGS_MISSING);
	check_eq_int(bogus_ede("validation failure <a. A IN>: No DNSKEY record from 192.0.2.1 for key a."), EDE_DNSKEY_MISSING);
	check_eq_int(bogus_ede("validation failure <a. A IN>: no NSEC3 records from 192.0.2.1 for DS a."), EDE_NSEC_MISSING);
	check_eq_int(bogus_ede("validation failure <a. A IN>: no DNSSEC records from 192.0.2.1 for DS a."), EDE_NSEC_MISSING);
	check_eq_int(bogus_ede("validation failure <a. A IN>: ECDSA signature verification failed"), EDE_BOGUS);
	check_eq_int(bogus_ede(""), EDE_BOGUS);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	longer[1] = '\n';
	why_clean(why, longer);
	check_eq_int(strlen(why), RECURSE_WHY_MAX - 1);
	check_eq_int(why[1], ' ');
	why_clean(why, "ends here \n");
	check_eq_str(why, "ends here");
}
