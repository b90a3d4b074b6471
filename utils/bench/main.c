/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench`: one binary for all measurements in process. Picks the benchmark, reads its options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct {
	const char *name;
	int (*run)(const struct bench_options *o);
	const char *help;
} benches[] = {
	{ "cache", bench_cache, "fill the cache with the published mix, look everything up" },
	{ "churn", bench_churn, "a full cache under a stream of new answers" },
	{ "growth", bench_growth, "bytes at 12 points of growth, and the time of every single insert" },
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static int usage(FILE *to)
{
	fputs("usage: pith-bench NAME [--entries N] [--threads N] [--seed N] [--maxmemory BYTES] [--mix published|small] [--json]\n", to);
	for (int i = 0; i < N_BENCHES; i++)
		fprintf(to, "  %-10s %s\n", benches[i].name, benches[i].help);
	return to == stdout ? 0 : 2;
}

static int bad(const char *what)
{
	fprintf(stderr, "pith-bench: what is %s?\n", what);
	return usage(stderr);
}

int main(int argc, char **argv)
{
	struct bench_options o = { .entries = 1000000, .threads = 1, .seed = 1, .maxmemory = 256u << 20 };
	if (argc < 2)
		return usage(stderr);
	if (strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	for (int i = 2; i < argc; i++) {
		const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
		char *end = (char *)"";
		if (strcmp(a, "--json") == 0) {
			o.json = true;
			continue;
		}
		if (strcmp(a, "--mix") == 0) {
			if (strcmp(v, "published") != 0 && strcmp(v, "small") != 0)
				return bad(v);
			o.mix = *v == 's' ? MIX_SMALL_TXT : MIX_PUBLISHED;
		} else if (strcmp(a, "--entries") == 0) {
			o.entries = strtoull(v, &end, 10);
		} else if (strcmp(a, "--threads") == 0) {
			o.threads = (unsigned)strtoul(v, &end, 10);
		} else if (strcmp(a, "--maxmemory") == 0) {
			o.maxmemory = strtoull(v, &end, 10);
		} else if (strcmp(a, "--seed") == 0) {
			o.seed = strtoull(v, &end, 10);
		} else {
			return bad(a);
		}
		if (!*v || *end || o.threads > 64)
			return bad(v);
		i++;
	}
	for (int i = 0; i < N_BENCHES; i++)
		if (strcmp(argv[1], benches[i].name) == 0)
			return benches[i].run(&o);
	return bad(argv[1]);
}
