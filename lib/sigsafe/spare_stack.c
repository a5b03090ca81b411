/*
 * Spare stacks: as many as handlers can be expected to be in at one instant.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/spare_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include "base/atomic.h"
#include "sigsafe/alternate_stack.h"
#include "sigsafe/fault_mask.h"
#include "sigsafe/live.h"
#include "sigsafe/memory.h"
#include "sigsafe/other_stack.h"
#include "sigsafe/own_stack.h"
#include "sigsafe/sys.h"

#define STACKS	    8u
#define STACK_BYTES (16u << 10)
#define ALL	    ((1u << STACKS) - 1)

/* Of its thread's own stack a hook may use what it likes, if so much is left.
 */
#define HOOK_ROOM_BYTES (8u << 10)

/*
 * Each an unreadable page and the stack above it; NULL: none. Written by
 * spare_stack_start(), before the first tick.
 */
static char *stacks;

/* One bit for each that is in use. */
static uint32_t in_use;

void spare_stack_start(void)
{
	const size_t each = PAGE_BYTES + STACK_BYTES;
	long at =
		sys6(SYS_mmap, 0, (long)(STACKS * each), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (at < 0)
		return;
	/* Without the unreadable pages they are as good, if nothing is wrong.
	 */
	for (unsigned i = 0; i < STACKS; i++)
		sys3(SYS_mprotect, (size_t)at + i * each, PAGE_BYTES,
		     PROT_NONE);
	stacks = (char *)at;
}

/* The bit of one that is now the caller's, or 0. */
static uint32_t take(void)
{
	/* Relaxed: a guess, which the exchange puts right. */
	uint32_t seen = load_relaxed(&in_use);

	for (;;) {
		uint32_t bit = ~seen & (seen + 1) & ALL;

		/* Pairs with the release in spare_stack_call(). */
		if (!bit || cas_acq_rel(&in_use, &seen, seen | bit))
			return bit;
	}
}

static bool has_room_here(void)
{
	return alternate_stack_holds(&thread_self,
				     (uintptr_t)__builtin_frame_address(0));
}

void spare_stack_call(void (*work)(void *), void *argument)
{
	uint32_t bit = stacks && !has_room_here() ? take() : 0;
	size_t end;

	if (!bit) {
		work(argument);
		return;
	}
	end = ((unsigned)__builtin_ctz(bit) + 1) * (PAGE_BYTES + STACK_BYTES);
	other_stack_call(stacks + end, work, argument);
	/* Pairs with take(). */
	sub_release(&in_use, bit);
}

/*
 * Nothing of the host's is on the alternate stack now: it may well be used, but
 * not by a guest beside the thread whose it is, and which may be ticked.
 */
static void call_elsewhere(void (*work)(void *), void *argument)
{
	struct thread *self = &thread_self;

	if (alternate_stack_is_set(self))
		machine_call_on(self->alternate_stack + ALTERNATE_STACK_BYTES,
				work, argument);
	else
		spare_stack_call(work, argument);
}

/* By now seccomp may kill for the question; and no stack is walked. */
static inline bool may_not_survive_faults(void)
{
	return unlikely(!fault_mask_is_open()) && !live_is_left();
}

void spare_stack_call_by_hook(void (*work)(void *), void *argument)
{
	bool has_room = own_stack_room((uintptr_t)__builtin_frame_address(0)) >=
			HOOK_ROOM_BYTES;
	const kernel_sigset quiet = QUIET_MASK;
	kernel_sigset before;

	/* On the alternate one all signals are blocked but those of faults. */
	if (has_room_here() || (has_room && !may_not_survive_faults())) {
		work(argument);
		return;
	}
	sys_sigprocmask(SIG_SETMASK, &quiet, &before);
	fault_mask_learn(before);
	if (has_room)
		work(argument);
	else
		call_elsewhere(work, argument);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

void spare_stack_reset(void)
{
	store_release(&in_use, 0);
}
