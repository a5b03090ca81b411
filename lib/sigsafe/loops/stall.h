/*
 * Runs that are stalls: their ticks and their ends.
 *
 * What a tick or an end adds, it adds to the sums, the counts, the samples and
 * the timeline, or, once the recording is frozen, to none of them: so all of
 * them are of one instant. A stall that has not ended by then lasts for ever.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_STALL_H
#define SIGSAFE_LOOPS_STALL_H

#include "sigsafe/thread.h"

/* A stack was taken at now_ns in a run that is a stall; call: it was in. */
void stall_tick(struct thread *self, uint64_t begun_ns, uint64_t now_ns,
		enum blocking_call call);

/* A run has ended that was as long as a stall is. Signal-safe. */
void stall_end(struct thread *self, uint64_t begun_ns, uint64_t now_ns);

/* A run will not come back: as run_stops() has it. Signal-safe. */
void stall_stops(struct thread *self, enum run_state state);

#endif
