/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the child process in which a subject is filled, weighed, checked and timed. See measure.h. */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"

enum { BLOCK = 4096, BATCH = 32, STRIDE = 1536, SAMPLES = 16384, LOOKUPS_MIN = 50 * BLOCK, LOOKUPS_MAX = 250 * BLOCK };
enum { AGE_S = 7 }; /* of every entry when it is asked for */

struct sample {
	struct figures figures; /* the child's result */
	bool filled;
	size_t lens[SAMPLES], len;
	uint8_t replies[SAMPLES * (size_t)REPLY_LIMIT];
};

struct sample *sample_new(void)
{
	struct sample *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return s == MAP_FAILED ? NULL : s;
}

void sample_free(struct sample *s)
{
	munmap(s, sizeof *s);
}

struct asked {
	struct question q;
	uint8_t wire[80];
};

static void make_question(struct asked *a, const struct bench_msg *m, bool dnssec)
{
	memcpy(a->wire, m->name, m->name_len);
	store_be16(a->wire + m->name_len, m->type);
	store_be16(a->wire + m->name_len + 2, CLASS_IN);
	a->q = (struct question){ .id = 0x1234, .flags = FLAG_RD, .qtype = m->type, .qclass = CLASS_IN, .wire = a->wire,
				  .wire_len = (uint16_t)(m->name_len + 4), .name_len = m->name_len };
	memcpy(a->q.name, m->name, m->name_len);
	a->q.edns = (struct edns){ .present = dnssec, .do_bit = dnssec, .udp_size = REPLY_LIMIT, .ede = EDE_NONE };
}

static _Noreturn void fail(const struct plan *p, const char *what, uint64_t i)
{
	fprintf(stderr, "step %s, %s mix: %s (entry %" PRIu64 ")\n", p->subject->step, supply_name(p->supply), what, i);
	_exit(1);
}

/* Processor time of the process, its helper threads included: what others do on the machine counts only as far as it cools caches. */
static double cpu_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct filled {
	struct bench_msg m;
	struct ecs_prefix ecs;
};

/* Messages are made outside of the clock, in blocks that are used and forgotten. */
static void fill(const struct plan *p, void *x, struct filled *block, struct figures *f)
{
	double spent = 0, wire = 0;
	for (uint64_t i = 0; i < p->entries; i += BLOCK) {
		unsigned n = p->entries - i < BLOCK ? (unsigned)(p->entries - i) : BLOCK;
		for (unsigned k = 0; k < n; k++) {
			supply_message(p->supply, i + k, &block[k].m, &block[k].ecs);
			wire += block[k].m.len;
		}
		double from = cpu_s();
		for (unsigned k = 0; k < n; k++) {
			const struct bench_msg *m = &block[k].m;
			if (!p->subject->insert(x, m->name, m->name_len, m->type, &block[k].ecs, m->bytes, m->len, MEASURE_NOW_S))
				fail(p, "was not stored", i + k);
		}
		spent += cpu_s() - from;
	}
	f->inserts_per_s = (double)p->entries / spent;
	f->wire = wire / (double)p->entries;
}

static void check_sample(const struct plan *p, void *x, struct figures *f)
{
	struct sample *s = p->sample;
	struct prng rnd;
	size_t at = 0;
	prng_seed(&rnd, p->seed + 99);
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct filled m;
		struct asked a;
		uint8_t out[STRIDE];
		uint64_t nth = prng_next(&rnd) % p->entries;
		supply_message(p->supply, nth, &m.m, &m.ecs);
		make_question(&a, &m.m, i % 2);
		int n = p->subject->answer(x, &a.q, &m.ecs, MEASURE_NOW_S + AGE_S, out);
		if (n <= DNS_HEADER_LEN || n > REPLY_LIMIT)
			fail(p, "was not found", nth);
		if (!s->filled) {
			memcpy(s->replies + at, out, (size_t)n);
			s->lens[i] = (size_t)n;
		} else if (s->lens[i] != (size_t)n || memcmp(s->replies + at, out, (size_t)n) != 0) {
			fail(p, "is not answered with the first row's bytes", nth);
		}
		at += (size_t)n;
	}
	s->filled = true;
	f->checked = SAMPLES;
}

/* Random questions over all entries, in ns each; made in blocks outside of the clock. */
static double look_up(const struct plan *p, void *x, bool batch)
{
	uint64_t lookups = p->entries / BLOCK * BLOCK;
	lookups = lookups < LOOKUPS_MIN ? LOOKUPS_MIN : lookups > LOOKUPS_MAX ? LOOKUPS_MAX : lookups;
	struct asked *block = mem_must_calloc(BLOCK, sizeof *block);
	uint8_t *out = mem_must_calloc(BATCH, STRIDE);
	struct prng rnd;
	double spent = 0;
	prng_seed(&rnd, p->seed + 1);
	for (uint64_t done = 0; done < lookups; done += BLOCK) {
		uint64_t answered = 0;
		for (unsigned k = 0; k < BLOCK; k++) {
			struct bench_msg m;
			bench_question(&m, p->supply == SUPPLY_SMALL ? MIX_SMALL_TXT : MIX_PUBLISHED, prng_next(&rnd) % p->entries);
			make_question(&block[k], &m, false);
		}
		double from = cpu_s();
		for (unsigned k = 0; k < BLOCK; k += BATCH) {
			if (batch) {
				const struct question *q[BATCH];
				for (unsigned j = 0; j < BATCH; j++)
					q[j] = &block[k + j].q;
				answered += p->subject->answer_batch(x, q, BATCH, MEASURE_NOW_S + AGE_S, out, STRIDE);
				continue;
			}
			for (unsigned j = 0; j < BATCH; j++)
				answered += p->subject->answer(x, &block[k + j].q, NULL, MEASURE_NOW_S + AGE_S, out + (size_t)j * STRIDE) > 0;
		}
		spent += cpu_s() - from;
		if (answered != BLOCK)
			fail(p, "a question was not answered", done);
	}
	mem_free(block);
	mem_free(out);
	return spent * 1e9 / (double)lookups;
}

static void run(const struct plan *p, struct figures *f)
{
	struct filled *block = mem_must_calloc(BLOCK, sizeof *block);
	struct subject_bytes b;
	double n = (double)p->entries;
	memset(block, 1, BLOCK * sizeof *block);
	void *x = p->subject->open(p->subject, p->entries, p->seed);
	if (!x)
		fail(p, "no memory", 0);
	size_t rss = mem_rss();
	fill(p, x, block, f);
	f->rss = (double)(mem_rss() - rss) / n;
	p->subject->bytes(x, &b);
	f->net = b.net / n;
	f->allocated = b.allocated / n;
	f->table = b.table / n;
	f->blocks = b.blocks / n;
	check_sample(p, x, f);
	if (p->timed) {
		f->lookup_ns = look_up(p, x, false);
		if (p->subject->answer_batch)
			f->batch_ns = look_up(p, x, true);
	}
	mem_free(block);
	p->subject->close(x);
}

int measure(const struct plan *p, struct figures *f)
{
	int status;
	fflush(stdout);
	memset(&p->sample->figures, 0, sizeof p->sample->figures);
	pid_t pid = fork();
	if (pid < 0) {
		perror("fork");
		return -1;
	}
	if (pid == 0) {
		run(p, &p->sample->figures);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "step %s, %s mix: not measured\n", p->subject->step, supply_name(p->supply));
		return -1;
	}
	*f = p->sample->figures;
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct spread spread_of(const double *v, unsigned n)
{
	double sorted[SPREAD_MAX];
	memcpy(sorted, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, compare);
	return (struct spread){ sorted[0], sorted[n / 2], sorted[n - 1] };
}
