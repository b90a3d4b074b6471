/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as zone text and back: the room's only contact with ldns.
 *
 * Three ways, tried in this order: plain.c for types whose text follows their shape, ldns for those with a grammar of
 * their own (DNSSEC, SVCB, CAA, LOC …), and RFC 3597's \# form for all that is unknown or malformed, so that there is always
 * a text. ldns is not believed blindly: going out, what it understood must turn into the same bytes again; coming in, its
 * bytes must have the type's shape. It is never handed a WKS record: for that one it calls getprotobyname and
 * getservbyname, which share static storage between threads. */
#include <ldns/ldns.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "wire/plain.h"
#include "wire/token.h"
#include "wire/wire.h"

enum { RR_ROOT_HEAD_LEN = 11 }; /* a root owner, type, class, TTL and RDLENGTH */

/* ---- to text -------------------------------------------------------------------------------------------------------- */

/* An ldns record of these bytes, or NULL when ldns does not read them as we do. */
static ldns_rr *ldns_rr_of(uint16_t type, const uint8_t *rdata, size_t len)
{
	size_t size = RR_ROOT_HEAD_LEN + len, at = 0, back_len = 0;
	uint8_t *wire = mem_alloc(size), *back = NULL;
	ldns_rr *rr = NULL;

	if (wire == NULL)
		return NULL;
	memset(wire, 0, RR_ROOT_HEAD_LEN);
	store_be16(wire + 1, type);
	store_be16(wire + 3, CLASS_IN);
	store_be16(wire + 9, (uint16_t)len);
	memcpy(wire + RR_ROOT_HEAD_LEN, rdata, len);
	if (ldns_wire2rr(&rr, wire, size, &at, LDNS_SECTION_ANSWER) != LDNS_STATUS_OK) {
		rr = NULL;
	} else if (ldns_rr2wire(&back, rr, LDNS_SECTION_ANSWER, &back_len) != LDNS_STATUS_OK || back_len != size ||
		   memcmp(back, wire, size) != 0) {
		ldns_rr_free(rr);
		rr = NULL;
	}
	LDNS_FREE(back);
	mem_free(wire);
	return rr;
}

/* One field behind text. Names go our way, as ldns leaves an '@' bare that it would not read again. */
static bool ldns_field_to_text(const ldns_rdf *field, ldns_buffer *text)
{
	char name[NAME_MAX_TEXT];

	if (ldns_rdf_get_type(field) != LDNS_RDF_TYPE_DNAME)
		return ldns_rdf2buffer_str(text, field) == LDNS_STATUS_OK;
	if (name_to_text(ldns_rdf_data(field), ldns_rdf_size(field), name, sizeof name) < 0)
		return false;
	return ldns_buffer_printf(text, "%s", name) >= 0;
}

/* The fields of rr, blanks between; length, ERR_SPACE, or ERR_BAD when ldns cannot. */
static int ldns_fields_to_text(const ldns_rr *rr, char *buf, size_t cap)
{
	ldns_buffer *text = ldns_buffer_new(512);
	int n = ERR_BAD;

	if (text == NULL)
		return ERR_BAD;
	for (size_t i = 0; i < ldns_rr_rd_count(rr); i++) {
		size_t at = ldns_buffer_position(text);

		if (at > 0 && ldns_buffer_at(text, at - 1)[0] != ' ') /* a salt ends with one already */
			ldns_buffer_printf(text, " ");
		if (!ldns_field_to_text(ldns_rr_rdf(rr, i), text))
			goto out;
	}
	size_t len = ldns_buffer_position(text);
	while (len > 0 && ldns_buffer_at(text, len - 1)[0] == ' ')
		len--;
	if (len == 0 || memchr(ldns_buffer_begin(text), '\n', len) != NULL)
		goto out;
	n = len < cap ? (int)len : ERR_SPACE;
	if (n > 0) {
		memcpy(buf, ldns_buffer_begin(text), len);
		buf[len] = '\0';
	}
out:
	ldns_buffer_free(text);
	return n;
}

int rdata_to_text(uint16_t type, const uint8_t *rdata, size_t rdata_len, char *buf, size_t cap)
{
	int n = ERR_BAD;

	if (rdata_len > UINT16_MAX)
		return ERR_BAD;
	if (rdata_len == 0 || rrtype_is_meta(type) || !rdata_valid(type, rdata, rdata_len))
		return generic_to_text(rdata, rdata_len, buf, cap);
	if (plain_type(type)) {
		n = plain_to_text(type, rdata, rdata_len, buf, cap);
	} else if (type != RRTYPE_WKS) {
		ldns_rr *rr = ldns_rr_of(type, rdata, rdata_len);

		if (rr != NULL)
			n = ldns_fields_to_text(rr, buf, cap);
		ldns_rr_free(rr);
	}
	return n == ERR_BAD ? generic_to_text(rdata, rdata_len, buf, cap) : n;
}

int rr_to_text(const uint8_t *owner, size_t owner_len, uint32_t ttl, uint16_t rrclass, uint16_t type, const uint8_t *rdata,
	       size_t rdata_len, char *buf, size_t cap)
{
	char type_buf[16], class_buf[16];
	int n = name_to_text(owner, owner_len, buf, cap);

	if (n < 0)
		return n;
	size_t at = (size_t)n;
	n = snprintf(buf + at, cap - at, " %u %s %s ", ttl, rrclass_text(rrclass, class_buf, sizeof class_buf),
		     rrtype_text(type, type_buf, sizeof type_buf));
	if ((size_t)n >= cap - at)
		return ERR_SPACE;
	at += (size_t)n;
	n = rdata_to_text(type, rdata, rdata_len, buf + at, cap - at);
	return n < 0 ? n : (int)at + n;
}

/* ---- from text ------------------------------------------------------------------------------------------------------ */

static int fail(const char **why, const char *text)
{
	*why = text;
	return ERR_BAD;
}

/* ". 0 IN TYPEn text" with a NUL, to be freed by mem_free; NULL without memory. */
static char *zone_line(uint16_t type, const char *s, size_t len)
{
	char head[32], mnemonic[16];
	int n = snprintf(head, sizeof head, ". 0 IN %s ", rrtype_text(type, mnemonic, sizeof mnemonic));
	char *line = mem_alloc((size_t)n + len + 1);

	if (line != NULL) {
		memcpy(line, head, (size_t)n);
		memcpy(line + n, s, len);
		line[(size_t)n + len] = '\0';
	}
	return line;
}

/* Is the nth word of this type's text the name of a type? For what ldns reads as TYPE0 when it does not know it. */
static bool is_type_word(uint16_t type, unsigned nth)
{
	switch (type) {
	case RRTYPE_RRSIG: case RRTYPE_SIG:
		return nth == 0;
	case RRTYPE_NSEC:
		return nth >= 1;
	case RRTYPE_CSYNC:
		return nth >= 2;
	case RRTYPE_NSEC3:
		return nth >= 5;
	}
	return false;
}

/* What ldns takes without a word and gets wrong: names whose first label is "@" (it puts the root there) and unknown types. */
static bool ldns_would_err(uint16_t type, const char *s, size_t len, const char **why)
{
	struct token_reader r = {.s = s, .end = s + len};
	struct token t;
	uint8_t name[NAME_MAX_LEN];
	int got;

	for (unsigned nth = 0; (got = token_next(&r, &t)) > 0; nth++) {
		if (is_type_word(type, nth) && (t.quoted || rrtype_from_text(t.s, t.len) <= 0))
			*why = "an unknown type in the list of types";
		else if (!t.quoted && name_from_text(t.s, t.len, name) > 0 && name[0] == 1 && name[1] == '@')
			*why = "a name whose first label is @: write this record as \\# length hex (RFC 3597)";
		else
			continue;
		return true;
	}
	if (got < 0)
		*why = r.why;
	return got < 0;
}

static int ldns_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why)
{
	char *line = zone_line(type, s, len);
	ldns_rr *rr = NULL;
	uint8_t *wire = NULL;
	size_t size = 0;
	int n = ERR_BAD;

	if (line == NULL)
		return ERR_NOMEM;
	ldns_status status = ldns_rr_new_frm_str(&rr, line, 0, NULL, NULL);
	if (status != LDNS_STATUS_OK) {
		rr = NULL;
		*why = ldns_get_errorstr_by_id(status);
		goto out;
	}
	if (ldns_rr_rd_count(rr) == 0 || ldns_rr2wire(&wire, rr, LDNS_SECTION_ANSWER, &size) != LDNS_STATUS_OK ||
	    size <= RR_ROOT_HEAD_LEN || size - RR_ROOT_HEAD_LEN > UINT16_MAX) {
		*why = "no text that this type has";
		goto out;
	}
	size -= RR_ROOT_HEAD_LEN;
	if (!rdata_valid(type, wire + RR_ROOT_HEAD_LEN, size)) {
		*why = "not of the form that this type has";
	} else if (size > cap) {
		n = ERR_SPACE;
	} else {
		memcpy(out, wire + RR_ROOT_HEAD_LEN, size);
		n = (int)size;
	}
out:
	LDNS_FREE(wire);
	ldns_rr_free(rr);
	mem_free(line);
	return n;
}

int rdata_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why)
{
	const char *unused;

	if (why == NULL)
		why = &unused;
	*why = "";
	if (rrtype_is_meta(type))
		return fail(why, "a type that no record has");
	if (generic_text(s, len)) {
		int n = generic_from_text(s, len, out, cap, why);

		if (n >= 0 && !rdata_valid(type, out, (size_t)n))
			return fail(why, "bytes that are not of the form that this type has");
		return n;
	}
	if (plain_type(type))
		return plain_from_text(type, s, len, out, cap, why);
	if (type == RRTYPE_WKS || type == RRTYPE_NULL)
		return fail(why, "this type is written as \\# length hex (RFC 3597)");
	if (memchr(s, '\0', len) != NULL || memchr(s, '\n', len) != NULL)
		return fail(why, "a NUL or a newline");
	if (ldns_would_err(type, s, len, why))
		return ERR_BAD;
	return ldns_from_text(type, s, len, out, cap, why);
}
