/* SPDX-License-Identifier: BSD-3-Clause */
/* What the load generator's transports share: which name is asked next, whether an answer is right, what is counted. */
#ifndef PITH_BENCH_LOAD_H
#define PITH_BENCH_LOAD_H

#include "../zipf.h"
#include "base/random.h"
#include "net.h"

enum { LOAD_CLIENTS = 256, LOAD_WINDOW = 64, LOAD_STEPS = 4096, LOAD_SILENT_S = 5 };

/* A query in flight. It has its place in a window, and the low bits of its ID say which. */
struct flight {
	uint64_t index; /* of the mix */
	double sent_s;
	bool busy;
	uint8_t question_len;
	uint8_t question[70]; /* name, type and class as asked */
};

struct load {
	const struct bench_options *o;
	struct prng rnd;
	struct zipf_ranks zipf;
	uint64_t next;              /* --once: names handed out so far */
	uint64_t *again;            /* --once: names whose query was lost */
	size_t n_again, cap_again;
	double from_s, last_answer_s;
	uint64_t busy;              /* queries in flight */
	uint64_t sent, answered, wrong, lost, truncated, closed;
	unsigned served;            /* clients that got an answer */
	double latency_sum_us;
	uint32_t latency[LOAD_STEPS]; /* 4 µs a step; the last one is "longer" */
	double idle_s;              /* with nothing to send and nothing come */
};

/* The next query into f and out (128 bytes); slot is f's place. Its length; 0: no more names (--once). */
size_t load_query(struct load *l, struct flight *f, unsigned slot, uint8_t *out, double now);
/* It was not sent after all, or no answer came. */
void load_unsent(struct load *l, struct flight *f);
void load_lost(struct load *l, struct flight *f);
/* The answer p of len bytes to what is in flight in slots. True when it belongs to one of them. */
bool load_answer(struct load *l, struct flight *slots, const uint8_t *p, size_t len, double now);
/* Queries that --rate allows to be sent now; without it any number. */
unsigned load_due(const struct load *l, double now);
bool load_done(const struct load *l, double now);

/* The transports: from the first query to the last answer. 0, or 1 with a sentence on stderr. */
int load_udp(struct load *l);
int load_tcp(struct load *l);

#endif
