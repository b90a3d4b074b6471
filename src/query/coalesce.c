/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the table of flights and the packing of clients that wait.
 *
 * Chained buckets that double with the number of flights: this is the way of misses, where one allocation for a flight and one for a
 * client are small beside the packets that follow. A waiting client keeps a packed query and not the struct question
 * (about 400 bytes) nor the packet as it came (a client over TCP may pad it to 64 KB, and 20,000 may wait): parsing it again
 * costs some 50 ns.
 * Invariant: n flights are linked, none twice for one key; n_waiting clients hang from them. */
#include "query/coalesce.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/must.h"

enum { BUCKETS_MIN = 1024 };

int flights_init(struct flights *f)
{
	*f = (struct flights){ .mask = BUCKETS_MIN - 1 };
	f->buckets = mem_calloc(BUCKETS_MIN, sizeof *f->buckets);
	return f->buckets ? 0 : ERR_NOMEM;
}

void flights_free(struct flights *f)
{
	must(f->n == 0);
	mem_free(f->buckets);
}

/* Doubling that fails for want of memory only makes chains longer. */
static void flights_grow(struct flights *f)
{
	uint32_t n_buckets = f->mask + 1, mask = 2 * n_buckets - 1;
	struct flight **buckets = mem_calloc(2 * (size_t)n_buckets, sizeof *buckets);
	if (!buckets)
		return;
	for (uint32_t i = 0; i < n_buckets; i++) {
		for (struct flight *fl = f->buckets[i], *next; fl; fl = next) {
			next = fl->next;
			fl->next = buckets[fl->key.hash & mask];
			buckets[fl->key.hash & mask] = fl;
		}
	}
	mem_free(f->buckets);
	f->buckets = buckets;
	f->mask = mask;
}

static bool key_equal(const struct cache_key *a, const struct cache_key *b)
{
	return a->hash == b->hash && a->type == b->type && a->cd == b->cd && a->name_len == b->name_len &&
	       memcmp(a->name, b->name, a->name_len) == 0 && a->ecs.family == b->ecs.family && a->ecs.bits == b->ecs.bits &&
	       (a->ecs.family == 0 || memcmp(a->ecs.addr, b->ecs.addr, sizeof a->ecs.addr) == 0);
}

struct flight *flight_find(const struct flights *f, const struct cache_key *k)
{
	struct flight *fl = f->buckets[k->hash & f->mask];
	while (fl && !key_equal(&fl->key, k))
		fl = fl->next;
	return fl;
}

struct flight *flight_add(struct flights *f, const struct cache_key *k)
{
	struct flight *fl = mem_calloc(1, sizeof *fl + k->name_len);
	if (!fl)
		return NULL;
	memcpy(fl->name, k->name, k->name_len);
	fl->key = *k;
	fl->key.name = fl->name;
	fl->last = &fl->first;
	if (f->n > f->mask)
		flights_grow(f);
	fl->next = f->buckets[k->hash & f->mask];
	f->buckets[k->hash & f->mask] = fl;
	f->n++;
	return fl;
}

void flight_unlink(struct flights *f, struct flight *fl)
{
	struct flight **at = &f->buckets[fl->key.hash & f->mask];
	while (*at != fl)
		at = &(*at)->next;
	*at = fl->next;
	f->n--;
}

void flight_append(struct flights *f, struct flight *fl, struct pending *p)
{
	p->next = NULL;
	*fl->last = p;
	fl->last = &p->next;
	f->n_waiting++;
}

struct pending *flight_take(struct flights *f, struct flight *fl)
{
	struct pending *p = fl->first;
	if (!p)
		return NULL;
	fl->first = p->next;
	if (!fl->first)
		fl->last = &fl->first;
	f->n_waiting--;
	return p;
}

/* ---- packing ---- */

static size_t option_put(uint8_t *out, uint16_t code, const uint8_t *value, uint16_t len)
{
	store_be16(out, code);
	store_be16(out + 2, len);
	if (len)
		memcpy(out + 4, value, len);
	return 4u + len;
}

int pending_pack(const struct question *q, uint8_t out[PENDING_MAX])
{
	uint8_t opts[256];
	size_t n = 0;
	const struct edns *e = &q->edns;
	if (e->ecs && e->ecs_len <= 4 + 16)
		n += option_put(opts + n, EDNS_ECS, e->ecs, e->ecs_len);
	if (e->cookie && e->cookie_len <= 8 + 32)
		n += option_put(opts + n, EDNS_COOKIE, e->cookie, e->cookie_len);
	if (e->nsid)
		n += option_put(opts + n, EDNS_NSID, NULL, 0);
	if (e->keepalive)
		n += option_put(opts + n, EDNS_KEEPALIVE, NULL, 0);
	if (e->padding)
		n += option_put(opts + n, EDNS_PADDING, NULL, 0);
	/* udp_size 0 would leave OPT out; anything under 512 counts as 512 all the same. */
	uint16_t udp_size = !e->present ? 0 : e->udp_size ? e->udp_size : DNS_UDP_MIN;
	return query_write(out, PENDING_MAX, q->id, q->flags, q->wire, (size_t)q->wire_len - 4, q->qtype, udp_size, e->do_bit, opts, n);
}

struct pending *pending_new(const struct query *q, uint64_t now_ns)
{
	uint8_t packed[PENDING_MAX];
	int len = pending_pack(&q->q, packed);
	struct pending *p = should(len > 0) ? mem_alloc(sizeof *p + (size_t)len) : NULL;
	if (!p)
		return NULL;
	p->next = NULL;
	p->since_ns = now_ns;
	p->to = *q->to;
	p->len = (uint16_t)len;
	memcpy(p->msg, packed, (size_t)len);
	return p;
}

void pending_free(struct pending *p)
{
	mem_free(p);
}
