/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole road with an upstream that the test plays: upstream.h's functions are defined here, so the archive's are not linked. */
#include "unit.h"

#include <arpa/inet.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "query/query.h"
#include "upstream/upstream.h"

/* ---- the upstream ---- */

enum { ASKS_MAX = 64 };

struct upstream_job {
	uint8_t name[NAME_MAX_LEN];
	uint8_t name_len;
	uint16_t type;
	bool cd, open;
	upstream_done *done;
	void *arg;
};
static struct upstream_job asks[ASKS_MAX];
static unsigned n_asks;
static bool upstream_full;

struct upstream *upstream_new(struct loop *l, const struct conf *c, struct stats_thread *stats, char *err, size_t cap)
{
	(void)l, (void)c, (void)stats, (void)err, (void)cap;
	return mem_alloc(1);
}

void upstream_free(struct upstream *u)
{
	mem_free(u);
}

enum step upstream_start(struct upstream *u, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **job)
{
	(void)u;
	if (upstream_full || n_asks == ASKS_MAX)
		return STEP_FAILED;
	struct upstream_job *j = &asks[n_asks++];
	*j = (struct upstream_job){ .name_len = a->name_len, .type = a->type, .cd = a->cd, .open = true, .done = done, .arg = arg };
	memcpy(j->name, a->name, a->name_len);
	*job = j;
	return STEP_PENDING;
}

void upstream_cancel(struct upstream *u, struct upstream_job *job)
{
	(void)u;
	job->open = false;
}

unsigned upstream_pending(const struct upstream *u)
{
	(void)u;
	return 0;
}

void upstream_set_conf(struct upstream *u, const struct conf *c)
{
	(void)u, (void)c;
}

static unsigned n_forgotten;

void upstream_forget(struct upstream *u)
{
	(void)u;
	n_forgotten++;
}

bool upstream_add_server(const struct upstream *u, unsigned i, struct upstream_server *sum)
{
	(void)u;
	if (i > 0)
		return false;
	sum->workers++;
	return true;
}

static bool takes_ecs;

bool upstream_takes_ecs(const struct upstream *u, const uint8_t *name, uint8_t name_len, uint16_t type)
{
	(void)u;
	(void)name;
	(void)name_len;
	(void)type;
	return takes_ecs;
}

static void upstream_says(unsigned i, const struct upstream_reply *r)
{
	check(i < n_asks && asks[i].open);
	asks[i].open = false;
	asks[i].done(asks[i].arg, r);
}

static void upstream_fails(unsigned i, enum upstream_status status, int ede, const char *why)
{
	upstream_says(i, &(struct upstream_reply){ .status = status, .ede = ede, .why = why, .source = SOURCE_FORWARD });
}

/* Answers ask i: rcode, and one record in zone text or none (NULL); a SOA goes to the authority section. */
static void upstream_answers(unsigned i, unsigned rcode, uint16_t type, uint32_t ttl, const char *rdata_text)
{
	static uint8_t msg[DNS_MSG_MAX];
	struct msg_writer w;
	uint8_t rdata[512], question[NAME_MAX_LEN + 4];
	const char *why;
	struct dns_header h = { .flags = (uint16_t)(FLAG_QR | FLAG_RA | rcode), .qdcount = 1 };
	memcpy(question, asks[i].name, asks[i].name_len);
	store_be16(question + asks[i].name_len, asks[i].type);
	store_be16(question + asks[i].name_len + 2, CLASS_IN);
	writer_begin(&w, msg, sizeof msg);
	writer_question(&w, question, asks[i].name_len + 4u);
	if (rdata_text) {
		int len = rdata_from_text(type, rdata_text, strlen(rdata_text), rdata, sizeof rdata, &why);
		check(len > 0);
		writer_rr(&w, asks[i].name, asks[i].name_len, type, CLASS_IN, ttl, rdata, (size_t)len);
		h.ancount = type != RRTYPE_SOA;
		h.nscount = type == RRTYPE_SOA;
	}
	check_eq_int(w.err, 0);
	header_write(msg, &h);
	upstream_says(i, &(struct upstream_reply){ .status = UPSTREAM_OK, .msg = msg, .len = w.len, .ede = EDE_NONE, .source = SOURCE_FORWARD });
}

/* ---- the server around the road ---- */

static struct loop *loop;
static struct cache *cache;
static struct stats *stats;
static struct worker *worker;
static const struct conf *conf;

/* The last late answer, and how many came. */
static uint8_t late[DNS_MSG_MAX];
static size_t late_len;
static unsigned n_late, n_untold;

static void take_reply(const struct reply_to *to, const uint8_t *msg, size_t len)
{
	(void)to;
	n_late++;
	n_untold += len == 0;
	late_len = len;
	if (len)
		memcpy(late, msg, len);
}

static const struct transport udp = { .name = "udp", .queries = STAT_QUERIES_UDP, .reply = take_reply };
static const struct transport tcp = { .name = "tcp", .queries = STAT_QUERIES_TCP, .stream = true, .reply = take_reply };

static void begin(int n_words, const char *const *words)
{
	char err[1000] = "";
	struct conf *c;
	n_asks = n_late = n_untold = n_forgotten = 0;
	upstream_full = false;
	check_eq_int(conf_load(NULL, n_words, (char *const *)words, &c, err, sizeof err), 0);
	conf = c;
	loop = loop_new();
	stats = stats_new(1);
	cache = cache_new(&(struct cache_options){ .maxmemory = 8 << 20, .stale_for_s = c->serve_stale_for, .hash_seed = 1 });
	cache_thread_begin(cache);
	struct worker_options o = { .loop = loop, .cache = cache, .stats = stats_of(stats, 0), .conf = conf };
	worker = worker_new(&o, err, sizeof err);
	check_eq_str(err, "");
	check(worker != NULL);
}

#define begin_with(...) begin(sizeof (const char *[]){ __VA_ARGS__ } / sizeof(char *), (const char *[]){ __VA_ARGS__ })

static void end(void)
{
	worker_free(worker);
	check_eq_int(stats_sum(stats, STAT_FLIGHTS), 0);
	check_eq_int(stats_sum(stats, STAT_WAITING), 0);
	cache_thread_end(cache);
	cache_free(cache);
	stats_free(stats);
	loop_free(loop);
	conf_unref(conf);
}

static void stop_loop(void *arg)
{
	loop_stop(arg);
}

static void run_loop(uint64_t ms)
{
	struct timer t;
	timer_init(loop, &t, stop_loop, loop);
	timer_set(&t, ms);
	loop_run(loop);
	timer_cancel(&t);
}

/* ---- the client ---- */

struct ask {
	const char *name;
	uint16_t type, id, flags; /* flags 0: RD */
	uint16_t rrclass;         /* 0: IN */
	uint16_t udp_size;        /* 0: no EDNS */
	bool do_bit;
	const struct transport *via;
	const char *from;
};
static uint8_t out[DNS_MSG_MAX];
static size_t out_len;

/* Puts one question. The answer's length, 0: none yet; pending tells whether one will come. */
static bool ask_pending;
static size_t ask(struct ask a)
{
	uint8_t msg[1024], name[NAME_MAX_LEN];
	int name_len = name_from_text(a.name, strlen(a.name), name);
	check(name_len > 0);
	int len = query_write(msg, sizeof msg, a.id ? a.id : 77, a.flags ? a.flags : FLAG_RD, name, (size_t)name_len,
			      a.type ? a.type : RRTYPE_A, a.udp_size, a.do_bit, NULL, 0);
	check(len > 0);
	if (a.rrclass)
		store_be16(msg + DNS_HEADER_LEN + name_len + 2, a.rrclass);
	struct reply_to to = { .via = a.via ? a.via : &udp };
	to.client.in4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = inet_addr(a.from ? a.from : "127.0.0.1") };
	struct query q = { .msg = msg, .len = (size_t)len, .to = &to, .out = out };
	query_batch(worker, &q, 1);
	out_len = q.out_len;
	ask_pending = q.pending;
	check(!(out_len && ask_pending));
	return out_len;
}

static unsigned rcode_of(const uint8_t *msg)
{
	return msg[3] & 0xfu;
}

static unsigned answers_in(const uint8_t *msg)
{
	return load_be16(msg + 6);
}

/* TTL and rdata's last byte of the first record, behind a question of the given name. */
static uint32_t ttl_of(const uint8_t *msg, size_t len)
{
	struct msg_reader r;
	struct wire_rr rr;
	check_eq_int(msg_begin(&r, msg, len), 0);
	check_eq_int(msg_next(&r, &rr), 1);
	return rr.ttl;
}

static int ede_of(const uint8_t *msg, size_t len)
{
	struct msg_reader r;
	struct wire_rr rr;
	struct edns e;
	check_eq_int(msg_begin(&r, msg, len), 0);
	while (msg_next(&r, &rr) == 1) {
		if (rr.type == RRTYPE_OPT && edns_read(&r, &rr, &e) == 0)
			return e.ede;
	}
	return EDE_NONE;
}

static int64_t count(enum counter c)
{
	return stats_sum(stats, c);
}

/* Asks, and lets upstream answer with one A record. */
static void learn(const char *name, uint32_t ttl)
{
	unsigned i = n_asks;
	check_eq_int(ask((struct ask){ .name = name }), 0);
	check_eq_int(n_asks, i + 1);
	upstream_answers(i, RCODE_NOERROR, RRTYPE_A, ttl, "192.0.2.1");
}

/* ---- misses and hits ---- */

static void test_a_miss_is_answered_late_and_the_next_question_at_once(void)
{
	begin(0, NULL);
	check_eq_int(ask((struct ask){ .name = "www.Example.test.", .id = 4711 }), 0);
	check(ask_pending);
	check_eq_int(n_asks, 1);
	check_mem(asks[0].name, "\3www\7example\4test", 18);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	check_eq_int(n_late, 1);
	check_eq_int(load_be16(late), 4711);
	check_mem(late + DNS_HEADER_LEN, "\3www\7Example\4test", 18); /* the client's case */
	check_eq_int(load_be16(late + 2), FLAG_QR | FLAG_RD | FLAG_RA);
	check_eq_int(ttl_of(late, late_len), 300);
	clock_jump(100000);
	check(ask((struct ask){ .name = "WWW.example.test.", .id = 9 }) > 0);
	check_eq_int(load_be16(out), 9);
	check_mem(out + DNS_HEADER_LEN, "\3WWW\7example\4test", 18);
	check(ttl_of(out, out_len) <= 200);
	check_eq_int(n_asks, 1);
	check_eq_int(count(STAT_HITS), 1);
	check_eq_int(count(STAT_MISSES), 1);
	check_eq_int(count(STAT_STORED), 1);
	end();
}

static void test_a_thousand_identical_cold_questions_make_one_upstream_query(void)
{
	begin(0, NULL);
	for (unsigned i = 0; i < 1000; i++) {
		ask((struct ask){ .name = i % 2 ? "MANY.example.test." : "many.example.test.", .id = (uint16_t)(1 + i),
				  .udp_size = i % 3 ? 1232 : 0, .do_bit = i % 3 == 1, .via = i % 5 ? &udp : &tcp });
		check(ask_pending);
	}
	check_eq_int(n_asks, 1);
	check_eq_int(count(STAT_MERGED), 999);
	check_eq_int(count(STAT_WAITING), 1000);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	check_eq_int(n_late, 1000);
	check_eq_int(load_be16(late), 1000); /* the last to come is the last to leave, with its own ID */
	check_mem(late + DNS_HEADER_LEN, "\4MANY", 5);
	end();
}

static void test_clients_of_one_flight_get_their_own_edns(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "a.test.", .id = 1 });
	ask((struct ask){ .name = "a.test.", .id = 2, .udp_size = 4096, .do_bit = true });
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	check_eq_int(load_be16(late), 2);
	check_eq_int(load_be16(late + 10), 1);
	ask((struct ask){ .name = "b.test.", .id = 3, .udp_size = 4096 });
	ask((struct ask){ .name = "b.test.", .id = 4 });
	upstream_answers(1, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	check_eq_int(load_be16(late), 4);
	check_eq_int(load_be16(late + 10), 0); /* no OPT to a client that sent none */
	end();
}

static void test_a_batch_mixes_hits_misses_and_rubbish(void)
{
	begin(0, NULL);
	learn("hit.test.", 300);
	uint8_t msgs[4][64] = { "short" }, outs[4][4096];
	struct reply_to to = { .via = &udp };
	to.client.in4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = inet_addr("127.0.0.1") };
	struct query q[4];
	const char *names[4] = { NULL, "\3hit\4test", "\4miss\4test", "\3hit\4test" };
	for (unsigned i = 0; i < 4; i++) {
		q[i] = (struct query){ .msg = msgs[i], .len = 5, .to = &to, .out = outs[i] };
		if (names[i])
			q[i].len = (size_t)query_write(msgs[i], sizeof msgs[i], (uint16_t)i, i == 3 ? FLAG_RD | FLAG_QR : FLAG_RD,
						       (const uint8_t *)names[i], strlen(names[i]) + 1, RRTYPE_A, 0, false, NULL, 0);
	}
	query_batch(worker, q, 4);
	check(!q[0].out_len && !q[0].pending);
	check(q[1].out_len && !q[1].pending);
	check(!q[2].out_len && q[2].pending);
	check(!q[3].out_len && !q[3].pending); /* responses are never answered */
	check_eq_int(count(STAT_DROP_SHORT), 1);
	check_eq_int(count(STAT_DROP_RESPONSE), 1);
	end();
}

static void test_ttl_0_answers_everybody_who_waits_and_is_not_kept(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "zero.test.", .id = 1 });
	ask((struct ask){ .name = "zero.test.", .id = 2 });
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 0, "192.0.2.1");
	check_eq_int(n_late, 2);
	check_eq_int(answers_in(late), 1);
	check_eq_int(ttl_of(late, late_len), 0);
	check_eq_int(ask((struct ask){ .name = "zero.test." }), 0);
	check_eq_int(n_asks, 2);
	check_eq_int(count(STAT_UNCACHEABLE), 1);
	end();
}

static void test_an_answer_that_cannot_be_stored_is_given_all_the_same(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "www.test." });
	alloc_fail_after(1);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	alloc_fail_after(0);
	check_eq_int(n_late, 1);
	check_eq_int(answers_in(late), 1);
	end();
}

static void test_nxdomain_answers_every_type_of_the_name(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "no.test." });
	upstream_answers(0, RCODE_NXDOMAIN, RRTYPE_SOA, 60, "test. test. 1 2 3 4 60");
	check_eq_int(rcode_of(late), RCODE_NXDOMAIN);
	check(ask((struct ask){ .name = "no.test.", .type = RRTYPE_MX }) > 0);
	check_eq_int(rcode_of(out), RCODE_NXDOMAIN);
	check_eq_int(n_asks, 1);
	end();
}

static void test_a_negative_answer_without_soa_is_passed_on_and_not_kept(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "no.test." });
	upstream_answers(0, RCODE_NXDOMAIN, 0, 0, NULL);
	check_eq_int(rcode_of(late), RCODE_NXDOMAIN);
	check_eq_int(answers_in(late), 0);
	ask((struct ask){ .name = "nodata.test." });
	upstream_answers(1, RCODE_NOERROR, 0, 0, NULL);
	check_eq_int(rcode_of(late), RCODE_NOERROR);
	check_eq_int(ask((struct ask){ .name = "no.test." }), 0);
	check_eq_int(n_asks, 3);
	end();
}

/* ---- CD ---- */

static void test_unvalidated_data_never_answers_a_client_without_cd(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "bad.test.", .flags = FLAG_RD | FLAG_CD });
	check(asks[0].cd);
	ask((struct ask){ .name = "bad.test." });
	check_eq_int(n_asks, 2); /* another flight */
	check(!asks[1].cd);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.66");
	check_eq_int(n_late, 1);
	check(load_be16(late + 2) & FLAG_CD);
	upstream_fails(1, UPSTREAM_BOGUS, EDE_NONE, "signature expired");
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	check(ask((struct ask){ .name = "bad.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	check(ask((struct ask){ .name = "bad.test.", .flags = FLAG_RD | FLAG_CD }) > 0);
	check_eq_int(rcode_of(out), RCODE_NOERROR);
	check_eq_int(answers_in(out), 1);
	check_eq_int(n_asks, 2);
	end();
}

static void test_what_was_fetched_without_cd_serves_cd_too(void)
{
	begin(0, NULL);
	learn("good.test.", 300);
	check(ask((struct ask){ .name = "good.test.", .flags = FLAG_RD | FLAG_CD }) > 0);
	check_eq_int(answers_in(out), 1);
	check_eq_int(n_asks, 1);
	end();
}

static void test_stale_data_fetched_without_cd_serves_an_impatient_cd(void)
{
	begin_with("--serve-stale-client-timeout", "10ms");
	learn("s.test.", 60);
	n_late = 0;
	clock_jump(100000);
	check_eq_int(ask((struct ask){ .name = "s.test.", .flags = FLAG_RD | FLAG_CD, .udp_size = 1232 }), 0);
	check(asks[1].cd);
	run_loop(100);
	check_eq_int(n_late, 1);
	check_eq_int(ede_of(late, late_len), EDE_STALE_ANSWER);
	end();
}

/* ---- CNAME and other data ---- */

static void learn_rr(const char *name, uint16_t asked, uint16_t type, const char *rdata)
{
	unsigned i = n_asks;
	check_eq_int(ask((struct ask){ .name = name, .type = asked }), 0);
	check_eq_int(n_asks, i + 1);
	upstream_answers(i, RCODE_NOERROR, type, 300, rdata);
}

static void test_a_cname_ends_older_data_of_its_name(void)
{
	begin(0, NULL);
	learn("x.test.", 300);
	learn_rr("x.test.", RRTYPE_CAA, RRTYPE_CAA, "0 issue \"ca.test\"");
	learn_rr("y.test.", RRTYPE_A, RRTYPE_A, "192.0.2.1");
	learn_rr("x.test.", RRTYPE_CNAME, RRTYPE_CNAME, "other.test.");
	check_eq_int(ask((struct ask){ .name = "x.test." }), 0);
	check_eq_int(ask((struct ask){ .name = "x.test.", .type = RRTYPE_CAA }), 0);
	check(ask((struct ask){ .name = "y.test." }) > 0);
	check(ask((struct ask){ .name = "x.test.", .type = RRTYPE_CNAME }) > 0);
	end();
}

static void test_data_ends_an_older_cname_of_its_name(void)
{
	begin(0, NULL);
	learn_rr("x.test.", RRTYPE_CNAME, RRTYPE_CNAME, "other.test.");
	learn("x.test.", 300);
	check_eq_int(ask((struct ask){ .name = "x.test.", .type = RRTYPE_CNAME }), 0);
	check(ask((struct ask){ .name = "x.test." }) > 0);
	end();
}

static void test_types_that_agree_leave_each_other_alone(void)
{
	begin(0, NULL);
	learn("x.test.", 300);
	learn_rr("x.test.", RRTYPE_TXT, RRTYPE_TXT, "hello");
	learn_rr("x.test.", RRTYPE_NS, RRTYPE_NS, "ns.test.");
	learn_rr("x.test.", RRTYPE_DS, RRTYPE_DS, "1 8 2 0000000000000000000000000000000000000000000000000000000000000000");
	check(ask((struct ask){ .name = "x.test." }) > 0);
	check(ask((struct ask){ .name = "x.test.", .type = RRTYPE_TXT }) > 0);
	check(ask((struct ask){ .name = "x.test.", .type = RRTYPE_NS }) > 0);
	end();
}

/* ---- failures ---- */

static void test_a_failure_is_remembered_for_its_few_seconds(void)
{
	begin_with("--cache-servfail-ttl", "5s");
	ask((struct ask){ .name = "dead.test.", .udp_size = 1232 });
	upstream_fails(0, UPSTREAM_TIMEOUT, EDE_NONE, NULL);
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	check_eq_int(ede_of(late, late_len), EDE_NO_REACHABLE_AUTHORITY);
	check(ask((struct ask){ .name = "dead.test.", .udp_size = 1232 }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	check_eq_int(n_asks, 1);
	check_eq_int(ask((struct ask){ .name = "dead.test.", .type = RRTYPE_AAAA }), 0); /* per question */
	clock_jump(6000);
	check_eq_int(ask((struct ask){ .name = "dead.test." }), 0);
	check_eq_int(n_asks, 3);
	end();
}

static void test_a_bogus_answer_is_servfail_and_says_why(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "bogus.test.", .udp_size = 1232 });
	upstream_fails(0, UPSTREAM_BOGUS, EDE_SIG_EXPIRED, "signature expired");
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	check_eq_int(ede_of(late, late_len), EDE_SIG_EXPIRED);
	check(ask((struct ask){ .name = "bogus.test.", .udp_size = 1232 }) > 0);
	check_eq_int(ede_of(out, out_len), EDE_SIG_EXPIRED);
	end();
}

static void test_referrals_and_foreign_rcodes_are_servfail(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "refused.test.", .udp_size = 1232 });
	upstream_answers(0, RCODE_REFUSED, 0, 0, NULL);
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	check_eq_int(ede_of(late, late_len), EDE_NO_REACHABLE_AUTHORITY);
	check(ask((struct ask){ .name = "refused.test." }) > 0);
	end();
}

static void test_a_cname_loop_is_the_same_on_miss_and_hit(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "loop.test.", .udp_size = 1232 });
	upstream_answers(0, RCODE_NOERROR, RRTYPE_CNAME, 300, "loop.test.");
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	check_eq_int(ede_of(late, late_len), EDE_OTHER);
	check(ask((struct ask){ .name = "loop.test.", .udp_size = 1232 }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	check_eq_int(ede_of(out, out_len), EDE_OTHER);
	end();
}

/* ---- limits ---- */

static void test_over_max_flights_the_client_is_told_at_once(void)
{
	begin_with("--max-flights", "2");
	ask((struct ask){ .name = "a.test." });
	ask((struct ask){ .name = "b.test." });
	check(ask((struct ask){ .name = "c.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	check_eq_int(count(STAT_DROP_OVERLOAD), 1);
	check_eq_int(ask((struct ask){ .name = "a.test." }), 0); /* one more on a flight that is under way */
	check(ask_pending);
	end();
}

static void test_over_max_waiting_the_client_is_told_at_once(void)
{
	begin_with("--max-waiting", "3");
	for (unsigned i = 0; i < 3; i++)
		ask((struct ask){ .name = "a.test." });
	check(ask((struct ask){ .name = "a.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	check_eq_int(n_late, 3);
	end();
}

static void test_an_upstream_that_takes_no_more_is_servfail(void)
{
	begin(0, NULL);
	upstream_full = true;
	check(ask((struct ask){ .name = "a.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	upstream_full = false;
	check_eq_int(ask((struct ask){ .name = "a.test." }), 0); /* nothing is left of the first */
	check(ask_pending);
	end();
}

static void test_no_memory_to_wait_is_servfail(void)
{
	begin(0, NULL);
	for (long nth = 1; nth <= 2; nth++) {
		alloc_fail_after(nth);
		size_t len = ask((struct ask){ .name = "a.test." });
		alloc_fail_after(0);
		check(len > 0);
		check_eq_int(rcode_of(out), RCODE_SERVFAIL);
	}
	check_eq_int(n_asks, 0);
	end();
}

static void test_who_waits_when_the_worker_ends_is_told_that_no_answer_comes(void)
{
	begin(0, NULL);
	ask((struct ask){ .name = "a.test." });
	ask((struct ask){ .name = "b.test." });
	ask((struct ask){ .name = "b.test." });
	end();
	check_eq_int(n_untold, 3);
	check(!asks[0].open && !asks[1].open);
}

/* ---- stale ---- */

static void test_expired_data_is_served_only_after_upstream_had_its_chance(void)
{
	begin_with("--serve-stale-client-timeout", "20ms");
	learn("s.test.", 60);
	n_late = 0;
	clock_jump(100000);
	check_eq_int(ask((struct ask){ .name = "s.test.", .udp_size = 1232 }), 0);
	check(ask_pending);
	check_eq_int(n_asks, 2);
	run_loop(200);
	check_eq_int(n_late, 1);
	check_eq_int(answers_in(late), 1);
	check_eq_int(ttl_of(late, late_len), 30);
	check_eq_int(ede_of(late, late_len), EDE_STALE_ANSWER);
	/* The flight is still under way; who comes now need not wait. */
	check(ask((struct ask){ .name = "s.test.", .udp_size = 1232 }) > 0);
	check_eq_int(ede_of(out, out_len), EDE_STALE_ANSWER);
	check_eq_int(n_asks, 2);
	/* Fresh data replaces it at once. */
	upstream_answers(1, RCODE_NOERROR, RRTYPE_A, 60, "192.0.2.2");
	check_eq_int(n_late, 1);
	check(ask((struct ask){ .name = "s.test.", .udp_size = 1232 }) > 0);
	check_eq_int(ede_of(out, out_len), EDE_NONE);
	check(ttl_of(out, out_len) >= 59);
	end();
}

static void test_a_failed_refresh_serves_stale_and_is_not_tried_again_for_30_seconds(void)
{
	begin(0, NULL);
	learn("s.test.", 60);
	clock_jump(100000);
	check_eq_int(ask((struct ask){ .name = "s.test.", .udp_size = 1232 }), 0);
	upstream_fails(1, UPSTREAM_TIMEOUT, EDE_NONE, NULL);
	check_eq_int(rcode_of(late), RCODE_NOERROR);
	check_eq_int(ede_of(late, late_len), EDE_STALE_ANSWER);
	clock_jump(25000);
	check(ask((struct ask){ .name = "s.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_NOERROR);
	check_eq_int(n_asks, 2);
	clock_jump(6000);
	check_eq_int(ask((struct ask){ .name = "s.test." }), 0);
	check_eq_int(n_asks, 3);
	/* A bogus refresh does not replace it either. */
	upstream_fails(2, UPSTREAM_BOGUS, EDE_NONE, "no signature");
	check_eq_int(rcode_of(late), RCODE_NOERROR);
	check_eq_int(answers_in(late), 1);
	end();
}

static void test_a_fresh_nxdomain_replaces_stale_data(void)
{
	begin(0, NULL);
	learn("gone.s.test.", 60);
	clock_jump(100000);
	ask((struct ask){ .name = "gone.s.test." });
	upstream_answers(1, RCODE_NXDOMAIN, 0, 0, NULL);
	check_eq_int(rcode_of(late), RCODE_NXDOMAIN);
	end();
}

static void test_data_beyond_serve_stale_for_is_not_served(void)
{
	begin_with("--serve-stale-for", "1h");
	learn("old.test.", 60);
	clock_jump(2 * 3600 * 1000);
	check_eq_int(ask((struct ask){ .name = "old.test." }), 0);
	upstream_fails(1, UPSTREAM_TIMEOUT, EDE_NONE, NULL);
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	end();
}

static void test_serve_stale_no_serves_none(void)
{
	begin_with("--serve-stale", "no");
	learn("old.test.", 60);
	clock_jump(100000);
	check_eq_int(ask((struct ask){ .name = "old.test." }), 0);
	upstream_fails(1, UPSTREAM_TIMEOUT, EDE_NONE, NULL);
	check_eq_int(rcode_of(late), RCODE_SERVFAIL);
	end();
}

static void test_a_client_timeout_of_0_serves_stale_at_once_and_refreshes_behind(void)
{
	begin_with("--serve-stale-client-timeout", "0ms");
	learn("s.test.", 60);
	clock_jump(100000);
	check(ask((struct ask){ .name = "s.test.", .udp_size = 1232 }) > 0);
	check_eq_int(ede_of(out, out_len), EDE_STALE_ANSWER);
	check_eq_int(n_asks, 2);
	end();
}

/* ---- prefetch ---- */

static void test_a_popular_entry_is_refreshed_once_before_it_expires(void)
{
	begin_with("--prefetch", "10");
	learn("pop.test.", 100);
	for (unsigned i = 0; i < 2000; i++)
		check(ask((struct ask){ .name = "pop.test." }) > 0);
	check_eq_int(n_asks, 1);
	clock_jump(95000);
	for (unsigned i = 0; i < 10; i++)
		check(ask((struct ask){ .name = "pop.test." }) > 0);
	check_eq_int(n_asks, 2);
	check_eq_int(count(STAT_PREFETCHES), 1);
	/* A failure leaves the live entry, and is not tried again with the next hit. */
	upstream_fails(1, UPSTREAM_TIMEOUT, EDE_NONE, NULL);
	check(ask((struct ask){ .name = "pop.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_NOERROR);
	check_eq_int(n_asks, 2);
	end();
}

static void test_an_unpopular_entry_expires_in_peace(void)
{
	begin_with("--prefetch", "10");
	learn("once.test.", 100);
	clock_jump(95000);
	check(ask((struct ask){ .name = "once.test." }) > 0);
	check_eq_int(n_asks, 1);
	end();
}

/* ---- what never reaches the cache ---- */

static void test_strangers_are_refused_even_what_is_cached(void)
{
	begin_with("--allow-query", "127.0.0.0/8");
	learn("www.test.", 300);
	check(ask((struct ask){ .name = "www.test.", .from = "198.51.100.1", .udp_size = 1232 }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check_eq_int(answers_in(out), 0);
	check_eq_int(ede_of(out, out_len), EDE_PROHIBITED);
	check_eq_int(count(STAT_REFUSED_ACL), 1);
	end();
}

static void test_without_rd_the_cache_alone_answers(void)
{
	begin(0, NULL);
	learn("www.test.", 300);
	check(ask((struct ask){ .name = "www.test.", .flags = FLAG_AD }) > 0);
	check_eq_int(rcode_of(out), RCODE_NOERROR);
	check_eq_int(load_be16(out + 2) & FLAG_RD, 0);
	check(ask((struct ask){ .name = "other.test.", .flags = FLAG_AD }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check_eq_int(n_asks, 1);
	end();
	begin_with("--answer-rd0", "refuse");
	learn("www.test.", 300);
	check(ask((struct ask){ .name = "www.test.", .flags = FLAG_AD }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	end();
}

static void test_any_is_minimal_and_never_asked_upstream(void)
{
	begin(0, NULL);
	learn("www.test.", 300);
	for (unsigned i = 0; i < 2; i++) {
		check(ask((struct ask){ .name = i ? "cold.test." : "www.test.", .type = RRTYPE_ANY }) > 0);
		check_eq_int(rcode_of(out), RCODE_NOERROR);
		check_eq_int(answers_in(out), 1);
		check_mem(out + out_len - 9, "\7RFC8482", 9);
	}
	check_eq_int(n_asks, 1);
	end();
}

static void test_class_ch_tells_only_what_it_was_given(void)
{
	begin_with("--server-version", "pith-test");
	check(ask((struct ask){ .name = "VERSION.bind.", .type = RRTYPE_TXT, .rrclass = CLASS_CH }) > 0);
	check_eq_int(rcode_of(out), RCODE_NOERROR);
	check_mem(out + out_len - 10, "\11pith-test", 10);
	check(ask((struct ask){ .name = "id.server.", .type = RRTYPE_TXT, .rrclass = CLASS_CH }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check(ask((struct ask){ .name = "www.test.", .rrclass = CLASS_CH }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check(ask((struct ask){ .name = "version.bind.", .type = RRTYPE_TXT, .rrclass = CLASS_HS }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check_eq_int(n_asks, 0);
	end();
}

/* ---- from inside ---- */

static uint8_t inside[512];
static size_t inside_len;
static unsigned n_inside;
static char inside_why[64];

static void inside_answered(void *arg, const uint8_t *reply, size_t len, const char *why)
{
	(void)arg;
	n_inside++;
	inside_len = len;
	snprintf(inside_why, sizeof inside_why, "%s", why ? why : "");
	if (len)
		memcpy(inside, reply, len < sizeof inside ? len : sizeof inside);
}

static void test_a_question_from_inside_passes_allow_query_and_comes_back_by_mail(void)
{
	begin_with("--allow-query", "192.0.2.1");
	uint8_t msg[64];
	n_inside = 0;
	int len = query_write(msg, sizeof msg, 5, FLAG_RD, (const uint8_t *)"\1a\4test", 8, RRTYPE_A, 0, false, NULL, 0);
	check_eq_int(query_resolve(worker, loop, msg, (size_t)len, inside_answered, NULL), 0);
	run_loop(1);
	check_eq_int(n_asks, 1);
	check_eq_int(n_inside, 0);
	upstream_answers(0, RCODE_NOERROR, RRTYPE_A, 300, "192.0.2.1");
	run_loop(1);
	check_eq_int(n_inside, 1);
	check_eq_int(answers_in(inside), 1);
	check_eq_int(query_resolve(worker, loop, msg, 5, inside_answered, NULL), 0); /* too short to be answered */
	run_loop(1);
	check_eq_int(n_inside, 2);
	check_eq_int(inside_len, 0);
	check(*inside_why);
	check_eq_int(count(STAT_QUERIES_UDP) + count(STAT_QUERIES_TCP), 0);
	/* One that waits when the worker ends is told too, by the loop's next turn. */
	msg[13] = 'b';
	check_eq_int(query_resolve(worker, loop, msg, (size_t)len, inside_answered, NULL), 0);
	run_loop(1);
	worker_free(worker);
	worker = NULL;
	run_loop(1);
	check_eq_int(n_inside, 3);
	check_eq_int(inside_len, 0);
	end();
}

static void test_upstream_is_told_to_forget_before_the_next_miss_and_once(void)
{
	begin(0, NULL);
	learn("a.test.", 300);
	query_forget(&worker, 1);
	query_forget(&worker, 1);
	check(ask((struct ask){ .name = "a.test." }) > 0);
	check_eq_int(n_forgotten, 0);
	learn("b.test.", 300);
	learn("c.test.", 300);
	check_eq_int(n_forgotten, 1);
	end();
}

static void test_a_new_configuration_is_taken_up_by_mail(void)
{
	begin(0, NULL);
	char err[200] = "";
	struct conf *next;
	const char *name = "allow-query", *value = "192.0.2.0/24";
	check_eq_int(conf_set(conf, 1, &name, &value, &next, err, sizeof err), 0);
	check(ask((struct ask){ .name = "a.test." }) == 0 && ask_pending);
	check_eq_int(query_set_conf(&worker, 1, next), 0);
	conf_unref(next);
	run_loop(1);
	check(ask((struct ask){ .name = "a.test." }) > 0);
	check_eq_int(rcode_of(out), RCODE_REFUSED);
	check(worker_conf(worker) == next);
	end();
}
