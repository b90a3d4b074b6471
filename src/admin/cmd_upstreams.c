/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS.UPSTREAMS and INFO's section upstreams: the servers that questions are forwarded to, a row each.
 *
 * Workers know them apart from each other; a row is the sum over all, read from figures that each worker leaves where others can see
 * them. A server is down when every worker holds it for dead, partly-down when some do. */
#include "admin/internal.h"
#include "upstream/upstream.h"

typedef unsigned long long ull;

static bool figures(const struct admin *a, unsigned i, struct upstream_server *s)
{
	return a->ctx.hooks.upstream(a->ctx.hooks.arg, i, s);
}

static const char *state(const struct upstream_server *s)
{
	if (s->dead_in == s->workers)
		return "down";
	return s->dead_in ? "partly-down" : s->answered ? "up" : "unknown";
}

static const char *transport(const struct upstream_server *s)
{
	return s->tls ? "tls" : "udp";
}

static double ms(uint32_t us)
{
	return (double)us / 1000;
}

static void put_row(struct resp_out *o, const struct upstream_server *s)
{
	const struct {
		const char *name, *text;
	} texts[] = { { "zone", s->zone }, { "address", s->address }, { "transport", transport(s) }, { "state", state(s) } };
	const struct {
		const char *name;
		double d;
	} times[] = {
		{ "srtt-ms", ms(s->srtt_us) }, { "p50-ms", ms(upstream_percentile_us(s, 0.5)) }, { "p95-ms", ms(upstream_percentile_us(s, 0.95)) },
	};
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
		{ "sent", s->sent }, { "sent-tcp", s->tcp }, { "answered", s->answered }, { "timeouts", s->timeouts }, { "failures", s->failures },
		{ "in-flight", s->in_flight }, { "connections", s->streams }, { "backoff-ms", s->backoff_ms },
	};
	enum { TEXTS = sizeof texts / sizeof *texts, TIMES = sizeof times / sizeof *times, COUNTS = sizeof counts / sizeof *counts };

	resp_map(o, TEXTS + TIMES + COUNTS);
	for (unsigned i = 0; i < TEXTS; i++) {
		resp_str(o, texts[i].name);
		resp_str(o, texts[i].text);
	}
	for (unsigned i = 0; i < TIMES; i++) {
		resp_str(o, times[i].name);
		resp_double(o, times[i].d);
	}
	for (unsigned i = 0; i < COUNTS; i++) {
		resp_str(o, counts[i].name);
		resp_int(o, (int64_t)counts[i].n);
	}
}

enum step cmd_dns_upstreams(struct resp_call *r)
{
	const struct admin *a = admin_of(r);
	struct upstream_server s;
	unsigned n = 0;

	while (figures(a, n, &s))
		n++;
	resp_array(r->out, n);
	for (unsigned i = 0; i < n && figures(a, i, &s); i++)
		put_row(r->out, &s);
	return STEP_DONE;
}

void upstreams_info(const struct admin *a, struct resp_out *t)
{
	struct upstream_server s;

	for (unsigned i = 0; figures(a, i, &s); i++)
		text_addf(t, "upstream_%u:zone=%s,address=%s,transport=%s,state=%s,srtt_ms=%.3f,p50_ms=%.3f,p95_ms=%.3f,sent=%llu,sent_tcp=%llu,"
			  "answered=%llu,timeouts=%llu,failures=%llu,in_flight=%u,connections=%u,backoff_ms=%u\r\n",
			  i, s.zone, s.address, transport(&s), state(&s), ms(s.srtt_us), ms(upstream_percentile_us(&s, 0.5)),
			  ms(upstream_percentile_us(&s, 0.95)), (ull)s.sent, (ull)s.tcp, (ull)s.answered, (ull)s.timeouts, (ull)s.failures,
			  s.in_flight, s.streams, s.backoff_ms);
}
