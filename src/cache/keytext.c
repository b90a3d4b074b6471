/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns keys as operators read and write them: TYPE ":" name [ "@" prefix ] [ "@cd" ]. An '@' of a label is escaped, so
 * the first bare one ends the name. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cache/impl.h"

/* Index of the first '@' from at on that no backslash escapes, or len. */
static size_t find_at(const char *s, size_t at, size_t len)
{
	for (; at < len && s[at] != '@'; at++)
		if (s[at] == '\\' && at + 1 < len)
			at++;
	return at;
}

/* "192.0.2.0/24" of len characters. False when it is no prefix or has bits beyond its length. */
static bool prefix_from_text(const char *s, size_t len, struct ecs_prefix *p)
{
	char buf[64];
	if (len >= sizeof buf || memchr(s, 0, len))
		return false;
	memcpy(buf, s, len);
	buf[len] = 0;
	char *slash = strchr(buf, '/');
	if (!slash || !slash[1])
		return false;
	*slash = 0;
	unsigned bits = 0;
	for (const char *d = slash + 1; *d; d++) {
		if (*d < '0' || *d > '9' || d - slash > 3)
			return false;
		bits = bits * 10 + (unsigned)(*d - '0');
	}
	*p = (struct ecs_prefix){ .family = strchr(buf, ':') ? 2 : 1, .bits = (uint8_t)bits };
	if (bits > (p->family == 1 ? 32u : 128u) || inet_pton(p->family == 1 ? AF_INET : AF_INET6, buf, p->addr) != 1)
		return false;
	for (unsigned i = bits; i < 128; i++)
		if (p->addr[i / 8] >> (7 - i % 8) & 1)
			return false;
	return true;
}

int cache_key_from_text(const struct cache *c, struct cache_key_buf *b, const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len);
	struct ecs_prefix ecs = { 0 };
	bool cd = false;
	if (!colon)
		return ERR_BAD;
	int type = rrtype_from_text(s, (size_t)(colon - s));
	size_t at = (size_t)(colon - s) + 1, end = find_at(s, at, len);
	if (type <= 0 || end == at)
		return ERR_BAD;
	int n = name_from_text(s + at, end - at, b->name);
	if (n < 0)
		return ERR_BAD;
	while (end < len) {
		size_t from = end + 1, to = find_at(s, from, len);
		if (to - from == 2 && strncasecmp(s + from, "cd", 2) == 0 && to == len && !cd)
			cd = true;
		else if (ecs.family || !prefix_from_text(s + from, to - from, &ecs))
			return ERR_BAD;
		end = to;
	}
	name_lower(b->name, b->name, (size_t)n);
	cache_key_init_ecs(c, &b->key, b->name, (uint8_t)n, (uint16_t)type, cd, &ecs);
	return 0;
}

int cache_key_to_text(const struct cache_key *k, char *buf, size_t cap)
{
	char type[16], addr[INET6_ADDRSTRLEN];
	int n = (int)strlen(rrtype_text(k->type, type, sizeof type));
	if ((size_t)n + 1 >= cap)
		return ERR_SPACE;
	memcpy(buf, type, (size_t)n);
	buf[n++] = ':';
	int m = name_to_text(k->name, k->name_len, buf + n, cap - (size_t)n);
	if (m < 0)
		return m;
	n += m;
	if (k->ecs.family) {
		inet_ntop(k->ecs.family == 1 ? AF_INET : AF_INET6, k->ecs.addr, addr, sizeof addr);
		m = snprintf(buf + n, cap - (size_t)n, "@%s/%u", addr, k->ecs.bits);
		if (m < 0 || (size_t)m >= cap - (size_t)n)
			return ERR_SPACE;
		n += m;
	}
	if (k->cd) {
		if (cap - (size_t)n < 4)
			return ERR_SPACE;
		memcpy(buf + n, "@cd", 4);
		n += 3;
	}
	return n;
}
