/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain types from zone text. Every word must be wanted and every field must be there; what is wrong is said in words. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "wire/encode.h"
#include "wire/plain.h"
#include "wire/token.h"
#include "wire/wire.h"

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

/* v in width bytes; v < 0 is a fault, told by text. */
static int number_put(int64_t v, size_t width, uint8_t *out, size_t cap, const char **why, const char *text)
{
	if (v < 0)
		return fail(why, text);
	if (cap < width)
		return ERR_SPACE;
	for (size_t i = 0; i < width; i++)
		out[i] = (uint8_t)(v >> 8 * (width - 1 - i));
	return (int)width;
}

static int64_t number_of_width(const struct token *t, size_t width)
{
	return token_number(t, width >= 4 ? UINT32_MAX : (1u << 8 * width) - 1);
}

struct mnemonic {
	const char *text;
	int value;
};

/* IANA's DNSSEC algorithm numbers (RFC 4034 §2.2 lets text name them). */
static const struct mnemonic algorithms[] = {
	{"RSAMD5", 1}, {"DH", 2}, {"DSA", 3}, {"RSASHA1", 5}, {"DSA-NSEC3-SHA1", 6}, {"RSASHA1-NSEC3-SHA1", 7}, {"RSASHA256", 8},
	{"RSASHA512", 10}, {"ECC-GOST", 12}, {"ECDSAP256SHA256", 13}, {"ECDSAP384SHA384", 14}, {"ED25519", 15}, {"ED448", 16},
	{"INDIRECT", 252}, {"PRIVATEDNS", 253}, {"PRIVATEOID", 254}, {NULL, 0},
};
/* RFC 4398 §2.1 */
static const struct mnemonic cert_types[] = {
	{"PKIX", 1}, {"SPKI", 2}, {"PGP", 3}, {"IPKIX", 4}, {"ISPKI", 5}, {"IPGP", 6}, {"ACPKIX", 7}, {"IACPKIX", 8}, {"URI", 253},
	{"OID", 254}, {NULL, 0},
};

static int64_t mnemonic_or_number(const struct token *t, const struct mnemonic *m, size_t width)
{
	for (; m->text != NULL && !t->quoted; m++)
		if (strlen(m->text) == t->len && strncasecmp(m->text, t->s, t->len) == 0)
			return m->value;
	return number_of_width(t, width);
}

static int tag_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	if (t->quoted || t->len > UINT8_MAX || !plain_tag((const uint8_t *)t->s, t->len))
		return fail(why, "no tag of letters and digits where one is needed");
	return string_from_text(t, out, cap, why);
}

static int long_string_from_text(const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	int n = token_bytes(t, out, cap);

	return n == ERR_BAD ? fail(why, "an escape that is neither \\DDD (up to 255) nor \\c") : n;
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

static int part_from_text(uint16_t type, char part, const struct token *t, uint8_t *out, size_t cap, const char **why)
{
	switch (part) {
	case 'n': case 'N': case 'U':
		return name_part_from_text(t, out, cap, why);
	case 's': case 'S':
		return string_from_text(t, out, cap, why);
	case '@':
		return address_from_text(rrtype_fixed_len(type), t, out, cap, why);
	case 't':
		return tag_from_text(t, out, cap, why);
	case 'L':
		return long_string_from_text(t, out, cap, why);
	case 'T':
		return number_put(t->quoted ? ERR_BAD : rrtype_from_text(t->s, t->len), 2, out, cap, why, "an unknown RR type");
	case 'D':
		return number_put(t->quoted ? ERR_BAD : time_from_text(t->s, t->len), 4, out, cap, why,
				  "no time (YYYYMMDDHHmmSS) where one is needed");
	case 'a':
		return number_put(mnemonic_or_number(t, algorithms, 1), 1, out, cap, why, "an unknown algorithm");
	case 'c':
		return number_put(mnemonic_or_number(t, cert_types, 2), 2, out, cap, why, "an unknown certificate type");
	}
	return number_put(number_of_width(t, (size_t)(part - '0')), (size_t)(part - '0'), out, cap, why,
			  "no number, or one out of its range, where one is needed");
}

/* The last field, when it is all words that are left. */
static int rest_from_text(char part, struct token_reader *r, uint8_t *out, size_t cap, const char **why)
{
	int n = part == 'X' ? hex_from_words(r, out, cap) : base64_from_words(r, out, cap);

	if (n == ERR_BAD)
		*why = r->why;
	return n;
}

int plain_from_text(uint16_t type, const char *s, size_t len, uint8_t *out, size_t cap, const char **why)
{
	struct token_reader r = {.s = s, .end = s + len};
	struct token t;
	const char *shape = plain_shape(type);
	size_t n = 0;
	int k;

	while (*shape != '\0') {
		if (*shape == 'X' || *shape == 'B') {
			k = rest_from_text(*shape, &r, out + n, cap - n, why);
		} else {
			int got = token_next(&r, &t);

			if (got < 0)
				return fail(why, r.why);
			if (got == 0)
				break;
			k = part_from_text(type, *shape, &t, out + n, cap - n, why);
		}
		if (k < 0)
			return k;
		n += (size_t)k;
		if (*shape != 'S')
			shape++;
	}
	k = token_next(&r, &t);
	if (k != 0)
		return fail(why, k < 0 ? r.why : "more text than the type has fields");
	if (n > UINT16_MAX)
		return fail(why, "more than 65535 bytes of rdata");
	/* an S that took one string stays where it is */
	return (*shape == '\0' || *shape == 'S') && rdata_valid(type, out, n) ? (int)n : fail(why, "less text than the type has fields");
}
