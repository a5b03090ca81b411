/*
 * The clock of every measurement: CLOCK_MONOTONIC through the vDSO, no system
 * call. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_CLOCK_H
#define SIGSAFE_CLOCK_H

#include <time.h>

#include "base/units.h"

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
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
