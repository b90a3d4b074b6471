/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts that `pith-bench layouts` sets beside the cache: all answer alike, and give back what they took. */
#include "base/alloc.h"
#include "unit.h"
#include "utils/bench/mix.c"
#include "utils/bench/layouts/message.c"
#include "utils/bench/layouts/pith.c"
#include "utils/bench/layouts/row.c"
#include "utils/bench/layouts/step0.c"
#include "utils/bench/layouts/step1.c"
#include "utils/bench/layouts/step2.c"
#include "utils/bench/layouts/step3.c"
#include "utils/bench/layouts/step4.c"
#include "utils/bench/layouts/step5.c"
#include "utils/bench/layouts/supply.c"
#include "utils/bench/layouts/table.c"

struct answered {
	uint8_t wire[80], reply[REPLY_LIMIT];
	struct question q;
	int len;
};

static bool insert(const struct subject *s, void *x, const struct bench_msg *m, const struct ecs_prefix *ecs)
{
	return s->insert(x, m->name, m->name_len, m->type, ecs, m->bytes, m->len, MEASURE_NOW_S);
}

static void ask(const struct subject *s, void *x, const struct bench_msg *m, const struct ecs_prefix *ecs, bool dnssec, uint32_t age_s,
		struct answered *a)
{
	memcpy(a->wire, m->name, m->name_len);
	store_be16(a->wire + m->name_len, m->type);
	store_be16(a->wire + m->name_len + 2, CLASS_IN);
	a->q = (struct question){ .id = 7, .flags = FLAG_RD, .qtype = m->type, .qclass = CLASS_IN, .wire = a->wire,
				  .wire_len = (uint16_t)(m->name_len + 4), .name_len = m->name_len };
	memcpy(a->q.name, m->name, m->name_len);
	a->q.edns = (struct edns){ .present = dnssec, .do_bit = dnssec, .udp_size = REPLY_LIMIT, .ede = EDE_NONE };
	a->len = s->answer(x, &a->q, ecs, MEASURE_NOW_S + age_s, a->reply);
}

static void test_every_layout_answers_every_mix_with_the_caches_bytes(void)
{
	enum { N = 300 };
	struct answered want, got;
	struct bench_msg m;
	struct ecs_prefix ecs;
	for (int supply = 0; supply < N_SUPPLIES; supply++) {
		void *pith = subject_pith.open(&subject_pith, N, 1);
		check(pith != NULL);
		for (unsigned i = 0; i < N; i++) {
			supply_message((enum supply)supply, i, &m, &ecs);
			check(insert(&subject_pith, pith, &m, &ecs));
		}
		for (unsigned step = 0; step < N_STEPS; step++) {
			const struct subject *s = subject_at(step);
			void *x = s->open(s, N, 1);
			check(x != NULL);
			for (unsigned i = 0; i < N; i++) {
				supply_message((enum supply)supply, i, &m, &ecs);
				check(insert(s, x, &m, &ecs));
			}
			for (unsigned i = 0; i < N; i++) {
				supply_message((enum supply)supply, i, &m, &ecs);
				ask(&subject_pith, pith, &m, &ecs, i % 2, 11, &want);
				ask(s, x, &m, &ecs, i % 2, 11, &got);
				check(want.len > DNS_HEADER_LEN);
				check_eq_mem(got.reply, (size_t)got.len, want.reply, (size_t)want.len);
			}
			s->close(x);
		}
		subject_pith.close(pith);
	}
}

static void test_an_expired_entry_and_one_that_never_was_are_not_answered(void)
{
	struct bench_msg m, other;
	struct answered a;
	bench_message(&m, MIX_PUBLISHED, 1);
	bench_message(&other, MIX_PUBLISHED, 2);
	for (unsigned i = 0; i < N_SUBJECTS; i++) {
		const struct subject *s = subject_at(i);
		void *x = s->open(s, 8, 1);
		check(insert(s, x, &m, NULL));
		ask(s, x, &m, NULL, false, 59, &a);
		check(a.len > 0);
		ask(s, x, &m, NULL, false, TTL_MAX_S, &a);
		check_eq_int(a.len, 0);
		ask(s, x, &other, NULL, false, 0, &a);
		check_eq_int(a.len, 0);
		s->close(x);
	}
}

static void test_a_second_answer_replaces_the_first_and_its_memory_comes_back(void)
{
	struct bench_msg m;
	struct ecs_prefix ecs;
	struct answered a;
	for (unsigned i = 0; i < N_STEPS; i++) {
		const struct subject *s = subject_at(i);
		struct row *row = s->open(s, 8, 1);
		supply_message(SUPPLY_CHAIN, 3, &m, &ecs);
		check(insert(s, row, &m, NULL));
		struct account once = row->account;
		/* Last byte of the last address. */
		m.bytes[m.len - 1] ^= 1;
		check(insert(s, row, &m, NULL));
		check_eq_int(row->account.asked, once.asked);
		check_eq_int(row->account.blocks, once.blocks);
		ask(s, row, &m, NULL, false, 0, &a);
		check_eq_int(a.reply[a.len - 1], m.bytes[m.len - 1]);
		s->close(row);
	}
}

static void test_a_message_cut_anywhere_is_refused_and_leaves_nothing_behind(void)
{
	struct bench_msg m;
	struct ecs_prefix ecs;
	for (unsigned i = 0; i < N_STEPS; i++) {
		const struct subject *s = subject_at(i);
		struct row *row = s->open(s, 8, 1);
		for (int supply = 0; supply < N_SUPPLIES; supply++) {
			supply_message((enum supply)supply, 5, &m, &ecs);
			for (uint16_t len = m.len; len-- > 0;) {
				m.len = len;
				check(!insert(s, row, &m, &ecs));
			}
		}
		check_eq_int(row->account.asked, 0);
		check_eq_int(row->account.blocks, 0);
		s->close(row);
	}
}

static void test_no_memory_at_any_allocation_stores_nothing_and_leaks_nothing(void)
{
	struct bench_msg m;
	struct ecs_prefix ecs;
	for (unsigned i = 0; i < N_STEPS; i++) {
		const struct subject *s = subject_at(i);
		struct row *row = s->open(s, 8, 1);
		for (int supply = 0; supply < N_SUPPLIES; supply++) {
			supply_message((enum supply)supply, 9, &m, &ecs);
			long nth = 1;
			bool stored = false;
			for (; !stored && nth < 100; nth++) {
				struct account before = row->account;
				alloc_fail_after(nth);
				stored = insert(s, row, &m, &ecs);
				alloc_fail_after(0);
				check(stored || (row->account.asked == before.asked && row->account.blocks == before.blocks));
			}
			/* The last one had all it needed: an entry, a name, what holds the records at the least. */
			check(stored && nth > 3);
		}
		s->close(row);
	}
}
