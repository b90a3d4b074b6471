/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers as text that a DNS person reads at a glance: a comment line on the whole, then zone-file lines by section.
 *
 *     ; rcode NOERROR  flags ad  age 12s  left 288s  hits 5  source forward
 *     ;; ANSWER
 *     www.example.test.	288	IN	A	192.0.2.1
 *
 * All of it is a valid zone file fragment. TTLs are those that a client would be served now: what is left, and of a stale answer
 * serve-stale-ttl. Bytes of an entry or message are as hostile as the network: names and text are escaped. */
#include <arpa/inet.h>

#include "admin/internal.h"
#include "base/bytes.h"

static const char *const section_names[] = { "ANSWER", "AUTHORITY", "ADDITIONAL" };

/* ---- one record ---- */

static void add_rr(struct resp_out *t, const uint8_t *owner, size_t owner_len, uint32_t ttl, uint16_t rrclass, uint16_t type,
		   const uint8_t *rdata, size_t rdata_len)
{
	size_t cap = NAME_MAX_TEXT + 256 + rdata_len * 5;
	int n = ERR_SPACE;

	for (unsigned tries = 0; n == ERR_SPACE && tries < 3; tries++, cap *= 4) {
		char *to = resp_out_room(t, cap);

		if (!to)
			return;
		n = rr_to_text(owner, owner_len, ttl, rrclass, type, rdata, rdata_len, to, cap);
	}
	if (n < 0) {
		text_addf(t, "; a record of type %u that has no text\n", type);
		return;
	}
	t->len += (size_t)n;
	text_add(t, "\n");
}

static void add_section(struct resp_out *t, int *before, int section)
{
	if (*before == section)
		return;
	*before = section;
	text_addf(t, ";; %s\n", section_names[section]);
}

/* ---- entries ---- */

static void add_entry_head(struct resp_out *t, const struct entry_view *v, uint32_t now_s, int64_t left)
{
	char rcode[16], prefix[INET6_ADDRSTRLEN];


	text_addf(t, "; rcode %s", rcode_text(v->rcode, rcode, sizeof rcode));
	if (v->secure || v->cd)
		text_addf(t, "  flags%s%s", v->secure ? " ad" : "", v->cd ? " cd" : "");
	text_addf(t, "  age %us", now_s > v->stored_s ? now_s - v->stored_s : 0);
	if (left > 0)
		text_addf(t, "  left %llds", (long long)left);
	else
		text_addf(t, "  left 0s  stale for %llds", (long long)-left);
	text_addf(t, "  hits %u  source %s", v->hits, entry_source_text(v->source));
	if (v->failure)
		text_add(t, "  failure");
	if (v->ecs.family && inet_ntop(v->ecs.family == 1 ? AF_INET : AF_INET6, v->ecs.addr, prefix, sizeof prefix))
		text_addf(t, "  scope %s/%u", prefix, v->ecs.bits);
	if (v->ede != EDE_NONE) {
		text_addf(t, "  ede %d ", v->ede);
		if (v->ede_text_len)
			text_add_quoted(t, v->ede_text, v->ede_text_len);
		else
			text_add_quoted(t, ede_text(v->ede), strlen(ede_text(v->ede)));
	}
	text_add(t, "\n");
}

/* What a record's TTL is now. */
static uint32_t ttl_now(const struct admin *a, const struct entry_view *v, uint32_t ttl_s, uint32_t now_s, int64_t left)
{
	uint32_t age_s = now_s > v->stored_s ? now_s - v->stored_s : 0;

	if (left <= 0)
		return a->conf->serve_stale_ttl;
	return ttl_s > age_s ? ttl_s - age_s : 0;
}

bool render_entry(struct admin *a, struct resp_out *t, const struct entry *e, uint32_t now_s)
{
	uint8_t scratch[RDATA_SCRATCH];
	struct rrset_cursor at;
	struct rrset_view s;
	struct entry_view v;
	int section = -1, more;

	if (!entry_open(e, &v))
		return false;
	int64_t left = entry_ttl_left(e, now_s);
	add_entry_head(t, &v, now_s, left);
	entry_rrsets(&v, &at);
	while ((more = entry_next_rrset(&v, &at, &s)) == 1) {
		const uint8_t *rdata;
		size_t len;

		add_section(t, &section, s.section);
		while ((more = rrset_next(&v, &s, &rdata, &len, scratch)) == 1)
			add_rr(t, s.owner_is_question ? v.name : s.owner, s.owner_is_question ? v.name_len : s.owner_len,
			       ttl_now(a, &v, s.ttl_s, now_s, left), CLASS_IN, s.type, rdata, len);
		if (more < 0)
			return false;
	}
	return more == 0;
}

int render_wire(struct admin *a, uint8_t *out, size_t cap, const struct entry *e, uint32_t now_s)
{
	uint8_t scratch[RDATA_SCRATCH], question[NAME_MAX_LEN + 4];
	struct rrset_cursor at;
	struct rrset_view s;
	struct entry_view v;
	struct msg_writer w;
	uint16_t counts[3] = { 0 };
	int more;

	if (!entry_open(e, &v))
		return ERR_BAD;
	int64_t left = entry_ttl_left(e, now_s);
	memcpy(question, v.name, v.name_len);
	store_be16(question + v.name_len, v.type);
	store_be16(question + v.name_len + 2, CLASS_IN);
	writer_begin(&w, out, cap);
	writer_question(&w, question, v.name_len + 4u);
	entry_rrsets(&v, &at);
	while ((more = entry_next_rrset(&v, &at, &s)) == 1) {
		const uint8_t *rdata;
		size_t len;

		while ((more = rrset_next(&v, &s, &rdata, &len, scratch)) == 1) {
			writer_rr(&w, s.owner_is_question ? v.name : s.owner, s.owner_is_question ? v.name_len : s.owner_len, s.type, CLASS_IN,
				  ttl_now(a, &v, s.ttl_s, now_s, left), rdata, len);
			counts[s.section]++;
		}
		if (more < 0)
			return ERR_BAD;
	}
	if (more < 0 || w.err)
		return more < 0 ? ERR_BAD : w.err;
	const struct dns_header h = {
		.flags = (uint16_t)(FLAG_QR | FLAG_RD | FLAG_RA | (v.secure ? FLAG_AD : 0) | (v.cd ? FLAG_CD : 0) | (v.rcode & FLAG_RCODE_MASK)),
		.qdcount = 1, .ancount = counts[0], .nscount = counts[1], .arcount = counts[2],
	};
	header_write(out, &h);
	return (int)w.len;
}

/* ---- messages ---- */

static void add_message_head(struct resp_out *t, const struct dns_header *h, unsigned ext_rcode, uint64_t took_us)
{
	static const struct {
		uint16_t bit;
		const char *name;
	} flags[] = { { FLAG_QR, "qr" }, { FLAG_AA, "aa" }, { FLAG_TC, "tc" }, { FLAG_RD, "rd" }, { FLAG_RA, "ra" }, { FLAG_AD, "ad" },
		      { FLAG_CD, "cd" } };
	char rcode[16];

	text_addf(t, "; rcode %s  flags", rcode_text((h->flags & FLAG_RCODE_MASK) | ext_rcode << 4, rcode, sizeof rcode));
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (h->flags & flags[i].bit)
			text_addf(t, " %s", flags[i].name);
	if (took_us)
		text_addf(t, "  took %llu.%03llums", (unsigned long long)(took_us / 1000), (unsigned long long)(took_us % 1000));
}

static void add_edns(struct resp_out *t, const struct edns *e)
{
	text_addf(t, "  edns %u%s", e->udp_size, e->do_bit ? " do" : "");
	if (e->ede == EDE_NONE)
		return;
	text_addf(t, "  ede %d ", e->ede);
	if (e->ede_text_len)
		text_add_quoted(t, e->ede_text, e->ede_text_len);
	else
		text_add_quoted(t, ede_text(e->ede), strlen(ede_text(e->ede)));
}

/* The OPT record, if there is one. False: malformed. */
static bool find_edns(const uint8_t *msg, size_t len, struct edns *e)
{
	struct msg_reader r;
	struct wire_rr rr;
	int more;

	*e = (struct edns){ .ede = EDE_NONE };
	if (msg_begin(&r, msg, len) != 0)
		return false;
	while ((more = msg_next(&r, &rr)) == 1)
		if (rr.type == RRTYPE_OPT && edns_read(&r, &rr, e) != 0)
			return false;
	return more == 0;
}

static void add_question(struct resp_out *t, const uint8_t *msg, size_t len)
{
	uint8_t name[NAME_MAX_LEN];
	char text[NAME_MAX_TEXT], type[16], rrclass[16];
	size_t next;
	int n = name_read(msg, len, DNS_HEADER_LEN, name, &next);

	if (n < 0 || len - next < 4 || name_to_text(name, (size_t)n, text, sizeof text) < 0)
		return;
	text_addf(t, ";; QUESTION\n;%s %s %s\n", text, rrclass_text(load_be16(msg + next + 2), rrclass, sizeof rrclass),
		  rrtype_text(load_be16(msg + next), type, sizeof type));
}

bool render_message(struct admin *a, struct resp_out *t, const uint8_t *msg, size_t len, uint64_t took_us)
{
	uint8_t owner[NAME_MAX_LEN];
	struct msg_reader r;
	struct wire_rr rr;
	struct edns edns;
	size_t next;
	int section = -1, more;

	if (!find_edns(msg, len, &edns) || msg_begin(&r, msg, len) != 0)
		return false;
	add_message_head(t, &r.h, edns.present ? edns.ext_rcode : 0, took_us);
	if (edns.present)
		add_edns(t, &edns);
	text_add(t, "\n");
	if (r.h.qdcount == 1)
		add_question(t, msg, len);
	while ((more = msg_next(&r, &rr)) == 1) {
		if (rr.type == RRTYPE_OPT)
			continue;
		int n = name_read(msg, len, rr.owner_off, owner, &next);
		int m = rdata_expand(msg, len, &rr, a->scratch->buf, sizeof a->scratch->buf);
		if (n < 0 || m < 0)
			return false;
		add_section(t, &section, rr.section);
		add_rr(t, owner, (size_t)n, rr.ttl, rr.rrclass, rr.type, a->scratch->buf, (size_t)m);
	}
	return more == 0;
}
