/* SPDX-License-Identifier: BSD-3-Clause */
/* libunbound's reasons in words, and the EDE code that each amounts to. */
#ifndef PITH_UPSTREAM_RECURSE_WHY_H
#define PITH_UPSTREAM_RECURSE_WHY_H

enum { RECURSE_WHY_MAX = 200 };

/* The code of RFC 8914 §4 for why a validation failed: 6 (bogus) where no finer one fits. */
int bogus_ede(const char *why);
/* Copies why to out (RECURSE_WHY_MAX bytes), cut where it is too long, without line ends and control characters. */
void why_clean(char *out, const char *why);

#endif
