/*
 * A lock held with all signals blocked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/quiet_lock.h"

#include <linux/futex.h>
#include <signal.h>

#include "base/atomic.h"
#include "sigsafe/stacks/stack_touch.h"

/* As deep as anything goes on the host's stack while a lock is held. */
#define TOUCHED_BYTES 288

#define OTHERS_WAIT (UINT32_C(1) << 31)

static bool is_free(uint32_t holder, uint32_t memory)
{
	return (holder & ~OTHERS_WAIT) != memory;
}

/* One step: true when the lock is taken. */
static bool take_or_wait(struct quiet_lock *lock, uint32_t memory)
{
	uint32_t seen = load_relaxed(&lock->holder);

	/* Whoever had to wait can't know that nobody else does. */
	if (is_free(seen, memory))
		return cas_acq_rel(&lock->holder, &seen, memory | OTHERS_WAIT);
	if (seen & OTHERS_WAIT ||
	    cas_acq_rel(&lock->holder, &seen, memory | OTHERS_WAIT))
		sys4(SYS_futex, &lock->holder, FUTEX_WAIT_PRIVATE,
		     memory | OTHERS_WAIT, NULL);
	return false;
}

void quiet_lock(struct quiet_lock *lock, uint32_t memory)
{
	uint32_t nobody = 0;
	struct quiet before;

	stack_touch(TOUCHED_BYTES);
	before = quiet_begin();
	/* Acquire pairs with the release in quiet_unlock(). */
	if (!cas_acq_rel(&lock->holder, &nobody, memory)) {
		while (!take_or_wait(lock, memory))
			;
	}
	lock->before = before;
}

void quiet_unlock(struct quiet_lock *lock)
{
	const struct quiet before = lock->before;

	if (exchange_acq_rel(&lock->holder, 0) & OTHERS_WAIT)
		sys3(SYS_futex, &lock->holder, FUTEX_WAKE_PRIVATE, 1);
	quiet_end(&before);
}

bool quiet_lock_is_held(const struct quiet_lock *lock, uint32_t memory)
{
	/* Relaxed: nothing is read through it. */
	return !is_free(load_relaxed(&lock->holder), memory);
}
