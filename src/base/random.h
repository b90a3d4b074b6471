/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that nobody outside can guess: IDs, ports, hash secrets.
 *
 * libsodium's ChaCha20-based generator, filled per thread in blocks, so that one number costs a few ns and no system
 * call. Thread: any (each has its own block). */
#ifndef PITH_BASE_RANDOM_H
#define PITH_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

void random_bytes(void *out, size_t n);
uint32_t random_u32(void);
/* Uniform in 0 .. n-1; n > 0. */
uint32_t random_below(uint32_t n);

/* A small deterministic generator (xoshiro-style) for tests, sampling and benchmarks; never for secrets. */
struct prng {
	uint64_t s[2];
};
void prng_seed(struct prng *r, uint64_t seed);
uint64_t prng_next(struct prng *r);

#endif
