/*
 * The calling thread's own stack: where it is.
 *
 * libc puts a thread's control block at the end of its stack, and notes in that
 * where the stack starts: that is found by what it must be, since no function
 * tells it without allocating. The kernel puts the arguments at the end of the
 * first thread's, and nothing else near below it. All of that up to the first
 * page that can't be read, or to its limit as the program starts, is the
 * thread's stack.
 *
 * Within it other stacks may lie, and come and go: so that alone makes nothing
 * safe to read, see sigsafe/walk/stack_reach.h. Of stacks elsewhere nothing is
 * remembered. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_OWN_STACK_H
#define SIGSAFE_STACKS_OWN_STACK_H

#include "sigsafe/os/memory.h"

/*
 * The end of the stack that sp points into, if that is the thread's own and is
 * readable from sp on; else 0. Asks the kernel about each page once.
 */
uintptr_t own_stack_end(uintptr_t sp);

/*
 * How many bytes of the thread's own stack are below sp; 0: sp is not on it.
 * Asks nobody: the first thread's counts as long as its limit was at the start.
 */
uintptr_t own_stack_room(uintptr_t sp);

/*
 * Does the thread itself begin there? sp: that of a frame without a caller, on
 * its own stack; called: that of the frame it has called. All threads but the
 * first leave as much free up to the end: as those do whose frames are libc's
 * beyond doubt. Faults are open.
 */
bool own_stack_begins_at(uintptr_t sp, uintptr_t called);

/* How much that is; UINT32_MAX: no such thread has been seen yet. */
uint32_t own_stack_gap(void);

/*
 * Does address lie on the thread's own stack, or on that of the first thread?
 */
bool own_stack_has(uintptr_t address);

/* Notes where the stack of the calling thread, the first one, ends. */
void own_stack_note_first(uintptr_t end);

#endif
