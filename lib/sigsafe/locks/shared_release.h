/*
 * The release of a lock that threads share: only who leaves it free lets others
 * in, and is charged. How many hold it the lock itself tells; but two who leave
 * at the same moment would both still see two. So whoever leaves
 *
 *   1. counts itself out,
 *   2. looks how many hold the lock, and settles if they are no more than
 *      `leaving`: those who are on their way out,
 *   3. lets go of the lock, which wakes nobody, and then ends the release; or
 *      if it has settled ends the release first. Those it wakes may preempt it
 *      for long, and each of them would take it for one on its way out.
 *
 * Of several who leave together the last to count itself out sees each other
 * one in the first number or no longer in the second, so at least one settles.
 * (One that has settled may still be in the second number alone, for a few
 * instructions: who comes and goes meanwhile is not charged.)
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_SHARED_RELEASE_H
#define SIGSAFE_LOCKS_SHARED_RELEASE_H

#include "base/format.h"

struct shared_release {
	struct recording *recording;
	struct lock_record *lock; /* NULL: nobody has ever waited for it */
	uint32_t leaving;	  /* with the caller */
};

struct shared_release shared_release_begin(const void *lock);

/* Touches nothing of the lock's own memory. */
void shared_release_end(const struct shared_release *release);

#endif
