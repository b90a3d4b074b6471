/* SPDX-License-Identifier: BSD-3-Clause */
/* The OPT pseudo record (RFC 6891) and the options Pith acts on: ECS, COOKIE, EDE, NSID, keepalive, padding.
 *
 * Unknown options are passed over (RFC 6891 §6.1.2). Of a repeated option the first counts. What is malformed here
 * makes the message malformed: a broken ECS must not choose which client's answer is served. */
#include "wire/edns.h"

#include "base/bytes.h"

enum { OPT_FIXED_LEN = 10, OPTION_HEADER_LEN = 4, ECS_HEADER_LEN = 4, FAMILY_IPV4 = 1, FAMILY_IPV6 = 2 };

/* RFC 7871 §6, §7.1.2: the address has exactly the bytes that the source length needs, and zeros behind it. */
static bool ecs_valid(const uint8_t *p, size_t len, bool query)
{
	if (len < ECS_HEADER_LEN)
		return false;
	unsigned family = load_be16(p), source = p[2], scope = p[3];
	unsigned max = family == FAMILY_IPV4 ? 32 : family == FAMILY_IPV6 ? 128 : 0;
	size_t bytes = (source + 7) / 8;

	if (family > FAMILY_IPV6 || source > max || scope > max || (query && scope != 0))
		return false;
	if (len != ECS_HEADER_LEN + bytes)
		return false;
	return source % 8 == 0 || (p[len - 1] & (0xffu >> source % 8)) == 0;
}

/* RFC 7873 §5.2.2: a client's cookie of 8 bytes, alone or with a server's of 8 to 32. */
static bool cookie_valid(size_t len)
{
	return len == 8 || (len >= 16 && len <= 40);
}

static int option_take(unsigned code, const uint8_t *p, uint16_t len, bool query, struct edns *e)
{
	switch (code) {
	case EDNS_ECS:
		if (!ecs_valid(p, len, query))
			return ERR_BAD;
		if (e->ecs == NULL) {
			e->ecs = p;
			e->ecs_len = len;
		}
		return 0;
	case EDNS_COOKIE:
		if (!cookie_valid(len))
			return ERR_BAD;
		if (e->cookie == NULL) {
			e->cookie = p;
			e->cookie_len = len;
		}
		return 0;
	case EDNS_EDE:
		if (len < 2)
			return ERR_BAD;
		if (e->ede == EDE_NONE) {
			e->ede = load_be16(p);
			e->ede_text = len > 2 ? p + 2 : NULL;
			e->ede_text_len = (uint16_t)(len - 2);
		}
		return 0;
	case EDNS_NSID:
		e->nsid = true;
		return 0;
	case EDNS_KEEPALIVE:
		e->keepalive = true;
		return 0;
	case EDNS_PADDING:
		e->padding = true;
		return 0;
	}
	return 0;
}

static int options_parse(const uint8_t *p, size_t len, bool query, struct edns *e)
{
	const uint8_t *end = p + len;

	while (p < end) {
		if (end - p < OPTION_HEADER_LEN)
			return ERR_BAD;
		uint16_t option_len = load_be16(p + 2);

		if (option_len > end - p - OPTION_HEADER_LEN)
			return ERR_BAD;
		if (option_take(load_be16(p), p + OPTION_HEADER_LEN, option_len, query, e) < 0)
			return ERR_BAD;
		p += OPTION_HEADER_LEN + option_len;
	}
	return 0;
}

int edns_parse(const uint8_t *fixed, size_t rdlen, bool query, struct edns *e)
{
	*e = (struct edns){
		.present = true,
		.do_bit = (fixed[6] & 0x80) != 0,
		.version = fixed[5],
		.ext_rcode = fixed[4],
		.udp_size = load_be16(fixed + 2),
		.ede = EDE_NONE,
	};
	if (e->udp_size < DNS_UDP_MIN) /* RFC 6891 §6.2.3 */
		e->udp_size = DNS_UDP_MIN;
	if (e->version > 0)
		return 0;
	e->opts = fixed + OPT_FIXED_LEN;
	e->opts_len = (uint16_t)rdlen;
	int err = rdlen > 0 ? options_parse(e->opts, rdlen, query, e) : 0;
	if (err < 0) { /* nothing of a broken list is to be used */
		e->opts = NULL;
		e->opts_len = 0;
		e->ecs = e->cookie = e->ede_text = NULL;
		e->ecs_len = e->cookie_len = e->ede_text_len = 0;
		e->ede = EDE_NONE;
		e->nsid = e->keepalive = e->padding = false;
	}
	return err;
}
