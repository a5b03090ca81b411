/*
 * The samples of the calling thread's run, while it is not known whether that
 * comes back to its loop: kept apart from those of stalls (SAMPLE_RUNNING), and
 * added to them when it does. A lock they are of is pinned until then.
 *
 * Written by their thread alone. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_RUN_SAMPLES_H
#define SIGSAFE_LOOPS_RUN_SAMPLES_H

#include "sigsafe/record/samples.h"
#include "sigsafe/thread.h"

/* As sample_add() has it. pinned: the sample's lock, or NULL: it has none. */
void run_samples_add(struct thread *self, struct sample sample, uint64_t ns,
		     uint64_t events, struct lock_record *pinned);

/*
 * The sample with this number (index + 1), of the thread's first (its samples)
 * or of one before (its next); NULL: none. The list may be a ring, if a handler
 * of the host left by a longjmp: who follows it has to count.
 */
struct sample_record *run_samples_at(const struct thread *self,
				     uint32_t number);

/* The run has come back. */
void run_samples_keep(struct thread *self);

/* It has left its loop, or was none: nothing was discarded in it either. */
void run_samples_drop(struct thread *self);

#endif
