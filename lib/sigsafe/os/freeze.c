/*
 * The freeze's slow side.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/os/freeze.h"

#include "sigsafe/os/clock.h"
#include "sigsafe/os/nap.h"
#include "sigsafe/os/sys.h"

/* A thread in the midst of an operation may have to wait for a processor. */
#define PATIENCE_NS (50 * NS_PER_MS)

uint32_t freeze_held;

static void await_operations(const struct recording *rec)
{
	uint64_t give_up_ns = clock_now_ns() + PATIENCE_NS;
	unsigned looks = 0;

	while (load_acquire(&rec->in_flight) > thread_self.in_flight &&
	       clock_now_ns() < give_up_ns)
		nap(looks++);
}

void freeze(struct recording *rec)
{
	/* Pairs with freeze_enter(). */
	store_seq_cst(&rec->frozen, 1);
	await_operations(rec);
}

void freeze_hold(const struct recording *rec)
{
	/* Pairs with freeze_enter(). */
	store_seq_cst(&freeze_held, 1);
	await_operations(rec);
}

void freeze_release(void)
{
	store_release(&freeze_held, 0);
}

/* Leaves, and enters again later. */
static void stand_aside(struct recording *rec)
{
	const struct timespec moment = { .tv_nsec = NS_PER_MS / 4 };

	freeze_leave(rec);
	sys2(SYS_nanosleep, &moment, NULL);
	thread_self.in_flight++;
	add_seq_cst(&rec->in_flight, 1);
}

cold bool freeze_enter_late(struct recording *rec)
{
	uint64_t give_up_ns = clock_now_ns() + PATIENCE_NS;

	/* If it has interrupted an operation, that one is waited for. */
	while (thread_self.in_flight == 1 && load_seq_cst(&freeze_held) &&
	       !load_seq_cst(&rec->frozen) && clock_now_ns() < give_up_ns)
		stand_aside(rec);
	if (!load_seq_cst(&rec->frozen))
		return true;
	freeze_leave(rec);
	return false;
}
