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

#endif
