/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS.SLOWLOG: the answers that clients waited long for. Workers tell of them by the feed; the newest dns-slowlog-max-len are kept. */
#include <arpa/inet.h>
#include <stdio.h>

#include "admin/internal.h"
#include "base/alloc.h"

struct slow_answers {
	uint64_t next;     /* number of the next; they count from 0 */
	uint64_t from;     /* of the oldest that is kept */
	unsigned cap;
	struct feed_event at[]; /* a ring */
};

void slow_answer_add(struct admin *a, const struct feed_event *e)
{
	struct slow_answers *s = a->slow_answers;
	unsigned cap = (unsigned)a->conf->dns_slowlog_max_len;

	if (!s) {
		if (!(s = mem_alloc(sizeof *s + cap * sizeof s->at[0])))
			return;
		*s = (struct slow_answers){ .cap = cap };
		a->slow_answers = s;
	}
	s->at[s->next++ % s->cap] = *e;
	if (s->next - s->from > s->cap)
		s->from = s->next - s->cap;
}

void slow_answers_free(struct admin *a)
{
	mem_free(a->slow_answers);
	a->slow_answers = NULL;
}

static uint64_t kept(const struct admin *a)
{
	return a->slow_answers ? a->slow_answers->next - a->slow_answers->from : 0;
}

enum step cmd_dns_slowlog_len(struct resp_call *r)
{
	resp_int(r->out, (int64_t)kept(admin_of(r)));
	return STEP_DONE;
}

enum step cmd_dns_slowlog_reset(struct resp_call *r)
{
	struct slow_answers *s = admin_of(r)->slow_answers;

	if (s)
		s->from = s->next;
	resp_ok(r->out);
	return STEP_DONE;
}

/* Number, when, microseconds, question, what came of it, client: as SLOWLOG GET, six fields. */
static void reply_slow(struct resp_out *o, uint64_t id, const struct feed_event *e)
{
	char ip[INET6_ADDRSTRLEN] = "-", name[NAME_MAX_TEXT], type[16], rcode[16];

	if (e->family)
		inet_ntop(e->family == 1 ? AF_INET : AF_INET6, e->addr, ip, sizeof ip);
	if (name_to_text(e->name, e->name_len, name, sizeof name) < 0)
		snprintf(name, sizeof name, "?");
	resp_array(o, 6);
	resp_int(o, (int64_t)id);
	resp_int(o, (int64_t)(e->wall_us / 1000000));
	resp_int(o, e->took_us);
	resp_array(o, 2);
	resp_str(o, name);
	resp_str(o, rrtype_text(e->type, type, sizeof type));
	resp_strf(o, "%s%s", rcode_text(e->rcode, rcode, sizeof rcode), e->how & FEED_HOW_STALE ? " stale" : "");
	resp_strf(o, "%s#%u", ip, e->port);
}

enum step cmd_dns_slowlog_get(struct resp_call *r)
{
	const struct admin *a = admin_of(r);
	uint64_t all = kept(a);
	int64_t n = 10;

	if (r->argc > 3) {
		resp_error(r->out, "ERR wrong number of arguments for 'dns.slowlog|get' command");
		return STEP_DONE;
	}
	if (r->argc == 3 && (!resp_arg_int(&r->argv[2], &n) || n < -1)) {
		resp_error(r->out, "ERR count should be greater than or equal to -1");
		return STEP_DONE;
	}
	if (n == -1 || (uint64_t)n > all)
		n = (int64_t)all;
	resp_array(r->out, (size_t)n);
	for (uint64_t i = 1; i <= (uint64_t)n; i++) {
		uint64_t id = a->slow_answers->next - i;

		reply_slow(r->out, id, &a->slow_answers->at[id % a->slow_answers->cap]);
	}
	return STEP_DONE;
}
