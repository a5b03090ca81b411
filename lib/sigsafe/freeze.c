/*
 * The freeze's slow side.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/freeze.h"

#include "sigsafe/clock.h"
#include "sigsafe/sys.h"

/* A thread in the midst of an operation may have to wait for a processor. */
#define PATIENCE_NS (50 * NS_PER_MS)

void freeze(struct recording *rec)
{
	uint64_t give_up_ns = clock_now_ns() + PATIENCE_NS;

	/* Pairs with freeze_enter(). */
	store_seq_cst(&rec->frozen, 1);
	while (load_acquire(&rec->in_flight) > thread_self.in_flight &&
	       clock_now_ns() < give_up_ns)
		sys0(SYS_sched_yield);
}
