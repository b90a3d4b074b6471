/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benchmarks share: the published mix as wire messages, clocks, figures. */
#ifndef PITH_BENCH_H
#define PITH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A question with its answer as a server would send it. */
struct bench_msg {
	uint8_t name[64];   /* wire form, lower case */
	uint8_t name_len;
	uint16_t type;
	uint16_t len;       /* of bytes */
	uint16_t payload;   /* name + rdata of all records + 12 */
	uint8_t bytes[1536];
};

enum bench_mix { MIX_PUBLISHED, MIX_SMALL_TXT };
/* Message i of the mix: 56 % A, 25 % AAAA, 19 % TXT (rdata 64–224 bytes, uniform; 16–96 in the small mix), 1–4 records (uniform),
 * names of about 22 characters. The same i gives the same message; different i different names. */
void bench_message(struct bench_msg *m, enum bench_mix mix, uint64_t i);
/* Only name and type of message i: for lookups. */
void bench_question(struct bench_msg *m, enum bench_mix mix, uint64_t i);

struct bench_options {
	uint64_t entries;
	unsigned threads;
	bool json;
	uint64_t seed;
	uint64_t maxmemory; /* bytes */
	/* network */
	uint16_t port;
	uint64_t first;     /* index of the first name of the set; entries is its size */
	unsigned sockets, window, seconds;
	uint64_t rate;      /* queries a second, 0: as fast as answers come */
	uint64_t questions; /* end after so many; 0: after so many seconds */
	double zipf;        /* exponent of the names' popularity; 0: all alike */
	unsigned ttl;       /* upstream: of every record; 0: the mix's own */
	bool sequential;    /* every name of the set once, then end */
	bool floor;         /* the server echoes */
	bool edns, tcp;
	enum bench_mix mix;
	/* hitratio */
	bool quick;         /* fewer names than `entries` */
	bool pith_only;     /* without the models */
	const char *trace;  /* only those with this in their name; NULL: all */
	const char *policy; /* maxmemory-policy; NULL: the default */
};

int bench_cache(const struct bench_options *o);
int bench_churn(const struct bench_options *o);
int bench_growth(const struct bench_options *o);
int bench_echo(const struct bench_options *o);
int bench_echo_batch(const struct bench_options *o);
int bench_echo_tcp(const struct bench_options *o);
int bench_upstream(const struct bench_options *o);
int bench_load(const struct bench_options *o);
int bench_snapshot(const struct bench_options *o);
int bench_layouts(const struct bench_options *o);
int bench_mixes(const struct bench_options *o);
int bench_hitratio(const struct bench_options *o);

double bench_now_s(void);
/* CPU model and number of processors, for reports; static storage. */
const char *bench_machine(void);

#endif
