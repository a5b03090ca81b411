/*
 * Joins: waiting for a thread to end, which nobody is charged for. All joins
 * are one lock: threads come and go, and each would take a place in the table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>

#include "hook_deadline.h"
#include "hook_waiting.h"

/* Stands for every thread that is waited for. */
static const char joins;

/* glibc hides a thread's number in the id of its clock, as clone(2)'s tid. */
static int32_t number_of(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) ? 0 : ~(clock >> 3);
}

static struct lock lock_of(pthread_t thread)
{
	return (struct lock){
		.address = &joins,
		.kind = LOCK_JOIN,
		.holder = number_of(thread),
	};
}

static enum wait_outcome outcome_of(int err)
{
	if (!err)
		return WAIT_ACQUIRED;
	return err == ETIMEDOUT ? WAIT_GAVE_UP : WAIT_WITHDRAWN;
}

/* No deadline is none that libc refuses. */
static bool may_try(clockid_t clock, const struct timespec *until)
{
	return until ? deadline_is_sound(clock, until)
		     : deadline_has_clock(clock);
}

HOOK int pthread_join(pthread_t thread, void **value)
{
	int err = real.pthread_tryjoin_np(thread, value);
	struct waiting waiting;

	if (err != EBUSY)
		return err;
	waiting_begin(&waiting, lock_of(thread), CALLER);
	err = real.pthread_join(thread, value);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

HOOK int pthread_tryjoin_np(pthread_t thread, void **value)
{
	return real.pthread_tryjoin_np(thread, value);
}

HOOK int pthread_timedjoin_np(pthread_t thread, void **value,
			      const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (may_try(CLOCK_REALTIME, until))
		err = real.pthread_tryjoin_np(thread, value);
	if (err != EBUSY)
		return err;
	waiting_begin(&waiting, lock_of(thread), CALLER);
	err = real.pthread_timedjoin_np(thread, value, until);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

HOOK int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
			      const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (may_try(clock, until))
		err = real.pthread_tryjoin_np(thread, value);
	if (err != EBUSY)
		return err;
	waiting_begin(&waiting, lock_of(thread), CALLER);
	err = real.pthread_clockjoin_np(thread, value, clock, until);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

HOOK int thrd_join(thrd_t thread, int *value)
{
	struct waiting waiting;
	void *ended_with;
	int result;

	/* C11 has no way to try. In libc a thrd_t is a pthread_t. */
	if (!real.pthread_tryjoin_np(thread, &ended_with)) {
		if (value)
			*value = (int)(intptr_t)ended_with;
		return thrd_success;
	}
	waiting_begin(&waiting, lock_of(thread), CALLER);
	result = real.thrd_join(thread, value);
	waiting_end(&waiting,
		    result == thrd_success ? WAIT_ACQUIRED : WAIT_WITHDRAWN);
	return result;
}
