/*
 * The calling thread's own stack: what of it can be read without asking first.
 *
 * libc puts a thread's control block at the end of its stack, and the kernel
 * puts the arguments at the end of the first thread's. So what has been found
 * readable without a gap up to there is one mapping, and stays as long as the
 * thread lives. Other stacks (coroutines', signal handlers') come and go, and
 * nothing is remembered of these. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OWN_STACK_H
#define SIGSAFE_OWN_STACK_H

#include "sigsafe/memory.h"

/*
 * The end of the stack that sp points into, if that is the thread's own and is
 * readable from sp on; else 0. Asks the kernel about each page once.
 */
uintptr_t own_stack_end(uintptr_t sp);

/*
 * Does address lie on the thread's own stack, or on that of the first thread?
 */
bool own_stack_has(uintptr_t address);

/*
 * Lets a walk that comes to sp read the own stack from there on, if it is that
 * one; instead of any it was let read before.
 */
static inline void own_stack_trust(struct memory *memory, uintptr_t sp)
{
	uintptr_t end = own_stack_end(sp);

	memory_trust(memory, end ? sp : 0, end);
}

/* Notes where the stack of the calling thread, the first one, ends. */
void own_stack_note_first(uintptr_t end);

#endif
