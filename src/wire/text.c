/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as zone text and back: the room's only contact with ldns.
 *
 * Three ways, tried in this order: plain.c for types whose text follows their shape, ldns for those with a grammar of
 * their own (NSEC, SVCB, LOC …), and RFC 3597's \# form for all that is unknown or malformed, so that there is always a
 * text. ldns is not believed blindly (ldns_quirks.h). The invariant: what rdata_to_text writes, rdata_from_text reads as the
 * same bytes. */
#include <ldns/ldns.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "wire/ldns_quirks.h"
#include "wire/plain.h"
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
		   memcmp(back, wire, size) != 0 ||
		   ldns_rr_rd_count(rr) < ldns_rr_descriptor_minimum(ldns_rr_descript(type))) {
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
	if (generic_only(type))
		return fail(why, "this type is written as \\# length hex (RFC 3597)");
	if (memchr(s, '\0', len) != NULL || memchr(s, '\n', len) != NULL)
		return fail(why, "a NUL or a newline");
	if (ldns_would_err(type, s, len, why))
		return ERR_BAD;
	return ldns_from_text(type, s, len, out, cap, why);
}

/* ---- to text, checked ----------------------------------------------------------------------------------------------- */

/* Does the text read back as these bytes? */
static bool reads_back(uint16_t type, const char *text, size_t len, const uint8_t *rdata, size_t rdata_len)
{
	uint8_t *back = mem_alloc(rdata_len);
	bool same = back != NULL && rdata_from_text(type, text, len, back, rdata_len, NULL) == (int)rdata_len &&
		    memcmp(back, rdata, rdata_len) == 0;

	mem_free(back);
	return same;
}

/* Length, ERR_SPACE, or ERR_BAD when ldns has no text for these bytes, or a wrong one. */
static int ldns_to_text(uint16_t type, const uint8_t *rdata, size_t rdata_len, char *buf, size_t cap)
{
	ldns_rr *rr = ldns_rr_of(type, rdata, rdata_len);
	int n = rr != NULL ? ldns_fields_to_text(rr, buf, cap) : ERR_BAD;

	ldns_rr_free(rr);
	/* bitmaps, parameters, prefixes can be malformed in ways that ldns prints as something else */
	return n > 0 && !reads_back(type, buf, (size_t)n, rdata, rdata_len) ? ERR_BAD : n;
}

int rdata_to_text(uint16_t type, const uint8_t *rdata, size_t rdata_len, char *buf, size_t cap)
{
	int n = ERR_BAD;

	if (rdata_len > UINT16_MAX)
		return ERR_BAD;
	if (rdata_len == 0 || rrtype_is_meta(type) || !rdata_valid(type, rdata, rdata_len))
		return generic_to_text(rdata, rdata_len, buf, cap);
	if (plain_type(type))
		n = plain_to_text(type, rdata, rdata_len, buf, cap);
	else if (!generic_only(type))
		n = ldns_to_text(type, rdata, rdata_len, buf, cap);
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
