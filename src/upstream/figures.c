/* SPDX-License-Identifier: BSD-3-Clause */
/* A server's figures.
 *
 * Round-trip times fall into four buckets per doubling from 64 µs to over a minute: a percentile is right within a quarter, which is
 * enough to tell a slow answer from a usual one, and 84 counts are read in no time. */
#include "upstream/figures.h"

enum { OCTAVE_FIRST = 6, PER_OCTAVE = 4 };
_Static_assert((27 - OCTAVE_FIRST) * PER_OCTAVE == UPSTREAM_RTT_BUCKETS, "from 2^6 µs to 2^27 µs");

static unsigned bucket_of(uint64_t us)
{
	unsigned octave, at;

	if (us < 1u << OCTAVE_FIRST)
		return 0;
	octave = 63u - (unsigned)__builtin_clzll(us);
	at = (octave - OCTAVE_FIRST) * PER_OCTAVE + (unsigned)(us >> (octave - 2) & 3);
	return at < UPSTREAM_RTT_BUCKETS ? at : UPSTREAM_RTT_BUCKETS - 1;
}

/* The first microsecond beyond the bucket. */
static uint32_t bucket_end_us(unsigned at)
{
	return (uint32_t)(PER_OCTAVE + at % PER_OCTAVE + 1) << (OCTAVE_FIRST - 2 + at / PER_OCTAVE);
}

void figures_rtt(struct figures *f, uint64_t us)
{
	figure_move(&f->rtt[bucket_of(us)], 1);
	if (++f->rtt_n < RTT_KEPT)
		return;
	f->rtt_n = 0;
	for (unsigned i = 0; i < UPSTREAM_RTT_BUCKETS; i++) {
		__atomic_store_n(&f->rtt[i], f->rtt[i] / 2, __ATOMIC_RELAXED);
		f->rtt_n += f->rtt[i];
	}
}

/* The answer to both percentiles: total samples of counts, a share q of them. */
static uint32_t percentile(const uint32_t *counts, uint64_t total, double q)
{
	uint64_t below = 0, want = (uint64_t)((double)total * q);

	for (unsigned i = 0; i < UPSTREAM_RTT_BUCKETS; i++) {
		below += counts[i];
		if (below > want)
			return bucket_end_us(i);
	}
	return bucket_end_us(UPSTREAM_RTT_BUCKETS - 1);
}

uint32_t figures_percentile_us(const struct figures *f, double q)
{
	return f->rtt_n < RTT_KEPT / 16 ? 0 : percentile(f->rtt, f->rtt_n, q);
}

uint32_t upstream_percentile_us(const struct upstream_server *s, double q)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < UPSTREAM_RTT_BUCKETS; i++)
		total += s->rtt[i];
	return total ? percentile(s->rtt, total, q) : 0;
}

#define GET(field) __atomic_load_n(&f->field, __ATOMIC_RELAXED)

void figures_sum(const struct figures *f, uint64_t now_ms, struct upstream_server *sum)
{
	uint64_t dead_until_ms = GET(dead_until_ms);
	uint32_t srtt_us = GET(srtt_us), left = dead_until_ms > now_ms ? (uint32_t)(dead_until_ms - now_ms) : 0;

	/* A worker that knows nothing does not pull the mean. */
	if (srtt_us && sum->srtt_us)
		sum->srtt_us = (uint32_t)(((uint64_t)sum->srtt_us * sum->measured + srtt_us) / (sum->measured + 1));
	else if (srtt_us)
		sum->srtt_us = srtt_us;
	sum->measured += srtt_us != 0;
	sum->workers++;
	sum->dead_in += dead_until_ms != 0;
	sum->backoff_ms = left > sum->backoff_ms ? left : sum->backoff_ms;
	sum->in_flight += GET(in_flight);
	sum->streams += GET(streams);
	sum->sent += GET(sent);
	sum->tcp += GET(tcp);
	sum->answered += GET(answered);
	sum->timeouts += GET(timeouts);
	sum->failures += GET(failures);
	for (unsigned i = 0; i < UPSTREAM_RTT_BUCKETS; i++)
		sum->rtt[i] += GET(rtt[i]);
}
