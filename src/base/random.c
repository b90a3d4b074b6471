/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the per-thread blocks of random bytes. libsodium seeds itself from the kernel. */
#include "base/random.h"

#include <sodium.h>
#include <string.h>

#include "base/must.h"

struct block {
	uint8_t bytes[1024];
	size_t used;
	int ready;
};

static _Thread_local struct block block;

static void refill(struct block *b)
{
	if (!b->ready) {
		must(sodium_init() >= 0);
		b->ready = 1;
	}
	/* The seed comes from the kernel each time: what was handed out before cannot be computed from what comes. */
	uint8_t seed[randombytes_SEEDBYTES];
	randombytes_buf(seed, sizeof seed);
	randombytes_buf_deterministic(b->bytes, sizeof b->bytes, seed);
	sodium_memzero(seed, sizeof seed);
	b->used = 0;
}

void random_bytes(void *out, size_t n)
{
	uint8_t *p = out;
	while (n) {
		if (!block.ready || block.used == sizeof block.bytes)
			refill(&block);
		size_t left = sizeof block.bytes - block.used, m = n < left ? n : left;
		memcpy(p, block.bytes + block.used, m);
		memset(block.bytes + block.used, 0, m);
		block.used += m;
		p += m;
		n -= m;
	}
}

uint32_t random_u32(void)
{
	uint32_t v;
	random_bytes(&v, sizeof v);
	return v;
}

uint32_t random_below(uint32_t n)
{
	/* Values under 2^32 mod n would be counted once too often. */
	uint32_t floor = -n % n, v;
	do
		v = random_u32();
	while (v < floor);
	return v % n;
}

void prng_seed(struct prng *r, uint64_t seed)
{
	/* splitmix64 spreads a small seed over both words, never leaving both zero. */
	for (int i = 0; i < 2; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15ull;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		r->s[i] = z ^ z >> 31;
	}
	if (!(r->s[0] | r->s[1]))
		r->s[0] = 1;
}

uint64_t prng_next(struct prng *r)
{
	/* xorshift128+ (Vigna 2014). */
	uint64_t a = r->s[0], b = r->s[1];
	r->s[0] = b;
	a ^= a << 23;
	r->s[1] = a ^ b ^ a >> 18 ^ b >> 5;
	return r->s[1] + b;
}
