/*
 * Condition variables: pthread_cond_* and C11's cnd_*. libc unlocks the mutex
 * inside, where no hook sees it, and takes it again: the hold ends at the wait,
 * and who is woken waits for the mutex from the wake-up on.
 *
 * Two generations of condition variables live in an older machine's libc, with
 * different memory; each hook hands on to the one its caller was built for.
 *
 * A wait that times out takes its mutex back unseen: when it woke is not known,
 * so it counts as no wait for it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <limits.h>

#include "hook_child.h"
#include "hook_park.h"
#include "hook_release.h"

#define X(result, name, parameters, arguments, function, version)              \
	HOOK result name parameters;
HOOKS_VERSIONED(X)
#undef X

HOOK_OF_NOW(cond_signal_new, pthread_cond_signal, VERSION_COND);
HOOK_OF_NOW(cond_broadcast_new, pthread_cond_broadcast, VERSION_COND);
HOOK_OF_NOW(cond_wait_new, pthread_cond_wait, VERSION_COND);
HOOK_OF_NOW(cond_timedwait_new, pthread_cond_timedwait, VERSION_COND);

static void fall_asleep(enum blocking_call call, const void *c, void *m,
			const void *caller)
{
	/* Who will hold it at the wake-up is not known: it is us, now. */
	struct lock lock = { .address = m, .kind = LOCK_MUTEX };

	start_if_forked();
	release_before_sleep(m, caller);
	sleeper_begin(c, lock, caller);
	thread_self.futex_call = call;
}

/* The mutex is held again. */
static void wake_up(const void *m, bool was_woken, bool has_timed_out)
{
	thread_self.futex_call = CALL_NONE;
	sleeper_end(was_woken);
	if (has_timed_out)
		got_at_once(m, 0);
}

int cond_wait_new(pthread_cond_t *c, pthread_mutex_t *m)
{
	int err;

	fall_asleep(CALL_COND_WAIT, c, m, CALLER);
	park_begin(CALL_SITE_HERE);
	err = real.cond_wait_new(c, m);
	park_end();
	wake_up(m, err == 0, err == ETIMEDOUT);
	return err;
}

int cond_timedwait_new(pthread_cond_t *c, pthread_mutex_t *m,
		       const struct timespec *until)
{
	int err;

	fall_asleep(CALL_COND_TIMEDWAIT, c, m, CALLER);
	hook_park_until(until, CALL_SITE_HERE);
	err = real.cond_timedwait_new(c, m, until);
	park_end();
	wake_up(m, err == 0, err == ETIMEDOUT);
	return err;
}

HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				clockid_t clock, const struct timespec *until)
{
	int err;

	fall_asleep(CALL_COND_CLOCKWAIT, c, m, CALLER);
	hook_park_until(until, CALL_SITE_HERE);
	err = real.pthread_cond_clockwait(c, m, clock, until);
	park_end();
	wake_up(m, err == 0, err == ETIMEDOUT);
	return err;
}

HOOK int cnd_wait(cnd_t *c, mtx_t *m)
{
	int result;

	fall_asleep(CALL_CND_WAIT, c, m, CALLER);
	park_begin(CALL_SITE_HERE);
	result = real.cnd_wait(c, m);
	park_end();
	wake_up(m, result == thrd_success, result == thrd_timedout);
	return result;
}

HOOK int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	int result;

	fall_asleep(CALL_CND_TIMEDWAIT, c, m, CALLER);
	hook_park_until(until, CALL_SITE_HERE);
	result = real.cnd_timedwait(c, m, until);
	park_end();
	wake_up(m, result == thrd_success, result == thrd_timedout);
	return result;
}

#define ALL UINT_MAX

/* Before the real wake-up: afterwards they may be awake already. */
static inline void wake(const void *c, unsigned most)
{
	if (unlikely(sleepers_any(c)))
		sleepers_wake(c, most);
}

int cond_signal_new(pthread_cond_t *c)
{
	wake(c, 1);
	return real.cond_signal_new(c);
}

int cond_broadcast_new(pthread_cond_t *c)
{
	wake(c, ALL);
	return real.cond_broadcast_new(c);
}

HOOK int cnd_signal(cnd_t *c)
{
	wake(c, 1);
	return real.cnd_signal(c);
}

HOOK int cnd_broadcast(cnd_t *c)
{
	wake(c, ALL);
	return real.cnd_broadcast(c);
}

#if HAS_OLD_COND
HOOK_OF_BEFORE(cond_signal_old, pthread_cond_signal, VERSION_FIRST);
HOOK_OF_BEFORE(cond_broadcast_old, pthread_cond_broadcast, VERSION_FIRST);
HOOK_OF_BEFORE(cond_wait_old, pthread_cond_wait, VERSION_FIRST);
HOOK_OF_BEFORE(cond_timedwait_old, pthread_cond_timedwait, VERSION_FIRST);

int cond_wait_old(pthread_cond_t *c, pthread_mutex_t *m)
{
	int err;

	fall_asleep(CALL_COND_WAIT, c, m, CALLER);
	park_begin(CALL_SITE_HERE);
	err = real.cond_wait_old(c, m);
	park_end();
	wake_up(m, err == 0, err == ETIMEDOUT);
	return err;
}

int cond_timedwait_old(pthread_cond_t *c, pthread_mutex_t *m,
		       const struct timespec *until)
{
	int err;

	fall_asleep(CALL_COND_TIMEDWAIT, c, m, CALLER);
	hook_park_until(until, CALL_SITE_HERE);
	err = real.cond_timedwait_old(c, m, until);
	park_end();
	wake_up(m, err == 0, err == ETIMEDOUT);
	return err;
}

int cond_signal_old(pthread_cond_t *c)
{
	wake(c, 1);
	return real.cond_signal_old(c);
}

int cond_broadcast_old(pthread_cond_t *c)
{
	wake(c, ALL);
	return real.cond_broadcast_old(c);
}
#endif
