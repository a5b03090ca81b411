/*
 * Where threads of this program park, having nothing to do: pools of threads
 * that take turns at one epoll descriptor (asio's io_context), and pools that a
 * loop's thread is given back to. A loop that parks is idle, not stalled.
 *
 * Places are learnt from threads that have never waited for events. Each of the
 * first times that such a one blocks in a condition variable, a semaphore or a
 * raw futex, no deeper in its stack than ever before, the calls that led there
 * are a place to park. (Not until a deadline that is near: shim/hook_park.h.)
 * (Not so the main thread's: it waits for what it has started.)
 *
 * Where several threads take turns at one epoll descriptor, all may have waited
 * before any of them parked. So one that has never been where it was taught to
 * park teaches as well: a place that is called beside its wait for events, by
 * no callback (lib/sigsafe/way.h), if no two threads have been seen to wait at
 * that descriptor at once (lib/sigsafe/turns.h).
 *
 * A loop's thread is parked where it blocks in such a place, and
 *
 *   other threads wait at the same epoll descriptor, or have since it blocked,
 *   or did less than a second before; and the calls that led there are
 *   the same up to the function that its loop's wait was called in
 *   or its whole stack is the same
 *
 * So what blocks in a callback is not parked, whatever it blocks in: the
 * callback is no part of the place, nor, inlined, is where it stands in that
 * function. (In Python it is no part of the stack. One in a thread of Python's
 * own is taken for parked where others are idle.)
 *
 * A place that the thread itself has taught, and no other one, may as well be
 * where its loop waits in each turn, which is part of the run; so may one where
 * it waits until a deadline, if only one thread has taught it. That is taken
 * for a pool's only where other threads wait at the same epoll descriptor,
 * where the thread has made many waits for events since it last was there, or
 * where those are the polls of one descriptor by which libraries wait for an
 * answer.
 *
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_PARK_H
#define SIGSAFE_PARK_H

#include "sigsafe/thread.h"

#define PARK_LESSONS	   8  /* of each thread */
#define PARK_TIMED_LESSONS 4  /* of these with a deadline, at most */
#define PARK_DEPTH	   12 /* calls compared, at most */

void park_begin_slowly(struct call_site call, bool is_timed);
void park_end_slowly(void);

/* The thread is about to block for as long as it takes, called from there. */
static inline void park_begin(struct call_site call)
{
	if (unlikely(thread_self.run_begun_ns ||
		     thread_self.lessons < PARK_LESSONS))
		park_begin_slowly(call, false);
}

/* Or until a deadline: then it is park_begin_slowly(), if this says so. */
static inline bool park_may_begin_timed(void)
{
	return unlikely(thread_self.run_begun_ns ||
			thread_self.lessons < PARK_TIMED_LESSONS);
}

/*
 * The same, in a call that no tick may come in (watch_block_begin(), which is
 * to follow): whether it has parked is asked at once, and again at the end.
 */
void park_at_once(struct call_site call);

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
