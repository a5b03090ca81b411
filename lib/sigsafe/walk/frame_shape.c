/*
 * The shape of a frame, by its row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/frame_shape.h"

#include "base/hash.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/walk/eh_frame.h"

/* Of the shape only pc is known. */
static void find(void *argument)
{
	struct frame_shape *shape = argument;
	struct function function;
	struct memory memory;
	unwind_row row;

	memory_begin(&memory, shape);
	/* The call belongs to the function, not what it returns to. */
	row = eh_frame_row_in(&memory, shape->pc - 1, &function);
	shape->function = function.start;

	/* Others need a word of the frame itself, which may be gone. */
	if (row_kind(row) != ROW_PLAIN ||
	    (row_base(row) != ROW_SP && row_base(row) != ROW_FP))
		return;
	shape->bytes = row_offset(row) * ROW_WORD;
	shape->by_fp = row_base(row) == ROW_FP;
}

const struct frame_shape *frame_shape_of(struct frame_shape *known,
					 uintptr_t pc)
{
	struct frame_shape *shape = &known[hash_slot(pc, FRAME_SHAPES)];

	if (unlikely(shape->pc != pc)) {
		*shape = (struct frame_shape){ .pc = pc };
		if (!spare_stack_call_by_hook(NULL, find, shape))
			shape->pc = 0;
	}
	return shape;
}
