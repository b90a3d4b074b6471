/* SPDX-License-Identifier: BSD-3-Clause */
/* libunbound's reasons in words.
 *
 * Its event API says why an answer is bogus as a sentence, such as "validation failure <www.example. A IN>: signature expired from 192.0.2.1", and
 * this build has no code for it. The words below are those of its validator; a sentence with none of them is plainly bogus.
 * The first row that fits counts, so the finer ones stand first. */
#include "upstream/recurse_why.h"

#include <string.h>

#include "wire/wire.h"

static const struct {
	const char *words;
	int ede;
} reasons[] = {
	{ "signature expired", EDE_SIG_EXPIRED },
	{ "signature before inception date", EDE_SIG_NOT_YET },
	{ "no signatures", EDE_RRSIGS_MISSING },
	{ "signature missing", EDE_RRSIGS_MISSING },
	{ "signatures from unknown keys", EDE_DNSKEY_MISSING },
	{ "no DNSKEY rrset", EDE_DNSKEY_MISSING },
	{ "No DNSKEY record", EDE_DNSKEY_MISSING },
	{ "no keys have a DS", EDE_DNSKEY_MISSING },
	{ "DS hash mismatches key", EDE_DNSKEY_MISSING },
	{ "keytag mismatches DS", EDE_DNSKEY_MISSING },
	{ "could not fetch DNSKEY", EDE_DNSKEY_MISSING },
	{ "NSEC3 records", EDE_NSEC_MISSING },
	{ "valid NSEC3s", EDE_NSEC_MISSING },
	{ "no NSEC", EDE_NSEC_MISSING },
	{ "no DNSSEC records", EDE_NSEC_MISSING },
	{ "proof failed", EDE_NSEC_MISSING },
	{ "failed to prove", EDE_NSEC_MISSING },
	{ "fails to prove", EDE_NSEC_MISSING },
};

int bogus_ede(const char *why)
{
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (strstr(why, reasons[i].words))
			return reasons[i].ede;
	}
	return EDE_BOGUS;
}

void why_clean(char *out, const char *why)
{
	size_t n = 0;

	for (; n < RECURSE_WHY_MAX - 1 && why[n]; n++)
		out[n] = (unsigned char)why[n] < ' ' || why[n] == 0x7f ? ' ' : why[n];
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}
