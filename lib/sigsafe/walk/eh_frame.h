/*
 * .eh_frame (Linux Standard Base, "Exception Frames"): the call frame programs
 * of a loaded object, found by its sorted table. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_EH_FRAME_H
#define SIGSAFE_WALK_EH_FRAME_H

#include "sigsafe/os/memory.h"
#include "sigsafe/walk/unwind_row.h"

/*
 * The row for the instruction at pc. ROW_STRANGE: it has none, or one that we
 * can't read, be it that its object is being unloaded. memory: the walk's, to
 * read by. Not inlined: takes 600 bytes of the stack, and is seldom needed.
 */
unwind_row eh_frame_row(struct memory *memory, uintptr_t pc);

/* A function, as the rules have it; 0, 0: not known. */
struct function {
	uintptr_t start, end;
};

/* The same, and the function that pc is in. */
unwind_row eh_frame_row_in(struct memory *memory, uintptr_t pc,
			   struct function *function);

#endif
