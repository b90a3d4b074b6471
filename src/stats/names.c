/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what the rows of counters.def and histograms.def say in words. */
#include "base/must.h"
#include "stats/stats.h"

static const struct {
	const char *name, *section, *help;
	enum counter_kind kind;
} counters[] = {
#define COUNTER(id, name, section, kind, help) [STAT_##id] = { name, section, help, STAT_KIND_##kind },
#include "stats/counters.def"
#undef COUNTER
};

static const struct {
	const char *name, *help;
} histograms[] = {
#define HISTOGRAM(id, name, help) [HIST_##id] = { name, help },
#include "stats/histograms.def"
#undef HISTOGRAM
};

const char *counter_name(enum counter c)
{
	must(c < STAT_COUNT);
	return counters[c].name;
}

const char *counter_section(enum counter c)
{
	must(c < STAT_COUNT);
	return counters[c].section;
}

const char *counter_help(enum counter c)
{
	must(c < STAT_COUNT);
	return counters[c].help;
}

enum counter_kind counter_kind(enum counter c)
{
	must(c < STAT_COUNT);
	return counters[c].kind;
}

const char *histogram_name(enum histogram h)
{
	must(h < HIST_COUNT);
	return histograms[h].name;
}

const char *histogram_help(enum histogram h)
{
	must(h < HIST_COUNT);
	return histograms[h].help;
}
