/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that show or set an answer's content: GET STRLEN SET, DNS.GET DNS.SET. */
#include "admin/internal.h"
#include "base/alloc.h"
#include "base/clock.h"

/* The text of the entry that argv[1] names, in a->text. False: not there. */
static bool entry_text(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct cache_key_buf b;
	uint32_t now_s = clock_s();
	int64_t left;

	text_reset(&a->text);
	cache_read_begin();
	const struct entry *e = admin_find(a, &r->argv[1], &b, now_s, &left);
	bool there = e && render_entry(a, &a->text, e, now_s);
	cache_read_end();
	return there && !a->text.failed;
}

enum step cmd_get(struct resp_call *r)
{
	struct admin *a = admin_of(r);

	if (entry_text(r))
		resp_bulk(r->out, a->text.data, a->text.len);
	else
		resp_null(r->out);
	return STEP_DONE;
}

enum step cmd_strlen(struct resp_call *r)
{
	resp_int(r->out, entry_text(r) ? (int64_t)admin_of(r)->text.len : 0);
	return STEP_DONE;
}

static enum step get_wire(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct cache_key_buf b;
	uint32_t now_s = clock_s();
	int64_t left;
	int len = ERR_UNKNOWN;

	cache_read_begin();
	const struct entry *e = admin_find(a, &r->argv[1], &b, now_s, &left);
	if (e)
		len = render_wire(a, a->scratch->buf, DNS_MSG_MAX, e, now_s);
	cache_read_end();
	if (len > 0)
		resp_bulk(r->out, a->scratch->buf, (size_t)len);
	else
		resp_null(r->out);
	return STEP_DONE;
}

enum step cmd_dns_get(struct resp_call *r)
{
	if (r->argc == 2 || (r->argc == 3 && resp_arg_is(&r->argv[2], "text")))
		return cmd_get(r);
	if (r->argc == 3 && resp_arg_is(&r->argv[2], "wire"))
		return get_wire(r);
	resp_error(r->out, "ERR syntax error");
	return STEP_DONE;
}

enum step cmd_set(struct resp_call *r)
{
	resp_error(r->out, "ERR SET cannot store a DNS answer: use DNS.SET key ttl rdata [rdata ...], as in "
			   "DNS.SET A:www.example.test. 300 192.0.2.1");
	return STEP_DONE;
}

/* ---- DNS.SET ---- */

/* The key and the life; 0, or an error is written. */
static int set_key(struct resp_call *r, struct cache_key_buf *b, uint32_t *ttl_s)
{
	int64_t ttl;
	unsigned n = r->argc - 3;

	if (cache_key_from_text(admin_of(r)->ctx.cache, b, r->argv[1].p, r->argv[1].len) != 0)
		resp_error(r->out, "ERR the key is not of the form TYPE:name[@prefix][@cd], as in A:www.example.test.");
	else if (rrtype_is_meta(b->key.type))
		resp_error(r->out, "ERR records of this type are never cached");
	else if (!resp_arg_int(&r->argv[2], &ttl) || ttl < 1 || ttl > ENTRY_TTL_MAX)
		resp_errorf(r->out, "ERR the TTL is a number of seconds from 1 to %d", ENTRY_TTL_MAX);
	else if (n > 1 && (b->key.type == RRTYPE_CNAME || b->key.type == RRTYPE_DNAME || b->key.type == RRTYPE_SOA))
		resp_error(r->out, "ERR there can be only one record of this type"); /* RFC 2181 §10.1, RFC 6672 §2.4 */
	else {
		*ttl_s = (uint32_t)ttl;
		return 0;
	}
	return ERR_BAD;
}

struct wire_set {
	unsigned n;
	const uint8_t **rdata; /* into bytes */
	size_t *len;
};

static void wire_set_free(struct wire_set *s)
{
	mem_free(s->rdata);
	mem_free(s->len);
}

/* All rdata arguments to wire form, in a->text; 0, or an error is written. */
static int set_rdata(struct resp_call *r, uint16_t type, struct wire_set *s)
{
	struct admin *a = admin_of(r);
	const char *why = "malformed";

	s->n = r->argc - 3;
	s->rdata = mem_calloc(s->n, sizeof *s->rdata);
	s->len = mem_calloc(s->n, sizeof *s->len);
	text_reset(&a->text);
	if (!s->rdata || !s->len) {
		resp_error(r->out, "ERR no memory");
		return ERR_NOMEM;
	}
	for (unsigned i = 0; i < s->n; i++) {
		const struct resp_arg *arg = &r->argv[3 + i];
		char *to = resp_out_room(&a->text, DNS_MSG_MAX);
		int len = to ? rdata_from_text(type, arg->p, arg->len, (uint8_t *)to, DNS_MSG_MAX, &why) : ERR_NOMEM;

		if (len < 0 || a->text.len > DNS_MSG_MAX) {
			resp_errorf(r->out, "ERR record %u: %s", i + 1, len == ERR_BAD ? why : "the records do not fit into one answer");
			return ERR_BAD;
		}
		s->len[i] = (size_t)len;
		a->text.len += (size_t)len;
	}
	const uint8_t *at = (const uint8_t *)a->text.data; /* only now: the buffer may have moved */
	for (unsigned i = 0; i < s->n; at += s->len[i++])
		s->rdata[i] = at;
	return 0;
}

enum step cmd_dns_set(struct resp_call *r)
{
	struct admin *a = admin_of(r);
	struct cache_key_buf b;
	struct wire_set s = { 0 };
	uint32_t ttl_s;
	int got;

	if (set_key(r, &b, &ttl_s) != 0)
		return STEP_DONE;
	if (set_rdata(r, b.key.type, &s) == 0) {
		const struct entry_meta meta = {
			.now_s = clock_s(), .max_ttl_s = ENTRY_TTL_MAX, .max_negative_ttl_s = ENTRY_TTL_MAX, .source = SOURCE_OPERATOR, .ede = EDE_NONE,
		};
		if ((got = entry_from_rrset(a->scratch, &b.key, ttl_s, s.n, s.rdata, s.len, &meta)) == 0)
			got = cache_store(a->ctx.cache, &b.key, a->scratch);
		if (got == 0)
			resp_ok(r->out);
		else
			resp_errorf(r->out, "ERR not stored: %s", err_text(got));
	}
	wire_set_free(&s);
	return STEP_DONE;
}
