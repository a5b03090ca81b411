/*
 * C11's mutexes, mtx_*: glibc keeps a pthread_mutex_t in them, but calls its
 * own functions inside, which no hook sees. As in hook_mutex.c trylock comes
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_release.h"
#include "hook_waiting.h"

static enum wait_outcome mtx_outcome(int result)
{
	switch (result) {
	case thrd_success:
		return WAIT_ACQUIRED;
	case thrd_timedout:
		return WAIT_GAVE_UP;
	default:
		return WAIT_WITHDRAWN;
	}
}

static cold int mtx_lock_slowly(mtx_t *m, const void *caller)
{
	struct waiting waiting;
	int result;

	waiting_begin(&waiting, mutex_lock_of(m), caller);
	result = real.mtx_lock(m);
	waiting_end(&waiting, mtx_outcome(result));
	return result;
}

HOOK int mtx_lock(mtx_t *m)
{
	int result = real.mtx_trylock(m);

	return likely(result != thrd_busy) ? got_at_once(m, result)
					   : mtx_lock_slowly(m, CALLER);
}

HOOK int mtx_trylock(mtx_t *m)
{
	return got_at_once(m, real.mtx_trylock(m));
}

HOOK int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	int result = real.mtx_trylock(m);
	struct waiting waiting;

	if (likely(result != thrd_busy))
		return got_at_once(m, result);
	waiting_begin(&waiting, mutex_lock_of(m), CALLER);
	result = real.mtx_timedlock(m, until);
	waiting_end(&waiting, mtx_outcome(result));
	return result;
}

static cold int mtx_unlock_slowly(mtx_t *m, const void *caller)
{
	struct contention caused = release_settle((pthread_mutex_t *)m);
	int result = real.mtx_unlock(m);

	if (caused.recording)
		contention_record(&caused, caller);
	return result;
}

HOOK int mtx_unlock(mtx_t *m)
{
	if (likely(!contention_has_waiters(m)))
		return real.mtx_unlock(m);
	return mtx_unlock_slowly(m, CALLER);
}
