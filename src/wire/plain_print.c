/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain types to zone text. Names are escaped as name_to_text does, strings are always quoted. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/encode.h"
#include "wire/plain.h"
#include "wire/rdata.h"
#include "wire/wire.h"

static int string_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	size_t n = 0;

	if (cap < 3)
		return ERR_SPACE;
	buf[n++] = '"';
	for (size_t i = 0; i < len; i++) {
		if (cap - n < 6) { /* \DDD, the closing quote, the NUL: look closer */
			size_t need = p[i] < ' ' || p[i] >= 0x7f ? 4 : p[i] == '"' || p[i] == '\\' ? 2 : 1;

			if (cap - n < need + 2)
				return ERR_SPACE;
		}
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

static int type_to_text(const uint8_t *p, char *buf, size_t cap)
{
	char mnemonic[16];
	int n = snprintf(buf, cap, "%s", rrtype_text(load_be16(p), mnemonic, sizeof mnemonic));

	return (size_t)n < cap ? n : ERR_SPACE;
}

static int tag_to_text(const uint8_t *p, size_t len, char *buf, size_t cap)
{
	if (!plain_tag(p, len))
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
	case 'n': case 'N': case 'U':
		return name_to_text(p, len, buf, cap);
	case 's': case 'S':
		return string_to_text(p + 1, len - 1, buf, cap);
	case '@':
		return address_to_text(p, len, buf, cap);
	case 't':
		return tag_to_text(p + 1, len - 1, buf, cap);
	case 'L':
		return string_to_text(p, len, buf, cap);
	case 'T':
		return type_to_text(p, buf, cap);
	case 'D':
		return time_to_text(load_be32(p), buf, cap);
	case 'X':
		return hex_to_text(p, len, buf, cap);
	case 'B':
		return base64_to_text(p, len, buf, cap);
	}
	return number_to_text(p, len, buf, cap);
}

int plain_to_text(uint16_t type, const uint8_t *rdata, size_t len, char *buf, size_t cap)
{
	const uint8_t *p = rdata, *end = rdata + len;
	size_t n = 0;

	for (const char *s = plain_shape(type); *s != '\0';) {
		int part_len = rdata_part_len(plain_wire_part(type, *s), p, end);

		if (part_len < 0)
			return ERR_BAD;
		if (n > 0 && (part_len > 0 || *s == 'L')) { /* no blank before an empty key or digest */
			if (cap - n < 2)
				return ERR_SPACE;
			buf[n++] = ' ';
		}
		int k = part_to_text(*s, p, (size_t)part_len, buf + n, cap - n);
		if (k < 0)
			return k;
		n += (size_t)k;
		p += part_len;
		if (*s != 'S' || p == end)
			s++;
	}
	return (int)n;
}
