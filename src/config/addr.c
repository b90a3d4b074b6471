/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the text form of addresses and prefixes. */
#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "config/internal.h"

enum { ADDR_TEXT = 64 };

/* s without the part from the last mark on; *tail is that part without the mark, or NULL. ERR_BAD: too long. */
static int split_tail(const char *s, char mark, char head[ADDR_TEXT], const char **tail)
{
	const char *at = strrchr(s, mark);
	size_t len = at ? (size_t)(at - s) : strlen(s);
	if (len >= ADDR_TEXT)
		return ERR_BAD;
	memcpy(head, s, len);
	head[len] = '\0';
	*tail = at ? at + 1 : NULL;
	return 0;
}

static int ip_parse(const char *s, uint8_t bytes[16], uint8_t *family)
{
	memset(bytes, 0, 16);
	*family = strchr(s, ':') ? 6 : 4;
	return inet_pton(*family == 6 ? AF_INET6 : AF_INET, s, bytes) == 1 ? 0 : ERR_BAD;
}

/* A zone is a name of an interface or its number (RFC 4007 §11.2). */
static int scope_parse(const char *s, uint32_t *scope)
{
	int64_t n;
	if (integer_parse(s, &n) == 0 && n > 0 && n <= UINT32_MAX)
		*scope = (uint32_t)n;
	else
		*scope = strlen(s) < IF_NAMESIZE ? if_nametoindex(s) : 0;
	return *scope ? 0 : ERR_BAD;
}

int conf_addr_parse(const char *s, uint16_t default_port, struct conf_addr *out)
{
	char with_scope[ADDR_TEXT], ip[ADDR_TEXT];
	const char *port, *scope;
	int64_t n = default_port;
	*out = (struct conf_addr){ 0 };
	if (split_tail(s, '@', with_scope, &port) != 0 || split_tail(with_scope, '%', ip, &scope) != 0)
		return ERR_BAD;
	if (port && (integer_parse(port, &n) != 0 || n < 1 || n > 65535))
		return ERR_BAD;
	out->port = (uint16_t)n;
	if (ip_parse(ip, out->bytes, &out->family) != 0)
		return ERR_BAD;
	if (scope && (out->family != 6 || scope_parse(scope, &out->scope) != 0))
		return ERR_BAD;
	return 0;
}

int conf_prefix_parse(const char *s, struct conf_prefix *out)
{
	char ip[ADDR_TEXT];
	const char *bits;
	*out = (struct conf_prefix){ 0 };
	if (split_tail(s, '/', ip, &bits) != 0 || ip_parse(ip, out->bytes, &out->family) != 0)
		return ERR_BAD;
	int64_t n = out->family == 6 ? 128 : 32, most = n;
	if (bits && (integer_parse(bits, &n) != 0 || *bits == '-' || n > most))
		return ERR_BAD;
	out->bits = (uint8_t)n;
	for (int i = out->bits; i < most; i++)
		if (out->bytes[i / 8] & 0x80 >> i % 8)
			return ERR_BAD;
	return 0;
}
