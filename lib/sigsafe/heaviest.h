/*
 * Where a run that is a stall has spent most of its time: found in its samples
 * (sigsafe/run_samples.h) by going from the outermost frame inwards, into the
 * callee that has more than half. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_HEAVIEST_H
#define SIGSAFE_HEAVIEST_H

#include "sigsafe/thread.h"

struct heaviest {
	uint32_t stack; /* in SECTION_STACKS; 0: no sample tells */
	/*
	 * The heaviest stack that leaves that one where first less than nine
	 * tenths of the time stayed in it; 0: they stayed to its end.
	 */
	uint32_t apart;
};

/* Of the calling thread's run. Looks at each of its samples for each frame. */
struct heaviest heaviest_of(const struct thread *self);

#endif
