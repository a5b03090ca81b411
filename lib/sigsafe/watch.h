/*
 * The stall watch: decides when a run has become a stall, and shares out its
 * duration.
 *
 * The ticks of one stall at t1 < t2 < ... < tk share out the whole run: the
 * first stack gets run start .. t1, each later one the time since the tick
 * before, the last one also the rest up to the run's end. So the sum over a
 * stall's stacks is its measured duration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WATCH_H
#define SIGSAFE_WATCH_H

#include <signal.h>
#include <ucontext.h>

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/thread.h"

/* Are the thread's runs recorded? Signal-safe. */
static inline bool is_watched(const struct thread *self)
{
	return self->record && self->recording == live_recording() &&
	       !load_relaxed(&self->recording->frozen);
}

/* Its first run: whether it is a loop is not known yet. */
static inline bool is_provisional(const struct thread *self)
{
	return self->record->waits == 1;
}

/*
 * The thread enters a wait: the run, if there was one, is over. Returns the
 * time. Signal-safe.
 */
uint64_t watch_run_end(enum blocking_call call);

/* A wait returned `events`: a run begins. Signal-safe. */
void watch_run_begin(uint32_t events);

/* There was no run: a handler of the host that waits began it. Handler only. */
void watch_run_forget(void);

/*
 * The run will not come back to its loop. RUN_LEFT: as the thread ends, or does
 * something else; what has been taken for a stall is none. RUN_LASTS: as the
 * program is ended, and a stall has lasted until now. Signal-safe.
 */
void watch_run_stops(enum run_state state);

/* The calling thread is about to end the program. Signal-safe. */
static inline void watch_program_ends(enum recording_end how)
{
	bool by_itself = how == END_EXIT || how == END_AT_ONCE;

	watch_run_stops(by_itself ? RUN_LEFT : RUN_LASTS);
}

/*
 * The thread's own timer has fired. Handler only: called by signal_entry()
 * for SI_TIMER with our cookie, all signals blocked.
 */
void watch_tick(ucontext_t *uc);

/*
 * Around a call that a tick would break, other than a wait. begin() disarms the
 * timer, if it is armed, and says whether end() must be called. How long the
 * call may take does not matter: even one that is asked to end before the tick
 * may be late. Signal-safe.
 */
bool watch_block_begin(enum blocking_call call, const void *caller);
void watch_block_end(void);

#endif
