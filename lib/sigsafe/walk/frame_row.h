/*
 * The row of a frame that a walk has come to, worked out where none is kept.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_FRAME_ROW_H
#define SIGSAFE_WALK_FRAME_ROW_H

#include "sigsafe/walk/unwind_row.h"
#include "sigsafe/walk/walk.h"

/* Of the frame at pc, the call it is in; kept if all could be read. */
unwind_row frame_row_find(struct memory *memory, const struct walk_frame *frame,
			  uintptr_t pc);

#endif
