/*
 * Mutexes: pthread_mutex_*.
 *
 * trylock first: where it succeeds nothing contends, and there is no clock to
 * read. Whatever it says other than "busy" is the answer: a robust mutex whose
 * owner died (EOWNERDEAD) is held already.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>

#include "hook_deadline.h"
#include "hook_release.h"
#include "hook_waiting.h"

static enum wait_outcome outcome_of(int err)
{
	switch (err) {
	case 0:
	case EOWNERDEAD:
		return WAIT_ACQUIRED;
	case ETIMEDOUT:
		return WAIT_GAVE_UP;
	default:
		return WAIT_WITHDRAWN;
	}
}

static cold int lock_slowly(pthread_mutex_t *m, const void *caller)
{
	struct waiting waiting;
	int err;

	waiting_begin(&waiting, mutex_lock_of(m), caller);
	err = real.pthread_mutex_lock(m);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

HOOK int pthread_mutex_lock(pthread_mutex_t *m)
{
	int err = real.pthread_mutex_trylock(m);

	return likely(err != EBUSY) ? got_at_once(m, err)
				    : lock_slowly(m, CALLER);
}

HOOK int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return got_at_once(m, real.pthread_mutex_trylock(m));
}

HOOK int pthread_mutex_timedlock(pthread_mutex_t *m,
				 const struct timespec *until)
{
	int err = real.pthread_mutex_trylock(m);
	struct waiting waiting;

	if (likely(err != EBUSY))
		return got_at_once(m, err);
	waiting_begin(&waiting, mutex_lock_of(m), CALLER);
	err = real.pthread_mutex_timedlock(m, until);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

HOOK int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				 const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (likely(deadline_has_clock(clock)))
		err = real.pthread_mutex_trylock(m);
	if (likely(err != EBUSY))
		return got_at_once(m, err);
	waiting_begin(&waiting, mutex_lock_of(m), CALLER);
	err = real.pthread_mutex_clocklock(m, clock, until);
	waiting_end(&waiting, outcome_of(err));
	return err;
}

static cold int unlock_slowly(pthread_mutex_t *m, const void *caller)
{
	struct contention caused = release_settle(m);
	int err = real.pthread_mutex_unlock(m);

	if (caused.recording)
		contention_record(&caused, caller);
	return err;
}

HOOK int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (likely(!contention_has_waiters(m)))
		return real.pthread_mutex_unlock(m);
	return unlock_slowly(m, CALLER);
}

HOOK int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	contention_forget(m);
	return real.pthread_mutex_init(m, attr);
}

HOOK int pthread_mutex_destroy(pthread_mutex_t *m)
{
	int err = real.pthread_mutex_destroy(m);

	if (!err)
		contention_forget(m);
	return err;
}
