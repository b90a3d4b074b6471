/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the call into xxhash, inlined here so that its short-input paths cost no call of their own. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <sodium.h>
#include <xxhash.h>

#include "base/random.h"

_Static_assert(HASH_SECRET_LEN >= XXH3_SECRET_SIZE_MIN, "XXH3 wants a longer secret");

void hash_secret_init(struct hash_secret *s)
{
	random_bytes(s->bytes, sizeof s->bytes);
}

void hash_secret_fixed(struct hash_secret *s, uint64_t seed)
{
	struct prng r;
	prng_seed(&r, seed);
	for (size_t i = 0; i < sizeof s->bytes; i++)
		s->bytes[i] = (uint8_t)(prng_next(&r) >> 32);
}

uint64_t hash_bytes(const struct hash_secret *s, const void *p, size_t len)
{
	return XXH3_64bits_withSecret(p, len, s->bytes, sizeof s->bytes);
}

void hash_sha256(const void *p, size_t len, uint8_t sum[32])
{
	crypto_hash_sha256(sum, p, len);
}

uint64_t hash_checksum(const void *p, size_t len, uint64_t seed)
{
	return XXH64(p, len, seed);
}
