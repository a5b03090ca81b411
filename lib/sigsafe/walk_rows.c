/*
 * Rows: each frame's row leads to the frame above.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk_rows.h"

#include "sigsafe/eh_frame.h"
#include "sigsafe/memory.h"
#include "sigsafe/own_stack.h"
#include "sigsafe/row_cache.h"

struct cursor {
	const struct registers *from;
	struct memory memory;
	struct walk_frame frame;
	uintptr_t sp;
	uintptr_t fp;
	/* Where the registers of `from` were saved since; 0: nowhere. */
	uintptr_t saved[ROW_REGISTERS];
};

static const uint8_t dwarf_number[ROW_REGISTERS] = {
	[ROW_SP] = REGISTER_SP,	    [ROW_FP] = REGISTER_FP,
	[ROW_BX] = REGISTER_BX,	    [ROW_12] = REGISTER_12,
	[ROW_13] = REGISTER_12 + 1, [ROW_14] = REGISTER_12 + 2,
	[ROW_15] = REGISTER_12 + 3,
};

/* Frames on this stack can be read from now on, if it is the thread's own. */
static void enter_stack(struct cursor *at)
{
	uintptr_t end = own_stack_end(at->sp);

	if (end)
		memory_trust(&at->memory, at->sp, end);
	else
		memory_trust(&at->memory, 0, 0);
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
		*value = at->from->value[dwarf_number[reg]];
	return true;
}

/* Moves to the caller, whose registers are saved below `top`. */
static inline bool move_up(struct cursor *at, uintptr_t cfa, uintptr_t top,
			   unwind_row row)
{
	uint32_t n = row_saved(row, ROW_FP);

	/* Frames lie one above the other: so no chain is endless. */
	if (cfa <= at->sp || cfa % ROW_WORD ||
	    !memory_read(&at->memory, cfa - ROW_WORD, &at->frame.pc))
		return false;
	if (n && !memory_read(&at->memory, top - n * ROW_WORD, &at->fp))
		return false;
#pragma GCC unroll 5
	for (unsigned i = ROW_BX; i < ROW_REGISTERS; i++) {
		n = row_saved(row, i);
		at->saved[i] = n ? top - n * ROW_WORD : at->saved[i];
	}
	at->sp = cfa;
	at->frame.exact = false;
	return true;
}

static bool step_plain(struct cursor *at, unwind_row row)
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

	return register_value(at, row_base(row), &base) &&
	       memory_read(&at->memory, base - row_offset(row) * ROW_WORD,
			   &cfa) &&
	       move_up(at, cfa, base + ROW_WORD, row);
}

static bool step_kept(struct cursor *at, unwind_row row)
{
	uint64_t base, kept;

	if (!register_value(at, row_base(row), &base) ||
	    !memory_read(&at->memory, base + row_offset(row) * ROW_WORD, &kept))
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
	static const uint8_t greg[ROW_REGISTERS] = {
		[ROW_BX] = REG_RBX, [ROW_12] = REG_R12, [ROW_13] = REG_R13,
		[ROW_14] = REG_R14, [ROW_15] = REG_R15,
	};
	uintptr_t gregs = at->sp + offsetof(ucontext_t, uc_mcontext.gregs);

	if (!memory_read(&at->memory, gregs + REG_RIP * ROW_WORD,
			 &at->frame.pc) ||
	    !memory_read(&at->memory, gregs + REG_RBP * ROW_WORD, &at->fp) ||
	    !memory_read(&at->memory, gregs + REG_RSP * ROW_WORD, &at->sp))
		return false;
	for (unsigned i = ROW_BX; i < ROW_REGISTERS; i++)
		at->saved[i] = gregs + greg[i] * ROW_WORD;
	at->frame.exact = true;
	enter_stack(at);
	return true;
}

static bool step(struct cursor *at, unwind_row row)
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

static cold unwind_row find_row(const struct walk_frame *frame, uintptr_t pc)
{
	unwind_row row = eh_frame_row(pc);

	/* The program's own way back from a signal handler may have none. */
	if (row == ROW_STRANGE && walk_returns_from_signal(frame))
		row = ROW_SIGNAL;
	if (frame->key)
		row_cache_add(pc, frame->key, row);
	return row;
}

static unwind_row row_of(const struct walk_frame *frame)
{
	/* The call belongs to the frame, not what it returns to. */
	uintptr_t pc = frame->pc - !frame->exact;
	unwind_row row;

	if (frame->key && likely(row_cache_find(pc, frame->key, &row)))
		return row;
	return find_row(frame, pc);
}

/* The frame at the cursor is handed over to another way to walk. */
static cold enum walk_state hand_over(struct cursor *at,
				      struct registers *registers)
{
	struct registers its = { .value[REGISTER_PC] =
					 at->frame.pc - !at->frame.exact };
	bool good = true;

	for (unsigned i = ROW_SP; i < ROW_REGISTERS; i++)
		good &= register_value(at, i, &its.value[dwarf_number[i]]);
	*registers = its;
	return good ? WALK_GOES_ON : WALK_CUT;
}

static void begin(struct cursor *at, const struct registers *from)
{
	at->from = from;
	at->frame.pc = from->value[REGISTER_PC];
	at->frame.exact = true;
	at->sp = from->value[REGISTER_SP];
	at->fp = from->value[REGISTER_FP];
	for (unsigned i = 0; i < ROW_REGISTERS; i++)
		at->saved[i] = 0;
	memory_begin(&at->memory, from);
	enter_stack(at);
}

enum walk_state walk_rows(struct walk *walk, struct registers *registers)
{
	enum walk_state state;
	struct cursor at;
	unwind_row row;

	begin(&at, registers);
	for (;;) {
		walk_meet(walk, &at.frame);
		row = row_of(&at.frame);
		state = walk_keep(walk, &at.frame, row == ROW_SIGNAL);
		if (state != WALK_GOES_ON)
			return state;
		if (row == ROW_OUTERMOST)
			return WALK_COMPLETE;
		if (row == ROW_STRANGE)
			return hand_over(&at, registers);
		if (!step(&at, row))
			return WALK_CUT;
		if (!at.frame.pc)
			return WALK_COMPLETE;
	}
}
