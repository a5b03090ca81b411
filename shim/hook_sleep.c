/*
 * The sleeps: a tick would cut them short, so none comes while one lasts. They
 * are late to tell of: the stack is the one that went to sleep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "base/format.h"
#include "sigsafe/clock.h"
#include "sigsafe/watch.h"

static uint64_t longest_ns(const struct timespec *want)
{
	/* The kernel will refuse a NULL. */
	return !want ? 0
		     : (uint64_t)want->tv_sec * NS_PER_S +
			       (uint64_t)want->tv_nsec;
}

HOOK unsigned int sleep(unsigned int seconds)
{
	bool blocks = watch_block_begin(CALL_SLEEP, seconds * NS_PER_S, CALLER);
	unsigned int left = real.sleep(seconds);

	if (blocks)
		watch_block_end();
	return left;
}

HOOK int usleep(useconds_t us)
{
	bool blocks = watch_block_begin(CALL_USLEEP, us * NS_PER_US, CALLER);
	int err = real.usleep(us);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int nanosleep(const struct timespec *want, struct timespec *left)
{
	bool blocks =
		watch_block_begin(CALL_NANOSLEEP, longest_ns(want), CALLER);
	int err = real.nanosleep(want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int clock_nanosleep(clockid_t clock, int flags,
			 const struct timespec *want, struct timespec *left)
{
	/* Until when, on another clock: it may take any time. */
	uint64_t for_ns =
		flags & TIMER_ABSTIME ? BLOCKS_FOR_EVER : longest_ns(want);
	bool blocks = watch_block_begin(CALL_CLOCK_NANOSLEEP, for_ns, CALLER);
	int err = real.clock_nanosleep(clock, flags, want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int thrd_sleep(const struct timespec *want, struct timespec *left)
{
	bool blocks =
		watch_block_begin(CALL_THRD_SLEEP, longest_ns(want), CALLER);
	int err = real.thrd_sleep(want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int pause(void)
{
	bool blocks = watch_block_begin(CALL_PAUSE, BLOCKS_FOR_EVER, CALLER);
	int err = real.pause();

	if (blocks)
		watch_block_end();
	return err;
}
