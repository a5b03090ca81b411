/*
 * Rows: each frame's row leads to the frame above.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk_rows.h"

#include "sigsafe/walk_cursor.h"
#include "sigsafe/walk_guess.h"

/* The frame at the cursor is handed over to another way to walk. */
static cold enum walk_state hand_over(struct cursor *at,
				      struct registers *registers)
{
	struct registers its = { .value[REGISTER_PC] =
					 at->frame.pc - !at->frame.exact };
	bool good = true;

	/* The first frame has more than rows follow. */
	if (at->frame.exact && at->sp == registers->value[REGISTER_SP])
		return WALK_GOES_ON;
	for (unsigned i = ROW_SP; i < ROW_REGISTERS; i++)
		good &= register_value(at, i,
				       &its.value[row_register_number[i]]);
	*registers = its;
	return good ? WALK_GOES_ON : WALK_CUT;
}

/* WALK_GOES_ON: the frame at the cursor has no row that leads on. */
static inline enum walk_state go_up(struct walk *walk, struct cursor *at)
{
	enum walk_state state;
	uintptr_t pc;
	unwind_row row;

	for (;;) {
		walk_meet(walk, &at->frame);
		pc = at->frame.pc + at->frame.exact;
		row = cursor_row(&at->memory, &at->frame);
		state = walk_keep(walk, &at->frame, row == ROW_SIGNAL);
		if (state != WALK_GOES_ON)
			return state;
		if (unlikely(!row_leads_on(row))) {
			at->is_outermost = row == ROW_OUTERMOST;
			return at->is_outermost ? WALK_COMPLETE : WALK_GOES_ON;
		}
		if (!cursor_step(at, row))
			return WALK_CUT;
		if (unlikely(at->sp >= walk->top)) {
			walk->has_met_top = true;
			walk->top_pc = pc;
			return WALK_COMPLETE;
		}
		if (!at->frame.pc)
			return WALK_COMPLETE;
	}
}

/*
 * Ways that are new to the thread are shown to be right by the frames that
 * follow, wanted or not: so that the next walk need not copy. Returns how many.
 */
static cold unsigned look_further(struct walk *walk, struct cursor *at)
{
	unsigned frames = 0;
	unwind_row row;

	at->reach.end = 0;
	for (;;) {
		walk_meet(walk, &at->frame);
		if (!at->frame.place.is_in_object ||
		    frames == STACK_REACH_FRAMES)
			return frames;
		row = cursor_row(&at->memory, &at->frame);
		at->is_outermost = row == ROW_OUTERMOST;
		if (!cursor_step(at, row))
			return frames;
		frames++;
	}
}

static cold void keep_ways(struct walk *walk, struct cursor *at,
			   enum walk_state state)
{
	unsigned seen = walk->seen;

	if (state == WALK_COMPLETE && !at->is_outermost)
		seen += look_further(walk, at);
	stack_reach_keep(&at->reach, seen, at->is_outermost);
}

enum walk_state walk_rows(struct walk *walk, struct registers *registers)
{
	enum walk_state state;
	struct cursor at;

	cursor_begin(&at, walk, registers);
	walk->locator.memory = &at.memory;
	do
		state = go_up(walk, &at);
	while (unlikely(state == WALK_GOES_ON) && walk_guess_caller(walk, &at));
	if (unlikely(state == WALK_GOES_ON))
		state = hand_over(&at, registers);
	walk->lacks_memory = at.memory.has_failed;
	if (unlikely(stack_reach_is_new(&at.reach)))
		keep_ways(walk, &at, state);
	if (unlikely(stack_reach_has_lost(&at.reach))) {
		walk->lacks_memory = true;
		state = WALK_CUT;
	}
	walk->locator.memory = NULL;
	return state;
}
