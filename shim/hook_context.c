/*
 * Contexts. Each has a mask, which the program may have filled by hand, or may
 * yet: so a thread that goes from one to another is asked from then on whether
 * it leaves the signals of faults open (lib/sigsafe/fault_mask.h).
 *
 * All else is libc's. What a context saves is the hook's caller, as a call that
 * is the last thing a function does is a jump.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "sigsafe/fault_mask.h"

HOOK int setcontext(const ucontext_t *to)
{
	fault_mask_note(FAULT_SIGNALS);
	return real.setcontext(to);
}

HOOK int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	fault_mask_note(FAULT_SIGNALS);
	return real.swapcontext(from, to);
}
