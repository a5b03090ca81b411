/*
 * Deadlines that libc refuses. It refuses most of them even where the lock is
 * free, so such calls are handed on as they are, without a try first. (Not so
 * the time of a mutex: that is looked at only when it is waited for.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_DEADLINE_H
#define SHIM_HOOK_DEADLINE_H

#include <time.h>

#include "base/units.h"

static inline bool deadline_has_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool deadline_is_sound(clockid_t clock,
				     const struct timespec *until)
{
	return deadline_has_clock(clock) && until->tv_nsec >= 0 &&
	       (uint64_t)until->tv_nsec < NS_PER_S;
}

#endif
