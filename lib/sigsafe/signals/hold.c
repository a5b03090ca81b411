/*
 * Held ticks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/hold.h"

#include "base/atomic.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/os/process.h"
#include "sigsafe/stacks/hosts_stack.h"

/*
 * Signals whose handlers were left unseen. Relaxed: what of two at once is lost
 * is found again.
 */
static kernel_sigset left_unseen;

/* Its frames lie below the kernel's, down to the end of the same stack. */
static uintptr_t lowest(const ucontext_t *uc)
{
	const stack_t *alternate = &uc->uc_stack;

	return stack_is_at(alternate, (uintptr_t)uc)
		       ? (uintptr_t)alternate->ss_sp
		       : 0;
}

cold bool hold_begin(struct thread *self, int sig, const ucontext_t *uc)
{
	if (load_relaxed(&left_unseen) & SIGNAL_BIT(sig) || !timer_hold(self))
		return false;
	self->loop->crash = (struct crash){ lowest(uc), (uintptr_t)uc, sig };
	return true;
}

cold void hold_end(struct thread *self)
{
	timer_release(self);
}

cold void hold_look(struct thread *self)
{
	const struct crash *crash = &self->loop->crash;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	if (sp - crash->lowest < crash->frame - crash->lowest)
		return;
	/* A guest that the handler has made is on a stack of its own. */
	if (!process_memory())
		return;
	store_relaxed(&left_unseen,
		      load_relaxed(&left_unseen) | SIGNAL_BIT(crash->sig));
	timer_release(self);
}
