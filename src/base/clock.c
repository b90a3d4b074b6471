/* SPDX-License-Identifier: BSD-3-Clause */
/* Owns the clock's origin and the simulated offset. */
#include "base/clock.h"

#include <stdatomic.h>
#include <time.h>

static _Atomic uint64_t jumped_ns;
static _Atomic uint64_t origin_ns; /* CLOCK_MONOTONIC at the first reading */

static uint64_t read_ns(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t clock_real_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_real_mono_ms(void)
{
	return clock_real_mono_ns() / 1000000u;
}

uint64_t clock_ns(void)
{
	uint64_t now = clock_real_mono_ns(), from = atomic_load_explicit(&origin_ns, memory_order_relaxed);
	if (__builtin_expect(from == 0, 0)) {
		uint64_t none = 0;
		from = atomic_compare_exchange_strong(&origin_ns, &none, now) ? now : none;
		if (now < from)
			now = from;
	}
	return now - from + CLOCK_ORIGIN_S * 1000000000ull + atomic_load_explicit(&jumped_ns, memory_order_relaxed);
}

uint64_t clock_ms(void)
{
	return clock_ns() / 1000000u;
}

uint32_t clock_s(void)
{
	return (uint32_t)(clock_ns() / 1000000000u);
}

uint64_t clock_wall_us(void)
{
	return (read_ns(CLOCK_REALTIME) + atomic_load_explicit(&jumped_ns, memory_order_relaxed)) / 1000u;
}

uint64_t clock_wall_s(void)
{
	return clock_wall_us() / 1000000u;
}

void clock_jump(uint64_t ms)
{
	atomic_fetch_add(&jumped_ns, ms * 1000000u);
}

uint64_t clock_jumped_ms(void)
{
	return atomic_load(&jumped_ns) / 1000000u;
}
