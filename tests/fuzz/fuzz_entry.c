/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as an entry: from a snapshot, a second level, a flipped bit.
 *
 * What entry_from_bytes takes must be readable to its end, answerable, storable under its own key and found there again. What it
 * refuses is still walked as far as its head allows, as memory may be damaged after it was checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cache.h"
#include "cache/layout.h"
#include "query/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must_be(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* Returns 1 when every RRset and record could be read. */
static int walk(const struct entry *e)
{
	struct entry_view v;
	struct rrset_cursor c;
	struct rrset_view s;
	uint8_t scratch[RDATA_SCRATCH];
	const uint8_t *rdata = NULL;
	size_t n;
	int more, got = 0;
	unsigned sum = 0;

	if (!entry_open(e, &v))
		return 0;
	entry_rrsets(&v, &c);
	while ((more = entry_next_rrset(&v, &c, &s)) == 1) {
		while ((got = rrset_next(&v, &s, &rdata, &n, scratch)) == 1)
			for (size_t i = 0; i < n; i++)
				sum += rdata[i];
		if (got < 0)
			return 0;
	}
	/* The sum is looked at so that the bytes are. */
	return more == 0 && sum < UINT32_MAX;
}

static void answer(const struct entry *e, int whole)
{
	static uint8_t out[DNS_MSG_MAX];
	static const struct answer_options o = { .udp_size = 1232, .rotate = true, .stale_ttl_s = 30, .nsid = "x" };
	struct entry_view v;
	struct question q;
	uint8_t packet[512];
	unsigned rcode;

	if (!entry_open(e, &v))
		return;
	for (unsigned ways = 0; ways < 8; ways++) {
		int n = query_write(packet, sizeof packet, 1, FLAG_RD, v.name, v.name_len, v.type, ways & 1 ? 1232 : 0, ways & 1, NULL, 0);
		if (n < 0 || question_parse(packet, (size_t)n, &q, &rcode) != QUESTION_OK)
			return;
		struct answer_ask a = { .q = &q, .limit = ways & 2 ? DNS_MSG_MAX : 512, .now_s = v.stored_s + 1, .rotation = ways, .stale = ways & 4,
					.tcp = ways & 2, .o = &o };
		bool truncated;
		int r = answer_from_entry(out, &a, e, &truncated);
		must_be(r == ERR_BAD || (r >= DNS_HEADER_LEN && (size_t)r <= a.limit), "a reply keeps its limit");
		must_be(!whole || r > 0, "a whole entry has an answer");
		if (r < 0)
			continue;
		struct msg_reader m;
		struct wire_rr rr;
		must_be(msg_begin(&m, out, (size_t)r) == 0, "a reply begins like one");
		while (msg_next(&m, &rr) == 1)
			;
		must_be(!whole || msg_end(&m) == 0, "a whole entry's reply is well-formed");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct entry_scratch s;
	static struct cache *c;
	struct cache_key k;

	if (!c) {
		c = cache_new(&(struct cache_options){ .maxmemory = 1 << 26, .stale_for_s = 1 << 30, .hash_seed = 1 });
		must_be(c != NULL, "there is memory");
		cache_thread_begin(c);
	}
	if (entry_from_bytes(&s, data, len) == 0) {
		const struct entry *e = entry_in_scratch(&s);
		must_be(walk(e), "what was taken can be read");
		answer(e, 1);
		must_be(cache_key_of(c, e, &k), "what was taken has a key");
		char text[CACHE_KEY_TEXT_MAX];
		struct cache_key_buf again;
		int n = cache_key_to_text(&k, text, sizeof text);
		must_be(n > 0, "a key has a text");
		if (k.type)
			must_be(cache_key_from_text(c, &again, text, (size_t)n) == 0 && again.key.hash == k.hash, "and is it again");
		if (cache_store(c, &k, &s) == 0) {
			cache_read_begin();
			const struct entry *found = cache_find(c, &k);
			must_be(found && entry_size(found) == len && memcmp(found->b + 1, data + 1, len - 1) == 0, "what was stored is found");
			cache_read_end();
			must_be(cache_remove(c, &k) && cache_count(c) == 0, "and removed");
		}
	}
	if (len < E_HEAD)
		return 0;
	/* Damaged in memory: the head may say any size, and that many bytes are there. */
	size_t size = load_le16(data + E_SIZE);
	if (size < ENTRY_MIN)
		return 0;
	struct entry *e = malloc(size);
	memset(e, 0, size);
	memcpy(e, data, len < size ? len : size);
	walk(e);
	answer(e, 0);
	cache_key_of(c, e, &k);
	free(e);
	return 0;
}
