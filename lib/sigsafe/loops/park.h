/*
 * Where threads of this program park, having nothing to do: pools of threads
 * that take turns at one epoll descriptor (asio's io_context), and pools that a
 * loop's thread is given back to. A loop that parks is idle, not stalled.
 *
 * Places are learnt from threads that have never waited for events. Each of the
 * first times that such a one blocks in a condition variable, a semaphore or a
 * raw futex, no deeper in its stack than ever before, the calls that led there
 * are a place to park. (Not until a deadline that is near: shim/hook_park.h. It
 * teaches only where threads take turns.)
 * (Not so the main thread's: it waits for what it has started.) A thread that
 * is made with its first job waits for that one's answers before: so it teaches
 * as well if it has polled one descriptor each time, and not often, where the
 * function that has polled last is over.
 *
 * Where several threads take turns at one epoll descriptor, all may have waited
 * before any of them parked. So one that has never been where it was taught to
 * park teaches as well: a place that is called beside its wait for events, by
 * no callback (lib/sigsafe/loops/way.h), if no two threads have been seen to
 * wait at that descriptor at once (lib/sigsafe/loops/turns.h). (Where a library
 * waits, what the program's own loop calls by name besides, and blocks in, is
 * taken for that.)
 *
 * Who only looks for events before it parks, without waiting, may do so at a
 * descriptor of its own, or many at one. It teaches if the first place where it
 * ever blocks is beside that look, and it has had no events until then.
 *
 * A loop's thread is parked where it blocks in such a place, and
 *
 *   other threads wait at the same epoll descriptor, or have since it blocked,
 *   or did less than a second before, and may have ended since; and the calls
 *   that led there are the same up to the function that its loop's wait was
 *   called in
 *   or its whole stack is the same
 *
 * By calls that are no lock's - to read, to accept, to sleep - some wait for
 * work, and most for something else. In those a thread parks only where it has
 * taught the place itself: where it made the very call before it ever waited
 * for events. (Not to read a file or a device, not without blocking, nor to
 * sleep for a moment: shim/hook_work.h.)
 *
 * Of threads that have only parked yet lib/sigsafe/loops/cold.h tells.
 *
 * So what blocks in a callback is not parked, whatever it blocks in: the
 * callback is no part of the place, nor, inlined, is where it stands in that
 * function. (In Python it is no part of the stack. One in a thread of Python's
 * own is taken for parked where others are idle.)
 *
 * Who takes turns, and parks where another one has taught it by the same stack,
 * has taught it as well from then on.
 *
 * A place that the thread itself has taught, and no other one, may as well be
 * where its loop waits in each turn, which is part of the run; so may one where
 * it waits until a deadline, if only one thread has taught it. That is taken
 * for a pool's only where other threads wait at the same epoll descriptor,
 * where the thread has made many waits for events since it last was there (not
 * where it sleeps: callbacks do, and Python's are alike), or where those are
 * the polls of one descriptor by which libraries wait for an answer.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_PARK_H
#define SIGSAFE_LOOPS_PARK_H

#include "sigsafe/thread.h"

#define PARK_LESSONS	   8  /* of each thread */
#define PARK_TIMED_LESSONS 4  /* of these with a deadline, at most */
#define PARK_OWN_TRIES	   32 /* of each thread, at calls that are no lock's */
#define PARK_DEPTH	   12 /* calls compared, at most */

void park_begin_slowly(struct call_site call, enum block_end end);
void park_end_slowly(void);

/* The thread is about to block for as long as it takes, called from there. */
static inline void park_begin(struct call_site call)
{
	if (unlikely(thread_self.run_begun_ns ||
		     thread_self.lessons < PARK_LESSONS))
		park_begin_slowly(call, BLOCK_BY_OTHERS);
}

/* Or until a deadline: then it is park_begin_slowly(), if this says so. */
static inline bool park_may_begin_timed(void)
{
	return unlikely(thread_self.run_begun_ns ||
			thread_self.lessons < PARK_TIMED_LESSONS);
}

/*
 * The same until a deadline that is near: where threads take turns one may do
 * so between them, as asio's run_for() does at its end.
 */
static inline bool park_may_begin_soon(void)
{
	return thread_self.run_begun_ns && thread_self.seat.epoll != SEAT_POLLS;
}

/*
 * The same, in a call that no tick may come in (watch_block_begin(), which is
 * to follow): whether it has parked is asked at once, and again at the end.
 */
void park_at_once(struct call_site call, enum block_end end);

/*
 * Is the call, which is no lock's, to be asked of? Between runs whether it
 * teaches, by park_own_teach(); in one whether the thread may park there, by
 * park_own_knows(). Two loads and a branch in a loop.
 */
static inline bool park_own_asks(const struct call_site *call)
{
	const struct thread *self = &thread_self;

	if (self->run_begun_ns)
		return unlikely(call->sp == self->shallowest);
	return unlikely(self->own_tries < PARK_OWN_TRIES) &&
	       call->sp >= self->shallowest;
}

bool park_own_knows(const struct call_site *call);

/* May it teach one? To be asked first: an answer counts as a try. */
bool park_own_may_teach(void);
void park_own_teach(const struct call_site *call);

/* It has been woken. Where it was parked a run begins. */
static inline void park_end(void)
{
	if (unlikely(thread_self.block.pc))
		park_end_slowly();
}

/*
 * Did the tick find the thread parked? Then its run is over. Or just woken, so
 * that it is not known yet? Then it comes again, if it was not. Handler only.
 */
bool park_tick(struct thread *self);

#endif
