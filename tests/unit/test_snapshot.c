/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots: what is saved comes back as it was, whatever clock, cut or flipped byte lies between. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cache_kit.h"
#include "persist/file.h"
#include "persist/format.h"

enum { FILE_CAP = 4 * 1024 * 1024 };

static char folder[] = "/tmp/pith-snapshot-XXXXXX";
static char path[64];
static uint8_t *file; /* FILE_CAP */
static struct load_job load_job;

static void begin(void)
{
	strcpy(folder, "/tmp/pith-snapshot-XXXXXX");
	check(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x.pith", folder);
	file = malloc(FILE_CAP);
	check(file);
}

static void end(void)
{
	free(file);
	unlink(path);
	check_eq_int(rmdir(folder), 0);
}

static void save(struct cache *c)
{
	struct save_job j = { .cache = c, .dir = folder, .name = "x.pith" };
	int rc = snapshot_save(&j);

	if (rc != 0)
		printf("%s\n", j.why);
	check_eq_int(rc, 0);
	check_eq_int(j.entries, cache_count(c));
}

static enum load_end load(struct cache *c)
{
	memset(&load_job, 0, sizeof load_job);
	load_job.cache = c;
	load_job.dir = folder;
	load_job.name = "x.pith";
	return snapshot_load(&load_job);
}

static size_t read_back(void)
{
	FILE *f = fopen(path, "rb");

	check(f);
	size_t n = fread(file, 1, FILE_CAP, f);
	check(n < FILE_CAP);
	fclose(f);
	return n;
}

static void write_back(size_t n)
{
	FILE *f = fopen(path, "wb");

	check(f && fwrite(file, 1, n, f) == n);
	check_eq_int(fclose(f), 0);
}

/* n addresses host0.s.test and so on, ttl_s each. */
static void fill(struct cache *c, unsigned n, uint32_t ttl_s)
{
	struct entry_meta m = kit_meta(clock_s());

	for (unsigned i = 0; i < n; i++) {
		struct cache_key_buf b;
		char text[64];
		uint8_t rdata[4];
		const uint8_t *p = rdata;

		store_be32(rdata, i);
		snprintf(text, sizeof text, "A:host%u.s.test.", i);
		kit_key(c, &b, text);
		check_eq_int(entry_from_rrset(&kit_scratch, &b.key, ttl_s, 1, &p, (size_t[]){ 4 }, &m), 0);
		check_eq_int(cache_store(c, &b.key, &kit_scratch), 0);
	}
}

/* Seconds left of the key's entry; INT64_MIN: not there. */
static int64_t left(struct cache *c, const char *key)
{
	struct cache_key_buf b;
	int64_t n = INT64_MIN;

	kit_key(c, &b, key);
	cache_read_begin();
	const struct entry *e = cache_find(c, &b.key);
	if (e)
		n = entry_ttl_left(e, clock_s());
	cache_read_end();
	return n;
}

/* Is each entry of c what fill made? How many there are. */
static unsigned count_true(struct cache *c, unsigned n)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		char key[64], want[128];
		struct cache_key_buf b;

		snprintf(key, sizeof key, "A:host%u.s.test.", i);
		kit_key(c, &b, key);
		cache_read_begin();
		const struct entry *e = cache_find(c, &b.key);
		if (e) {
			snprintf(want, sizeof want, "A:host%u.s.test. rcode 0 ttl 300\nan host%u.s.test. 300 A %u.%u.%u.%u\n", i, i, i >> 24,
				 i >> 16 & 255, i >> 8 & 255, i & 255);
			check_eq_str(kit_dump(c, e), want);
			found++;
		}
		cache_read_end();
	}
	check_eq_int(found, cache_count(c));
	return found;
}

static void test_every_kind_of_entry_comes_back_byte_for_byte_and_as_popular(void)
{
	static const char *const keys[] = { "A:w.a.test.", "MX:a.test.", "A:nx.a.test.", "A:w.a.test.@cd", "A:w.a.test.@192.0.2.0/24", "TXT:big.a.test." };
	enum { N = sizeof keys / sizeof *keys };
	static char was[N][100000];
	struct cache *c = kit_cache(1 << 24, 0), *d;
	struct cache_key_buf b;
	char text[256];

	begin();
	MSG("w.a.test.", "A", 0);
	AN("w.a.test.", 300, "CNAME", "x.a.test.");
	AN("x.a.test.", 200, "A", "192.0.2.1");
	AN("x.a.test.", 200, "RRSIG", "A 8 3 200 20300101000000 20200101000000 1 a.test. AAAA");
	kit_store(c, keys[0], NULL);
	MSG("a.test.", "MX", 0);
	AN("a.test.", 300, "MX", "10 mail.a.test.");
	kit_store(c, keys[1], NULL);
	MSG("nx.a.test.", "A", 3);
	NS("a.test.", 300, "SOA", "ns.a.test. hostmaster.a.test. 1 7200 900 1209600 300");
	kit_store(c, keys[2], NULL);
	for (int i = 3; i < 5; i++) {
		MSG("w.a.test.", "A", 0);
		AN("w.a.test.", 300, "A", "192.0.2.1");
		kit_store(c, keys[i], NULL);
	}
	/* Large enough to lie outside of its shard's segment. */
	MSG("big.a.test.", "TXT", 0);
	memset(text, 'x', sizeof text);
	text[0] = '"';
	text[201] = '"';
	text[202] = 0;
	for (int i = 0; i < 100; i++) {
		text[1] = (char)('a' + i / 10);
		text[2] = (char)('a' + i % 10);
		AN("big.a.test.", 300, "TXT", text);
	}
	kit_store(c, keys[5], NULL);
	for (int i = 0; i < N; i++) {
		cache_read_begin();
		const struct entry *e = cache_find(c, kit_key(c, &b, keys[i]));
		for (int hit = 0; hit < i; hit++)
			entry_touch(e, 0);
		strcpy(was[i], kit_dump(c, e));
		cache_read_end();
	}
	save(c);
	d = cache_new(&(struct cache_options){ .maxmemory = 1 << 24, .hash_seed = 8 });
	check(d);
	check_eq_int(load(d), LOAD_WHOLE);
	check_eq_int(load_job.loaded, N);
	check_eq_int(cache_count(d), N);
	for (int i = 0; i < N; i++) {
		struct entry_view v;
		cache_read_begin();
		const struct entry *e = cache_find(d, kit_key(d, &b, keys[i]));
		check_eq_str(kit_dump(d, e), was[i]);
		check(entry_open(e, &v));
		check_eq_int(v.hits, i);
		check_eq_int(v.source, SOURCE_FORWARD);
		cache_read_end();
	}
	cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_lives_go_on_while_nobody_runs(void)
{
	struct cache *c = kit_cache(1 << 24, 100), *d;

	begin();
	fill(c, 1, 300);
	clock_jump(50 * 1000);
	save(c);
	clock_jump(100 * 1000);
	d = kit_cache(1 << 24, 100);
	check_eq_int(load(d), LOAD_WHOLE);
	check(left(d, "A:host0.s.test.") >= 148 && left(d, "A:host0.s.test.") <= 150);
	kit_cache_free(d);
	clock_jump(200 * 1000); /* expired, and kept to be served stale */
	d = kit_cache(1 << 24, 100);
	check_eq_int(load(d), LOAD_WHOLE);
	check(left(d, "A:host0.s.test.") >= -52 && left(d, "A:host0.s.test.") <= -50);
	kit_cache_free(d);
	d = kit_cache(1 << 24, 10); /* not for so long */
	check_eq_int(load(d), LOAD_WHOLE);
	check_eq_int(load_job.loaded, 0);
	check_eq_int(load_job.expired, 1);
	check_eq_int(cache_count(d), 0);
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

/* Gives the first block another time and seals it anew. */
static void redate(uint64_t wall_us, uint32_t then_s)
{
	struct block_head h;

	check(block_read(file + HEAD_LEN, 0, &h));
	h.wall_us = wall_us;
	h.clock_s = then_s;
	block_seal(file + HEAD_LEN, &h);
}

static void test_no_clock_makes_an_entry_younger_than_it_was(void)
{
	struct cache *c = kit_cache(1 << 24, 0);
	uint64_t now_us;

	begin();
	fill(c, 1, 300);
	clock_jump(100 * 1000);
	save(c);
	size_t len = read_back();
	now_us = clock_wall_us();
	const struct {
		uint64_t wall_us;
		uint32_t then_s;
		int64_t low, high; /* seconds left; high < 0: gone */
		bool back;
	} cases[] = {
		{ now_us + 3600ull * 1000000, clock_s(), 199, 200, true },   /* the clock went back an hour */
		{ UINT64_MAX, clock_s(), 199, 200, true },
		{ now_us - 60ull * 1000000, clock_s(), 138, 140, false },
		{ 0, clock_s(), 1, -1, false },                            /* saved in 1970 */
		{ now_us + 3600ull * 1000000, 0, 299, 300, true },           /* stored after it was saved: an age of 0, at least */
		{ now_us + 3600ull * 1000000, UINT32_MAX, 1, -1, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cache *d = kit_cache(1 << 24, 0);
		redate(cases[i].wall_us, cases[i].then_s);
		write_back(len);
		check_eq_int(load(d), LOAD_WHOLE);
		check_eq_int(load_job.clock_went_back, cases[i].back);
		int64_t n = left(d, "A:host0.s.test.");
		if (cases[i].high < 0)
			check_eq_int(n, INT64_MIN);
		else
			check(n >= cases[i].low && n <= cases[i].high);
		kit_cache_free(d);
	}
	kit_cache_free(c);
	end();
}

static void test_what_the_cache_has_is_newer_than_the_snapshot(void)
{
	struct cache *c = kit_cache(1 << 24, 0), *d = kit_cache(1 << 24, 0);
	struct cache_key_buf b;

	begin();
	fill(c, 3, 300);
	save(c);
	fill(d, 1, 77);
	MSG("host1.s.test.", "AAAA", 3);
	NS("s.test.", 300, "SOA", "ns.a.test. hostmaster.a.test. 1 7200 900 1209600 300");
	kit_store(d, "AAAA:host1.s.test.", NULL);
	check_eq_int(load(d), LOAD_WHOLE);
	check_eq_int(load_job.loaded, 1);
	check_eq_int(load_job.there, 2);
	check(left(d, "A:host0.s.test.") <= 77);
	check(left(d, "A:host2.s.test.") > 290);
	/* The name was denied since: the address is not to come back. */
	cache_read_begin();
	const struct entry *e = cache_lookup(d, kit_key(d, &b, "A:host1.s.test."), clock_s());
	struct entry_view v;
	check(e && entry_open(e, &v));
	check_eq_int(v.rcode, 3);
	cache_read_end();
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_failures_are_not_saved(void)
{
	struct cache *c = kit_cache(1 << 24, 1000), *d = kit_cache(1 << 24, 1000);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(clock_s());
	struct save_job j = { .cache = c, .dir = folder, .name = "x.pith" };

	begin();
	kit_key(c, &b, "A:bad.s.test.");
	entry_from_failure(&kit_scratch, &b.key, RCODE_SERVFAIL, 30, &m);
	check_eq_int(cache_store(c, &b.key, &kit_scratch), 0);
	check_eq_int(snapshot_save(&j), 0);
	check_eq_int(j.entries, 0);
	check_eq_int(load(d), LOAD_WHOLE);
	check_eq_int(cache_count(d), 0);
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_a_file_cut_anywhere_gives_what_is_whole(void)
{
	struct cache *c = kit_cache(1 << 24, 0);

	begin();
	fill(c, 40, 300);
	save(c);
	size_t len = read_back();
	for (size_t n = 0; n < len; n++) {
		struct cache *d = kit_cache(1 << 24, 0);
		check_eq_int(truncate(path, (off_t)n), 0);
		enum load_end how = load(d);
		bool first = n >= len - BLOCK_HEAD_LEN - END_LEN;
		check_eq_int(how, n < HEAD_LEN ? LOAD_REFUSED : LOAD_DAMAGED);
		check_eq_int(count_true(d, 40), first ? 40 : 0);
		kit_cache_free(d);
		write_back(len);
	}
	kit_cache_free(c);
	end();
}

static void test_no_flipped_byte_brings_a_wrong_entry_and_none_is_silent(void)
{
	struct cache *c = kit_cache(1 << 24, 0);

	begin();
	fill(c, 40, 300);
	save(c);
	size_t len = read_back();
	for (size_t i = 0; i < len; i++) {
		struct cache *d = kit_cache(1 << 24, 0);
		uint8_t bit = (uint8_t)(1u << unit_below(8));
		file[i] ^= bit;
		write_back(len);
		check_eq_int(load(d), LOAD_DAMAGED);
		bool hit = i >= HEAD_LEN && i < len - BLOCK_HEAD_LEN - END_LEN;
		check_eq_int(load_job.damaged_blocks, 1);
		check_eq_int(count_true(d, 40), hit ? 0 : 40);
		check_eq_int(load_job.lost, hit ? 40 : 0);
		kit_cache_free(d);
		file[i] ^= bit;
	}
	kit_cache_free(c);
	end();
}

/* Where block i of the file in memory begins, and where the one behind it does. */
static size_t block_at(unsigned i, size_t *next)
{
	size_t at = HEAD_LEN;
	struct block_head h;

	for (;; at = *next) {
		check(block_read(file + at, 0, &h));
		*next = at + BLOCK_HEAD_LEN + h.len;
		if (i-- == 0)
			return at;
	}
}

static void test_damage_costs_the_block_it_hits_and_no_other(void)
{
	enum { N = 30000 };
	struct cache *c = kit_cache(1 << 26, 0);
	size_t next, at, blocks = 0;

	begin();
	fill(c, N, 300);
	save(c);
	size_t len = read_back();
	struct block_head h = { 0 };
	for (at = HEAD_LEN; !h.end; at += BLOCK_HEAD_LEN + h.len, blocks++)
		check(block_read(file + at, 0, &h));
	check(blocks >= 5);
	at = block_at(2, &next);
	check(block_read(file + at, 0, &h));
	/* Content; length (shorter, longer, absurd); magic; the whole block zero; its bytes cut out. */
	for (int kind = 0; kind < 7; kind++) {
		struct cache *d = kit_cache(1 << 26, 0);
		size_t now = len;
		read_back();
		switch (kind) {
		case 0: file[at + BLOCK_HEAD_LEN + h.len / 2] ^= 1; break;
		case 1: store_le32(file + at + 16, h.len - 1); break;
		case 2: store_le32(file + at + 16, h.len + 1000); break;
		case 3: store_le32(file + at + 16, UINT32_MAX); break;
		case 4: file[at] ^= 1; break;
		case 5: memset(file + at, 0, next - at); break;
		case 6:
			memmove(file + at + 100, file + next - 50, len - next + 50);
			now = len - (next - 50 - at - 100);
			break;
		}
		write_back(now);
		check_eq_int(load(d), LOAD_DAMAGED);
		check_eq_int(load_job.damaged_blocks, 1);
		check_eq_int(load_job.loaded, N - h.n);
		check_eq_int(load_job.lost, h.n);
		check_eq_int(cache_count(d), N - h.n);
		kit_cache_free(d);
		save(c);
		len = read_back();
		at = block_at(2, &next);
		check(block_read(file + at, 0, &h));
	}
	/* The head and all of the first block: the last block still tells whose blocks they are. */
	struct cache *d = kit_cache(1 << 26, 0);
	block_at(0, &next);
	check(block_read(file + HEAD_LEN, 0, &h));
	memset(file, 0, next);
	write_back(len);
	check_eq_int(load(d), LOAD_DAMAGED);
	check_eq_int(cache_count(d), N - h.n);
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_a_block_within_a_record_is_no_block(void)
{
	struct cache *c = kit_cache(1 << 24, 0), *d = kit_cache(1 << 24, 0), *bait = kit_cache(1 << 24, 0);
	struct cache_key_buf b;
	struct entry_meta m = kit_meta(clock_s());
	static uint8_t rdata[4096];
	const uint8_t *p = rdata;

	begin();
	/* A whole block with an entry of the attacker's, under an id of his. */
	fill(bait, 1, 300);
	save(bait);
	size_t n = read_back() - HEAD_LEN;
	check(n < sizeof rdata);
	memcpy(rdata, file + HEAD_LEN, n);
	kit_key(c, &b, "TYPE65300:evil.test.");
	check_eq_int(entry_from_rrset(&kit_scratch, &b.key, 300, 1, &p, &n, &m), 0);
	check_eq_int(cache_store(c, &b.key, &kit_scratch), 0);
	save(c);
	size_t len = read_back();
	file[HEAD_LEN + 17] ^= 0x40; /* its length: the next block has to be searched for */
	write_back(len);
	check_eq_int(load(d), LOAD_DAMAGED);
	check_eq_int(load_job.lost, 1);
	check_eq_int(cache_count(d), 0);
	kit_cache_free(bait);
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_another_version_is_refused_with_a_sentence(void)
{
	struct cache *c = kit_cache(1 << 24, 0), *d = kit_cache(1 << 24, 0);
	char want[256];

	begin();
	fill(c, 3, 300);
	save(c);
	size_t len = read_back();
	struct head h;
	check_eq_int(head_read(file, &h), HEAD_GOOD);
	h.version = 2;
	head_write(file, &h);
	write_back(len);
	check_eq_int(load(d), LOAD_REFUSED);
	snprintf(want, sizeof want, "%s is a snapshot of version 2, and this server reads version 1", path);
	check_eq_str(load_job.why, want);
	check_eq_int(cache_count(d), 0);
	memset(file, 'x', len);
	write_back(len);
	check_eq_int(load(d), LOAD_REFUSED);
	check_eq_int(unlink(path), 0);
	check_eq_int(load(d), LOAD_NO_FILE);
	check_eq_int(mkfifo(path, 0600), 0);
	check_eq_int(load(d), LOAD_REFUSED);
	kit_cache_free(d);
	kit_cache_free(c);
	end();
}

static void test_malformed_entries_in_a_good_block_are_counted_and_left_out(void)
{
	struct cache *c = kit_cache(1 << 24, 0);

	begin();
	fill(c, 40, 300);
	save(c);
	size_t len = read_back();
	struct block_head h;
	check(block_read(file + HEAD_LEN, 0, &h));
	for (int round = 0; round < 3000; round++) {
		struct cache *d = kit_cache(1 << 24, 0);
		for (unsigned i = 0, n = 1 + (unsigned)unit_below(8); i < n; i++)
			file[HEAD_LEN + BLOCK_HEAD_LEN + unit_below(h.len)] = (uint8_t)unit_random();
		block_seal(file + HEAD_LEN, &h);
		write_back(len);
		load(d);
		check(cache_count(d) <= load_job.loaded);
		check(load_job.loaded + load_job.bad + load_job.expired + load_job.there > 0);
		if (round % 50 == 49) {
			save(c);
			check_eq_int(read_back(), len);
			check(block_read(file + HEAD_LEN, 0, &h));
		}
		kit_cache_free(d);
	}
	kit_cache_free(c);
	end();
}

static void test_a_save_that_fails_or_is_given_up_leaves_the_one_before(void)
{
	struct cache *c = kit_cache(1 << 24, 0), *d = kit_cache(1 << 24, 0);
	struct save_job j = { .cache = c, .dir = folder, .name = "x.pith" };

	begin();
	fill(c, 3, 300);
	save(c);
	fill(c, 10, 300);
	atomic_store(&j.cancel, true);
	check_eq_int(snapshot_save(&j), ERR_REFUSED);
	j.cancel = false;
	j.dir = "/nonexistent";
	check_eq_int(snapshot_save(&j), ERR_SYS);
	check(strstr(j.why, "No such file or directory"));
	j.dir = folder;
	alloc_fail_after(1);
	check_eq_int(snapshot_save(&j), ERR_NOMEM);
	alloc_fail_after(0);
	check_eq_int(load(d), LOAD_WHOLE);
	check_eq_int(cache_count(d), 3);
	kit_cache_free(d);
	kit_cache_free(c);
	end(); /* and no temporary file is left: the folder is empty */
}

static void test_the_checksum_is_the_published_one(void)
{
	check(hash_checksum("", 0, 0) == 0xef46db3751d8e999ull);
	check(hash_checksum("abc", 3, 0) == 0x44bc2cf5ad770999ull);
}
