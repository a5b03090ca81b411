/*
 * The runs of the calling thread, from the return of a wait to the call of the
 * next one, and the stalls among them, whose duration is shared out.
 *
 * The ticks of one stall at t1 < t2 < ... < tk share out the whole run: the
 * first stack gets run start .. t1, each later one the time since the tick
 * before, the last one also the rest up to the run's end. So the sum over a
 * stall's stacks is its measured duration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_RUN_H
#define SIGSAFE_LOOPS_RUN_H

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/thread.h"

/* Is its record in the live recording, and its loop its own? Signal-safe. */
static inline bool is_enrolled(const struct thread *self)
{
	return self->record && self->recording == live_recording();
}

/* Are the thread's runs recorded? Signal-safe. */
static inline bool is_watched(const struct thread *self)
{
	return is_enrolled(self) && !load_relaxed(&self->recording->frozen);
}

/* The turns that the thread has made where its loop waits now. */
static inline uint64_t run_turns(const struct thread *self)
{
	return self->record->waits - self->loop->seat_waits;
}

/* Its first run, or after it parked: is it a loop, or still one? */
static inline bool is_provisional(const struct thread *self)
{
	return unlikely((self->record->waits == 1 || self->parks) &&
			!self->takes_turns) ||
	       unlikely(self->is_doubted);
}

/*
 * Fields of the record are written by this thread alone, and read by others at
 * any time: relaxed stores, each number right by itself.
 */
#define grow(field, by) store_relaxed(&(field), (field) + (by))

/* The record is told that the run has ended at now_ns. Signal-safe. */
static inline void run_tell_end(struct thread *self, uint64_t begun_ns,
				uint64_t now_ns)
{
	struct thread_record *record = self->record;

	store_relaxed(&record->run_begun_ns, 0);
	store_relaxed(&record->latest_ns, now_ns);
	grow(record->busy_ns, now_ns - begun_ns);
}

/*
 * The thread enters a wait: the run, if there was one, is over. Returns the
 * time. Signal-safe.
 */
uint64_t run_end(enum blocking_call call);

/* A wait returned `events`: a run begins. Signal-safe. */
void run_begin(uint32_t events);

/*
 * The thread has parked at at_ns (lib/sigsafe/loops/park.h), which ends its
 * run, and resumes. What it does then is not known to be a run of its loop
 * until it has once waited for events after it parked. Signal-safe.
 */
void run_parks(uint64_t at_ns);
void run_resumes(void);

/* There was no run: a handler of the host that waits began it. Handler only. */
void run_forget(void);

/*
 * The run will not come back to its loop. RUN_LEFT: as the thread ends, or does
 * something else; what has been taken for a stall is none. RUN_LASTS: as the
 * program is ended, and a stall has lasted until now. Signal-safe.
 */
void run_stops(enum run_state state);

/* The calling thread is about to end the program. Signal-safe. */
static inline void run_program_ends(enum recording_end how)
{
	bool by_itself = how == END_EXIT || how == END_AT_ONCE;

	run_stops(by_itself ? RUN_LEFT : RUN_LASTS);
}

/*
 * The run is in a wait that may be what the thread does from now on, having
 * been a loop for its start only: unless a tick has come before, the run is
 * provisional as the first one is, and in the recording once it has come back.
 * Signal-safe.
 */
void run_doubt(struct thread *self);

/* Arms the timer for when the run begun at begun_ns is a stall, if ever. */
void run_arm(struct thread *self, uint64_t begun_ns);

#endif
