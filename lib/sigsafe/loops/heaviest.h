/*
 * Where a run that is a stall has spent most of its time: found in its samples
 * (sigsafe/loops/run_samples.h) by going from the outermost frame inwards, into
 * the callee that has more than half. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_HEAVIEST_H
#define SIGSAFE_LOOPS_HEAVIEST_H

#include "sigsafe/thread.h"

struct heaviest {
	uint32_t stack; /* in SECTION_STACKS; 0: no sample tells */
	/*
	 * The heaviest stack that leaves that one where first less than nine
	 * tenths of the time stayed in it; 0: they stayed to its end.
	 */
	uint32_t apart;
};

/*
 * Of the calling thread's run. Looks at each of its samples twice for each
 * frame, and compares all frames down to that one: where no sample leaves the
 * way, 3 us for 10 samples of 10 frames, 30 us for 100 of these, 35 us for 10
 * of 60 frames, 320 us for 100 of those (measured, warm, the best of 20 on a
 * 2-processor virtual machine). A tick pays that only where the stall has grown
 * by a quarter since (lib/sigsafe/record/events.c): 10 times for each tenfold
 * length.
 */
struct heaviest heaviest_of(const struct thread *self);

#endif
