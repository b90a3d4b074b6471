/* SPDX-License-Identifier: BSD-3-Clause */
/* `pith-bench load`: a generator of DNS queries over UDP or TCP that checks every answer.
 *
 * Many clients (source ports, connections), each with a window of queries in flight: as an answer comes, the next query goes, sent and
 * received in batches, so that one processor of ours can keep a batching server on another busy. With --rate it paces itself instead
 * and the windows only bound what may be lost. An answer counts when ID and question match, RCODE is NOERROR and (but for the echo
 * floors) it has records. It never sleeps, so that no server pays for waking it, but lets others on its processor (an upstream) go
 * first while it has nothing to do; how long that was is counted, and tells whether the server or the generator was the limit. */
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/wire.h"

static uint64_t choose(struct load *l)
{
	const struct bench_options *o = l->o;
	if (l->n_again)
		return l->again[--l->n_again];
	if (o->sequential)
		return o->first + l->next++;
	if (o->zipf > 0)
		return o->first + zipf_ranks_draw(&l->zipf, &l->rnd);
	return o->first + prng_next(&l->rnd) % o->entries;
}

static bool names_left(const struct load *l)
{
	if (l->o->questions && l->sent >= l->o->questions)
		return false;
	return !l->o->sequential || l->n_again || l->next < l->o->entries;
}

size_t load_query(struct load *l, struct flight *f, unsigned slot, uint8_t *out, double now)
{
	struct bench_msg m;
	if (!names_left(l))
		return 0;
	f->index = choose(l);
	bench_question(&m, l->o->mix, f->index);
	size_t n = net_query(out, &m, (uint16_t)(((uint32_t)prng_next(&l->rnd) * LOAD_WINDOW) | slot), l->o->edns);
	f->question_len = (uint8_t)(m.name_len + 4);
	memcpy(f->question, out + DNS_HEADER_LEN, f->question_len);
	f->sent_s = now;
	f->busy = true;
	l->busy++;
	l->sent++;
	return n;
}

/* With --once every name is to be asked for: back with it. */
static void ask_again(struct load *l, const struct flight *f)
{
	if (!l->o->sequential)
		return;
	if (l->n_again == l->cap_again) {
		size_t cap = l->cap_again ? l->cap_again * 2 : 1024;
		uint64_t *p = realloc(l->again, cap * sizeof *p);
		if (!p)
			return;
		l->again = p;
		l->cap_again = cap;
	}
	l->again[l->n_again++] = f->index;
}

void load_unsent(struct load *l, struct flight *f)
{
	f->busy = false;
	l->busy--;
	l->sent--;
	ask_again(l, f);
}

void load_lost(struct load *l, struct flight *f)
{
	f->busy = false;
	l->busy--;
	l->lost++;
	ask_again(l, f);
}

bool load_answer(struct load *l, struct flight *slots, const uint8_t *p, size_t len, double now)
{
	if (len < DNS_HEADER_LEN + 5u) {
		l->wrong++;
		return false;
	}
	struct flight *f = &slots[p[1] & (LOAD_WINDOW - 1)];
	if (!f->busy)
		return false; /* counted as lost before */
	/* Some servers keep the question's case, none may change it. */
	bool good = (p[2] & 0x80) && (p[3] & 0x0f) == 0 && len >= DNS_HEADER_LEN + (size_t)f->question_len &&
		    memcmp(p + DNS_HEADER_LEN, f->question, f->question_len) == 0 &&
		    (l->o->floor || load_be16(p + 6) > 0 || (p[2] & 2));
	f->busy = false;
	l->busy--;
	l->last_answer_s = now;
	if (!good) {
		l->wrong++;
		return true;
	}
	double us = (now - f->sent_s) * 1e6;
	unsigned step = (unsigned)(us / 4);
	l->latency[step < LOAD_STEPS - 1 ? step : LOAD_STEPS - 1]++;
	l->latency_sum_us += us;
	l->truncated += (p[2] & 2) != 0;
	l->answered++;
	return true;
}

unsigned load_due(const struct load *l, double now)
{
	if (!l->o->rate)
		return LOAD_WINDOW;
	double due = (now - l->from_s) * (double)l->o->rate - (double)l->sent;
	return due < 1 ? 0 : due > LOAD_WINDOW ? LOAD_WINDOW : (unsigned)due;
}

bool load_done(const struct load *l, double now)
{
	if (l->o->sequential || l->o->questions)
		return (!names_left(l) && !l->busy) || now - l->last_answer_s > LOAD_SILENT_S;
	return now - l->from_s >= l->o->seconds;
}

static double percentile(const struct load *l, double q)
{
	uint64_t want = (uint64_t)((double)l->answered * q), sum = 0;
	for (int i = 0; i < LOAD_STEPS; i++)
		if ((sum += l->latency[i]) > want)
			return i * 4 + 2;
	return 0;
}

static void print(const struct load *l, double spent)
{
	printf("{\"sent\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"truncated\": %" PRIu64
	       ", \"seconds\": %.3f, \"per_s\": %.0f, \"mean_us\": %.1f, \"p50_us\": %.0f, \"p99_us\": %.0f, \"generator_busy\": %.3f",
	       l->sent, l->answered, l->wrong, l->lost, l->truncated, spent, (double)l->answered / spent,
	       l->latency_sum_us / (double)(l->answered + !l->answered), percentile(l, 0.5), percentile(l, 0.99), 1 - l->idle_s / spent);
	if (l->o->tcp)
		printf(", \"connections_served\": %u, \"connections_closed\": %" PRIu64, l->served, l->closed);
	puts("}");
}

int bench_load(const struct bench_options *o)
{
	struct load *l = calloc(1, sizeof *l);
	if (!l)
		return 1;
	if (!o->sockets || o->sockets > LOAD_CLIENTS || !o->window || o->window > LOAD_WINDOW) {
		fprintf(stderr, "pith-bench: --sockets 1 to %d, --window 1 to %d\n", LOAD_CLIENTS, LOAD_WINDOW);
		free(l);
		return 2;
	}
	l->o = o;
	prng_seed(&l->rnd, o->seed);
	zipf_ranks_init(&l->zipf, o->zipf > 0 ? o->zipf : 1, o->entries);
	l->from_s = l->last_answer_s = bench_now_s();
	int rc = o->tcp ? load_tcp(l) : load_udp(l);
	if (rc == 0)
		print(l, bench_now_s() - l->from_s);
	free(l->again);
	free(l);
	return rc;
}
