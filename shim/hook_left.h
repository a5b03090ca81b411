/*
 * What is left of the timeout of a wait, for the call that continues it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_LEFT_H
#define SHIM_HOOK_LEFT_H

#include <sys/time.h>
#include <time.h>

#include "sigsafe/loops/wait.h"
#include "sigsafe/os/clock.h"

static inline uint64_t ms_ns(int timeout_ms)
{
	return timeout_ms < 0 ? FOR_EVER_NS : (uint64_t)timeout_ms * NS_PER_MS;
}

static inline uint64_t timespec_ns(const struct timespec *timeout)
{
	return !timeout ? FOR_EVER_NS
			: clock_span_ns(timeout->tv_sec, timeout->tv_nsec);
}

static inline uint64_t timeval_ns(const struct timeval *timeout)
{
	return !timeout ? FOR_EVER_NS
			: clock_span_ns(timeout->tv_sec,
					timeout->tv_usec * (int64_t)NS_PER_US);
}

/* NULL: for ever; else it is in *left. */
static inline const struct timespec *
left_of(uint64_t begun_ns, uint64_t timeout_ns, struct timespec *left)
{
	uint64_t ns = wait_left_ns(begun_ns, timeout_ns);

	left->tv_sec = (time_t)(ns / NS_PER_S);
	left->tv_nsec = (long)(ns % NS_PER_S);
	return timeout_ns == FOR_EVER_NS ? NULL : left;
}

#endif
