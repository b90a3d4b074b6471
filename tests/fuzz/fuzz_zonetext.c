/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what an operator types: the first two choose a type, the rest is a name, and zone text of that type.
 *
 * What is understood must come out as text that is understood as the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/must.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void try_name(const char *s, size_t len)
{
	uint8_t name[NAME_MAX_LEN], back[NAME_MAX_LEN];
	char text[NAME_MAX_TEXT];
	int n = name_from_text(s, len, name);

	if (n < 0)
		return;
	must(name_len(name, name + n) == n);
	int k = name_to_text(name, (size_t)n, text, sizeof text);
	must(k > 0 && name_from_text(text, (size_t)k, back) == n && memcmp(name, back, (size_t)n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t rdata[DNS_MSG_MAX], back[DNS_MSG_MAX];
	static char text[400000];
	const char *why;

	if (len < 2)
		return 0;
	uint16_t type = (uint16_t)(data[0] | (data[1] & 1) << 8);
	const char *s = (const char *)data + 2;
	try_name(s, len - 2);
	rrtype_from_text(s, len - 2);
	rrclass_from_text(s, len - 2);
	int n = rdata_from_text(type, s, len - 2, rdata, sizeof rdata, &why);
	if (n < 0) {
		must(n != ERR_BAD || *why != '\0');
		return 0;
	}
	must(rdata_valid(type, rdata, (size_t)n));
	int k = rdata_to_text(type, rdata, (size_t)n, text, sizeof text);
	must(k > 0 && strlen(text) == (size_t)k);
	must(rdata_from_text(type, text, (size_t)k, back, sizeof back, &why) == n && memcmp(rdata, back, (size_t)n) == 0);
	return 0;
}
