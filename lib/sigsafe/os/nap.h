/*
 * What to do between two looks at what another thread has to do first. That one
 * may have a lower priority: to yield, or to go on looking, would never let it
 * get on where it shares the processor. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_NAP_H
#define SIGSAFE_OS_NAP_H

#include <time.h>

#include "sigsafe/os/sys.h"

/* Most waits are over by then, if the other has a processor or is given one. */
#define NAP_YIELDS 20u

#define NAP_NS 50000u

/* looks: how many there have been. The first naps are short. */
static inline void nap(unsigned looks)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	if (looks < NAP_YIELDS)
		sys0(SYS_sched_yield);
	else
		sys2(SYS_nanosleep, &time, NULL);
}

#endif
