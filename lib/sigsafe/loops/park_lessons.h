/*
 * How a thread that has not waited for events teaches where threads park
 * (lib/sigsafe/loops/park.h).
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_PARK_LESSONS_H
#define SIGSAFE_LOOPS_PARK_LESSONS_H

#include "sigsafe/thread.h"

/* What polls one descriptor waits for an answer, to whatever it works at. */
static inline bool park_waits_for_answers(const struct thread *self)
{
	return self->seat.epoll == SEAT_POLLS && self->seat.size <= 1;
}

/* Where the frame ends whose function makes the loop's wait; 0: not known. */
static inline uintptr_t park_wait_end(const struct thread *self)
{
	const struct frame_shape *shape = &self->loop->seat_shape;

	return shape->pc == self->seat.call.pc
		       ? frame_end(shape, &self->seat.call)
		       : 0;
}

/* Is the return address in that function? */
bool park_is_in_wait(const struct thread *self, uintptr_t pc);

/* It is about to block there, in a call that is a lock's. */
void park_learn(struct thread *self, const struct call_site *call);

/*
 * It is about to block there in a run, having looked for events, not waited. If
 * it has never had any, the first such place is where it parks, if that is
 * beside the look.
 */
void park_learn_late(struct thread *self, const struct call_site *call);

/* It takes turns, and parks where another thread has taught: so it teaches. */
void park_teach_too(const struct call_site *block);

/* A place that is taught by who has waited: of the whole stack; 0: unknown. */
uint64_t park_late_hash(const struct call_site *call);

/* Who taught that the whole stack leads to where a thread parks. */
int32_t park_teacher_of_stack(const struct call_site *block);

/*
 * Of the whole stack. Salted: some places are no deeper than that. 0: it is not
 * known.
 */
uint64_t park_whole_hash(const struct call_site *call, uint64_t salt);

#endif
