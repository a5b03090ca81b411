/*
 * A walk by rows: the frame it has come to, and the step to the next one.
 * Inlined: they are most of a warm walk. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WALK_CURSOR_H
#define SIGSAFE_WALK_CURSOR_H

#include "sigsafe/frame_row.h"
#include "sigsafe/machine.h"
#include "sigsafe/memory.h"
#include "sigsafe/row_cache.h"
#include "sigsafe/stack_reach.h"
#include "sigsafe/walk.h"

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
static inline void cursor_reach(struct cursor *at, uintptr_t to)
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

/* The return address, if it is in a register. */
static inline bool cursor_return_register(struct cursor *at, uint64_t *value)
{
	/* Where it is on the stack there is no such register to name. */
	enum row_register reg = RETURN_IS_ON_STACK ? ROW_SP : ROW_RETURN;

	return !RETURN_IS_ON_STACK && register_value(at, reg, value);
}

/* Once what the frame has saved is known. */
static inline bool find_return_address(struct cursor *at, uintptr_t cfa)
{
	if (RETURN_IS_ON_STACK)
		return stack_reach_read(&at->memory, cfa - ROW_WORD,
					&at->frame.pc);
	if (!cursor_return_register(at, &at->frame.pc))
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
	cursor_reach(at, cfa);
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

static __attribute__((noinline)) bool step_realigned(struct cursor *at,
						     unwind_row row)
{
	uint64_t base, cfa;

	if (!register_value(at, row_base(row), &base))
		return false;
	cursor_reach(at, base + ROW_WORD);
	return memory_read(&at->memory, base - row_offset(row) * ROW_WORD,
			   &cfa) &&
	       move_up(at, cfa, base + ROW_WORD, row);
}

static __attribute__((noinline)) bool step_kept(struct cursor *at,
						unwind_row row)
{
	uint64_t base, kept;

	if (!register_value(at, row_base(row), &base))
		return false;
	base += row_offset(row) * ROW_WORD;
	cursor_reach(at, base + ROW_WORD);
	if (!memory_read(&at->memory, base, &kept))
		return false;
	return move_up(at, kept + ROW_WORD, kept + ROW_WORD, row);
}

static __attribute__((noinline)) bool step_linkage(struct cursor *at,
						   unwind_row row)
{
	uintptr_t cfa = at->sp + ROW_WORD;

	if (at->frame.pc % 16 >= row_offset(row))
		cfa += ROW_WORD;
	return move_up(at, cfa, cfa, row);
}

/* Behind a handler's frame lies what it interrupted, on any stack. */
static __attribute__((noinline)) bool step_over_signal(struct cursor *at)
{
	const uint16_t *offset = row_register_in_context;
	uintptr_t context = at->sp + SIGRETURN_CONTEXT;
	uintptr_t pc = at->frame.pc, sp = at->sp;

	cursor_reach(at, context + offset[ROW_REGISTERS] + ROW_WORD);
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

/* To the caller of the frame, whose row it is; false: it leads nowhere. */
static inline bool cursor_step(struct cursor *at, unwind_row row)
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

/* The row of the frame, once walk_meet() has met it. */
static inline unwind_row cursor_row(struct memory *memory,
				    const struct walk_frame *frame)
{
	/* The call belongs to the frame, not what it returns to. */
	uintptr_t pc = frame->pc - !frame->exact;
	unwind_row row;

	if (frame->key && likely(row_cache_find(pc, frame->key, &row)))
		return row;
	return frame_row_find(memory, frame, pc);
}

static inline void cursor_begin(struct cursor *at, const struct walk *walk,
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

#endif
