/*
 * The shares of a stall: each slice of it is given to the stack it ended with,
 * by cause, in the run's samples, in the thread's sums and in the timeline.
 * They add up to the stall's duration, in each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_SHARE_H
#define SIGSAFE_LOOPS_SHARE_H

#include "sigsafe/thread.h"

/*
 * The stall of the thread's run has lasted until now_ns: gives out the slice
 * since the last time. is_tick: self->loop->stack was taken now. Signal-safe.
 */
void share_until(struct thread *self, uint64_t now_ns, bool is_tick);

#endif
