/*
 * Cold threads: those of a pool that take turns at an epoll descriptor
 * (lib/sigsafe/loops/park.h), before they have once waited there themselves.
 * What such a thread does after it has parked is a run of the loop, too.
 *
 * One that comes back from where it parks, beside the wait of threads that are
 * at a descriptor now, one at a time, is taken for theirs. Its runs are
 * provisional until one of them has parked and come to the wait again; then it
 * is known of all that come back from there. It is known as well of one that
 * has parked twice and then comes to the wait itself, at the same descriptor
 * and by the same calls. (Not once: what starts may have to wait for a word to
 * do so.) A run that ends in any other wait was none; nor was there one if the
 * thread, while nobody has shown that, waits three times at another epoll
 * descriptor, or at one where others have waited by the same calls: that is its
 * loop's, and it had waited for a word to start. And who parks further out than
 * others do is in a pool that runs the loop as one of its jobs, as tokio's is:
 * it blocks there for a lock as well, and what it does next is no run.
 *
 * Until then its seat is where it parks: what is called by the function that
 * calls that one, or deeper, is a callback's, but for the wait itself.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_COLD_H
#define SIGSAFE_LOOPS_COLD_H

#include "sigsafe/loops/turn_ways.h"
#include "sigsafe/thread.h"

static inline bool cold_is(const struct thread *self)
{
	return self->loop->cold_turn;
}

/* Is the descriptor of its loop none of its own, that it has closed before? */
static inline bool cold_may_turn(const struct thread *self)
{
	return !self->loop->seat_turn ||
	       turn_way_is_open(self->loop->seat_turn);
}

/*
 * A run ends where the thread parks: is it known to be one of a loop? So it is
 * of one that is cold, or has waited once, if others have shown that.
 */
static inline bool cold_is_shown(const struct thread *self)
{
	const struct loop *loop = self->loop;
	const struct turn_way *turn =
		self->parks ? loop->cold_turn : loop->seat_turn;

	return turn && !self->is_doubted &&
	       turn_way_is_shown(turn, self->parks ? loop->parts_after : 1);
}

/*
 * The thread is back from where it has parked, called from there. had_run: in a
 * run, which that has ended. Does one begin?
 */
bool cold_comes_back(struct thread *self, const struct call_site *call,
		     bool had_run);

/*
 * It is about to wait, at a seat of that kind. False: the wait is nested in its
 * run. True: it is to take the seat, and is cold no more.
 */
bool cold_takes_seat(struct thread *self, const struct seat *seat,
		     enum sitting_kind kind);

/*
 * The calling thread is about to close the descriptor of its loop. Not where
 * its vfork child is: that closes what is its own.
 */
void cold_closes_own(void);

static inline void cold_closes(int fd)
{
	if (unlikely(thread_self.seat.epoll == fd))
		cold_closes_own();
}

#endif
