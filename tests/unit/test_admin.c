/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of operators, asked by a real client (hiredis) of an admin over a real cache. */
#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <strings.h>

#include "admin/admin.h"
#include "cache/cache.h"
#include "json.h"
#include "persist/persist.h"
#include "served.h"
#include "upstream/upstream.h"
#include "wire/wire.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"

/* ---- an admin in a thread ---- */

static struct served s;
static struct cache *cache;
static struct persist *persist;
static struct admin *admin;
static redisContext *redis;
static atomic_int stops, confs, forgets;
static atomic_llong conf_maxmemory;

/* DNS.RESOLVE: the question comes back as its own answer (QR set), or waits until the test lets it go. */
static struct {
	admin_resolved *done;
	void *arg;
	uint8_t msg[512];
	size_t len;
	struct deferred later;
	atomic_bool hold, held;
} ask;

static void ask_answer(void *arg)
{
	(void)arg;
	ask.msg[2] |= 0x80;
	ask.done(ask.arg, ask.msg, ask.len, NULL);
}

static enum step ask_start(void *arg, const uint8_t *msg, size_t len, admin_resolved *done, void *done_arg)
{
	(void)arg;
	if (len > sizeof ask.msg)
		return STEP_FAILED;
	memcpy(ask.msg, msg, len);
	ask.len = len;
	ask.done = done;
	ask.arg = done_arg;
	if (ask.hold)
		ask.held = true;
	else
		loop_defer(s.loop, &ask.later, ask_answer, NULL);
	return STEP_PENDING;
}

static void conf_changed(void *arg, const struct conf *c)
{
	(void)arg;
	conf_maxmemory = (long long)c->maxmemory;
	confs++;
}

static void forget(void *arg)
{
	(void)arg;
	forgets++;
}

static bool upstream(void *arg, unsigned i, struct upstream_server *out)
{
	(void)arg;
	*out = (struct upstream_server){ .zone = i ? "corp.example." : ".", .address = i ? "192.0.2.2@853" : "192.0.2.1@53", .tls = i, .workers = 2,
					 .dead_in = i, .sent = 7, .answered = 5, .timeouts = 2, .srtt_us = 1500, .in_flight = 1, .backoff_ms = 4000 * i };
	out->rtt[0] = 9;
	out->rtt[83] = 1;
	return i < 2;
}

static void stop(void *arg)
{
	(void)arg;
	stops++;
}

static void begin_thread(void *arg)
{
	cache_thread_begin(cache);
	loop_run(arg);
	cache_thread_end(cache);
}

static void begin(const char *const *words)
{
	char err[400];

	stops = confs = forgets = 0;
	memset(&ask, 0, sizeof ask);
	served_begin(&s, words);
	cache = cache_new(&(struct cache_options){ .maxmemory = s.conf->maxmemory, .stale_for_s = s.conf->serve_stale_for, .hash_seed = 7 });
	check(cache);
	cache_thread_begin(cache);
	persist = persist_new(cache, s.loop, s.conf);
	check(persist);
	const struct admin_context ctx = {
		.loop = s.loop, .persist = persist, .cache = cache, .stats = s.stats, .own = stats_of(s.stats, 0), .conf = s.conf,
		.hooks = { .resolve = ask_start, .forget = forget, .upstream = upstream, .conf_changed = conf_changed, .stop = stop },
	};
	admin = admin_new(&ctx, err, sizeof err);
	check_eq_str(err, "");
	check(admin);
	check_eq_int(thread_start(&s.thread, "admin", -1, begin_thread, s.loop), 0);
	redis = served_redis(&s);
}
#define BEGIN(...) begin((const char *const[]){ __VA_ARGS__, NULL })

static void end(void)
{
	redisFree(redis);
	served_halt(&s);
	admin_free(admin);
	persist_free(persist);
	cache_thread_end(cache);
	cache_free(cache);
	served_end(&s);
}

#define asked(want, ...) check_eq_str(served_ask(redis, __VA_ARGS__), want)

/* n entries hostN.example.test, A and AAAA in turn. */
static void fill(unsigned n)
{
	struct entry_scratch *scratch = malloc(sizeof *scratch);

	for (unsigned i = 0; i < n; i++) {
		uint8_t name[NAME_MAX_LEN], rdata[16] = { 192, 0, 2, 1 };
		const uint8_t *one = rdata;
		size_t len = i % 2 ? 16 : 4;
		char text[64];
		struct cache_key k;
		const struct entry_meta meta = { .now_s = clock_s(), .max_ttl_s = 86400, .max_negative_ttl_s = 3600, .source = SOURCE_FORWARD,
						 .ede = EDE_NONE };
		int name_bytes = name_from_text(text, (size_t)sprintf(text, "host%u.example.test.", i), name);

		cache_key_init(cache, &k, name, (uint8_t)name_bytes, i % 2 ? RRTYPE_AAAA : RRTYPE_A, false);
		check_eq_int(entry_from_rrset(scratch, &k, 1000, 1, &one, &len, &meta), 0);
		check_eq_int(cache_store(cache, &k, scratch), 0);
	}
	free(scratch);
}

/* ---- upstreams ---- */

static void test_upstreams_are_told_a_row_each(void)
{
	begin(NULL);
	const char *info = served_ask(redis, "INFO upstreams");
	check(strstr(info, "# Upstreams\r\n"));
	check(strstr(info, "upstream_0:zone=.,address=192.0.2.1@53,transport=udp,state=up,srtt_ms=1.500,p50_ms=0.080,p95_ms=134217.728,sent=7,"
			   "sent_tcp=0,answered=5,timeouts=2,failures=0,in_flight=1,connections=0,backoff_ms=0\r\n"));
	check(strstr(info, "upstream_1:zone=corp.example.,address=192.0.2.2@853,transport=tls,state=partly-down,"));
	check(strstr(info, "backoff_ms=4000\r\n"));
	const char *rows = served_ask(redis, "DNS.UPSTREAMS");
	check(strstr(rows, "corp.example."));
	check(strstr(rows, "partly-down"));
	end();
}

/* ---- keys ---- */

static void test_what_removes_answers_has_upstream_forget_them_too(void)
{
	const char *const ways[] = { "DEL A:a.test.", "UNLINK A:a.test.", "EXPIRE A:a.test. 0", "FLUSHALL", "FLUSHDB", "DNS.PURGE a.test." };

	begin(NULL);
	asked(":0", "DEL A:a.test. key:000001");
	check_eq_int(forgets, 0);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		asked("OK", "DNS.SET A:a.test. 300 192.0.2.1");
		served_ask(redis, ways[i]);
		check_eq_int(forgets, i + 1);
		asked(":0", "EXISTS A:a.test.");
	}
	end();
}

static void test_a_stored_answer_is_seen_by_every_command(void)
{
	begin(NULL);
	asked("OK", "DNS.SET A:www.Example.test 300 192.0.2.1 192.0.2.2");
	asked("; rcode NOERROR  age 0s  left 300s  hits 0  source operator\n;; ANSWER\n"
	      "www.example.test. 300 IN A 192.0.2.1\nwww.example.test. 300 IN A 192.0.2.2\n", "GET a:WWW.example.test.");
	const char *text = served_ask(redis, "GET A:www.example.test.");
	int len = (int)strlen(text);
	char want[16];
	snprintf(want, sizeof want, ":%d", len);
	asked(want, "STRLEN A:www.example.test.");
	asked(":1", "EXISTS A:www.example.test.");
	asked(":2", "EXISTS A:www.example.test. A:www.example.test A:no.test.");
	asked("dns", "TYPE A:www.example.test.");
	asked(":300", "TTL A:www.example.test.");
	asked(":300000", "PTTL A:www.example.test.");
	asked("packed", "OBJECT ENCODING A:www.example.test.");
	asked(":0", "OBJECT FREQ A:www.example.test.");
	asked(":0", "OBJECT IDLETIME A:www.example.test.");
	asked(":1", "OBJECT REFCOUNT A:www.example.test.");
	asked("A:www.example.test.", "RANDOMKEY");
	asked("[0 [A:www.example.test.]]", "SCAN 0");
	asked("[A:www.example.test.]", "KEYS *");
	asked(":1", "DBSIZE");
	asked(":1", "TOUCH A:www.example.test. nokey");
	asked(":1", "DEL A:www.example.test. A:www.example.test.");
	asked(":0", "DBSIZE");
	end();
}

static void test_a_key_that_is_no_dns_key_is_not_there(void)
{
	static const char *const keys[] = { "key:000000000001", "foo", "A:", "A", ":x.test.", "NOTYPE:x.test.", "A:x..test.", "A:x.test.@", "" };

	begin(NULL);
	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
		asked("nil", "GET %s", keys[i]);
		asked(":0", "EXISTS %s", keys[i]);
		asked(":0", "DEL %s", keys[i]);
		asked(":-2", "TTL %s", keys[i]);
		asked(":-2", "PEXPIRETIME %s", keys[i]);
		asked("none", "TYPE %s", keys[i]);
		asked(":0", "STRLEN %s", keys[i]);
		asked(":0", "EXPIRE %s 10", keys[i]);
		asked("nil", "MEMORY USAGE %s", keys[i]);
		asked("nil", "OBJECT FREQ %s", keys[i]);
	}
	asked("nil", "RANDOMKEY");
	end();
}

static void test_expire_shortens_and_never_lengthens(void)
{
	begin(NULL);
	asked("OK", "DNS.SET A:a.test. 300 192.0.2.1");
	asked(":0", "EXPIRE A:a.test. 301");
	asked(":0", "EXPIRE A:a.test. 300");
	asked(":300", "TTL A:a.test.");
	asked(":1", "EXPIRE A:a.test. 100");
	asked(":100", "TTL A:a.test.");
	asked(":1", "PEXPIRE A:a.test. 49001");
	asked(":50", "TTL A:a.test.");
	asked(":0", "EXPIRE A:a.test. 10 NX");
	asked(":0", "EXPIRE A:a.test. 10 GT");
	asked(":1", "EXPIRE A:a.test. 40 LT");
	asked(":1", "EXPIRE A:a.test. 30 XX");
	asked("-ERR NX and XX, GT or LT options at the same time are not compatible", "EXPIRE A:a.test. 30 XX NX");
	asked(":0", "PERSIST A:a.test.");
	asked("-ERR invalid expire time in 'expire' command", "EXPIRE A:a.test. 9223372036854775807");
	asked(":1", "EXPIREAT A:a.test. 1");
	asked(":0", "EXISTS A:a.test.");
	asked(":0", "EXPIRE A:a.test. 1");
	end();
}

static void test_a_stale_answer_is_there_with_no_seconds_left(void)
{
	BEGIN("--serve-stale-for", "1000s", "--serve-stale-ttl", "30s", "--enable-debug-command", "yes");
	asked("OK", "DNS.SET A:a.test. 10 192.0.2.1");
	asked("OK", "DEBUG TIME 22");
	asked(":0", "TTL A:a.test.");
	asked(":1", "EXISTS A:a.test.");
	const char *text = served_ask(redis, "GET A:a.test.");
	check(strstr(text, "  left 0s  stale for 12s  "));
	check(strstr(text, "a.test. 30 IN A 192.0.2.1\n"));
	asked(":0", "EXPIRE A:a.test. 100");
	asked("[0 [A:a.test.]]", "SCAN 0");
	asked("OK", "DEBUG TIME 989");
	asked(":-2", "TTL A:a.test.");
	asked("nil", "GET A:a.test.");
	asked("[0 []]", "SCAN 0");
	end();
}

static void test_many_keys_are_removed_in_slices(void)
{
	enum { N = 20000 };
	const char **argv = malloc((N + 1) * sizeof *argv);
	char *keys = malloc(N * 40);

	begin(NULL);
	fill(N);
	argv[0] = "DEL";
	for (unsigned i = 0; i < N; i++)
		argv[i + 1] = keys + i * 40, sprintf(keys + i * 40, "%s:host%u.example.test", i % 2 ? "AAAA" : "A", i);
	redisReply *r = redisCommandArgv(redis, N + 1, argv, NULL);
	check(r && r->type == REDIS_REPLY_INTEGER);
	check_eq_int(r->integer, N);
	freeReplyObject(r);
	asked(":0", "DBSIZE");
	free(argv);
	free(keys);
	end();
}

/* ---- all keys ---- */

/* Goes through SCAN to its end; how many keys came, each marked in seen[n]. */
static unsigned scan_all(const char *options, uint8_t *seen, unsigned n)
{
	char cursor[32] = "0", command[128];
	unsigned came = 0;

	do {
		snprintf(command, sizeof command, "SCAN %s %s", cursor, options);
		redisReply *r = redisCommand(redis, command);
		check(r && r->type == REDIS_REPLY_ARRAY && r->elements == 2 && r->element[0]->type == REDIS_REPLY_STRING);
		snprintf(cursor, sizeof cursor, "%s", r->element[0]->str);
		check(strtoull(cursor, NULL, 10) < 1ull << 53);
		for (size_t i = 0; i < r->element[1]->elements; i++) {
			const char *host = strstr(r->element[1]->element[i]->str, "host");
			unsigned at = (unsigned)atoi(host + 4);
			check(at < n);
			seen[at] = 1;
			came++;
		}
		freeReplyObject(r);
	} while (strcmp(cursor, "0") != 0);
	return came;
}

static void test_scan_returns_every_key_whatever_the_count(void)
{
	static const char *const options[] = { "", "COUNT 1", "COUNT 100", "COUNT 1000", "COUNT 5000", "COUNT 1000000", "TYPE dns COUNT 300" };
	enum { N = 3000 };
	uint8_t *seen = malloc(N);

	begin(NULL);
	fill(N);
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		memset(seen, 0, N);
		check(scan_all(options[i], seen, N) >= N);
		for (unsigned j = 0; j < N; j++)
			check(seen[j]);
	}
	memset(seen, 0, N);
	check_eq_int(scan_all("MATCH a:*7.EXAMPLE.* COUNT 200", seen, N), 0); /* odd hosts are AAAA */
	check_eq_int(scan_all("MATCH aaaa:*7.EXAMPLE.* COUNT 200", seen, N), N / 10);
	asked("[0 []]", "SCAN 0 TYPE string");
	asked("-ERR invalid cursor", "SCAN -1");
	asked("-ERR syntax error", "SCAN 0 COUNT 0");
	asked("-ERR syntax error", "SCAN 0 MATCH");
	asked("-ERR value is not an integer or out of range", "SCAN 0 COUNT x");
	free(seen);
	end();
}

static void test_keys_over_the_output_limit_cut_the_client(void)
{
	BEGIN("--client-output-buffer-limit", "64kb");
	fill(10000);
	asked("[AAAA:host77.example.test.]", "KEYS *host77.*");
	check(!redisCommand(redis, "KEYS *"));
	redisFree(redis);
	redis = served_redis(&s);
	asked(":10000", "DBSIZE");
	end();
}

static void test_the_sum_of_memory_usage_is_the_dataset(void)
{
	enum { N = 2000 };
	long long sum = 0;

	begin(NULL);
	fill(N);
	for (unsigned i = 0; i < N; i++) {
		redisReply *r = redisCommand(redis, "MEMORY USAGE %s:host%u.example.test. SAMPLES 0", i % 2 ? "AAAA" : "A", i);
		check(r && r->type == REDIS_REPLY_INTEGER && r->integer > 20);
		sum += r->integer;
		freeReplyObject(r);
	}
	const char *info = served_ask(redis, "INFO memory"), *at = strstr(info, "used_memory_dataset:");
	check(at);
	check_eq_int(atoll(at + 20), sum);
	end();
}

static void test_purge_removes_what_it_says_and_counts(void)
{
	begin(NULL);
	asked("OK", "DNS.SET A:example.test. 300 192.0.2.1");
	asked("OK", "DNS.SET AAAA:example.test. 300 2001:db8::1");
	asked("OK", "DNS.SET A:example.test.@cd 300 192.0.2.1");
	asked("OK", "DNS.SET A:example.test.@192.0.2.0/24 300 192.0.2.1");
	asked("OK", "DNS.SET A:www.example.test. 300 192.0.2.1");
	asked("OK", "DNS.SET MX:a.b.example.test. 300 %s", "10 mail.example.test.");
	asked("OK", "DNS.SET A:notexample.test. 300 192.0.2.1");
	asked(":1", "DNS.PURGE www.EXAMPLE.test");
	asked(":1", "DNS.PURGE example.test. TYPE AAAA");
	asked(":0", "DNS.PURGE example.test. TYPE AAAA");
	asked(":3", "DNS.PURGE example.test.");
	asked(":1", "DNS.PURGE example.test SUBTREE");
	asked("[0 [A:notexample.test.]]", "SCAN 0");
	asked(":1", "DNS.PURGE . SUBTREE TYPE A");
	asked("-ERR unknown record type 'FOO'", "DNS.PURGE . TYPE FOO");
	asked("-ERR syntax error", "DNS.PURGE . TYPE");
	asked("-ERR 'a..b' is no domain name", "DNS.PURGE a..b");
	end();
}

static void test_purge_and_flush_of_everything_count_right(void)
{
	begin(NULL);
	fill(30000);
	asked(":15000", "DNS.PURGE example.test SUBTREE TYPE A");
	asked(":15000", "DBSIZE");
	asked("OK", "FLUSHALL ASYNC");
	asked(":0", "DBSIZE");
	fill(10);
	asked("OK", "FLUSHDB");
	asked(":0", "DBSIZE");
	asked("-ERR syntax error", "FLUSHALL NOW");
	end();
}

/* ---- content ---- */

static void test_records_of_all_kinds_are_stored_and_shown(void)
{
	begin(NULL);
	asked("OK", "DNS.SET TXT:a.test. 60 %s %s", "\"v=spf1 -all\"", "\"two \\\"quoted\\\"\"");
	check(strstr(served_ask(redis, "GET TXT:a.test."), "a.test. 60 IN TXT \"v=spf1 -all\"\na.test. 60 IN TXT \"two \\\"quoted\\\"\"\n"));
	asked("OK", "DNS.SET TYPE65280:a.test. 60 %s", "\\# 4 0a000001");
	check(strstr(served_ask(redis, "GET TYPE65280:a.test."), "a.test. 60 IN TYPE65280 \\# 4 0a000001\n"));
	asked("OK", "DNS.SET CNAME:a.test. 60 b.test.");
	asked("-ERR there can be only one record of this type", "DNS.SET CNAME:a.test. 60 b.test. c.test.");
	asked("-ERR SET cannot store a DNS answer: use DNS.SET key ttl rdata [rdata ...], as in DNS.SET A:www.example.test. 300 192.0.2.1",
	      "SET A:a.test. 192.0.2.1");
	asked("-ERR records of this type are never cached", "DNS.SET ANY:a.test. 60 x");
	asked("-ERR the TTL is a number of seconds from 1 to 16777215", "DNS.SET A:a.test. 0 192.0.2.1");
	asked("-ERR the TTL is a number of seconds from 1 to 16777215", "DNS.SET A:a.test. 1h 192.0.2.1");
	check(strncmp(served_ask(redis, "DNS.SET A:a.test. 60 192.0.2.256"), "-ERR record 1: ", 15) == 0);
	check(strncmp(served_ask(redis, "DNS.SET foo 60 192.0.2.1"), "-ERR the key is not", 19) == 0);
	end();
}

static void test_wire_form_is_a_message(void)
{
	struct msg_reader m;
	struct wire_rr rr;

	begin(NULL);
	asked("OK", "DNS.SET MX:a.test. 60 %s %s", "10 b.test.", "20 c.test.");
	redisReply *r = redisCommand(redis, "DNS.GET MX:a.test. WIRE");
	check(r && r->type == REDIS_REPLY_STRING);
	check_eq_int(msg_begin(&m, (const uint8_t *)r->str, r->len), 0);
	check_eq_int(m.h.flags, FLAG_QR | FLAG_RD | FLAG_RA);
	check_eq_int(m.h.ancount, 2);
	check_eq_int(msg_next(&m, &rr), 1);
	check_eq_int(rr.type, RRTYPE_MX);
	check_eq_int(rr.ttl, 60);
	check_eq_int(msg_next(&m, &rr), 1);
	check_eq_int(msg_next(&m, &rr), 0);
	check_eq_int(msg_end(&m), 0);
	freeReplyObject(r);
	asked("nil", "DNS.GET MX:b.test. WIRE");
	asked("-ERR syntax error", "DNS.GET MX:a.test. XML");
	end();
}

static void test_resolve_shows_the_reply(void)
{
	begin(NULL);
	const char *text = served_ask(redis, "DNS.RESOLVE www.Example.test MX");
	check(strncmp(text, "; rcode NOERROR  flags qr rd ad  took ", 38) == 0);
	check(strstr(text, "  edns 1232\n;; QUESTION\n;www.example.test. IN MX\n"));
	asked("-ERR unknown record type 'FOO'", "DNS.RESOLVE a.test FOO");
	asked("-ERR 'a..b' is no domain name", "DNS.RESOLVE a..b");
	end();
}

static void ask_release(void *arg)
{
	ask_answer(arg);
}

static void test_a_client_may_go_while_it_resolves(void)
{
	begin(NULL);
	ask.hold = true;
	redisContext *waits = served_redis(&s);
	char *command;
	int len = redisFormatCommand(&command, "DNS.RESOLVE a.test");
	served_send(waits->fd, command, (size_t)len);
	free(command);
	while (!ask.held)
		usleep(1000);
	asked(":1", "CLIENT KILL ID %d", 2);
	check_eq_int(loop_post(s.loop, ask_release, NULL), 0);
	asked("PONG", "PING");
	redisFree(waits);
	end();
}

/* ---- the rest of the server ---- */

static void test_the_handshake_of_both_versions(void)
{
	BEGIN("--requirepass", "secret");
	asked("-NOAUTH Authentication required.", "PING");
	asked("-WRONGPASS invalid username-password pair or user is disabled.", "AUTH wrong");
	asked("-WRONGPASS invalid username-password pair or user is disabled.", "AUTH secretsecret");
	asked("-WRONGPASS invalid username-password pair or user is disabled.", "AUTH other secret");
	asked("-NOPROTO unsupported protocol version", "HELLO 4");
	check(strncmp(served_ask(redis, "HELLO 2"), "-NOAUTH HELLO must be called", 28) == 0);
	asked("[server redis version 7.0.15 proto :2 id :1 mode standalone role master modules []]", "HELLO 2 AUTH default secret SETNAME me");
	asked("me", "CLIENT GETNAME");
	asked("RESET", "RESET");
	asked("-NOAUTH Authentication required.", "PING");
	asked("OK", "AUTH secret");
	asked("OK", "SELECT 0");
	asked("-ERR DB index is out of range", "SELECT 1");
	end();
	begin(NULL);
	int fd = served_socket(&s);
	served_say(fd, "HELLO 3\r\nGET nokey\r\nCOMMAND INFO nocommand\r\n");
	served_hear(fd, "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:2\r\n$4\r\nmode\r\n"
			"$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n_\r\n*1\r\n_\r\n");
	close(fd);
	end();
}

static void test_clients_are_listed_named_and_closed(void)
{
	begin(NULL);
	redisContext *other = served_redis(&s);
	check_eq_str(served_ask(other, "CLIENT SETNAME other"), "OK");
	check_eq_str(served_ask(other, "CLIENT SETINFO LIB-NAME hiredis"), "OK");
	check_eq_str(served_ask(other, "CLIENT SETINFO LIB-VER 0.14"), "OK");
	asked("-ERR Client names cannot contain spaces, newlines or special characters.", "CLIENT SETNAME %s", "a b");
	const char *text = served_ask(redis, "CLIENT LIST");
	check(strstr(text, " name=other ") && strstr(text, " lib-name=hiredis lib-ver=0.14 ") && strstr(text, " cmd=client|setinfo "));
	asked(":0", "CLIENT KILL ID 77");
	asked(":1", "CLIENT KILL ID 2 SKIPME yes");
	check(!redisCommand(other, "PING"));
	redisFree(other);
	asked("-ERR No such client", "CLIENT KILL 127.0.0.1:1");
	asked("", "CLIENT LIST ID 2");
	asked(":1", "CLIENT ID");
	end();
}

static void test_config_set_is_all_or_nothing_and_reaches_everybody(void)
{
	begin(NULL);
	asked("[maxmemory 268435456]", "CONFIG GET maxmemory");
	asked("OK", "CONFIG SET maxmemory 100mb cache-max-ttl 77");
	asked("[maxmemory 104857600]", "CONFIG GET maxmemory maxmem?ry");
	check_eq_int(confs, 1);
	check_eq_int(conf_maxmemory, 104857600);
	asked("-ERR Unknown option or number of arguments for CONFIG SET - 'no-such-option'", "CONFIG SET maxmemory 50mb no-such-option 1");
	check(strncmp(served_ask(redis, "CONFIG SET maxmemory 50mb maxclients x"),
		      "-ERR CONFIG SET failed (possibly related to argument 'maxclients') - ", 69) == 0);
	asked("[maxmemory 104857600]", "CONFIG GET maxmemory");
	check_eq_int(confs, 1);
	asked("-ERR wrong number of arguments for 'config|set' command", "CONFIG SET maxmemory 1 2");
	asked("-ERR The server is running without a config file", "CONFIG REWRITE");
	asked("OK", "CONFIG SET requirepass geheim");
	asked("PONG", "PING"); /* who was in stays in */
	redisContext *later = served_redis(&s);
	check_eq_str(served_ask(later, "PING"), "-NOAUTH Authentication required.");
	check_eq_str(served_ask(later, "AUTH geheim"), "OK");
	redisFree(later);
	end();
}

static void test_info_has_what_tools_read(void)
{
	static const char *const lines[] = {
		"redis_version:7.0.15\r\n", "tcp_port:", "uptime_in_seconds:", "connected_clients:1\r\n", "blocked_clients:0\r\n", "used_memory:",
		"used_memory_human:", "used_memory_rss:", "maxmemory:268435456\r\n", "maxmemory_policy:", "mem_fragmentation_ratio:", "allocator_active:", "loading:0\r\n",
		"rdb_bgsave_in_progress:0\r\n", "aof_rewrite_in_progress:0\r\n", "total_commands_processed:", "total_connections_received:1\r\n",
		"instantaneous_ops_per_sec:", "keyspace_hits:1\r\n", "keyspace_misses:2\r\n", "evicted_keys:0\r\n", "expired_keys:0\r\n",
		"role:master\r\n", "used_cpu_sys:", "cmdstat_get:calls=2,", "cmdstat_config|get:calls=1,", "errorstat_ERR:count=1\r\n",
		"latency_percentiles_usec_get:p50=", "cluster_enabled:0\r\n", "# Keyspace\r\ndb0:keys=1,expires=1,avg_ttl=300000\r\n",
		"cache_hits:0\r\n", "queries_udp:0\r\n", "upstream_latency_usec:samples=0,", "cache_hit_ratio:",
	};

	begin(NULL);
	asked("OK", "DNS.SET A:a.test. 300 192.0.2.1");
	served_ask(redis, "GET A:a.test.");
	asked("nil", "GET A:b.test.");
	asked("none", "TYPE nokey");
	served_ask(redis, "CONFIG GET databases");
	asked("-ERR wrong number of arguments for 'get' command", "GET");
	const char *text = served_ask(redis, "INFO everything");
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strstr(text, lines[i])) {
			printf("no %s\n", lines[i]);
			unit_fail();
		}
	text = served_ask(redis, "INFO keyspace CPU");
	check(strstr(text, "# CPU") && strstr(text, "# Keyspace") && !strstr(text, "# Memory"));
	check(!strstr(served_ask(redis, "INFO"), "cmdstat_"));
	asked("", "INFO nosuchsection");
	asked("OK", "CONFIG RESETSTAT");
	text = served_ask(redis, "INFO all");
	check(strstr(text, "keyspace_hits:0\r\n") && strstr(text, "connected_clients:1\r\n") && !strstr(text, "errorstat_") &&
	      !strstr(text, "cmdstat_get:"));
	end();
}

static void test_slow_log_and_latency_have_redis_shapes(void)
{
	BEGIN("--slowlog-log-slower-than", "0", "--latency-monitor-threshold", "0");
	asked("PONG", "PING");
	asked("OK", "CONFIG SET requirepass x");
	redisReply *r = redisCommand(redis, "SLOWLOG GET 1");
	check(r && r->elements == 1 && r->element[0]->elements == 6);
	check_eq_int(r->element[0]->element[3]->elements, 1); /* what sets a password does not show it */
	freeReplyObject(r);
	r = redisCommand(redis, "SLOWLOG GET -1");
	check(r && r->elements == 3); /* PING, CONFIG SET, SLOWLOG GET */
	freeReplyObject(r);
	asked("OK", "SLOWLOG RESET");
	asked("[]", "LATENCY LATEST");
	asked("[]", "LATENCY HISTORY command");
	asked(":0", "LATENCY RESET");
	r = redisCommand(redis, "LATENCY HISTOGRAM ping");
	check(r && r->elements == 2 && r->element[1]->elements == 4);
	check_eq_str(r->element[0]->str, "ping");
	check_eq_int(r->element[1]->element[1]->integer, 1);
	freeReplyObject(r);
	end();
}

static void test_debug_is_off_unless_the_configuration_says_so(void)
{
	begin(NULL);
	check(strncmp(served_ask(redis, "DEBUG TIME 10"), "-ERR DEBUG command not allowed.", 31) == 0);
	end();
	BEGIN("--enable-debug-command", "yes");
	asked("OK", "DEBUG SLEEP 0.01");
	check(strncmp(served_ask(redis, "DEBUG TIME -1"), "-ERR seconds", 12) == 0);
	check(strncmp(served_ask(redis, "DEBUG OBJECT x"), "-ERR unknown subcommand", 23) == 0);
	end();
}

static void test_shutdown_asks_once_and_answers_by_closing(void)
{
	begin(NULL);
	asked("-ERR syntax error", "SHUTDOWN now please");
	check_eq_int(stops, 0);
	check(!redisCommand(redis, "SHUTDOWN NOSAVE"));
	check_eq_int(stops, 1);
	end();
}

static void test_what_makes_no_sense_here_says_so(void)
{
	begin(NULL);
	asked("-ERR unknown command 'LPUSH': the keys of this server are cached DNS answers; see DNS.SET, GET and DEL", "LPUSH a b");
	asked("-ERR This instance has cluster support disabled", "READONLY");
	asked("-ERR This instance has cluster support disabled", "CLUSTER INFO");
	asked("-ERR unknown command 'nosuch', with args beginning with: 'a' ", "nosuch a");
	asked("[]", "MODULE LIST");
	asked("[master :0 []]", "ROLE");
	end();
}

static void test_no_memory_at_any_place_costs_at_most_a_connection(void)
{
	static const char *const commands[] = {
		"DNS.SET TXT:a.test. 60 x y", "GET TXT:a.test.", "KEYS *", "SCAN 0 COUNT 5000", "DNS.PURGE nosuch.test SUBTREE", "DNS.RESOLVE a.test",
		"CLIENT SETNAME me", "CLIENT LIST", "CONFIG GET *", "CONFIG SET maxmemory 100mb", "INFO all", "COMMAND DOCS", "SLOWLOG GET",
		"DEL 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", "EXPIRE TXT:a.test. 10", "FLUSHALL",
	};

	BEGIN("--slowlog-log-slower-than", "0");
	for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
		for (long nth = 1; nth < 12; nth++) {
			redisContext *c = served_redis(&s);
			char line[200];

			check_eq_str(served_ask(c, "PING"), "PONG");
			snprintf(line, sizeof line, "%s\r\n", commands[i]);
			alloc_fail_after(nth);
			served_say(c->fd, line);
			ssize_t n = recv(c->fd, line, sizeof line, 0); /* a reply, an error, or the end: never silence */
			alloc_fail_after(0);
			check(n > 0 || n == 0 || errno == ECONNRESET);
			redisFree(c);
		}
	asked("PONG", "PING");
	asked("OK", "DNS.SET A:a.test. 60 192.0.2.1");
	asked(":1", "DBSIZE");
	end();
}

/* ---- the table ---- */

static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)byte_lower((uint8_t)*text);
}

/* COMMAND DOCS nests deeper than this hiredis reads: its bytes are looked at. */
static void docs_begin_with(const char *name, const char *summary)
{
	char text[600];
	int fd = served_socket(&s);

	snprintf(text, sizeof text, "COMMAND DOCS %s\r\n", name);
	served_say(fd, text);
	served_hear(fd, "*2\r\n");
	snprintf(text, sizeof text, "$%zu\r\n%s\r\n*", strlen(name), name);
	served_hear(fd, text);
	while (recv(fd, text, 1, 0) == 1 && *text != '\n')
		;
	snprintf(text, sizeof text, "$7\r\nsummary\r\n$%zu\r\n%s\r\n", strlen(summary), summary);
	served_hear(fd, text);
	close(fd);
}

/* One file of src/admin/commands: its text, and what of it the tests use. */
struct command_file {
	char text[1 << 15];
	char name[40], full[90], summary[400];
	const char *row; /* the object with arity and the rest */
	bool top;
};

/* Calls fn for every file; returns how many there are. */
static unsigned each_file(void (*fn)(const struct command_file *f))
{
	static struct command_file file;
	unsigned files = 0;
	struct dirent *d;
	DIR *dir = opendir("src/admin/commands");

	check(dir);
	while ((d = readdir(dir))) {
		char path[400], container[40] = "";

		if (!strstr(d->d_name, ".json"))
			continue;
		snprintf(path, sizeof path, "src/admin/commands/%s", d->d_name);
		FILE *in = fopen(path, "r");
		check(in);
		file.text[fread(file.text, 1, sizeof file.text - 1, in)] = '\0';
		fclose(in);
		const char *key = json_first(file.text);
		json_string(key, file.name, sizeof file.name);
		file.row = json_blank(json_skip(key));
		json_string(json_member(file.row, "summary"), file.summary, sizeof file.summary);
		file.top = !json_member(file.row, "container");
		if (!file.top)
			json_string(json_member(file.row, "container"), container, sizeof container);
		snprintf(file.full, sizeof file.full, "%s%s%s", container, file.top ? "" : "|", file.name);
		lower(file.full);
		fn(&file);
		files++;
	}
	closedir(dir);
	return files;
}

static unsigned tops;

static void compare_with_command(const struct command_file *f)
{
	redisReply *r = redisCommand(redis, "COMMAND INFO %s", f->full);

	check(r && r->elements == 1 && r->element[0]->elements == 10);
	check_eq_str(r->element[0]->element[0]->str, f->full);
	check_eq_int(r->element[0]->element[1]->integer, json_int(json_member(f->row, "arity")));
	freeReplyObject(r);
	docs_begin_with(f->full, f->summary);
	tops += f->top;
}

static void test_command_info_and_docs_say_what_the_json_says(void)
{
	char want[16];

	begin(NULL);
	tops = 0;
	check(each_file(compare_with_command) > 90);
	redisReply *r = redisCommand(redis, "COMMAND");
	check(r);
	check_eq_int(r->elements, tops);
	freeReplyObject(r);
	snprintf(want, sizeof want, ":%u", tops);
	asked(want, "COMMAND COUNT");
	end();
}

/* ---- replies against their schemas ---- */

/* Does the reply (RESP2, so a map is a flat array and a double a string) fit the schema at p? */
static bool fits(const redisReply *r, const char *p)
{
	const char *m, *type = json_member(p, "type");
	bool text = r->type == REDIS_REPLY_STRING || r->type == REDIS_REPLY_STATUS;

	if ((m = json_member(p, "anyOf"))) {
		for (m = json_first(m); m; m = json_next(m))
			if (fits(r, m))
				return true;
		return false;
	}
	if ((m = json_member(p, "const")))
		return text && json_is(m, r->str);
	if ((m = json_member(p, "enum"))) {
		for (m = json_first(m); m; m = json_next(m))
			if (*json_blank(m) == '"' ? text && json_is(m, r->str) : r->type == REDIS_REPLY_INTEGER && r->integer == json_int(m))
				return true;
		return false;
	}
	if (!type) /* anything but an error */
		return r->type != REDIS_REPLY_ERROR;
	if (json_is(type, "null"))
		return r->type == REDIS_REPLY_NIL;
	if (json_is(type, "string"))
		return text;
	if (json_is(type, "number"))
		return text && strspn(r->str, "0123456789.-") == strlen(r->str);
	if (json_is(type, "integer"))
		return r->type == REDIS_REPLY_INTEGER && (!(m = json_member(p, "minimum")) || r->integer >= json_int(m)) &&
		       (!(m = json_member(p, "maximum")) || r->integer <= json_int(m));
	if (r->type != REDIS_REPLY_ARRAY)
		return false;
	if (json_is(type, "object")) {
		const char *properties = json_member(p, "properties");

		for (size_t i = 0; i + 1 < r->elements && properties; i += 2)
			if ((m = json_member(properties, r->element[i]->str)) && !fits(r->element[i + 1], m))
				return false;
		return r->elements % 2 == 0;
	}
	check(json_is(type, "array"));
	for (size_t i = 0; i < r->elements && (m = json_member(p, "items")); i++)
		if (!fits(r->element[i], m))
			return false;
	return (!(m = json_member(p, "minItems")) || (long long)r->elements >= json_int(m)) &&
	       (!(m = json_member(p, "maxItems")) || (long long)r->elements <= json_int(m));
}

/* A call of each command, with keys that are there and keys that are not. What has none here is listed as such, with the reason. */
static const char *const calls[] = {
	"ACL CAT", "ACL CAT dns", "ACL DELUSER x", "ACL DRYRUN default GET x", "ACL GENPASS", "ACL GETUSER default", "ACL GETUSER x", "ACL HELP", "ACL LIST",
	"ACL LOG", "ACL LOG RESET", "ACL SETUSER x +get", "ACL USERS", "ACL WHOAMI", "AUTH default x", "CLIENT GETNAME", "CLIENT HELP", "CLIENT ID", "CLIENT INFO", "CLIENT KILL ID 99", "CLIENT LIST", "CLIENT LIST ID 1",
	"CLIENT GETREDIR", "CLIENT PAUSE 0", "CLIENT TRACKING OFF",
	"CLIENT TRACKINGINFO", "CLIENT UNBLOCK 1", "CLIENT UNPAUSE", "CLUSTER HELP", "CLUSTER KEYSLOT a", "CLIENT NO-EVICT ON", "CLIENT NO-TOUCH OFF", "CLIENT REPLY ON", "CLIENT SETINFO LIB-NAME x", "CLIENT SETNAME x", "CLIENT GETNAME",
	"COMMAND", "COMMAND COUNT", "COMMAND DOCS ping", "COMMAND GETKEYS GET x", "COMMAND GETKEYSANDFLAGS GET x", "COMMAND HELP",
	"COMMAND INFO get nosuch", "COMMAND LIST", "CONFIG GET *", "CONFIG HELP", "CONFIG RESETSTAT", "CONFIG SET maxmemory 100mb", "DBSIZE",
	"DEBUG TIME 0", "DEL A:del.test. x", "DNS.GET A:a.test.", "DNS.GET A:a.test. WIRE", "DNS.GET x", "DNS.PURGE nosuch.test",
	"DNS.RESOLVE a.test", "DNS.SLOWLOG GET", "DNS.SLOWLOG HELP", "DNS.SLOWLOG LEN", "DNS.SLOWLOG RESET",
	"DUMP A:a.test.", "DUMP x", "MEMORY MALLOC-STATS", "WAIT 0 0", "DNS.SET A:del.test. 10 192.0.2.1", "DNS.UPSTREAMS", "ECHO x", "EXISTS A:a.test. x", "EXPIRE A:a.test. 1000", "EXPIREAT x 1",
	"EXPIRETIME A:a.test.", "EXPIRETIME x", "FLUSHALL", "FLUSHDB", "GET A:a.test.", "GET x", "HELLO 2", "INFO", "INFO all", "KEYS *",
	"LATENCY DOCTOR", "LATENCY HELP", "LATENCY HISTOGRAM", "LATENCY HISTORY command", "LASTSAVE", "LATENCY LATEST", "LATENCY RESET", "MEMORY DOCTOR",
	"MEMORY HELP", "MEMORY PURGE", "MEMORY STATS", "MEMORY USAGE A:a.test.", "MEMORY USAGE x", "MODULE HELP", "MODULE LIST", "OBJECT ENCODING A:a.test.",
	"OBJECT FREQ A:a.test.", "OBJECT FREQ x", "OBJECT HELP", "OBJECT IDLETIME A:a.test.", "OBJECT REFCOUNT x", "PERSIST A:a.test.",
	"PEXPIRE A:a.test. 100000", "PEXPIREAT x 1", "PEXPIRETIME A:a.test.", "PING", "PING x", "PTTL A:a.test.", "PTTL x", "PUBLISH x y", "PUBSUB CHANNELS", "PUBSUB HELP", "PUBSUB NUMPAT",
	"PUBSUB NUMSUB x", "PUNSUBSCRIBE", "RANDOMKEY", "RESET", "ROLE",
	"SAVE", "SCAN 0", "SCAN 0 COUNT 5000", "SELECT 0", "SLOWLOG GET", "SLOWLOG HELP", "SLOWLOG LEN", "SLOWLOG RESET", "STRLEN A:a.test.", "STRLEN x", "TIME",
	"TOUCH A:a.test. x", "TTL A:a.test.", "TTL x", "TYPE A:a.test.", "TYPE x", "UNLINK A:del.test.", "UNSUBSCRIBE x",
};
static const char *const not_called[] = {
	"quit", "shutdown",                           /* end the connection; tested on their own */
	"subscribe", "psubscribe", "monitor", "dns.monitor", /* change the connection; tested with the running server */
	"acl|load", "acl|save",                       /* there is no file; tested with the running server */
	"bgsave",                                     /* what it says depends on the moment; tested on its own */
	"config|rewrite",                             /* there is no file */
	"cluster|info", "cluster|nodes", "cluster|slots", "cluster|shards", "cluster|myid", "client|caching", "copy", "rename", "renamenx",
	"latency|graph", "restore",                   /* want samples, a payload; tested with the running server */
	"set", "readonly", "readwrite",    /* always refused */
};
enum { CALLS = sizeof calls / sizeof *calls, NOT_CALLED = sizeof not_called / sizeof *not_called };

static void call_and_compare(const struct command_file *f)
{
	char line[90];
	unsigned n = 0;

	if (!json_member(f->row, "function")) /* a container: its subcommands have files of their own */
		return;
	snprintf(line, sizeof line, "%s", f->full);
	for (char *p = line; *p; p++)
		*p = *p == '|' ? ' ' : *p;
	for (unsigned i = 0; i < CALLS; i++) {
		size_t len = strlen(line);

		if (strncasecmp(calls[i], line, len) != 0 || (calls[i][len] != ' ' && calls[i][len] != '\0'))
			continue;
		if (strcmp(line, "command") == 0 && calls[i][len] == ' ') /* a subcommand's */
			continue;
		served_ask(redis, "DNS.SET A:a.test. 10000 192.0.2.1");
		redisReply *r = redisCommand(redis, calls[i]);
		check(r);
		if (!fits(r, json_member(f->row, "reply_schema"))) {
			char text[400];

			served_reply_text(r, text, sizeof text);
			printf("%s answered %s\n", calls[i], text);
			unit_fail();
		}
		freeReplyObject(r);
		n++;
	}
	for (unsigned i = 0; i < NOT_CALLED; i++)
		n += strcmp(not_called[i], f->full) == 0;
	if (!n) {
		printf("no call of %s\n", f->full);
		unit_fail();
	}
}

static void remove_snapshot(const char *folder)
{
	char path[64];

	snprintf(path, sizeof path, "%s/dump.pith", folder);
	unlink(path);
	check_eq_int(rmdir(folder), 0);
}

static void test_every_reply_fits_its_schema(void)
{
	char folder[] = "/tmp/pith-admin-XXXXXX";

	check(mkdtemp(folder));
	BEGIN("--enable-debug-command", "yes", "--slowlog-log-slower-than", "0", "--slowlog-max-len", "5", "--dir", folder);
	each_file(call_and_compare);
	end();
	remove_snapshot(folder);
}

static void test_snapshots_are_saved_when_asked_and_errors_are_told(void)
{
	char folder[] = "/tmp/pith-admin-XXXXXX", path[64];

	check(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/dump.pith", folder);
	BEGIN("--dir", folder, "--save", "");
	check_eq_int(access(path, F_OK), -1);
	asked("OK", "SAVE");
	check_eq_int(access(path, F_OK), 0);
	check(strstr(served_ask(redis, "INFO persistence"), "rdb_saves:1\r\n"));
	asked("Background saving started", "BGSAVE");
	for (int i = 0; i < 1000 && !strstr(served_ask(redis, "INFO persistence"), "rdb_saves:2\r\n"); i++)
		usleep(10000);
	const char *info = served_ask(redis, "INFO persistence");
	check(strstr(info, "rdb_saves:2\r\n") && strstr(info, "rdb_bgsave_in_progress:0\r\n") && strstr(info, "rdb_last_bgsave_status:ok\r\n"));
	asked("-ERR syntax error", "BGSAVE NOW");
	const char *at = served_ask(redis, "LASTSAVE");
	check(labs(atol(at + strspn(at, ":")) - (long)clock_wall_s()) < 60);
	check_eq_int(unlink(path), 0);
	check_eq_int(rmdir(folder), 0);
	check(strncmp(served_ask(redis, "SAVE"), "-ERR cannot open", 16) == 0);
	check(strstr(served_ask(redis, "INFO persistence"), "rdb_last_bgsave_status:err\r\n"));
	check(strncmp(served_ask(redis, "SHUTDOWN SAVE"), "-ERR Errors trying to SHUTDOWN", 30) == 0);
	check_eq_int(stops, 0);
	end();
}

static void test_command_list_filters_and_getkeys_finds(void)
{
	begin(NULL);
	asked("[expire expireat expiretime]", "COMMAND LIST FILTERBY PATTERN expire*");
	asked("[]", "COMMAND LIST FILTERBY MODULE x");
	asked("[dns.get dns.monitor dns.purge dns.resolve dns.set dns.slowlog dns.slowlog|get dns.slowlog|help dns.slowlog|len dns.slowlog|reset dns.upstreams]", "COMMAND LIST FILTERBY ACLCAT dns");
	asked("[A:a. A:b.]", "COMMAND GETKEYS DEL A:a. A:b.");
	asked("[A:a.]", "COMMAND GETKEYS MEMORY USAGE A:a.");
	asked("[[A:a. [OW update]]]", "COMMAND GETKEYSANDFLAGS DNS.SET A:a. 1 x");
	asked("-ERR The command has no key arguments", "COMMAND GETKEYS PING");
	asked("-ERR Invalid command specified", "COMMAND GETKEYS NOSUCH");
	asked("-ERR Invalid number of arguments specified for command", "COMMAND GETKEYS GET");
	asked("[nil]", "COMMAND INFO nosuch");
	const char *help = served_ask(redis, "CLIENT HELP");
	check(strstr(help, "NO-EVICT ON|OFF") && strstr(help, "SETNAME <connection-name>"));
	end();
}
