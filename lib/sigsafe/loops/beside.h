/*
 * Waits beside a loop's. Where a program's own loop has a library turn once,
 * the library's wait is made deeper in the stack than what the program calls
 * besides, a callback by all but its depth (lib/sigsafe/loops/seat.h).
 *
 * A poll of no more than one descriptor, a pipe or a socket that does not
 * listen, is a callback's, and part of its run, if the thread has turned eight
 * times where its loop waits, the last time by a wait that could block, and
 * that has more to wait for: an epoll descriptor, or a set without this one.
 *
 * The same is done by a program that idles in its own poll, and in between has
 * a library turn to answer what has come. So a poll is the thread's own
 *
 *   where that was its loop before it came to the one that it has now, or it
 *   then came to that by other calls than before
 *   where it has waited, all in all, more than twice as long as at its loop.
 *   Twenty seconds and ten count at most; an eighth of what was waited before
 *   the first such poll; nothing of one that has lasted for the threshold, and
 *   at whose end there is an event at the loop's epoll descriptor
 *
 * Whether it is shows only at its end: until then the run is in doubt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_BESIDE_H
#define SIGSAFE_LOOPS_BESIDE_H

#include "sigsafe/thread.h"

/*
 * The thread, in a run, is about to wait at a seat that was measured, and is
 * none that is nested by its depth. Is it a wait beside its loop's? Then it has
 * begun, and its run is to be doubted. Signal-safe.
 */
bool beside_begins(struct thread *self, const struct seat *seat);

/* Is the wait that the thread is in one beside its loop's? Signal-safe. */
static inline bool beside_is(const struct thread *self)
{
	return self->loop->beside_since_ns;
}

/* Is a poll that is made there known to be the thread's own? Signal-safe. */
bool beside_is_own(struct loop *loop, const struct call_site *call);

/*
 * A nested wait is over. True: it was one beside the loop's, and the thread's
 * own, where it has been idle: *own. Signal-safe.
 */
bool beside_ends(struct thread *self, struct seat *own);

/* Is the run in doubt, for a poll beside its loop's wait? Signal-safe. */
static inline bool beside_was(const struct thread *self)
{
	return self->is_doubted && self->loop->beside_waits &&
	       self->loop->beside_waits == self->record->waits;
}

/*
 * The run, which is in doubt, ends in a wait of the thread's loop. Has it come
 * there by other calls than before? Then the poll beside, if it was that, was
 * its own, and is from now on. Signal-safe.
 */
bool beside_was_own(struct thread *self);

/* The thread is about to take a seat, perhaps another one. Signal-safe. */
void beside_leaves(struct thread *self, const struct seat *next);

/* What it has waited up to its run is none of its seat's. Signal-safe. */
void beside_starts_anew(struct thread *self);

#endif
