/*
 * Round a hooked call that waits until a deadline, and in which threads park.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_PARK_H
#define SHIM_HOOK_PARK_H

#include "sigsafe/loops/park.h"
#include "sigsafe/loops/watch.h"
#include "sigsafe/os/clock.h"

/*
 * By what waits for no longer than this it is not taught where threads park: so
 * locks are waited for, again and again, as Python's do for theirs (5 ms).
 */
#define PARK_NEAR_NS (20 * NS_PER_MS)

static inline uint64_t hook_park_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_get(clock, &now);
	return clock_span_ns(now.tv_sec, now.tv_nsec);
}

/*
 * By which clock may be known to libc alone: the time of day is far greater
 * than the time since the start.
 */
static inline bool hook_park_is_far(const struct timespec *until)
{
	uint64_t until_ns = clock_span_ns(until->tv_sec, until->tv_nsec);
	uint64_t now_ns = hook_park_now_ns(CLOCK_REALTIME);

	if (until_ns < now_ns / 2)
		now_ns = hook_park_now_ns(CLOCK_MONOTONIC);
	return until_ns > now_ns + PARK_NEAR_NS;
}

/* park_end() must follow. */
static inline void hook_park_until(const struct timespec *until,
				   struct call_site from)
{
	if (!park_may_begin_timed())
		return;
	if (hook_park_is_far(until))
		park_begin_slowly(from, BLOCK_AT_DEADLINE);
	else if (park_may_begin_soon())
		park_begin_slowly(from, BLOCK_SOON);
}

/*
 * The same round one that a tick would cut short. hook_timed_end() must follow,
 * with the result.
 */
static inline struct block hook_timed_begin(enum blocking_call call,
					    bool is_far,
					    const struct call_site *from)
{
	if (is_far)
		park_at_once(*from, BLOCK_AT_DEADLINE);
	else if (park_may_begin_soon())
		park_at_once(*from, BLOCK_SOON);
	return watch_block_begin(call, (const void *)from->pc);
}

static inline void hook_timed_end(const struct block *block)
{
	park_end();
	watch_block_end(block);
}

#endif
