/*
 * Waits that are nested in a run (lib/sigsafe/loops/seat.h): the run goes on
 * through them, and they are what it is found in.
 *
 * The rule may be wrong: where a program's start waited, and its loop proper is
 * called from deeper in the stack. Such waits show by being many, and become
 * the thread's loop.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_NESTED_H
#define SIGSAFE_LOOPS_NESTED_H

#include "base/units.h"
#include "sigsafe/thread.h"

/*
 * Nested waits in a run are a loop's own, and it has moved, once they have gone
 * on for so long, and there were ten of them. What polls for an answer for less
 * than that is a stall.
 */
#define LOOP_MOVED_NS (10 * NS_PER_S)

/* Is the calling thread, which is a loop, in a run? Signal-safe. */
bool nested_is_possible(void);

/*
 * Has the thread turned so seldom where its loop waits that this may have been
 * its start? Signal-safe.
 */
bool nested_has_few_turns(const struct thread *self);

/*
 * A nested wait begins, made by caller. False: it is one too many, the run has
 * left its loop, and the wait is the thread's new one. *now_ns: the time.
 * Signal-safe.
 */
bool nested_begin(enum blocking_call call, const void *caller,
		  uint64_t *now_ns);
void nested_end(void);

/*
 * A tick has come in it, and takes the stack, as the next one may find another
 * call there; the run is a stall. Handler only.
 */
void nested_look(struct thread *self, const ucontext_t *uc);
void nested_tick(struct thread *self, uint64_t now_ns);

#endif
