/*
 * A walk by rows: the frame it has come to, and the step to the next one.
 * Inlined: they are most of a warm walk. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_WALK_CURSOR_H
#define SIGSAFE_WALK_WALK_CURSOR_H

#include "sigsafe/os/machine.h"
#include "sigsafe/os/memory.h"
#include "sigsafe/walk/frame_row.h"
#include "sigsafe/walk/row_cache.h"
#include "sigsafe/walk/stack_reach.h"
#include "sigsafe/walk/walk.h"

/*
 * Where a walk is. The walk's own copy is passed to nothing that is not
 * inlined: so it stays in registers, where each frame waits for the one before.
 */
struct position {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	bool exact; /* as a frame's (sigsafe/walk/walk.h) */
};

/* So that it is. */
#define ON_THE_WAY static __attribute__((always_inline)) inline

struct cursor {
	const struct registers *from;
	struct memory memory;
	struct stack_reach reach;
	const struct walk *walk;
	struct position here;
	/* Where it ends: there is no caller, or are no rules for the code. */
	bool is_outermost;
	bool is_bare;
	/* Where the registers of `from` were saved since; 0: nowhere. */
	uintptr_t saved[ROW_REGISTERS];
};

/* The frame's words in front of `to` are read next. */
ON_THE_WAY void cursor_reach(struct cursor *at, const struct position *here,
			     uintptr_t to)
{
	stack_reach_to(&at->reach, here->pc, here->sp, to, at->walk->seen);
}

ON_THE_WAY bool register_value(struct cursor *at, const struct position *here,
			       enum row_register reg, uint64_t *value)
{
	if (reg == ROW_SP)
		*value = here->sp;
	else if (reg == ROW_FP)
		*value = here->fp;
	else if (at->saved[reg])
		return memory_read(&at->memory, at->saved[reg], value);
	else
		*value = at->from->value[row_register_number[reg]];
	return true;
}

/* The return address, if it is in a register. */
ON_THE_WAY bool cursor_return_register(struct cursor *at,
				       const struct position *here,
				       uint64_t *value)
{
	/* Where it is on the stack there is no such register to name. */
	enum row_register reg = RETURN_IS_ON_STACK ? ROW_SP : ROW_RETURN;

	return !RETURN_IS_ON_STACK && register_value(at, here, reg, value);
}

/* Once what the frame has saved is known. */
ON_THE_WAY bool find_return_address(struct cursor *at, struct position *here,
				    uintptr_t cfa)
{
	uint64_t pc;
	bool found = RETURN_IS_ON_STACK ? stack_reach_read(&at->memory,
							   cfa - ROW_WORD, &pc)
					: cursor_return_register(at, here, &pc);

	if (!found)
		return false;
	here->pc = machine_code_address(pc);
	return true;
}

/* Moves to the caller, whose registers are saved below `top`. */
ON_THE_WAY bool move_up(struct cursor *at, struct position *here, uintptr_t cfa,
			uintptr_t top, unwind_row row)
{
	uint32_t n = row_saved(row, ROW_FP);
	uint64_t fp = here->fp;

	/*
	 * Frames lie one above the other, and only what has called nothing may
	 * have none: so no chain is endless.
	 */
	if (cfa < here->sp + !here->exact || cfa % ROW_WORD)
		return false;
	cursor_reach(at, here, cfa);
	if (n && !stack_reach_read(&at->memory, top - n * ROW_WORD, &fp))
		return false;
	here->fp = fp;
#pragma GCC unroll 5
	for (unsigned i = ROW_FP + 1; i < ROW_REGISTERS; i++) {
		n = row_saved(row, i);
		if (n)
			at->saved[i] = top - n * ROW_WORD;
	}
	if (!find_return_address(at, here, cfa))
		return false;
	here->sp = cfa;
	here->exact = false;
	return true;
}

ON_THE_WAY bool step_plain(struct cursor *at, struct position *here,
			   unwind_row row)
{
	uint64_t base;

	if (!register_value(at, here, row_base(row), &base))
		return false;
	base += row_offset(row) * ROW_WORD;
	return move_up(at, here, base, base, row);
}

static __attribute__((noinline)) bool step_realigned(struct cursor *at,
						     unwind_row row)
{
	uint64_t base, cfa;

	if (!register_value(at, &at->here, row_base(row), &base))
		return false;
	cursor_reach(at, &at->here, base + ROW_WORD);
	return memory_read(&at->memory, base - row_offset(row) * ROW_WORD,
			   &cfa) &&
	       move_up(at, &at->here, cfa, base + ROW_WORD, row);
}

static __attribute__((noinline)) bool step_kept(struct cursor *at,
						unwind_row row)
{
	uint64_t base, kept;

	if (!register_value(at, &at->here, row_base(row), &base))
		return false;
	base += row_offset(row) * ROW_WORD;
	cursor_reach(at, &at->here, base + ROW_WORD);
	if (!memory_read(&at->memory, base, &kept))
		return false;
	return move_up(at, &at->here, kept + ROW_WORD, kept + ROW_WORD, row);
}

static __attribute__((noinline)) bool step_linkage(struct cursor *at,
						   unwind_row row)
{
	uintptr_t cfa = at->here.sp + ROW_WORD;

	if (at->here.pc % 16 >= row_offset(row))
		cfa += ROW_WORD;
	return move_up(at, &at->here, cfa, cfa, row);
}

/* Behind a handler's frame lies what it interrupted, on any stack. */
static __attribute__((noinline)) bool step_over_signal(struct cursor *at)
{
	const uint16_t *offset = row_register_in_context;
	uintptr_t context = at->here.sp + SIGRETURN_CONTEXT;
	uintptr_t pc = at->here.pc, sp = at->here.sp;

	cursor_reach(at, &at->here, context + offset[ROW_REGISTERS] + ROW_WORD);
	if (!memory_read(&at->memory, context + offset[ROW_REGISTERS],
			 &at->here.pc) ||
	    !memory_read(&at->memory, context + offset[ROW_FP], &at->here.fp) ||
	    !memory_read(&at->memory, context + offset[ROW_SP], &at->here.sp))
		return false;
	for (unsigned i = ROW_FP + 1; i < ROW_REGISTERS; i++)
		at->saved[i] = context + offset[i];
	at->here.exact = true;
	stack_reach_over_signal(&at->reach, pc, sp, at->here.sp,
				at->walk->seen);
	return true;
}

static __attribute__((noinline)) bool step_else(struct cursor *at,
						unwind_row row)
{
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

/* From `here` to its caller, by its row; false: it leads nowhere. */
ON_THE_WAY bool cursor_step(struct cursor *at, struct position *here,
			    unwind_row row)
{
	bool leads;

	if (likely(row_kind(row) == ROW_PLAIN))
		return step_plain(at, here, row);
	at->here = *here;
	leads = step_else(at, row);
	*here = at->here;
	return leads;
}

/* Meets the frame that it is at, and returns its row. */
ON_THE_WAY unwind_row cursor_meet(struct cursor *at, struct walk *walk,
				  const struct position *here,
				  struct walk_frame *frame)
{
	/* The call belongs to the frame, not what it returns to. */
	uintptr_t pc = here->pc - !here->exact;
	struct walk_frame copy;
	unwind_row row;

	frame->pc = here->pc;
	frame->exact = here->exact;
	walk_meet(walk, frame);
	if (frame->key && likely(row_cache_find(pc, frame->key, &row)))
		return row;
	copy = *frame;
	return frame_row_find(&at->memory, &copy, pc);
}

static inline void cursor_begin(struct cursor *at, const struct walk *walk,
				const struct registers *from)
{
	at->walk = walk;
	at->from = from;
	at->is_outermost = at->is_bare = false;
	at->here.pc = from->value[REGISTER_PC];
	at->here.exact = true;
	at->here.sp = from->value[REGISTER_SP];
	at->here.fp = from->value[REGISTER_FP];
	for (unsigned i = 0; i < ROW_REGISTERS; i++)
		at->saved[i] = 0;
	memory_begin(&at->memory, from);
	stack_reach_begin(&at->reach, &at->memory, at->here.sp);
}

#endif
