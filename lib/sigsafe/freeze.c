/*
 * The freeze's slow side.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/freeze.h"

#include "sigsafe/clock.h"
#include "sigsafe/sys.h"

#define PATIENCE_NS (5 * NS_PER_MS)

void freeze(struct recording *rec)
{
	uint64_t give_up_ns = clock_now_ns() + PATIENCE_NS;

	/* Pairs with freeze_enter(). */
	store_seq_cst(&rec->frozen, 1);
	while (load_acquire(&rec->in_flight) && clock_now_ns() < give_up_ns)
		sys0(SYS_sched_yield);
}
