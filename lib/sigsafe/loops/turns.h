/*
 * Who takes turns with the thread at its loop's epoll descriptor. There may be
 * a seat there, which only one of them has at a time, while the others park; or
 * they all wait at once.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_TURNS_H
#define SIGSAFE_LOOPS_TURNS_H

#include "sigsafe/thread.h"

/* After this many of a thread's waits it is known whether others wait, too. */
#define TURNS_LOOKS 16

/*
 * Do others wait at the descriptor, or have they since since_ns, or not long
 * before?
 */
bool turns_are_taken(struct thread *self, uint64_t since_ns);

/* The same, or were they by a thread that is no more? */
bool turns_were_taken(struct thread *self, uint64_t since_ns);

/*
 * Just back from a wait: does another thread wait at the descriptor meanwhile?
 * Then there is no seat: who has one gives it up later than that.
 */
void turns_look(struct thread *self);

/* Has no thread that looked seen others wait at this one's descriptor? */
bool turns_have_seat(const struct thread *self);

#endif
