/* SPDX-License-Identifier: BSD-3-Clause */
/* The only reader of time.
 *
 * The monotonic clock decides every lifetime; a step of the wall clock changes nothing. Seconds count from the
 * process's birth plus CLOCK_ORIGIN_S, so that "some seconds ago" never goes below zero. clock_jump moves the
 * simulated offset forward: DEBUG TIME and the tests stand on it. Thread: any. */
#ifndef PITH_BASE_CLOCK_H
#define PITH_BASE_CLOCK_H

#include <stdint.h>

enum { CLOCK_ORIGIN_S = 10000000 };

/* Monotonic, with the jumps: what lifetimes are counted in. One vDSO call (about 20 ns): once per batch, not per packet. */
uint64_t clock_ns(void);
uint64_t clock_ms(void);
uint32_t clock_s(void);
/* Monotonic, without the jumps: for durations that are measured (latencies, socket timeouts, log windows). */
uint64_t clock_real_mono_ns(void);
uint64_t clock_real_mono_ms(void);
/* Seconds or microseconds since 1970 by the wall clock, with the jumps: for people, snapshots, DNSSEC, never for lifetimes. */
uint64_t clock_wall_s(void);
uint64_t clock_wall_us(void);
/* Moves clock_ns, clock_ms, clock_s and clock_wall_* forward by ms. */
void clock_jump(uint64_t ms);
/* What has been jumped so far, ms. */
uint64_t clock_jumped_ms(void);

#endif
