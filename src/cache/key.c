/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns how a key is hashed. The name is hashed once; type, CD and prefix are mixed in by multiplications, so that the hash under
 * which NXDOMAIN is filed (the name's alone) comes for free. */
#include "cache/impl.h"

void cache_key_init_ecs(const struct cache *c, struct cache_key *k, const uint8_t *name, uint8_t name_len, uint16_t type, bool cd,
			const struct ecs_prefix *ecs)
{
	k->name = name;
	k->name_len = name_len;
	k->type = type;
	k->cd = cd;
	k->ecs = *ecs;
	uint64_t h = hash_bytes(&c->secret, name, name_len);
	k->hash_name = hash_mix(h, 1 + cd);
	k->hash = hash_mix(h, 4u + type * 4u + cd);
	if (ecs->family)
		k->hash = hash_mix(k->hash, hash_bytes(&c->secret, ecs, sizeof *ecs));
}

void cache_key_init(const struct cache *c, struct cache_key *k, const uint8_t *name, uint8_t name_len, uint16_t type, bool cd)
{
	static const struct ecs_prefix none;
	cache_key_init_ecs(c, k, name, name_len, type, cd, &none);
}

bool cache_key_of(const struct cache *c, const struct entry *e, struct cache_key *k)
{
	struct entry_view v;
	if (!entry_open(e, &v))
		return false;
	cache_key_init_ecs(c, k, v.name, v.name_len, v.type, v.cd, &v.ecs);
	return true;
}

uint64_t entry_hash(const struct cache *c, const struct entry *e)
{
	const uint8_t *name = e->b + entry_name_off(e);
	struct cache_key k;
	struct entry_view v;
	if (__builtin_expect(e->b[E_F1] & F1_ECS, 0)) {
		if (!entry_open(e, &v))
			return 0;
		cache_key_init_ecs(c, &k, v.name, v.name_len, v.type, v.cd, &v.ecs);
		return k.hash;
	}
	int len = name_len(name, e->b + entry_size(e));
	if (len < 0)
		return 0;
	cache_key_init(c, &k, name, (uint8_t)len, entry_type(e), e->b[E_F0] & F0_CD);
	return e->b[E_F1] & F1_NXNAME ? k.hash_name : k.hash;
}
