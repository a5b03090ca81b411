/*
 * The sleeps: a tick would cut them short, so none comes while one lasts. They
 * are late to tell of: the stack is the one that went to sleep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "sigsafe/watch.h"

HOOK unsigned int sleep(unsigned int seconds)
{
	bool blocks = watch_block_begin(CALL_SLEEP, CALLER);
	unsigned int left = real.sleep(seconds);

	if (blocks)
		watch_block_end();
	return left;
}

HOOK int usleep(useconds_t us)
{
	bool blocks = watch_block_begin(CALL_USLEEP, CALLER);
	int err = real.usleep(us);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int nanosleep(const struct timespec *want, struct timespec *left)
{
	bool blocks = watch_block_begin(CALL_NANOSLEEP, CALLER);
	int err = real.nanosleep(want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int clock_nanosleep(clockid_t clock, int flags,
			 const struct timespec *want, struct timespec *left)
{
	bool blocks = watch_block_begin(CALL_CLOCK_NANOSLEEP, CALLER);
	int err = real.clock_nanosleep(clock, flags, want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int thrd_sleep(const struct timespec *want, struct timespec *left)
{
	bool blocks = watch_block_begin(CALL_THRD_SLEEP, CALLER);
	int err = real.thrd_sleep(want, left);

	if (blocks)
		watch_block_end();
	return err;
}

HOOK int pause(void)
{
	bool blocks = watch_block_begin(CALL_PAUSE, CALLER);
	int err = real.pause();

	if (blocks)
		watch_block_end();
	return err;
}
