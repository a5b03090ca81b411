/*
 * Whether the calling thread leaves the signals of faults open, as far as that
 * is known without asking: then a walk by a hook just walks. Otherwise it opens
 * them itself meanwhile, by two system calls, which tell as well.
 *
 * Known it is of a thread that has been found to have them open and has never
 * blocked one, as far as its calls tell: so that no mask which a jump or the
 * switch to a context puts back does. It is not known of a thread that has been
 * born, whose mask is its maker's or its attributes', nor within a handler of
 * the host's, where the mask can be anything; who jumps out of one counts as
 * inside for good. Once a thread has blocked one, or has gone to a context, it
 * is asked for ever.
 *
 * Not seen are masks that an inline system call changes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_FAULT_MASK_H
#define SIGSAFE_SIGNALS_FAULT_MASK_H

#include "sigsafe/thread.h"

/* Known to be open? Signal-safe. */
static inline bool fault_mask_is_open(void)
{
	return thread_self.fault_mask == FAULT_MASK_OPEN;
}

/* The thread has, has had or is about to have this mask. Signal-safe. */
static inline void fault_mask_note(kernel_sigset mask)
{
	if (mask & FAULT_SIGNALS)
		thread_self.fault_mask = FAULT_MASK_VARIES;
}

/*
 * The kernel has told the thread's mask, and it is another one now: QUIET_MASK,
 * so that no handler of the host's comes in between. Signal-safe.
 */
void fault_mask_learn(kernel_sigset mask);

/*
 * Before and after a handler of the host's, which has been entered with uc. Not
 * after one that jumps out. Handler only.
 */
static inline enum fault_mask fault_mask_interrupt(void)
{
	enum fault_mask had = thread_self.fault_mask;

	if (had == FAULT_MASK_OPEN)
		thread_self.fault_mask = FAULT_MASK_UNKNOWN;
	return had;
}

static inline void fault_mask_resume(enum fault_mask had, ucontext_t *uc)
{
	if (thread_self.fault_mask == FAULT_MASK_UNKNOWN)
		thread_self.fault_mask = had;
	/* It may have changed the mask that it returns to. */
	fault_mask_note(*context_mask(uc));
}

#endif
