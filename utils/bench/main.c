/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench`: one binary for all measurements. Picks the benchmark, reads its options. */
#include <stddef.h>
#include <stdint.h>
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
	{ "load", bench_load, "ask a server on 127.0.0.1:--port for names of the mix over UDP or TCP, check the answers" },
	{ "upstream", bench_upstream, "answer the mix on 127.0.0.1:--port: something to forward to" },
	{ "echo", bench_echo, "floor: recvfrom and sendto on --port" },
	{ "echo-batch", bench_echo_batch, "floor: recvmmsg and sendmmsg on --port" },
	{ "echo-tcp", bench_echo_tcp, "floor: recv and send on connections to --port" },
	{ "snapshot", bench_snapshot, "the cache into a file and back, beside a plain write and read" },
	{ "layouts", bench_layouts, "the published five steps side by side, then the cache" },
	{ "mixes", bench_mixes, "bytes per entry: signed, negative, client subnets, alias chains" },
	{ "hitratio", bench_hitratio, "hits at equal bytes, beside models of other policies" },
};
enum { N_BENCHES = sizeof benches / sizeof benches[0] };

/* Options with a number behind them; and those that are there or not. */
enum kind { NUMBER64, NUMBER32, NUMBER16, DECIMAL, TEXT, SWITCH };
static const struct {
	const char *name;
	enum kind kind;
	size_t at;
	const char *help;
} options[] = {
	{ "--entries", NUMBER64, offsetof(struct bench_options, entries), "names or entries" },
	{ "--threads", NUMBER32, offsetof(struct bench_options, threads), "cache: readers beside a writer" },
	{ "--seed", NUMBER64, offsetof(struct bench_options, seed), "of all that is drawn" },
	{ "--maxmemory", NUMBER64, offsetof(struct bench_options, maxmemory), "churn: bytes" },
	{ "--port", NUMBER16, offsetof(struct bench_options, port), "load, upstream, echo" },
	{ "--first", NUMBER64, offsetof(struct bench_options, first), "load: first name of the set" },
	{ "--sockets", NUMBER32, offsetof(struct bench_options, sockets), "load: source ports" },
	{ "--window", NUMBER32, offsetof(struct bench_options, window), "load: queries in flight from each" },
	{ "--seconds", NUMBER32, offsetof(struct bench_options, seconds), "load: how long" },
	{ "--rate", NUMBER64, offsetof(struct bench_options, rate), "load: queries a second; 0 is as fast as answers come" },
	{ "--questions", NUMBER64, offsetof(struct bench_options, questions), "load: how many, in place of --seconds" },
	{ "--zipf", DECIMAL, offsetof(struct bench_options, zipf), "load: exponent of the names' popularity; 0 is all alike" },
	{ "--ttl", NUMBER32, offsetof(struct bench_options, ttl), "upstream: of every record; 0 is the mix's own" },
	{ "--tcp", SWITCH, offsetof(struct bench_options, tcp), "load: over TCP, --sockets being connections" },
	{ "--once", SWITCH, offsetof(struct bench_options, sequential), "load: every name of the set once, in order" },
	{ "--floor", SWITCH, offsetof(struct bench_options, floor), "load: the server echoes" },
	{ "--edns", SWITCH, offsetof(struct bench_options, edns), "load: with an OPT record" },
	{ "--quick", SWITCH, offsetof(struct bench_options, quick), "hitratio: half as many names and questions" },
	{ "--pith-only", SWITCH, offsetof(struct bench_options, pith_only), "hitratio: without the models" },
	{ "--trace", TEXT, offsetof(struct bench_options, trace), "hitratio: only traces with this in their name" },
	{ "--policy", TEXT, offsetof(struct bench_options, policy), "hitratio: a maxmemory-policy" },
	{ "--json", SWITCH, offsetof(struct bench_options, json), "figures as one JSON object" },
};
enum { N_OPTIONS = sizeof options / sizeof options[0] };

static int usage(FILE *to)
{
	fputs("usage: pith-bench NAME [option …]\n", to);
	for (int i = 0; i < N_BENCHES; i++)
		fprintf(to, "  %-12s %s\n", benches[i].name, benches[i].help);
	for (int i = 0; i < N_OPTIONS; i++)
		fprintf(to, "  %-12s %s\n", options[i].name, options[i].help);
	fputs("  --mix        published, or small (TXT of 16 to 96 bytes)\n", to);
	return to == stdout ? 0 : 2;
}

static int bad(const char *what)
{
	fprintf(stderr, "pith-bench: what is %s?\n", what);
	return usage(stderr);
}

/* Takes option a with the value v; 1: with its value, 0: alone, -1: neither known nor well-formed. */
static int take(struct bench_options *o, const char *a, const char *v)
{
	char *end;
	if (strcmp(a, "--mix") == 0) {
		o->mix = *v == 's' ? MIX_SMALL_TXT : MIX_PUBLISHED;
		return strcmp(v, "small") == 0 || strcmp(v, "published") == 0 ? 1 : -1;
	}
	for (int i = 0; i < N_OPTIONS; i++) {
		uint8_t *at = (uint8_t *)o + options[i].at;
		if (strcmp(a, options[i].name) != 0)
			continue;
		if (options[i].kind == SWITCH) {
			*(bool *)(void *)at = true;
			return 0;
		}
		if (options[i].kind == DECIMAL) {
			*(double *)(void *)at = strtod(v, &end);
			return *v && !*end && *(double *)(void *)at >= 0 ? 1 : -1;
		}
		if (options[i].kind == TEXT) {
			*(const char **)(void *)at = v;
			return *v ? 1 : -1;
		}
		uint64_t n = strtoull(v, &end, 10);
		if (!*v || *end)
			return -1;
		if (options[i].kind == NUMBER64)
			*(uint64_t *)(void *)at = n;
		else if (options[i].kind == NUMBER32)
			*(unsigned *)(void *)at = (unsigned)n;
		else
			*(uint16_t *)(void *)at = (uint16_t)n;
		return 1;
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct bench_options o = { .entries = 1000000, .threads = 1, .seed = 1, .maxmemory = 256u << 20, .sockets = 64, .window = 32,
				   .seconds = 5 };
	if (argc < 2)
		return usage(stderr);
	if (strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	for (int i = 2; i < argc; i++) {
		int taken = take(&o, argv[i], i + 1 < argc ? argv[i + 1] : "");
		if (taken < 0 || o.threads > 64 || !o.entries)
			return bad(argv[i]);
		i += taken;
	}
	for (int i = 0; i < N_BENCHES; i++)
		if (strcmp(argv[1], benches[i].name) == 0)
			return benches[i].run(&o);
	return bad(argv[1]);
}
