/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit test harness: the check macros, the seed, and the loop that runs a file's tests.
 *
 *     #include "unit.h"
 *     #include "wire/name.h"
 *
 *     static void test_a_label_longer_than_63_bytes_is_refused(void)
 *     {
 *         check_eq_int(name_parse(...), PARSE_BAD);
 *     }
 *
 * Every `test_*(void)` of tests/unit/test_x.c is found by tests/support/collect-tests and becomes one line of the table
 * in build/unit/x_main.c, which includes the test file; nothing is registered by hand. The name is a sentence of behaviour.
 *
 * A check that does not hold prints file, line and both values, and ends its test there (longjmp), so what follows
 * may rely on it. On another thread than the test's own it only prints and counts, as a longjmp cannot cross stacks:
 * the thread goes on. One file's tests share a process; the runner counts those that a crash kept from
 * reporting as failed.
 *
 * Random tests draw from unit_random(). It starts afresh for each test from the seed, so a test run alone repeats what
 * it did in company:  PITH_SEED=123 build/unit/test_dict test_name
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

static struct {
	jmp_buf out;            /* where a failed check lands */
	pthread_t thread;       /* the one that may land there */
	atomic_int failed;      /* checks of the running test that did not hold */
	uint64_t seed;          /* of the process: PITH_SEED, or the clock */
	uint64_t state;         /* of the running test's generator */
} unit;

/* The next number of the running test's sequence (splitmix64). The test's own thread only. */
static inline uint64_t unit_random(void)
{
	uint64_t z = (unit.state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number in [0, n). n must not be 0. The test's own thread only. */
static inline uint64_t unit_below(uint64_t n)
{
	return unit_random() % n;
}

/* Counts the failure that the caller has printed, and leaves the test when on its own thread. */
static inline void unit_fail(void)
{
	atomic_fetch_add(&unit.failed, 1);
	fflush(stdout);
	if (pthread_equal(pthread_self(), unit.thread))
		longjmp(unit.out, 1);
}

static inline void unit_check_int(const char *file, int line, const char *what, long long got, long long want)
{
	if (got == want)
		return;
	printf("%s:%d: %s is %lld (0x%llx), not %lld (0x%llx)\n", file, line, what, got, (unsigned long long)got,
	       want, (unsigned long long)want);
	unit_fail();
}

static inline void unit_check_str(const char *file, int line, const char *what, const char *got, const char *want)
{
	if (got && want ? strcmp(got, want) == 0 : got == want)
		return;
	printf("%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what, got ? got : "(null)", want ? want : "(null)");
	unit_fail();
}

/* Prints where two byte strings part, with 16 bytes of each from there. */
static inline void unit_check_mem(const char *file, int line, const char *what, const void *got, size_t got_len,
				  const void *want, size_t want_len)
{
	const unsigned char *g = got, *w = want;
	size_t at = 0;

	while (at < got_len && at < want_len && g[at] == w[at])
		at++;
	if (at == got_len && at == want_len)
		return;
	printf("%s:%d: %s (%zu bytes) is not what was wanted (%zu bytes), from byte %zu on\n     got", file, line, what, got_len,
	       want_len, at);
	for (size_t i = at; i < got_len && i < at + 16; i++)
		printf(" %02x", g[i]);
	printf("\n  wanted");
	for (size_t i = at; i < want_len && i < at + 16; i++)
		printf(" %02x", w[i]);
	printf("\n");
	unit_fail();
}

/* Holds when x is true. */
#define check(x)                                                                                                       \
	do {                                                                                                           \
		if (!(x)) {                                                                                            \
			printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #x);                                   \
			unit_fail();                                                                                   \
		}                                                                                                      \
	} while (0)

/* Equal integers (up to 64 bits); strings (NULL equals NULL only); byte strings of the same length; and of two lengths. */
#define check_eq_int(got, want) unit_check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define check_eq_str(got, want) unit_check_str(__FILE__, __LINE__, #got, got, want)
#define check_mem(got, want, len) unit_check_mem(__FILE__, __LINE__, #got, got, len, want, len)
#define check_eq_mem(got, got_len, want, want_len) unit_check_mem(__FILE__, __LINE__, #got, got, got_len, want, want_len)

static inline void unit_run_one(const struct unit_test *test)
{
	unit.state = unit.seed;
	for (const char *p = test->name; *p; p++)
		unit.state = (unit.state ^ (unsigned char)*p) * 0x100000001b3u;
	atomic_store(&unit.failed, 0);
	if (setjmp(unit.out) == 0)
		test->run();
}

/* main() of a test binary: `--list` prints the names; names as arguments choose. Says `ok name` or `not ok name` for each. */
static inline int unit_main(int argc, char **argv, const struct unit_test *tests, size_t n)
{
	const char *seed = getenv("PITH_SEED");
	struct timespec now;
	int failed = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	unit.seed = seed && *seed ? strtoull(seed, NULL, 0) : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
	unit.thread = pthread_self();
	for (size_t i = 0; i < n; i++) {
		int chosen = argc < 2;

		for (int a = 1; a < argc; a++)
			chosen |= strcmp(argv[a], tests[i].name) == 0;
		if (argc == 2 && strcmp(argv[1], "--list") == 0) {
			puts(tests[i].name);
			continue;
		}
		if (!chosen)
			continue;
		if (i == 0 || argc > 1)
			printf("seed %llu\n", (unsigned long long)unit.seed);
		printf("run %s\n", tests[i].name);
		fflush(stdout);
		unit_run_one(&tests[i]);
		failed += atomic_load(&unit.failed) != 0;
		printf("%s %s\n", atomic_load(&unit.failed) ? "not ok" : "ok", tests[i].name);
		fflush(stdout);
	}
	return failed != 0;
}

#endif
