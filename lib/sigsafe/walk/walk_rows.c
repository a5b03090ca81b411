/*
 * Rows: each frame's row leads to the frame above.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walk_rows.h"

#include "sigsafe/walk/walk_cursor.h"
#include "sigsafe/walk/walk_guess.h"

/* The frame at the cursor is handed over to another way to walk. */
static cold enum walk_state hand_over(struct cursor *at,
				      struct registers *registers)
{
	const struct position *here = &at->here;
	struct registers its = { .value[REGISTER_PC] =
					 here->pc - !here->exact };
	bool good = true;

	/* The first frame has more than rows follow. */
	if (here->exact && here->sp == registers->value[REGISTER_SP])
		return WALK_GOES_ON;
	for (unsigned i = ROW_SP; i < ROW_REGISTERS; i++)
		good &= register_value(at, here, i,
				       &its.value[row_register_number[i]]);
	*registers = its;
	return good ? WALK_GOES_ON : WALK_CUT;
}

/* Is this where the walk was to end? */
ON_THE_WAY bool has_arrived(struct walk *walk, const struct position *here,
			    uintptr_t left_pc)
{
	if (unlikely(here->sp >= walk->top)) {
		walk->has_met_top = true;
		walk->top_pc = left_pc;
		return true;
	}
	return !here->pc;
}

/* To the next frame. false: no further; WALK_GOES_ON: no row leads on. */
ON_THE_WAY bool pass(struct walk *walk, struct cursor *at,
		     struct position *here, enum walk_state *state)
{
	uintptr_t pc = here->pc + here->exact;
	struct walk_frame frame;
	unwind_row row = cursor_meet(at, walk, here, &frame);

	*state = walk_keep(walk, &frame, row_is_not_called(row));
	if (*state != WALK_GOES_ON)
		return false;
	if (unlikely(!row_leads_on(row))) {
		at->is_outermost = row_is_outermost(row);
		at->is_bare = row == ROW_BARE && frame.place.is_in_object;
		*state = at->is_outermost ? WALK_COMPLETE : WALK_GOES_ON;
		return false;
	}
	if (!cursor_step(at, here, row))
		*state = WALK_CUT;
	else if (has_arrived(walk, here, pc))
		*state = WALK_COMPLETE;
	return *state == WALK_GOES_ON;
}

static inline enum walk_state go_up(struct walk *walk, struct cursor *at)
{
	struct position here = at->here;
	enum walk_state state;

	while (pass(walk, at, &here, &state))
		;
	at->here = here;
	return state;
}

/*
 * Ways that are new to the thread are shown to be right by the frames that
 * follow, wanted or not: so that the next walk need not copy. Returns how many.
 */
static cold unsigned look_further(struct walk *walk, struct cursor *at)
{
	struct walk_frame frame;
	unsigned frames = 0;
	unwind_row row;

	at->reach.end = 0;
	for (;;) {
		row = cursor_meet(at, walk, &at->here, &frame);
		if (!frame.place.is_in_object || frames == STACK_REACH_FRAMES)
			return frames;
		at->is_outermost = row_is_outermost(row);
		if (!cursor_step(at, &at->here, row))
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
