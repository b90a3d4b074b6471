/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the list of prefixes behind allow-query.
 *
 * A prefix is a range of addresses. Per family the ranges are sorted and merged at load time, so that a question costs one
 * binary search over disjoint ranges whatever the list's length, and overlapping lines cost nothing. A radix tree was left out:
 * nine ranges (the default) sit in two cache lines, a tree in many.
 * Invariant: within a family, range i ends before range i + 1 begins, with a gap between them. */
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"

typedef unsigned __int128 addr128;

struct range {
	addr128 first, last; /* IPv4 in the lowest 32 bits */
};
struct ranges {
	unsigned n;
	struct range *at;
};
struct acl {
	struct ranges v4, v6;
};

static addr128 addr_number(unsigned family, const uint8_t *addr)
{
	return family == 4 ? load_be32(addr) : (addr128)load_be64(addr) << 64 | load_be64(addr + 8);
}

static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

static void ranges_merge(struct ranges *r)
{
	unsigned n = 0;
	if (r->n == 0)
		return; /* qsort wants a pointer */
	qsort(r->at, r->n, sizeof *r->at, range_compare);
	for (unsigned i = 0; i < r->n; i++) {
		struct range *last = n ? &r->at[n - 1] : NULL;
		/* last->last + 1 overflows only at the very top, where nothing can begin behind it. */
		if (last && (r->at[i].first <= last->last || r->at[i].first == last->last + 1)) {
			if (r->at[i].last > last->last)
				last->last = r->at[i].last;
		} else {
			r->at[n++] = r->at[i];
		}
	}
	r->n = n;
}

static int ranges_add(struct ranges *r, const struct conf_prefix *p)
{
	struct range *at = mem_realloc(r->at, (r->n + 1) * sizeof *at);
	if (!at)
		return ERR_NOMEM;
	r->at = at;
	unsigned host = (p->family == 4 ? 32 : 128) - p->bits;
	addr128 mask = host == 128 ? ~(addr128)0 : ((addr128)1 << host) - 1, number = addr_number(p->family, p->bytes);
	r->at[r->n++] = (struct range){ number & ~mask, number | mask };
	return 0;
}

static int acl_add_words(struct acl *a, const char *words, char *err, size_t cap)
{
	char word[64];
	while (*(words += strspn(words, " \t"))) {
		size_t len = strcspn(words, " \t");
		struct conf_prefix p;
		snprintf(word, sizeof word, "%.*s", (int)len, words);
		if (len >= sizeof word || conf_prefix_parse(word, &p) < 0) {
			snprintf(err, cap, "%s is not an address prefix", word);
			return ERR_BAD;
		}
		if (ranges_add(p.family == 4 ? &a->v4 : &a->v6, &p) < 0) {
			snprintf(err, cap, "no memory");
			return ERR_NOMEM;
		}
		words += len;
	}
	return 0;
}

struct acl *acl_new(const struct conf_list *list, char *err, size_t cap)
{
	struct acl *a = mem_calloc(1, sizeof *a);
	if (!a)
		snprintf(err, cap, "no memory");
	for (unsigned i = 0; a && i < list->n; i++) {
		if (acl_add_words(a, list->items[i], err, cap) < 0) {
			acl_free(a);
			a = NULL;
		}
	}
	if (a) {
		ranges_merge(&a->v4);
		ranges_merge(&a->v6);
	}
	return a;
}

void acl_free(struct acl *a)
{
	if (!a)
		return;
	mem_free(a->v4.at);
	mem_free(a->v6.at);
	mem_free(a);
}

bool acl_allows(const struct acl *a, unsigned family, const uint8_t *addr)
{
	const struct ranges *r = family == 4 ? &a->v4 : &a->v6;
	addr128 number = addr_number(family, addr);
	unsigned low = 0, high = r->n; /* the first range that ends at or after the address lies in [low, high] */
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (r->at[mid].last < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->n && r->at[low].first <= number;
}
