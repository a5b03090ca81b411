/*
 * Does a release let anybody in, and did an acquisition take the mutex from
 * nobody? glibc keeps in a mutex who owns it and how often: struct
 * __pthread_mutex_s, part of its ABI (bits/struct_mutex.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_RELEASE_H
#define SHIM_HOOK_RELEASE_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/sleepers.h"
#include "sigsafe/os/sys.h"

#define MUTEX_KIND_MASK 3    /* of PTHREAD_MUTEX_*: normal, recursive, ... */
#define MUTEX_IS_OWNED	0x30 /* in the kind: robust, or priority inheriting */

/* With these the owner's thread is in the lock's word, also where it died. */
static inline int mutex_owner(const pthread_mutex_t *m)
{
	return m->__data.__kind & MUTEX_IS_OWNED
		       ? m->__data.__lock & (int)FUTEX_TID_MASK
		       : m->__data.__owner;
}

/* The lock that a mutex is; its owner's thread is in it. */
static inline struct lock mutex_lock_of(const void *mutex)
{
	const pthread_mutex_t *m = mutex;

	return (struct lock){ .address = m,
			      .kind = LOCK_MUTEX,
			      .holder = mutex_owner(m) };
}

/*
 * An inner unlock of a recursive mutex releases nothing; nor does an unlock by
 * a thread that does not hold a mutex that checks who does. Only where somebody
 * waits, so the system call costs nothing when nothing is wrong.
 */
static inline bool release_is_real(const pthread_mutex_t *m)
{
	int type = m->__data.__kind & MUTEX_KIND_MASK;

	if (type == PTHREAD_MUTEX_RECURSIVE && m->__data.__count != 1)
		return false;
	if (type == PTHREAD_MUTEX_RECURSIVE ||
	    type == PTHREAD_MUTEX_ERRORCHECK ||
	    m->__data.__kind & MUTEX_IS_OWNED)
		return mutex_owner(m) == sys_gettid();
	return true;
}

/*
 * A trylock said result. If the mutex came from nobody's hands to ours while
 * others wait for it, what they waited since its release is nobody's fault. 0
 * is success with pthread_mutex_* and with mtx_*.
 */
static cold int got_before_waiters(const pthread_mutex_t *m, int result)
{
	bool is_inner = (m->__data.__kind & MUTEX_KIND_MASK) ==
				PTHREAD_MUTEX_RECURSIVE &&
			m->__data.__count != 1;

	if ((result == 0 || result == EOWNERDEAD) && !is_inner)
		contention_barged(m);
	return result;
}

static inline int got_at_once(const void *mutex, int result)
{
	return likely(!contention_has_waiters(mutex))
		       ? result
		       : got_before_waiters(mutex, result);
}

/* What the release that follows is charged. Before it: then m may be gone. */
static inline struct contention release_settle(pthread_mutex_t *m)
{
	struct contention nothing = { .recording = NULL };

	/* A thread that unlocks does not sleep: it was cancelled in its sleep.
	 */
	if (!thread_self.handler_depth)
		sleeper_end(false);
	/* First: who asks who it is may be killed for it, after seccomp. */
	return live_recording() && release_is_real(m) ? contention_settle(m)
						      : nothing;
}

/* A release that is followed by a sleep: recorded at once. */
static inline void release_before_sleep(pthread_mutex_t *m, const void *caller)
{
	struct contention caused;

	if (likely(!contention_has_waiters(m)))
		return;
	caused = release_settle(m);
	if (caused.recording)
		contention_record(&caused, caller);
}

#endif
