/* SPDX-License-Identifier: BSD-3-Clause */
/* Zone text of the everyday types, both ways, by their shape.
 *
 * ldns does this too, with an allocation per field, 7 µs a record on the way out and 62 µs on the way in. A shape already says
 * how these types read, so one loop does the types that fill nearly all of a cache; ldns keeps those whose text has a grammar of
 * its own (text.c). Names are escaped as name_to_text does; strings are always quoted. */
#include "wire/plain.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/rdata.h"
#include "wire/rrtype.h"
#include "wire/token.h"
#include "wire/wire.h"

bool plain_type(uint16_t type)
{
	switch (type) {
	case RRTYPE_A: case RRTYPE_NS: case RRTYPE_MD: case RRTYPE_MF: case RRTYPE_CNAME: case RRTYPE_SOA: case RRTYPE_MB:
	case RRTYPE_MG: case RRTYPE_MR: case RRTYPE_PTR: case RRTYPE_HINFO: case RRTYPE_MINFO: case RRTYPE_MX: case RRTYPE_TXT:
	case RRTYPE_RP: case RRTYPE_AFSDB: case RRTYPE_X25: case RRTYPE_ISDN: case RRTYPE_RT: case RRTYPE_NSAP_PTR:
	case RRTYPE_PX: case RRTYPE_GPOS: case RRTYPE_AAAA: case RRTYPE_SRV: case RRTYPE_NAPTR: case RRTYPE_KX:
	case RRTYPE_DNAME: case RRTYPE_SPF: case RRTYPE_LP: case RRTYPE_AVC: case RRTYPE_CAA: case RRTYPE_URI:
		return true;
	}
	return false;
}

/* The shape as rrtype.def has it, with letters for what reads otherwise than it lies in the packet:
 * @ an IP address, t a CAA tag (no quotes, letters and digits: RFC 8659 §4.1), L the rest as one quoted string of any length. */
static const char *text_shape(uint16_t type)
{
	switch (type) {
	case RRTYPE_A: case RRTYPE_AAAA:
		return "@";
	case RRTYPE_CAA:
		return "1tL";
	case RRTYPE_URI:
		return "22L";
	}
	return rrtype_shape(type);
}

static bool is_tag(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint8_t c = byte_lower(p[i]);

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
			return false;
	}
	return len > 0;
}

/* ---- to text -------------------------------------------------------------------------------------------------------- */

/* A character-string, quoted. Length without NUL, or ERR_SPACE. */
static int string_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	size_t n = 0;

	if (cap < 3)
		return ERR_SPACE;
	buf[n++] = '"';
	for (size_t i = 0; i < len; i++) {
		if (cap - n < 6) /* \DDD, the closing quote, the NUL */
			return ERR_SPACE;
		if (p[i] < ' ' || p[i] >= 0x7f) {
			buf[n++] = '\\';
			buf[n++] = (char)('0' + p[i] / 100);
			buf[n++] = (char)('0' + p[i] / 10 % 10);
			buf[n++] = (char)('0' + p[i] % 10);
			continue;
		}
		if (p[i] == '"' || p[i] == '\\')
			buf[n++] = '\\';
		buf[n++] = (char)p[i];
	}
	buf[n++] = '"';
	buf[n] = '\0';
	return (int)n;
}

static int number_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	uint32_t v = 0;

	for (size_t i = 0; i < len; i++)
		v = v << 8 | p[i];
	int n = snprintf(buf, cap, "%u", v);
	return (size_t)n < cap ? n : ERR_SPACE;
}

static int tag_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	if (!is_tag(p, len))
		return ERR_BAD;
	if (len >= cap)
		return ERR_SPACE;
	memcpy(buf, p, len);
	buf[len] = '\0';
	return (int)len;
}

static int address_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	if (cap == 0 || inet_ntop(len == 4 ? AF_INET : AF_INET6, p, buf, (socklen_t)cap) == NULL)
		return ERR_SPACE;
	return (int)strlen(buf);
}

static int part_to_text(char part, const uint8_t *p, size_t len, char *buf, size_t cap)
{
	switch (part) {
	case '@':
		return address_to_text(p, len, buf, cap);
	case 't':
		return tag_to_text(p + 1, len - 1, buf, cap);
	case 'L':
		return string_to_text(p, len, buf, cap);
	case 'n': case 'N': case 'U':
		return name_to_text(p, len, buf, cap);
	case 's':
		return string_to_text(p + 1, len - 1, buf, cap);
	}
	return number_to_text(p, len, buf, cap);
}

int plain_to_text(uint16_t type, const uint8_t *rdata, size_t len, char *buf, size_t cap)
{
	const uint8_t *p = rdata, *end = rdata + len;
	size_t n = 0;

	for (const char *s = text_shape(type); *s != '\0';) {
		char part = *s == 'S' ? 's' : *s; /* S is as many s as there are bytes for */
		int part_len = rdata_part_len(part == '@' || part == 'L' ? '*' : part == 't' ? 's' : part, p, end);

		if (part_len < 0)
			return ERR_BAD;
		if (n > 0) {
			if (cap - n < 2)
				return ERR_SPACE;
			buf[n++] = ' ';
		}
		int k = part_to_text(part, p, (size_t)part_len, buf + n, cap - n);
		if (k < 0)
			return k;
		n += (size_t)k;
		p += part_len;
		if (*s != 'S' || p == end)
			s++;
	}
	return (int)n;
}

/* ---- from text ------------------------------------------------------------------------------------------------------ */

static int fail(const char **why, const char *text)
{
	*why = text;
	return ERR_BAD;
}

static int string_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	uint8_t bytes[255];
	int n = token_bytes(t, bytes, sizeof bytes);

	if (n == ERR_SPACE)
		return fail(why, "a string of more than 255 bytes");
	if (n < 0)
		return fail(why, "an escape that is neither \\DDD (up to 255) nor \\c");
	if (cap < 1u + (size_t)n)
		return ERR_SPACE;
	out[0] = (uint8_t)n;
	memcpy(out + 1, bytes, (size_t)n);
	return n + 1;
}

static int name_part_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	uint8_t name[NAME_MAX_LEN];
	int n = t->quoted ? ERR_BAD : name_from_text(t->s, t->len, name);

	if (n < 0)
		return fail(why, "no valid domain name where one is needed");
	if ((size_t)n > cap)
		return ERR_SPACE;
	memcpy(out, name, (size_t)n);
	return n;
}

static int number_from_text(const struct token *t, size_t width, uint8_t *out, size_t cap, const char **why)
{
	int64_t v = token_number(t, width >= 4 ? UINT32_MAX : (1u << 8 * width) - 1);

	if (v < 0)
		return fail(why, "no number, or one out of its range, where one is needed");
	if (cap < width)
		return ERR_SPACE;
	for (size_t i = 0; i < width; i++)
		out[i] = (uint8_t)(v >> 8 * (width - 1 - i));
	return (int)width;
}

static int tag_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	if (t->quoted || t->len > UINT8_MAX || !is_tag((const uint8_t *)t->s, t->len))
		return fail(why, "no tag of letters and digits where one is needed");
	return string_from_text(t, out, cap, why);
}

static int rest_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	int n = token_bytes(t, out, cap);

	return n == ERR_BAD ? fail(why, "an escape that is neither \\DDD (up to 255) nor \\c") : n;
}

static int part_from_text(char part, const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	switch (part) {
	case 't':
		return tag_from_text(t, out, cap, why);
	case 'L':
		return rest_from_text(t, out, cap, why);
	case 'n': case 'N': case 'U':
		return name_part_from_text(t, out, cap, why);
	case 's': case 'S':
		return string_from_text(t, out, cap, why);
	}
	return number_from_text(t, (size_t)(part - '0'), out, cap, why);
}

/* width: 4 or 16. */
static int address_from_text(size_t width, const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	if (t->quoted || t->len >= sizeof text)
		return fail(why, "no IP address");
	memcpy(text, t->s, t->len);
	text[t->len] = '\0';
	if (strlen(text) != t->len || inet_pton(width == 4 ? AF_INET : AF_INET6, text, bytes) != 1)
		return fail(why, width == 4 ? "no IPv4 address" : "no IPv6 address");
	if (cap < width)
		return ERR_SPACE;
	memcpy(out, bytes, width);
	return (int)width;
}

int plain_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why)
{
	struct token_reader r = {.s = s, .end = s + len};
	struct token t;
	const char *shape = text_shape(type);
	size_t n = 0, n_strings = 0;
	int got;

	for (; (got = token_next(&r, &t)) > 0;) {
		if (*shape == '\0')
			return fail(why, "more text than the type has fields");
		int k = *shape == '@' ? address_from_text(rrtype_fixed_len(type), &t, out, cap, why)
				      : part_from_text(*shape, &t, out + n, cap - n, why);
		if (k < 0)
			return k;
		n += (size_t)k;
		if (*shape == 'S')
			n_strings++;
		else
			shape++;
	}
	if (got < 0)
		return fail(why, r.why);
	if (*shape == 'S' && n_strings > 0)
		shape++;
	if (*shape != '\0')
		return fail(why, "less text than the type has fields");
	return n <= UINT16_MAX ? (int)n : fail(why, "more than 65535 bytes of rdata");
}
