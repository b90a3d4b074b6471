/* SPDX-License-Identifier: BSD-3-Clause */
/* MONITOR shows the commands of operators, DNS.MONITOR the questions of clients:
 *
 *     +1339518083.107412 192.0.2.7#5353 udp www.example.com. A NOERROR hit
 *     +1339518083.108001 192.0.2.8#5311 tcp www.example.net. AAAA SERVFAIL fetched 1203us
 *     +1339518083.208001 ... 1200 more, over RATE 1000
 *
 * The filters are applied here and not by the workers, who only copy what they know into a ring: that costs them tens of nanoseconds
 * whatever is asked for. A reader that is too slow is not waited for: it is cut at the output limit, as any other client.
 * Invariant: a monitor is in the admin's list exactly as long as its client has it as a stream. */
#include <arpa/inet.h>
#include <stdio.h>

#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"

struct dns_monitor {
	struct dns_monitor *next;
	struct admin *a;
	struct resp_client *client;
	uint8_t suffix[NAME_MAX_LEN];
	size_t suffix_len;      /* 0: any name */
	int type, rcode;        /* ERR_UNKNOWN: any */
	struct conf_prefix net; /* family 0: anybody */
	uint64_t rate;          /* lines a second */
	uint64_t second;        /* since the start of the process; in which `shown` lines went out */
	uint64_t shown, more;
};

enum step cmd_monitor(struct resp_call *r)
{
	resp_client_set_monitor(r->client, true);
	resp_ok(r->out);
	return STEP_DONE;
}

/* ---- filters ---- */

static bool in_net(const struct conf_prefix *p, const struct feed_event *e)
{
	unsigned whole = p->bits / 8, rest = p->bits % 8;

	if (p->family == 0)
		return true;
	return e->family == (p->family == 4 ? 1 : 2) && memcmp(p->bytes, e->addr, whole) == 0 &&
	       (rest == 0 || (p->bytes[whole] ^ e->addr[whole]) >> (8 - rest) == 0);
}

static bool shows(const struct dns_monitor *m, const struct feed_event *e)
{
	return (m->type < 0 || m->type == e->type) && (m->rcode < 0 || m->rcode == e->rcode) && in_net(&m->net, e) &&
	       (m->suffix_len == 0 || name_is_below(e->name, e->name_len, m->suffix, m->suffix_len));
}

/* An RCODE by its mnemonic or number; ERR_UNKNOWN. */
static int rcode_of(const struct resp_arg *a)
{
	int64_t n;
	char text[16];

	if (resp_arg_int(a, &n))
		return n >= 0 && n < 16 ? (int)n : ERR_UNKNOWN;
	for (unsigned i = 0; i < 16; i++)
		if (resp_arg_is(a, rcode_text(i, text, sizeof text)))
			return (int)i;
	return ERR_UNKNOWN;
}

static bool net_of(const struct resp_arg *a, struct conf_prefix *p)
{
	char text[64];

	if (a->len >= sizeof text || memchr(a->p, '\0', a->len))
		return false;
	memcpy(text, a->p, a->len);
	text[a->len] = '\0';
	return conf_prefix_parse(text, p) == 0;
}

/* One option and its value into m; false: the error is written. */
static bool option(struct resp_call *r, struct dns_monitor *m, const struct resp_arg *word, const struct resp_arg *value)
{
	int64_t rate;
	int len;

	if (resp_arg_is(word, "suffix")) {
		if ((len = admin_name(value, m->suffix)) >= 0) {
			m->suffix_len = (size_t)len;
			return true;
		}
		resp_error(r->out, "ERR SUFFIX wants a domain name");
	} else if (resp_arg_is(word, "type")) {
		if ((m->type = rrtype_from_text(value->p, value->len)) >= 0)
			return true;
		resp_error(r->out, "ERR TYPE wants a record type, such as A or TYPE65");
	} else if (resp_arg_is(word, "rcode")) {
		if ((m->rcode = rcode_of(value)) >= 0)
			return true;
		resp_error(r->out, "ERR RCODE wants a response code, such as NXDOMAIN or 3");
	} else if (resp_arg_is(word, "client")) {
		if (net_of(value, &m->net))
			return true;
		resp_error(r->out, "ERR CLIENT wants an address or a prefix, such as 192.0.2.0/24");
	} else if (resp_arg_is(word, "rate")) {
		if (resp_arg_int(value, &rate) && rate > 0) {
			m->rate = (uint64_t)rate;
			return true;
		}
		resp_error(r->out, "ERR RATE wants a number of lines a second above 0");
	} else {
		resp_error(r->out, "ERR syntax error");
	}
	return false;
}

static void monitor_drop(void *stream)
{
	struct dns_monitor *m = stream, **at = &m->a->monitors;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	watch_update(m->a);
	mem_free(m);
}

enum step cmd_dns_monitor(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct dns_monitor from = { .a = a, .client = r->client, .type = ERR_UNKNOWN, .rcode = ERR_UNKNOWN,
				    .rate = (uint64_t)a->conf->dns_monitor_rate }, *m;

	if (r->argc % 2 == 0) {
		resp_error(r->out, "ERR syntax error");
		return STEP_DONE;
	}
	for (unsigned i = 1; i < r->argc; i += 2)
		if (!option(r, &from, &r->argv[i], &r->argv[i + 1]))
			return STEP_DONE;
	if (!(m = mem_alloc(sizeof *m))) {
		resp_error(r->out, "ERR no memory");
		return STEP_DONE;
	}
	*m = from;
	resp_client_set_stream(r->client, NULL, NULL); /* an older one of this client goes first */
	m->next = a->monitors;
	a->monitors = m;
	resp_client_set_stream(r->client, m, monitor_drop);
	watch_update(a);
	resp_ok(r->out);
	return STEP_DONE;
}

/* ---- lines ---- */

static void push_line(struct dns_monitor *m, const char *line, size_t len)
{
	resp_raw(resp_push_begin(m->client), line, len);
	resp_push_end(m->client);
}

static int stamp(char *to, size_t cap, uint64_t wall_us)
{
	return snprintf(to, cap, "+%llu.%06llu ", (unsigned long long)(wall_us / 1000000), (unsigned long long)(wall_us % 1000000));
}

/* True when this second may have one more line. */
static bool within_rate(struct dns_monitor *m, uint64_t now_s)
{
	char line[120];

	if (m->second != now_s) {
		if (m->more) {
			int n = stamp(line, sizeof line, clock_wall_us());
			n += snprintf(line + n, sizeof line - (size_t)n, "... %llu more, over RATE %llu\r\n", (unsigned long long)m->more,
				      (unsigned long long)m->rate);
			push_line(m, line, (size_t)n);
		}
		m->second = now_s;
		m->shown = m->more = 0;
	}
	if (m->shown < m->rate) {
		m->shown++;
		return true;
	}
	m->more++;
	return false;
}

static size_t line_of(char *line, size_t cap, const struct feed_event *e)
{
	char ip[INET6_ADDRSTRLEN] = "-", name[NAME_MAX_TEXT], type[16], rcode[16];
	int n = stamp(line, cap, e->wall_us);

	if (e->family)
		inet_ntop(e->family == 1 ? AF_INET : AF_INET6, e->addr, ip, sizeof ip);
	if (name_to_text(e->name, e->name_len, name, sizeof name) < 0)
		snprintf(name, sizeof name, "?");
	n += snprintf(line + n, cap - (size_t)n, "%s#%u %s %s %s %s %s%s", ip, e->port, e->how & FEED_STREAM ? "tcp" : "udp", name,
		      rrtype_text(e->type, type, sizeof type), rcode_text(e->rcode, rcode, sizeof rcode),
		      e->how & FEED_HIT ? "hit" : e->how & FEED_FETCHED ? "fetched" : "local", e->how & FEED_HOW_STALE ? " stale" : "");
	if (e->how & FEED_FETCHED)
		n += snprintf(line + n, cap - (size_t)n, " %uus", e->took_us);
	n += snprintf(line + n, cap - (size_t)n, "\r\n");
	return (size_t)n;
}

void monitors_show(struct admin *a, const struct feed_event *e)
{
	char line[NAME_MAX_TEXT + 256];
	uint64_t now_s = clock_real_mono_ms() / 1000;
	size_t len = 0;

	for (struct dns_monitor *m = a->monitors, *next; m; m = next) {
		next = m->next;
		if (!shows(m, e) || !within_rate(m, now_s))
			continue;
		if (!len)
			len = line_of(line, sizeof line, e);
		push_line(m, line, len);
	}
}
