/*
 * Rows: each frame's row leads to the frame above.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk_rows.h"

#include "sigsafe/frame_row.h"
#include "sigsafe/memory.h"
#include "sigsafe/row_cache.h"
#include "sigsafe/stack_reach.h"

struct cursor {
	const struct registers *from;
	struct memory memory;
	struct stack_reach reach;
	const struct walk *walk;
	bool is_outermost;
	struct walk_frame frame;
	uintptr_t sp;
	uintptr_t fp;
	/* Where the registers of `from` were saved since; 0: nowhere. */
	uintptr_t saved[ROW_REGISTERS];
};

/* The frame's words in front of `to` are read next. */
static inline void reach(struct cursor *at, uintptr_t to)
{
	stack_reach_to(&at->reach, at->frame.pc, at->sp, to, at->walk->seen);
}

static inline bool register_value(struct cursor *at, enum row_register reg,
				  uint64_t *value)
{
	if (reg == ROW_SP)
		*value = at->sp;
	else if (reg == ROW_FP)
		*value = at->fp;
	else if (at->saved[reg])
		return memory_read(&at->memory, at->saved[reg], value);
	else
		*value = at->from->value[row_register_number[reg]];
	return true;
}

/* Once what the frame has saved is known. */
static inline bool find_return_address(struct cursor *at, uintptr_t cfa)
{
	/* Where it is on the stack no register has it. */
	enum row_register reg = RETURN_IS_ON_STACK ? ROW_SP : ROW_RETURN;

	if (RETURN_IS_ON_STACK)
		return stack_reach_read(&at->memory, cfa - ROW_WORD,
					&at->frame.pc);
	if (!register_value(at, reg, &at->frame.pc))
		return false;
	at->frame.pc = machine_code_address(at->frame.pc);
	return true;
}

/* Moves to the caller, whose registers are saved below `top`. */
static inline bool move_up(struct cursor *at, uintptr_t cfa, uintptr_t top,
			   unwind_row row)
{
	uint32_t n = row_saved(row, ROW_FP);

	/*
	 * Frames lie one above the other, and only what has called nothing may
	 * have none: so no chain is endless.
	 */
	if (cfa < at->sp + !at->frame.exact || cfa % ROW_WORD)
		return false;
	reach(at, cfa);
	if (n && !stack_reach_read(&at->memory, top - n * ROW_WORD, &at->fp))
		return false;
#pragma GCC unroll 5
	for (unsigned i = ROW_FP + 1; i < ROW_REGISTERS; i++) {
		n = row_saved(row, i);
		at->saved[i] = n ? top - n * ROW_WORD : at->saved[i];
	}
	if (!find_return_address(at, cfa))
		return false;
	at->sp = cfa;
	at->frame.exact = false;
	return true;
}

static inline bool step_plain(struct cursor *at, unwind_row row)
{
	uint64_t base;

	if (!register_value(at, row_base(row), &base))
		return false;
	base += row_offset(row) * ROW_WORD;
	return move_up(at, base, base, row);
}

static bool step_realigned(struct cursor *at, unwind_row row)
{
	uint64_t base, cfa;

	if (!register_value(at, row_base(row), &base))
		return false;
	reach(at, base + ROW_WORD);
	return memory_read(&at->memory, base - row_offset(row) * ROW_WORD,
			   &cfa) &&
	       move_up(at, cfa, base + ROW_WORD, row);
}

static bool step_kept(struct cursor *at, unwind_row row)
{
	uint64_t base, kept;

	if (!register_value(at, row_base(row), &base))
		return false;
	base += row_offset(row) * ROW_WORD;
	reach(at, base + ROW_WORD);
	if (!memory_read(&at->memory, base, &kept))
		return false;
	return move_up(at, kept + ROW_WORD, kept + ROW_WORD, row);
}

static bool step_linkage(struct cursor *at, unwind_row row)
{
	uintptr_t cfa = at->sp + ROW_WORD;

	if (at->frame.pc % 16 >= row_offset(row))
		cfa += ROW_WORD;
	return move_up(at, cfa, cfa, row);
}

/* Behind a handler's frame lies what it interrupted, on any stack. */
static bool step_over_signal(struct cursor *at)
{
	const uint16_t *offset = row_register_in_context;
	uintptr_t context = at->sp + SIGRETURN_CONTEXT;
	uintptr_t pc = at->frame.pc, sp = at->sp;

	reach(at, context + offset[ROW_REGISTERS] + ROW_WORD);
	if (!memory_read(&at->memory, context + offset[ROW_REGISTERS],
			 &at->frame.pc) ||
	    !memory_read(&at->memory, context + offset[ROW_FP], &at->fp) ||
	    !memory_read(&at->memory, context + offset[ROW_SP], &at->sp))
		return false;
	for (unsigned i = ROW_FP + 1; i < ROW_REGISTERS; i++)
		at->saved[i] = context + offset[i];
	at->frame.exact = true;
	stack_reach_over_signal(&at->reach, pc, sp, at->sp, at->walk->seen);
	return true;
}

static inline bool step(struct cursor *at, unwind_row row)
{
	if (likely(row_kind(row) == ROW_PLAIN))
		return step_plain(at, row);
	switch (row_kind(row)) {
	case ROW_REALIGNED:
		return step_realigned(at, row);
	case ROW_KEPT:
		return step_kept(at, row);
	case ROW_PLT:
		return step_linkage(at, row);
	case ROW_SIGNAL:
		return step_over_signal(at);
	default:
		return false;
	}
}

static inline unwind_row row_of(struct memory *memory,
				const struct walk_frame *frame)
{
	/* The call belongs to the frame, not what it returns to. */
	uintptr_t pc = frame->pc - !frame->exact;
	unwind_row row;

	if (frame->key && likely(row_cache_find(pc, frame->key, &row)))
		return row;
	return frame_row_find(memory, frame, pc);
}

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

static void begin(struct cursor *at, const struct walk *walk,
		  const struct registers *from)
{
	at->walk = walk;
	at->from = from;
	at->is_outermost = false;
	at->frame.pc = from->value[REGISTER_PC];
	at->frame.exact = true;
	at->sp = from->value[REGISTER_SP];
	at->fp = from->value[REGISTER_FP];
	for (unsigned i = 0; i < ROW_REGISTERS; i++)
		at->saved[i] = 0;
	memory_begin(&at->memory, from);
	stack_reach_begin(&at->reach, &at->memory, at->sp);
}

static inline enum walk_state go_up(struct walk *walk, struct cursor *at,
				    struct registers *registers)
{
	enum walk_state state;
	uintptr_t pc;
	unwind_row row;

	for (;;) {
		walk_meet(walk, &at->frame);
		pc = at->frame.pc + at->frame.exact;
		row = row_of(&at->memory, &at->frame);
		state = walk_keep(walk, &at->frame, row == ROW_SIGNAL);
		if (state != WALK_GOES_ON)
			return state;
		if (row == ROW_OUTERMOST) {
			at->is_outermost = true;
			return WALK_COMPLETE;
		}
		if (row == ROW_STRANGE)
			return hand_over(at, registers);
		if (!step(at, row))
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
		row = row_of(&at->memory, &at->frame);
		at->is_outermost = row == ROW_OUTERMOST;
		if (!step(at, row))
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

	begin(&at, walk, registers);
	walk->locator.memory = &at.memory;
	state = go_up(walk, &at, registers);
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
