/*
 * The calling thread's own stack: where it is.
 *
 * libc puts a thread's control block at the end of its stack, and the kernel
 * puts the arguments at the end of the first thread's. So what has been found
 * readable without a gap up to there is taken for its stack: which also other
 * stacks may be that lie next to it, and be unmapped later. So that alone makes
 * nothing safe to read: see sigsafe/stack_reach.h. Of stacks further off
 * nothing is remembered. Signal-safe.
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

/* Notes where the stack of the calling thread, the first one, ends. */
void own_stack_note_first(uintptr_t end);

#endif
