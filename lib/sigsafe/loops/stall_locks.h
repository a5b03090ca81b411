/*
 * The locks that the calling thread's stall has waited for: what each has cost
 * it, by whom, and which of them its event tells of. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_STALL_LOCKS_H
#define SIGSAFE_LOOPS_STALL_LOCKS_H

#include "base/atomic.h"
#include "sigsafe/thread.h"

/* Do both tell of the same lock and holder? a: others may write it. */
static inline bool event_is_of_same(const struct event_record *a,
				    const struct event_record *b)
{
	return load_relaxed(&a->lock) == b->lock &&
	       load_relaxed(&a->holder) == b->holder;
}

/*
 * The waits of a slice whose causes the event has: it tells of the lock that
 * has cost most of those with the cause that has most of the time. If there is
 * a log the kernel is asked for the holder's name, which opens and closes a
 * file.
 */
void stall_locks_add(struct thread *self, const struct lock_costs *waits);

/*
 * Who let go of the lock that the event tells of, if that is known by now. in:
 * the stall in the ring; NULL: overwritten.
 */
void stall_locks_learn(struct thread *self, const struct event_record *in);

#endif
