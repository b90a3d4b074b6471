/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a client's packet and any bytes as upstream's answer to it, down the whole road: parsed, refused or looked up,
 * fetched, stored, answered; then the same packet again, from the cache.
 *
 * Input: two bytes of length, the packet, the answer. The answer is given the ID, the QR bit and the question that were asked, as upstream
 * checks those before anybody sees an answer; the rest is as it comes. What goes out must be a message that our own
 * reader takes, within the client's limit, with the client's ID and question.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/must.h"
#include "query/query.h"
#include "upstream/upstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* ---- upstream ---- */

struct upstream_job {
	upstream_done *done;
	void *arg;
};
static struct upstream_job job;
static bool asked;

struct upstream *upstream_new(struct loop *l, const struct conf *c, struct stats_thread *stats, char *err, size_t cap)
{
	(void)l, (void)c, (void)stats, (void)err, (void)cap;
	return mem_alloc(1);
}

void upstream_free(struct upstream *u)
{
	mem_free(u);
}

enum step upstream_start(struct upstream *u, const struct upstream_ask *a, upstream_done *done, void *arg, struct upstream_job **j)
{
	(void)u, (void)a;
	must(!asked);
	asked = true;
	job = (struct upstream_job){ done, arg };
	*j = &job;
	return STEP_PENDING;
}

void upstream_cancel(struct upstream *u, struct upstream_job *j)
{
	(void)u, (void)j;
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

void upstream_forget(struct upstream *u)
{
	(void)u;
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

/* ---- the client ---- */

static const uint8_t *packet;
static size_t packet_len;
static unsigned n_replies;
static uint8_t out[DNS_MSG_MAX];

static void check_reply(const struct transport *via, const uint8_t *msg, size_t len)
{
	struct question q;
	struct msg_reader r;
	struct wire_rr rr;
	unsigned rcode;
	int more;
	n_replies++;
	must(len >= DNS_HEADER_LEN && memcmp(msg, packet, 2) == 0 && (load_be16(msg + 2) & FLAG_QR));
	must(msg_begin(&r, msg, len) == 0);
	while ((more = msg_next(&r, &rr)) == 1)
		continue;
	must(more == 0 && msg_end(&r) == 0);
	if (question_parse(packet, packet_len, &q, &rcode) != QUESTION_OK)
		return;
	must(r.h.qdcount == 1 && memcmp(msg + DNS_HEADER_LEN, q.wire, q.wire_len) == 0);
	size_t limit = via->stream ? DNS_MSG_MAX : !q.edns.present || q.edns.udp_size < DNS_UDP_MIN ? DNS_UDP_MIN : q.edns.udp_size;
	must(len <= limit);
}

static void take_reply(const struct reply_to *to, const uint8_t *msg, size_t len)
{
	if (len)
		check_reply(to->via, msg, len);
}

static const struct transport ways[] = {
	{ .name = "udp", .queries = STAT_QUERIES_UDP, .reply = take_reply },
	{ .name = "tcp", .queries = STAT_QUERIES_TCP, .stream = true, .reply = take_reply },
};

static struct worker *worker;
static struct cache *cache;

static void begin(void)
{
	char err[200];
	struct conf *c;
	must(conf_load(NULL, 0, NULL, &c, err, sizeof err) == 0);
	cache = cache_new(&(struct cache_options){ .maxmemory = 4 << 20, .stale_for_s = 60, .hash_seed = 1 });
	cache_thread_begin(cache);
	worker = worker_new(&(struct worker_options){ .loop = loop_new(), .cache = cache, .stats = stats_of(stats_new(1), 0), .conf = c },
			    err, sizeof err);
	must(worker);
}

static void ask(const struct transport *via)
{
	struct reply_to to = { .via = via };
	to.client.in4 = (struct sockaddr_in){ .sin_family = AF_INET };
	store_be32((uint8_t *)&to.client.in4.sin_addr, 0x7f000001);
	struct query q = { .msg = packet, .len = packet_len, .to = &to, .out = out };
	query_batch(worker, &q, 1);
	must(!(q.pending && q.out_len));
	if (q.out_len)
		check_reply(via, out, q.out_len);
}

static void answer(const uint8_t *bytes, size_t len)
{
	static uint8_t msg[DNS_MSG_MAX];
	struct question q;
	unsigned rcode;
	struct upstream_reply r = { .status = UPSTREAM_FAILED, .ede = EDE_NONE, .source = SOURCE_FORWARD };
	must(question_parse(packet, packet_len, &q, &rcode) == QUESTION_OK);
	if (len > DNS_HEADER_LEN && DNS_HEADER_LEN + q.wire_len + len < sizeof msg) {
		memcpy(msg, bytes, DNS_HEADER_LEN);
		store_be16(msg + 2, load_be16(msg + 2) | FLAG_QR);
		store_be16(msg + 4, 1);
		memcpy(msg + DNS_HEADER_LEN, q.wire, q.wire_len);
		memcpy(msg + DNS_HEADER_LEN + q.wire_len, bytes + DNS_HEADER_LEN, len - DNS_HEADER_LEN);
		r.status = UPSTREAM_OK;
		r.msg = msg;
		r.len = q.wire_len + len;
	}
	asked = false;
	job.done(job.arg, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (!worker)
		begin();
	if (len < 2 || load_be16(data) > len - 2)
		return 0;
	packet = data + 2;
	packet_len = load_be16(data);
	for (unsigned i = 0; i < 4; i++) {
		n_replies = 0;
		ask(&ways[i % 2]);
		if (asked)
			answer(packet + packet_len, len - 2 - packet_len);
		must(n_replies <= 1);
	}
	cache_flush(cache);
	return 0;
}
