/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench layouts`: the published five steps side by side on the published mix, and Pith's cache after them.
 * `pith-bench mixes`: bytes per entry of rows 0, 5 and Pith's on the other mixes.
 *
 * Rows run in turn, each in a process of its own, several rounds of all: what the machine does meanwhile falls on all of them.
 * A figure is its median over the rounds, a ratio the median of the rounds' ratios. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "bench.h"
#include "layouts/layout.h"
#include "layouts/measure.h"

enum { ROUNDS = 5 };

enum column { NET, ALLOCATED, TABLE, RSS, BLOCKS, INSERTS, LOOKUP, LOOKUP_BATCH, N_COLUMNS };

struct result {
	double values[N_COLUMNS][ROUNDS];
	struct spread spread[N_COLUMNS];
	double wire;
	uint64_t checked;
};

/* What the report says of its first and its last row; 0: nothing. */
static const double published[2][N_COLUMNS] = {
	{ [NET] = 953, [ALLOCATED] = 1100, [INSERTS] = 625000, [LOOKUP] = 828 },
	{ [NET] = 420, [ALLOCATED] = 461, [INSERTS] = 893000, [LOOKUP] = 670 },
};

static void keep(struct result *r, unsigned round, const struct figures *f)
{
	const double v[N_COLUMNS] = { [NET] = f->net, [ALLOCATED] = f->allocated, [TABLE] = f->table, [RSS] = f->rss,
				      [BLOCKS] = f->blocks, [INSERTS] = f->inserts_per_s, [LOOKUP] = f->lookup_ns,
				      [LOOKUP_BATCH] = f->batch_ns };
	for (int c = 0; c < N_COLUMNS; c++)
		r->values[c][round] = v[c];
	r->wire = f->wire;
	r->checked += f->checked;
}

/* All rounds of the subjects given; 0 or -1. */
static int measure_rounds(const struct bench_options *o, enum supply supply, const unsigned *which, unsigned n, unsigned rounds, bool timed,
			  struct result *results)
{
	struct sample *sample = sample_new();
	int err = sample ? 0 : -1;
	for (unsigned round = 0; round < rounds && !err; round++)
		for (unsigned i = 0; i < n && !err; i++) {
			struct plan p = { .subject = subject_at(which[i]), .supply = supply, .entries = o->entries, .seed = o->seed,
					  .timed = timed, .sample = sample };
			struct figures f;
			err = measure(&p, &f);
			if (!err)
				keep(&results[i], round, &f);
		}
	for (unsigned i = 0; i < n && !err; i++)
		for (int c = 0; c < N_COLUMNS; c++)
			results[i].spread[c] = spread_of(results[i].values[c], rounds);
	if (sample)
		sample_free(sample);
	return err;
}

static double median(const struct result *r, enum column c)
{
	return r->spread[c].median;
}

static void print_row_json(const struct result *r, const struct subject *s, bool last)
{
	printf("{\"step\": \"%s\", \"net_bytes_per_entry\": %.2f, \"allocated_bytes_per_entry\": %.2f, \"table_bytes_per_entry\": %.2f, "
	       "\"rss_bytes_per_entry\": %.2f, \"allocations_per_entry\": %.4f, \"inserts_per_s\": %.0f, \"lookup_ns\": %.1f",
	       s->step, median(r, NET), median(r, ALLOCATED), median(r, TABLE), median(r, RSS), median(r, BLOCKS), median(r, INSERTS),
	       median(r, LOOKUP));
	if (s->answer_batch)
		printf(", \"lookup_batch_ns\": %.1f", median(r, LOOKUP_BATCH));
	fputs(last ? "}" : "}, ", stdout);
}

static void print_span(const struct result *r, enum column c, const char *form)
{
	char text[64];
	snprintf(text, sizeof text, form, r->spread[c].median, r->spread[c].min, r->spread[c].max);
	printf("  %-22s", text);
}

static void print_row(const struct result *r, const struct subject *s)
{
	printf("%-5s %7.1f %9.1f %6.1f %7.1f %7.3f", s->step, median(r, NET), median(r, ALLOCATED), median(r, TABLE), median(r, RSS),
	       median(r, BLOCKS));
	struct result k = *r;
	k.spread[INSERTS].min /= 1000;
	k.spread[INSERTS].median /= 1000;
	k.spread[INSERTS].max /= 1000;
	print_span(&k, INSERTS, "%.0f k (%.0f-%.0f)");
	print_span(r, LOOKUP, "%.0f (%.0f-%.0f)");
	if (s->answer_batch)
		print_span(r, LOOKUP_BATCH, "%.0f (%.0f-%.0f)");
	printf("\n      %s\n", s->what);
}

static void print_published(void)
{
	static const char *const names[2] = { "0", "5" };
	puts("\nas published (another machine, program and language; the mix alone is the same)\n"
	     "step      net allocated                           inserts/s        lookup ns");
	for (int i = 0; i < 2; i++)
		printf("%-5s %7.0f %9.0f %23s %12.0f k %16.0f\n", names[i], published[i][NET], published[i][ALLOCATED], "",
		       published[i][INSERTS] / 1000, published[i][LOOKUP]);
}

static void print_differences(const struct result *r)
{
	const struct result *five = &r[N_STEPS - 1];
	printf("Bytes: without its table, row 0 has %.0f net and %.0f allocated, row 5 %.0f and %.0f. The report names the vectors of an entry "
	       "and not its\nplain fields; ours are %zu bytes of links, times, counts, subnet and server in every row, and the difference is in them.\n"
	       "Speed: rows 0 to 5 find their table at its final size and are asked by one thread alone, uniformly at random over all entries; "
	       "machine,\nload and surroundings are others. Only the ratio of one row to another can be set beside the report's.\n",
	       median(&r[0], NET), median(&r[0], ALLOCATED) - median(&r[0], TABLE), median(five, NET), median(five, ALLOCATED) - median(five, TABLE),
	       sizeof(struct item));
	printf("Steps: inserts 0 to 5 %+.0f %% (published %+.0f %%), lookups %+.0f %% (published %+.0f %%), net bytes %+.0f %% (published %+.0f %%).\n",
	       (median(five, INSERTS) / median(&r[0], INSERTS) - 1) * 100, (published[1][INSERTS] / published[0][INSERTS] - 1) * 100,
	       (median(five, LOOKUP) / median(&r[0], LOOKUP) - 1) * 100, (published[1][LOOKUP] / published[0][LOOKUP] - 1) * 100,
	       (median(five, NET) / median(&r[0], NET) - 1) * 100, (published[1][NET] / published[0][NET] - 1) * 100);
}

static const struct ratio {
	const char *name, *what;
	enum column pith, five;
	double bar;
	bool at_least;
} ratios[] = {
	{ "allocated", "allocated bytes, tables included", ALLOCATED, ALLOCATED, 0.33, false },
	{ "inserts", "inserts/s", INSERTS, INSERTS, 2.5, true },
	{ "lookup_batch", "lookup time, in batches against one at a time", LOOKUP_BATCH, LOOKUP, 0.35, false },
	{ "lookup", "lookup time, both one at a time", LOOKUP, LOOKUP, 0.8, false },
};
enum { N_RATIOS = sizeof ratios / sizeof ratios[0] };

/* Taken round by round: both sides of a ratio then ran within seconds of each other. */
static struct spread ratio_of(const struct result *r, const struct ratio *q)
{
	double v[ROUNDS];
	for (int i = 0; i < ROUNDS; i++)
		v[i] = r[N_STEPS].values[q->pith][i] / r[N_STEPS - 1].values[q->five][i];
	return spread_of(v, ROUNDS);
}

static void print_ratios(const struct result *r)
{
	puts("\nPith against row 5");
	for (int i = 0; i < N_RATIOS; i++) {
		struct spread v = ratio_of(r, &ratios[i]);
		bool met = ratios[i].at_least ? v.median >= ratios[i].bar : v.median <= ratios[i].bar;
		printf("  %6.3f (%.3f-%.3f)  %s %-5g %-7s %s\n", v.median, v.min, v.max, ratios[i].at_least ? ">=" : "<=", ratios[i].bar,
		       met ? "met" : "missed", ratios[i].what);
	}
	const struct result *five = &r[N_STEPS - 1], *pith = &r[N_STEPS];
	printf("  %6.3f                               all of Pith's bytes against row 5 without its table\n"
	       "  %6.3f                               all of Pith's bytes against the published %.0f allocated\n",
	       median(pith, ALLOCATED) / (median(five, ALLOCATED) - median(five, TABLE)), median(pith, ALLOCATED) / published[1][ALLOCATED],
	       published[1][ALLOCATED]);
}

int bench_layouts(const struct bench_options *o)
{
	static struct result results[N_SUBJECTS];
	unsigned which[N_SUBJECTS];
	enum supply supply = o->mix == MIX_SMALL_TXT ? SUPPLY_SMALL : SUPPLY_PUBLISHED;
	for (unsigned i = 0; i < N_SUBJECTS; i++)
		which[i] = i;
	if (!o->entries || measure_rounds(o, supply, which, N_SUBJECTS, ROUNDS, true, results) != 0)
		return 1;
	if (o->json) {
		fputs("{\"rows\": [", stdout);
		for (unsigned i = 0; i < N_SUBJECTS; i++)
			print_row_json(&results[i], subject_at(i), i + 1 == N_SUBJECTS);
		printf("], \"entries\": %" PRIu64 ", \"rounds\": %d, \"answers_checked\": %" PRIu64 ", \"ratios\": {", o->entries, ROUNDS,
		       results[N_STEPS].checked);
		for (int i = 0; i < N_RATIOS; i++) {
			/* An allocator that keeps no count makes the first one infinite. */
			double v = ratio_of(results, &ratios[i]).median;
			printf(isfinite(v) ? "%s\"%s\": %.4f" : "%s\"%s\": null", i ? ", " : "", ratios[i].name, v);
		}
		puts("}}");
		return 0;
	}
	printf("%s, %s\n%" PRIu64 " entries of the %s mix, medians of %d rounds (least-most); each row's %" PRIu64
	       " sampled replies are the same bytes;\ntimes are processor time\n\n"
	       "step      net allocated  table     rss  allocs  inserts/s               lookup ns               in batches of 32\n"
	       "       ----------- bytes per entry -----------\n",
	       bench_machine(), mem_allocator(), o->entries, supply_name(supply), ROUNDS, results[N_STEPS].checked);
	for (unsigned i = 0; i < N_SUBJECTS; i++)
		print_row(&results[i], subject_at(i));
	print_published();
	print_differences(results);
	print_ratios(results);
	return 0;
}

/* ---- mixes ---- */

static const unsigned mix_subjects[] = { 0, N_STEPS - 1, N_STEPS };
enum { N_MIX_SUBJECTS = sizeof mix_subjects / sizeof mix_subjects[0] };

static void print_mix(const struct bench_options *o, enum supply supply, const struct result *r, bool last)
{
	if (!o->json) {
		for (int i = 0; i < N_MIX_SUBJECTS; i++)
			printf("%-10s %7.1f  %-5s %7.1f %9.1f %7.1f %12.2f\n", i ? "" : supply_name(supply), r[i].wire,
			       subject_at(mix_subjects[i])->step, median(&r[i], NET), median(&r[i], ALLOCATED), median(&r[i], RSS),
			       median(&r[i], NET) / r[i].wire);
		return;
	}
	printf("{\"mix\": \"%s\", \"message_bytes\": %.2f, \"rows\": [", supply_name(supply), r[0].wire);
	for (int i = 0; i < N_MIX_SUBJECTS; i++)
		printf("%s{\"step\": \"%s\", \"net_bytes_per_entry\": %.2f, \"allocated_bytes_per_entry\": %.2f, \"rss_bytes_per_entry\": %.2f}",
		       i ? ", " : "", subject_at(mix_subjects[i])->step, median(&r[i], NET), median(&r[i], ALLOCATED), median(&r[i], RSS));
	fputs(last ? "]}" : "]}, ", stdout);
}

int bench_mixes(const struct bench_options *o)
{
	static const enum supply supplies[] = { SUPPLY_PUBLISHED, SUPPLY_SIGNED, SUPPLY_NEGATIVE, SUPPLY_ECS, SUPPLY_CHAIN };
	enum { N = sizeof supplies / sizeof supplies[0] };
	static struct result results[N][N_MIX_SUBJECTS];
	if (!o->entries)
		return 1;
	for (int i = 0; i < N; i++)
		if (measure_rounds(o, supplies[i], mix_subjects, N_MIX_SUBJECTS, 1, false, results[i]) != 0)
			return 1;
	if (o->json)
		printf("{\"entries\": %" PRIu64 ", \"mixes\": [", o->entries);
	else
		printf("%s, %s\n%" PRIu64 " entries of each mix, bytes per entry; the rows' sampled replies are the same bytes\n\n"
		       "mix        message  step      net allocated     rss  net/message\n",
		       bench_machine(), mem_allocator(), o->entries);
	for (int i = 0; i < N; i++)
		print_mix(o, supplies[i], results[i], i + 1 == N);
	if (o->json)
		puts("]}");
	return 0;
}
