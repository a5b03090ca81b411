/*
 * Contexts. Each has a mask, which the program may have filled by hand, or may
 * yet: so a thread that goes from one to another is asked from then on whether
 * it leaves the signals of faults open (lib/sigsafe/signals/fault_mask.h). And
 * each has a stack, on which there may be no room for the frame of a signal,
 * where it natively kills without one: so the thread is given an alternate
 * stack, even if it is no loop.
 *
 * All else is libc's. What a context saves is the hook's caller, as a call that
 * is the last thing a function does is a jump.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_jump.h"
#include "sigsafe/live.h"
#include "sigsafe/os/process.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/stacks/alternate_stack.h"

/* Once: where there is no memory it goes without. A guest has no part in it. */
static cold void provide_stack(struct thread *self)
{
	if (live_is_left() || !alternate_stacks_are_given() ||
	    thread_is_over(self) || !process_memory())
		return;
	self->switches = true;
	/* It may be no loop, and would end without. */
	if (!self->record)
		pthread_setspecific(thread_key, self);
	alternate_stack_provide(self);
}

static inline void note(void)
{
	note_jump();
	fault_mask_note(FAULT_SIGNALS);
	if (unlikely(!thread_self.switches))
		provide_stack(&thread_self);
}

HOOK int setcontext(const ucontext_t *to)
{
	note();
	return real.setcontext(to);
}

HOOK int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	note();
	return real.swapcontext(from, to);
}
