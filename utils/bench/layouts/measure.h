/* SPDX-License-Identifier: BSD-3-Clause */
/* One subject measured once, in a process of its own: what one row leaves in the allocator or the page tables must not count
 * for the next.
 *
 * All subjects are asked the same questions at the same, fixed time. The first one's replies to a sample are kept in memory that all
 * the processes share, and those of the others must be the same bytes, TTLs included. */
#ifndef PITH_BENCH_MEASURE_H
#define PITH_BENCH_MEASURE_H

#include "../bench.h"
#include "layout.h"

/* Where messages come from (supply.c). */
enum supply { SUPPLY_PUBLISHED, SUPPLY_SMALL, SUPPLY_SIGNED, SUPPLY_NEGATIVE, SUPPLY_ECS, SUPPLY_CHAIN, N_SUPPLIES };
/* Message i, and the subnet that it is scoped to (family 0: none). The same i gives the same message. */
void supply_message(enum supply s, uint64_t i, struct bench_msg *m, struct ecs_prefix *ecs);
const char *supply_name(enum supply s);

struct figures {
	double net, allocated, table, rss, blocks, wire; /* per entry; wire: bytes of its message */
	double inserts_per_s, lookup_ns, batch_ns;       /* of processor time; 0 when not asked for */
	uint64_t checked;                                /* replies compared */
};

struct sample;
/* NULL: no memory. */
struct sample *sample_new(void);
void sample_free(struct sample *s);

struct plan {
	const struct subject *subject;
	enum supply supply;
	uint64_t entries, seed;
	bool timed;              /* lookups too */
	struct sample *sample;
};
/* Measures in a child process. 0, or -1 when it failed (why was printed). */
int measure(const struct plan *p, struct figures *f);

struct spread {
	double min, median, max;
};
enum { SPREAD_MAX = 64 };
/* Of n values, 1 to SPREAD_MAX. */
struct spread spread_of(const double *v, unsigned n);

#endif
