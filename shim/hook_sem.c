/*
 * Semaphores: sem_*. They have no holder: who posts is charged for the waiting
 * that the post ends.
 *
 * Each wait is a cancellation point, also one that need not wait. A tick would
 * break those with a deadline, so none comes while one lasts. sem_post() may be
 * called by a signal handler, and whoever it wakes may free the semaphore.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>

#include "hook_deadline.h"
#include "hook_park.h"
#include "hook_waiting.h"

static struct lock lock_of(const sem_t *s)
{
	return (struct lock){ .address = s, .kind = LOCK_SEMAPHORE };
}

static enum wait_outcome outcome_of(int result)
{
	if (!result)
		return WAIT_ACQUIRED;
	/* Until its deadline, or a signal of the host's. */
	return errno == ETIMEDOUT || errno == EINTR ? WAIT_GAVE_UP
						    : WAIT_WITHDRAWN;
}

/* Without having waited, though others may wait. */
static inline int take(sem_t *s)
{
	int result = real.sem_trywait(s);

	if (unlikely(contention_has_waiters(s)) && !result)
		contention_barged(s);
	return result;
}

/* As a wait begins: where it can be cancelled. Leaves errno alone. */
static inline bool is_taken(sem_t *s)
{
	int before = errno;

	pthread_testcancel();
	if (likely(!take(s)))
		return true;
	errno = before;
	return false;
}

static cold int wait_slowly(sem_t *s, const struct call_site *call)
{
	struct waiting waiting;
	int result;

	waiting_begin(&waiting, lock_of(s), (const void *)call->pc);
	park_begin(*call);
	result = real.sem_wait(s);
	park_end();
	waiting_end(&waiting, outcome_of(result));
	return result;
}

HOOK int sem_wait(sem_t *s)
{
	struct call_site call = CALL_SITE_HERE;

	return likely(is_taken(s)) ? 0 : wait_slowly(s, &call);
}

HOOK int sem_trywait(sem_t *s)
{
	return take(s);
}

struct timed {
	struct waiting waiting;
	struct block block;
};

static void timed_begin(struct timed *timed, sem_t *s, enum blocking_call call,
			const struct timespec *until,
			const struct call_site *from)
{
	bool is_far = park_may_begin_timed() && hook_park_is_far(until);

	waiting_begin(&timed->waiting, lock_of(s), (const void *)from->pc);
	timed->block = hook_timed_begin(call, is_far, from);
}

static int timed_end(struct timed *timed, int result)
{
	hook_timed_end(&timed->block);
	waiting_end(&timed->waiting, outcome_of(result));
	return result;
}

HOOK int sem_timedwait(sem_t *s, const struct timespec *until)
{
	struct call_site from = CALL_SITE_HERE;
	struct timed timed;

	if (likely(deadline_is_sound(CLOCK_REALTIME, until) && is_taken(s)))
		return 0;
	timed_begin(&timed, s, CALL_SEM_TIMEDWAIT, until, &from);
	return timed_end(&timed, real.sem_timedwait(s, until));
}

HOOK int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	struct call_site from = CALL_SITE_HERE;
	struct timed timed;

	if (likely(deadline_is_sound(clock, until) && is_taken(s)))
		return 0;
	timed_begin(&timed, s, CALL_SEM_CLOCKWAIT, until, &from);
	return timed_end(&timed, real.sem_clockwait(s, clock, until));
}

/* Where there is something to take, who waits is on its way to take it. */
static bool is_empty(sem_t *s)
{
	int value;

	return sem_getvalue(s, &value) != 0 || value <= 0;
}

static cold int post_slowly(sem_t *s, const void *caller)
{
	struct contention caused = { .recording = NULL };
	int result;

	if (is_empty(s))
		caused = contention_settle(s);
	result = real.sem_post(s);
	if (caused.recording)
		contention_record(&caused, caller);
	return result;
}

HOOK int sem_post(sem_t *s)
{
	if (likely(!contention_has_waiters(s)))
		return real.sem_post(s);
	return post_slowly(s, CALLER);
}

HOOK int sem_init(sem_t *s, int shared, unsigned int value)
{
	contention_forget(s);
	return real.sem_init(s, shared, value);
}

HOOK int sem_destroy(sem_t *s)
{
	int result = real.sem_destroy(s);

	if (!result)
		contention_forget(s);
	return result;
}
