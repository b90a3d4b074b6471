/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys as operators read and write them: TYPE ":" name [ "@" prefix ] [ "@cd" ]. */
#include "cache_kit.h"

/* The text of the key that `from` is; NULL when it is none. */
static const char *said(const struct cache *c, const char *from, size_t len)
{
	static char to[CACHE_KEY_TEXT_MAX + 1];
	struct cache_key_buf b;
	/* In a block of its own size: the text is not a string. */
	char *copy = malloc(len + !len);
	int n = ERR_BAD;

	memcpy(copy, from, len);
	if (cache_key_from_text(c, &b, copy, len) == 0)
		check((n = cache_key_to_text(&b.key, to, CACHE_KEY_TEXT_MAX)) > 0);
	free(copy);
	to[n > 0 ? n : 0] = 0;
	return n > 0 ? to : NULL;
}

static void test_a_key_is_read_in_any_case_with_or_without_the_last_dot(void)
{
	static const struct { const char *from, *to; } keys[] = {
		{ "A:www.example.com.", "A:www.example.com." },
		{ "a:WWW.Example.COM", "A:www.example.com." },
		{ "AAAA:.", "AAAA:." },
		{ "NS:.", "NS:." },
		{ "TYPE1:x.", "A:x." },
		{ "type65280:x.", "TYPE65280:x." },
		{ "TYPE65535:x.", "TYPE65535:x." },
		{ "HTTPS:_8443._https.x.", "HTTPS:_8443._https.x." },
		{ "A:x@cd", "A:x.@cd" },
		{ "A:x.@CD", "A:x.@cd" },
		{ "A:x.@192.0.2.0/24", "A:x.@192.0.2.0/24" },
		{ "A:x.@192.0.2.1/32", "A:x.@192.0.2.1/32" },
		{ "A:x.@0.0.0.0/0", "A:x.@0.0.0.0/0" },
		{ "A:x.@2001:DB8::/32", "A:x.@2001:db8::/32" },
		{ "A:x.@2001:0db8:0:0::/33@cd", "A:x.@2001:db8::/33@cd" },
		{ "A:x.@::/0", "A:x.@::/0" },
		{ "A:x.@::1/128", "A:x.@::1/128" },
		{ "MX:a\\@b.x.", "MX:a\\@b.x." },
		{ "MX:\\064b.x.@cd", "MX:\\@b.x.@cd" },
		{ "TXT:a\\.b.x.", "TXT:a\\.b.x." },
		{ "TXT:\\000\\255.x.", "TXT:\\000\\255.x." },
		{ "TXT:a:b.x.", "TXT:a:b.x." },
		{ "TXT:a\\\\@cd", "TXT:a\\\\.@cd" }, /* the backslash is the label's, the @ is bare */
		{ "TXT:\\065.x.", "TXT:a.x." },       /* an escaped A is a letter like any other */
		{ "A:xn--bcher-kva.example.", "A:xn--bcher-kva.example." },
	};
	struct cache *c = kit_cache(1 << 22, 0);

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		check_eq_str(said(c, keys[i].from, strlen(keys[i].from)), keys[i].to);
		check_eq_str(said(c, keys[i].to, strlen(keys[i].to)), keys[i].to);
	}
	kit_cache_free(c);
}

static void test_what_is_no_key_is_told_from_one(void)
{
	static const char *const not[] = {
		"", ":", "A", "A:", ":x.", "www.example.com.", "NOTATYPE:x.", "TYPE:x.", "TYPE65536:x.", "TYPE-1:x.",
		"TYPE0:x.", "A :x.", " A:x.", "A:x..", "A:..", "A:.x.", "A:x.@", "A:x.@c", "A:x.@cdx", "A:x.@cd@cd", "A:x.@cd@192.0.2.0/24",
		"A:x.@192.0.2.0", "A:x.@192.0.2.0/", "A:x.@192.0.2.0/33", "A:x.@192.0.2.1/24", "A:x.@192.0.2/24", "A:x.@192.0.2.0/-1",
		"A:x.@192.0.2.0/24x", "A:x.@192.0.2.0/0024", "A:x.@192.0.2.0/24@192.0.2.0/24", "A:x.@/24", "A:x.@::/129", "A:x.@2001:db8::1/64",
		"A:x.@2001:db8::%eth0/64", "A:@cd", "A:@", "A:x\\", "A:x\\25.", "A:x\\256.", "A:x\\2", "TXT:a\\@cd\\", "A:x.@cd ",
		"A:x.@ 192.0.2.0/24", "A:aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg.x.",
	};
	struct cache *c = kit_cache(1 << 22, 0);

	for (size_t i = 0; i < sizeof not / sizeof *not; i++)
		if (said(c, not[i], strlen(not[i]))) {
			printf("taken for a key: '%s' as %s\n", not[i], said(c, not[i], strlen(not[i])));
			unit_fail();
		}
	check(said(c, "A:x.@192.0.2.0/24\0", 18) == NULL);
	check(said(c, "A\0:x.", 5) == NULL);
	kit_cache_free(c);
}

/* Any bytes may stand in a label (RFC 2181 §11). */
static void test_any_name_goes_to_text_and_back(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	char text[CACHE_KEY_TEXT_MAX];

	for (int round = 0; round < 30000; round++) {
		uint8_t name[NAME_MAX_LEN];
		size_t len = 0;
		struct cache_key k;
		struct cache_key_buf b;
		struct ecs_prefix ecs = { 0 };
		while (unit_below(8)) {
			size_t l = 1 + unit_below(unit_below(4) ? 8 : LABEL_MAX_LEN);
			if (len + l + 2 > sizeof name)
				break;
			name[len++] = (uint8_t)l;
			for (; l; l--)
				name[len++] = (uint8_t)(unit_below(2) ? (char)unit_random() : "@.\\\"/:;()$ \0az"[unit_below(14)]);
		}
		name[len++] = 0;
		name_lower(name, name, len);
		if (unit_below(3) == 0) {
			ecs.family = (uint8_t)(1 + unit_below(2));
			ecs.bits = (uint8_t)unit_below(ecs.family == 1 ? 33 : 129);
			for (unsigned i = 0; i < ecs.bits; i++)
				ecs.addr[i / 8] |= (uint8_t)(unit_below(2) << (7 - i % 8));
		}
		cache_key_init_ecs(c, &k, name, (uint8_t)len, (uint16_t)(1 + unit_below(65535)), unit_below(2), &ecs);
		int n = cache_key_to_text(&k, text, sizeof text);
		check(n > 0);
		check_eq_int(cache_key_from_text(c, &b, text, (size_t)n), 0);
		check_eq_mem(b.key.name, b.key.name_len, name, len);
		check_eq_int(b.key.type, k.type);
		check_eq_int(b.key.cd, k.cd);
		check_eq_int(b.key.ecs.family, ecs.family);
		check_eq_int(b.key.ecs.bits, ecs.bits);
		check_mem(b.key.ecs.addr, ecs.addr, 16);
		check(b.key.hash == k.hash && b.key.hash_name == k.hash_name);
		/* One byte too few is told, never written past. */
		for (int cap = n > 40 ? n - 40 : 0; cap <= n; cap++) {
			char *small = malloc((size_t)cap + !cap);
			int got = cache_key_to_text(&k, small, (size_t)cap);
			check(got == ERR_SPACE || (got == n && memcmp(small, text, (size_t)n) == 0));
			check(cap < n ? got == ERR_SPACE : 1);
			free(small);
		}
	}
	kit_cache_free(c);
}

static void test_random_text_is_a_key_or_not_and_nothing_else(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	char text[64], again[CACHE_KEY_TEXT_MAX + 1];
	unsigned taken = 0;

	for (int round = 0; round < 200000; round++) {
		size_t n = unit_below(sizeof text);
		for (size_t i = 0; i < n; i++)
			text[i] = "A:x.@/\\0129cdTYPE\0\xff"[unit_below(20)];
		if (n > 2 && unit_below(2))
			memcpy(text, "A:", 2);
		const char *one = said(c, text, n);
		if (!one)
			continue;
		taken++;
		snprintf(again, sizeof again, "%s", one);
		check_eq_str(said(c, again, strlen(again)), again);
	}
	check(taken > 100);
	kit_cache_free(c);
}

static void test_the_hash_is_secret_unless_a_seed_is_given(void)
{
	struct cache *a = kit_cache(1 << 22, 0), *b = kit_cache(1 << 22, 0);
	struct cache *x = cache_new(&(struct cache_options){ .maxmemory = 1 << 22 }), *y = cache_new(&(struct cache_options){ .maxmemory = 1 << 22 });
	struct cache_key_buf k[4];

	check(x && y);
	kit_key(a, &k[0], "A:x.");
	kit_key(b, &k[1], "A:x.");
	kit_key(x, &k[2], "A:x.");
	kit_key(y, &k[3], "A:x.");
	check(k[0].key.hash == k[1].key.hash);
	check(k[2].key.hash != k[3].key.hash && k[2].key.hash != k[0].key.hash);
	cache_free(x);
	cache_free(y);
	kit_cache_free(a);
	kit_cache_free(b);
}

/* Every part of a key reaches the hash, and its top bits (shard, fingerprint) are spread evenly. */
static void test_keys_spread_over_shards(void)
{
	struct cache *c = kit_cache(1 << 22, 0);
	unsigned in[256] = { 0 };

	for (unsigned i = 0; i < 256 * 200; i++) {
		char text[64];
		struct cache_key_buf b;
		snprintf(text, sizeof text, "A:h%u.example.com.", i);
		in[kit_key(c, &b, text)->hash >> 56]++;
	}
	for (int i = 0; i < 256; i++)
		check(in[i] > 100 && in[i] < 300); /* 200, give or take seven deviations */
	kit_cache_free(c);
}
