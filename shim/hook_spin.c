/*
 * Spin locks: pthread_spin_*. Who uses them counts nanoseconds: an uncontended
 * pair costs two calls more, a branch and a load. Who takes a free one before
 * those who spin is not looked for: it was free for nanoseconds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_waiting.h"

static cold int lock_slowly(pthread_spinlock_t *l, const void *caller)
{
	struct lock lock = { .address = (const void *)l, .kind = LOCK_SPIN };
	struct waiting waiting;
	int err;

	waiting_begin(&waiting, lock, caller);
	err = real.pthread_spin_lock(l);
	waiting_end(&waiting, WAIT_ACQUIRED);
	return err;
}

HOOK int pthread_spin_lock(pthread_spinlock_t *l)
{
	int err = real.pthread_spin_trylock(l);

	return likely(!err) ? err : lock_slowly(l, CALLER);
}

HOOK int pthread_spin_trylock(pthread_spinlock_t *l)
{
	return real.pthread_spin_trylock(l);
}

static cold int unlock_slowly(pthread_spinlock_t *l, const void *caller)
{
	struct contention caused = contention_settle((const void *)l);
	int err = real.pthread_spin_unlock(l);

	if (caused.recording)
		contention_record(&caused, caller);
	return err;
}

HOOK int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (likely(!contention_has_waiters((const void *)l)))
		return real.pthread_spin_unlock(l);
	return unlock_slowly(l, CALLER);
}

HOOK int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	contention_forget((const void *)l);
	return real.pthread_spin_init(l, shared);
}

HOOK int pthread_spin_destroy(pthread_spinlock_t *l)
{
	int err = real.pthread_spin_destroy(l);

	contention_forget((const void *)l);
	return err;
}
