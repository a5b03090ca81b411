/*
 * Contention: who waits for which lock, and whose unlock is charged for it.
 * Owns the counts of waiters by which an unlock sees that nobody waits.
 *
 * The order in an unlock matters: settle before the real unlock (afterwards
 * the lock may be freed), record after it (waiters should not wait for our
 * stack walk). Signal-safe, all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_CONTENTION_H
#define SIGSAFE_LOCKS_CONTENTION_H

#include "base/atomic.h"
#include "base/format.h"
#include "base/hash.h"
#include "sigsafe/thread.h"

#define WAITER_BUCKETS 4096

/* Waiters, and unpaid timed-out waits, for all locks of a bucket. */
extern uint32_t contention_waiters[WAITER_BUCKETS];

static inline uint32_t *contention_bucket(const void *lock)
{
	return &contention_waiters[hash_slot((uintptr_t)lock, WAITER_BUCKETS)];
}

/*
 * May anybody wait for the lock? Relaxed is enough: a waiter that comes in the
 * very moment of the unlock is let in by it, and its wait is hand-off.
 */
static inline bool contention_has_waiters(const void *lock)
{
	return load_relaxed(contention_bucket(lock)) != 0;
}

#define HELD_BY_SEVERAL (-1) /* as holder: by threads that share it */

/* A lock as its hook knows it. */
struct lock {
	const void *address;
	enum lock_kind kind;
	int32_t holder; /* thread, as far as the lock tells; 0: unknown */
};

/* A wait for a lock, from begin to end, on the waiter's stack. */
struct lock_wait {
	struct recording *recording; /* NULL: not recorded */
	struct lock_record *lock;
	struct waiter_record *waiter;
	const void *address;
	const void *caller;
	uint64_t start_ns;
	uint32_t stack;
};

enum wait_outcome {
	WAIT_ACQUIRED,
	WAIT_JOINED,   /* has the lock, and others may have it too */
	WAIT_GAVE_UP,  /* timed out: owed by the holder */
	WAIT_WITHDRAWN /* failed otherwise: was no wait */
};

void contention_wait_begin(struct lock_wait *wait, struct lock lock,
			   const void *caller);

/* Another thread, who, is woken to wait for lock: it will end the wait. */
void contention_wait_begin_for(struct lock_wait *wait, struct lock lock,
			       const struct thread_identity *who);

/*
 * The caller has just got the lock without having waited, and others may wait
 * for it. Only where it came from nobody's hands: not if it had it before.
 */
void contention_barged(const void *lock);

/* The same with a lock that others may hold, too. */
void contention_barged_shared(const void *lock);

void contention_wait_end(struct lock_wait *wait, enum wait_outcome outcome);

/* What an unlock is charged. */
struct contention {
	struct recording *recording; /* NULL: nothing to record */
	struct lock_record *lock;
	uint64_t caused_ns;
	uint32_t stall; /* that waited for it (lock_record.stall), or 0 */
};

/* Where there is something to record, contention_record() must follow. */
struct contention contention_settle(const void *lock);

void contention_record(const struct contention *caused, const void *caller);

/* The lock is destroyed, or made anew. */
void contention_forget(const void *lock);

/* A forked child starts afresh: the parent's waiters are not here. */
void contention_reset(void);

#endif
