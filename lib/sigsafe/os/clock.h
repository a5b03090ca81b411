/*
 * The clock of every measurement: CLOCK_MONOTONIC through the vDSO, no system
 * call. Signal-safe.
 *
 * Not through libc's clock_gettime(): a library that tells the program another
 * time (libfaketime) has one of its own in front of it, which may neither be
 * called before its constructor nor in a signal handler.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_CLOCK_H
#define SIGSAFE_OS_CLOCK_H

#include <time.h>

#include "base/atomic.h"
#include "base/units.h"

/* Whichever function it is at a moment, it reads the same clocks. */
extern long (*clock_read)(clockid_t clock, struct timespec *time);

/* As clock_gettime(), of the kernel's clocks; errno is left alone. */
static inline long clock_get(clockid_t clock, struct timespec *time)
{
	return load_relaxed(&clock_read)(clock, time);
}

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_get(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Two jiffies, where there are 100 a second: so far behind it has been seen. */
#define COARSE_BEHIND_NS (20 * NS_PER_MS)

/* Not before now, nor by more than that after; in a fifth of the time. */
static inline uint64_t clock_soon_ns(void)
{
	struct timespec t;

	clock_get(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec +
	       COARSE_BEHIND_NS;
}

#define FOR_EVER_NS UINT64_MAX

/* A length of time; from 292 years on it is as good as for ever. */
static inline uint64_t clock_span_ns(int64_t seconds, int64_t ns)
{
	if (seconds < 0 || seconds >= INT64_MAX / (int64_t)NS_PER_S)
		return FOR_EVER_NS;
	return (uint64_t)seconds * NS_PER_S + (uint64_t)ns;
}

#endif
