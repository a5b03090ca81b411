/*
 * Stack capture: walk, translate to (module, offset), enter into the stack
 * table. The only way to take a stack.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_STACK_H
#define SIGSAFE_WALK_STACK_H

#include <ucontext.h>

#include "base/units.h"
#include "sigsafe/record/stack_table.h"
#include "sigsafe/walk/frame_shape.h"

/*
 * Takes the stack at interrupted, a signal handler's context; or where it is
 * NULL, the stack of the calling hook's caller, whose return address is caller.
 * The shim's own frames are left out.
 *
 * Returns the stack's place in SECTION_STACKS, or 0 where none could be
 * recorded (counted by reason in recording.lost). Where a walk can't be made
 * safely, the stack is its first frame alone (counted as well); where there is
 * no room for more, that one's address, without its module. Leaves errno alone.
 * Takes no lock of the host, allocates nothing. A hook's takes 600 bytes of the
 * stack it is called on; 2.5 KB where that is known to be the thread's own and
 * has 8 KiB left, and one more for callers without unwind rules. Signal-safe.
 */
uint32_t stack_capture(const ucontext_t *interrupted, const void *caller);

/*
 * The calls that led to one, as a stack that is entered nowhere: from the
 * function that makes the call up to one whose frame ends at or above top, and
 * as many as wanted. Depth 0: not so many lead there, or can't be told. frame:
 * room for those wanted, or NULL. top_pc: is set to the return address in the
 * one that reaches top, 0 if none does; or NULL. Signal-safe.
 */
struct stack_id stack_calls(const struct call_site *call, uintptr_t top,
			    unsigned wanted, uint64_t *frame,
			    uintptr_t *top_pc);

/* How stacks are taken. */
enum stack_way {
	STACK_FIRST_FRAME, /* not at all: the first frame alone */
	STACK_FRAME_POINTERS,
	STACK_UNWIND_TABLES
};

/*
 * Called once, at the start, when all that the way needs is ready. depth: the
 * frames kept, 1 to MAX_DEPTH. Until then there are no stacks.
 */
void stack_start(enum stack_way way, unsigned depth);

/*
 * Forgets what refers to the recording this process had (its module numbers):
 * called when a forked child starts afresh, no other thread of it running yet.
 * Signal-safe.
 */
void stack_reset(void);

#endif
