/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns what rows 0 to 5 do alike around their layouts: keys, references, what is common to entries, the account. */
#include <string.h>

#include "base/alloc.h"
#include "layout.h"

void *account_alloc(struct account *a, size_t n)
{
	void *p = mem_alloc(n);
	if (p) {
		a->asked += n;
		a->blocks++;
	}
	return p;
}

void *account_calloc(struct account *a, size_t n)
{
	void *p = account_alloc(a, n);
	return p ? memset(p, 0, n) : NULL;
}

void *account_realloc(struct account *a, void *p, size_t had, size_t n)
{
	void *q = mem_realloc(p, n);
	if (q) {
		a->asked += n - had;
		a->blocks += !p;
	}
	return q;
}

void account_free(struct account *a, void *p, size_t n)
{
	if (!p)
		return;
	a->asked -= n;
	a->blocks--;
	mem_free(p);
}

static void row_key(const struct row *row, struct item_key *k, const uint8_t *name, uint8_t name_len, uint16_t type,
		     const struct ecs_prefix *ecs)
{
	k->name = name;
	k->name_len = name_len;
	k->type = type;
	k->tag_len = 0;
	k->hash = hash_mix(hash_bytes(&row->secret, name, name_len), type);
	if (ecs && ecs->family) {
		size_t n = ((size_t)ecs->bits + 7) / 8;
		k->tag[0] = ecs->family;
		k->tag[1] = ecs->bits;
		memcpy(k->tag + 2, ecs->addr, n);
		k->tag_len = (uint8_t)(2 + n);
		k->hash = hash_mix(k->hash, hash_bytes(&row->secret, k->tag, k->tag_len));
	}
}

static void *row_open(const struct subject *self, uint64_t entries, uint64_t seed)
{
	struct mem_stats s;
	struct row *row = mem_alloc(sizeof *row);
	if (!row)
		return NULL;
	/* What an insert works in is in memory before anything is measured. */
	memset(row, 0, sizeof *row);
	row->layout = self->layout;
	hash_secret_fixed(&row->secret, seed);
	mem_purge();
	mem_stats(&s);
	row->allocated_before = s.allocated;
	if (table_init(&row->table, entries))
		return row;
	mem_free(row);
	return NULL;
}

static void release(struct row *row, struct item *e)
{
	if (atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) == 1)
		row->layout->drop(row, e);
}

static bool row_insert(void *x, const uint8_t *name, uint8_t name_len, uint16_t type, const struct ecs_prefix *ecs, const uint8_t *msg,
		       size_t len, uint32_t now_s)
{
	struct row *row = x;
	struct item_key key;
	row_key(row, &key, name, name_len, type, ecs);
	if (source_begin(&row->source, &key, msg, len) != 0)
		return false;
	struct item *e = row->layout->make(row, &key, &row->source);
	if (!e)
		return false;
	e->type = type;
	e->rrclass = CLASS_IN;
	e->rcode = row->source.r.h.flags & FLAG_RCODE_MASK;
	e->ttl_s = row->source.ttl_s;
	e->stored = e->last_used = (struct timespec){ .tv_sec = now_s };
	e->expires = (struct timespec){ .tv_sec = (time_t)now_s + e->ttl_s };
	atomic_init(&e->refs, 1);
	if (ecs)
		e->ecs = *ecs;
	struct item *old = table_link(&row->table, row->layout, &key, e);
	if (old)
		release(row, old);
	return true;
}

static int row_answer(void *x, const struct question *q, const struct ecs_prefix *ecs, uint32_t now_s, uint8_t *out)
{
	struct row *row = x;
	struct item_key key;
	row_key(row, &key, q->name, q->name_len, q->qtype, ecs);
	struct item *e = table_hold(&row->table, row->layout, &key, now_s);
	if (!e)
		return 0;
	int n = row->layout->answer(e, q, now_s - (uint32_t)e->stored.tv_sec, out);
	release(row, e);
	return n;
}

static void row_bytes(void *x, struct subject_bytes *b)
{
	const struct row *row = x;
	struct mem_stats s;
	mem_purge();
	mem_stats(&s);
	*b = (struct subject_bytes){ .net = (double)row->account.asked, .allocated = (double)(s.allocated - row->allocated_before),
				     .table = (double)(row->table.n * sizeof *row->table.words), .blocks = (double)row->account.blocks };
}

static void row_close(void *x)
{
	struct row *row = x;
	struct item *e;
	while ((e = table_take_oldest(&row->table)) != NULL)
		release(row, e);
	table_free(&row->table);
	mem_free(row);
}

#define STEP(n, text) \
	{ .step = #n, .what = text, .layout = &layout_step##n, .open = row_open, .insert = row_insert, .answer = row_answer, \
	  .bytes = row_bytes, .close = row_close }

const struct subject subject_steps[N_STEPS] = {
	STEP(0, "growable vectors, three lists, owner in every record, 144 bytes of record data"),
	STEP(1, "the same, every vector at its exact size"),
	STEP(2, "one record list and two 16-bit offsets; flags packed"),
	STEP(3, "no owner where it is the question's"),
	STEP(4, "24 bytes of record data, large variants in boxes"),
	STEP(5, "one buffer of length-prefixed wire records"),
};
