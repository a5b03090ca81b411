/*
 * Reader-writer locks: pthread_rwlock_*.
 *
 * trylock first, as with mutexes; what it says other than "busy" is the answer.
 *
 * glibc keeps the state in the lock: struct __pthread_rwlock_arch_t, part of
 * its ABI (bits/struct_rwlock.h); the bits of __readers are those of its
 * nptl/pthread_rwlock_common.c. In a read phase __readers counts who holds the
 * lock, in a write phase who waits to read. They are looked at only where
 * somebody waits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>

#include "hook_deadline.h"
#include "hook_waiting.h"
#include "sigsafe/locks/shared_release.h"

#define RWLOCK_WRITE_PHASE  1u
#define RWLOCK_READER_SHIFT 3

/* Threads that hold the lock, if any do: the writer, or the readers. */
static uint32_t holders_of(const pthread_rwlock_t *l)
{
	/* Relaxed: ordered by the caller's shared_release_begin(). */
	return load_relaxed(&l->__data.__cur_writer)
		       ? 1
		       : load_relaxed(&l->__data.__readers) >>
				 RWLOCK_READER_SHIFT;
}

static struct lock lock_of(const pthread_rwlock_t *l)
{
	uint32_t readers = load_relaxed(&l->__data.__readers);
	bool is_read = !(readers & RWLOCK_WRITE_PHASE) &&
		       readers >> RWLOCK_READER_SHIFT;

	return (struct lock){
		.address = l,
		.kind = LOCK_RWLOCK,
		.holder = is_read ? HELD_BY_SEVERAL
				  : load_relaxed(&l->__data.__cur_writer),
	};
}

/* got: what a wait that ends well has got. */
static enum wait_outcome outcome_of(int err, enum wait_outcome got)
{
	if (!err)
		return got;
	return err == ETIMEDOUT ? WAIT_GAVE_UP : WAIT_WITHDRAWN;
}

/* Without having waited, but others may wait. */
static inline int got_to_read(const pthread_rwlock_t *l, int err)
{
	if (unlikely(contention_has_waiters(l)) && !err)
		contention_barged_shared(l);
	return err;
}

static inline int got_to_write(const pthread_rwlock_t *l, int err)
{
	if (unlikely(contention_has_waiters(l)) && !err)
		contention_barged(l);
	return err;
}

static cold int rdlock_slowly(pthread_rwlock_t *l, const void *caller)
{
	struct waiting waiting;
	int err;

	waiting_begin(&waiting, lock_of(l), caller);
	err = real.pthread_rwlock_rdlock(l);
	waiting_end(&waiting, outcome_of(err, WAIT_JOINED));
	return err;
}

HOOK int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	int err = real.pthread_rwlock_tryrdlock(l);

	return likely(err != EBUSY) ? got_to_read(l, err)
				    : rdlock_slowly(l, CALLER);
}

static cold int wrlock_slowly(pthread_rwlock_t *l, const void *caller)
{
	struct waiting waiting;
	int err;

	waiting_begin(&waiting, lock_of(l), caller);
	err = real.pthread_rwlock_wrlock(l);
	waiting_end(&waiting, outcome_of(err, WAIT_ACQUIRED));
	return err;
}

HOOK int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	int err = real.pthread_rwlock_trywrlock(l);

	return likely(err != EBUSY) ? got_to_write(l, err)
				    : wrlock_slowly(l, CALLER);
}

HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return got_to_read(l, real.pthread_rwlock_tryrdlock(l));
}

HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return got_to_write(l, real.pthread_rwlock_trywrlock(l));
}

HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
				    const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (likely(deadline_is_sound(CLOCK_REALTIME, until)))
		err = real.pthread_rwlock_tryrdlock(l);
	if (likely(err != EBUSY))
		return got_to_read(l, err);
	waiting_begin(&waiting, lock_of(l), CALLER);
	err = real.pthread_rwlock_timedrdlock(l, until);
	waiting_end(&waiting, outcome_of(err, WAIT_JOINED));
	return err;
}

HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
				    const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (likely(deadline_is_sound(clock, until)))
		err = real.pthread_rwlock_tryrdlock(l);
	if (likely(err != EBUSY))
		return got_to_read(l, err);
	waiting_begin(&waiting, lock_of(l), CALLER);
	err = real.pthread_rwlock_clockrdlock(l, clock, until);
	waiting_end(&waiting, outcome_of(err, WAIT_JOINED));
	return err;
}

HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
				    const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (likely(deadline_is_sound(CLOCK_REALTIME, until)))
		err = real.pthread_rwlock_trywrlock(l);
	if (likely(err != EBUSY))
		return got_to_write(l, err);
	waiting_begin(&waiting, lock_of(l), CALLER);
	err = real.pthread_rwlock_timedwrlock(l, until);
	waiting_end(&waiting, outcome_of(err, WAIT_ACQUIRED));
	return err;
}

HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
				    const struct timespec *until)
{
	struct waiting waiting;
	int err = EBUSY;

	if (likely(deadline_is_sound(clock, until)))
		err = real.pthread_rwlock_trywrlock(l);
	if (likely(err != EBUSY))
		return got_to_write(l, err);
	waiting_begin(&waiting, lock_of(l), CALLER);
	err = real.pthread_rwlock_clockwrlock(l, clock, until);
	waiting_end(&waiting, outcome_of(err, WAIT_ACQUIRED));
	return err;
}

/*
 * A reader lets nobody in while other readers hold the lock. Who does let
 * others in may lose its processor to them, so it is counted out before that.
 */
static cold int unlock_slowly(pthread_rwlock_t *l, const void *caller)
{
	struct contention caused = { .recording = NULL };
	struct shared_release release = shared_release_begin(l);
	bool is_last = release.lock && holders_of(l) <= release.leaving;
	int err;

	if (is_last) {
		caused = contention_settle(l);
		shared_release_end(&release);
	}
	err = real.pthread_rwlock_unlock(l);
	if (!is_last)
		shared_release_end(&release);
	if (caused.recording)
		contention_record(&caused, caller);
	return err;
}

HOOK int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (likely(!contention_has_waiters(l)))
		return real.pthread_rwlock_unlock(l);
	return unlock_slowly(l, CALLER);
}

HOOK int pthread_rwlock_init(pthread_rwlock_t *l,
			     const pthread_rwlockattr_t *attr)
{
	contention_forget(l);
	return real.pthread_rwlock_init(l, attr);
}

HOOK int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	int err = real.pthread_rwlock_destroy(l);

	if (!err)
		contention_forget(l);
	return err;
}
