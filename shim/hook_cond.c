/*
 * Condition variables: pthread_cond_* and C11's cnd_*. libc unlocks the mutex
 * inside, where no hook sees it: the hold ends at the wait.
 *
 * Two generations of condition variables live in libc, with different memory;
 * each hook hands on to the one its caller was built for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_release.h"

#define X(result, name, parameters, arguments, function, version)              \
	HOOK result name parameters;
HOOKS_VERSIONED(X)
#undef X

__asm__(".symver cond_wait_new, pthread_cond_wait@@GLIBC_2.3.2, remove");
__asm__(".symver cond_wait_old, pthread_cond_wait@GLIBC_2.2.5, remove");
__asm__(".symver cond_timedwait_new, pthread_cond_timedwait@@GLIBC_2.3.2, remove");
__asm__(".symver cond_timedwait_old, pthread_cond_timedwait@GLIBC_2.2.5, remove");

int cond_wait_new(pthread_cond_t *c, pthread_mutex_t *m)
{
	release_before_sleep(m, CALLER);
	return real.cond_wait_new(c, m);
}

int cond_wait_old(pthread_cond_t *c, pthread_mutex_t *m)
{
	release_before_sleep(m, CALLER);
	return real.cond_wait_old(c, m);
}

int cond_timedwait_new(pthread_cond_t *c, pthread_mutex_t *m,
		       const struct timespec *until)
{
	release_before_sleep(m, CALLER);
	return real.cond_timedwait_new(c, m, until);
}

int cond_timedwait_old(pthread_cond_t *c, pthread_mutex_t *m,
		       const struct timespec *until)
{
	release_before_sleep(m, CALLER);
	return real.cond_timedwait_old(c, m, until);
}

HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				clockid_t clock, const struct timespec *until)
{
	release_before_sleep(m, CALLER);
	return real.pthread_cond_clockwait(c, m, clock, until);
}

HOOK int cnd_wait(cnd_t *c, mtx_t *m)
{
	release_before_sleep((pthread_mutex_t *)m, CALLER);
	return real.cnd_wait(c, m);
}

HOOK int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	release_before_sleep((pthread_mutex_t *)m, CALLER);
	return real.cnd_timedwait(c, m, until);
}
