/*
 * Seating: which of a thread's waits takes its loop's seat
 * (lib/sigsafe/loops/seat.h, lib/sigsafe/loops/beside.h), and what becomes of
 * the seat before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_SEATING_H
#define SIGSAFE_LOOPS_SEATING_H

#include "sigsafe/thread.h"

/* Cold here, too: the wait that is its loop's own is to go straight on. */

/*
 * What is the wait that is about to begin, and may be none of the loop's, or is
 * to be measured? Where it is the loop's the seat is taken. Signal-safe.
 */
cold enum sitting_kind seating_look_at(struct thread *self,
				       struct sitting *sitting);

/*
 * A poll beside the loop's wait, which has returned `events`, was the thread's
 * own: a turn, and no part of a run. Signal-safe.
 */
cold void seating_turns_beside(struct thread *self, const struct seat *own,
			       uint32_t events);

/* The loop waits there from now on. To be called in the wait. Signal-safe. */
cold void seating_take(struct thread *self, const struct seat *seat);

#endif
