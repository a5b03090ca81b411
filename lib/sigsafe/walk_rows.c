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

/* Frames on this stack can be read from now on, if it is the thread's own. */
static void enter_stack(struct cursor *at)
{
	own_stack_trust(&at->memory, at->sp);
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
		return memory_read(&at->memory, cfa - ROW_WORD, &at->frame.pc);
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
	if (n && !memory_read(&at->memory, top - n * ROW_WORD, &at->fp))
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
	const uint16_t *offset = row_register_in_context;
	uintptr_t context = at->sp + SIGRETURN_CONTEXT;

	if (!memory_read(&at->memory, context + offset[ROW_REGISTERS],
			 &at->frame.pc) ||
	    !memory_read(&at->memory, context + offset[ROW_FP], &at->fp) ||
	    !memory_read(&at->memory, context + offset[ROW_SP], &at->sp))
		return false;
	for (unsigned i = ROW_FP + 1; i < ROW_REGISTERS; i++)
		at->saved[i] = context + offset[i];
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

/* In front of what it leads to: no frame has come of it yet. */
static unwind_row linkage_row(const struct walk_frame *frame)
{
	const struct module_record *module = frame->place.module;
	int words;

	if (!frame->exact || !module)
		return ROW_STRANGE;
	words = machine_linkage_words(frame->pc, module->text_start,
				      module->text_end);
	if (words < 0)
		return ROW_STRANGE;
	return row_pack(ROW_PLAIN, ROW_SP, (uint32_t)words) |
	       (words ? row_pack_saved(ROW_RETURN, 1) : 0);
}

static cold unwind_row find_row(struct memory *memory,
				const struct walk_frame *frame, uintptr_t pc)
{
	unwind_row row = eh_frame_row(memory, pc);

	/* The program's own way back from a signal handler may have none. */
	if (row == ROW_STRANGE && walk_returns_from_signal(frame))
		row = ROW_SIGNAL;
	if (row == ROW_STRANGE)
		row = linkage_row(frame);
	/* What could not be read says nothing about the next time. */
	if (frame->key && !memory->has_failed)
		row_cache_add(pc, frame->key, row);
	return row;
}

static unwind_row row_of(struct memory *memory, const struct walk_frame *frame)
{
	/* The call belongs to the frame, not what it returns to. */
	uintptr_t pc = frame->pc - !frame->exact;
	unwind_row row;

	if (frame->key && likely(row_cache_find(pc, frame->key, &row)))
		return row;
	return find_row(memory, frame, pc);
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

static inline enum walk_state go_up(struct walk *walk, struct cursor *at,
				    struct registers *registers)
{
	enum walk_state state;
	unwind_row row;

	for (;;) {
		walk_meet(walk, &at->frame);
		row = row_of(&at->memory, &at->frame);
		state = walk_keep(walk, &at->frame, row == ROW_SIGNAL);
		if (state != WALK_GOES_ON)
			return state;
		if (row == ROW_OUTERMOST)
			return WALK_COMPLETE;
		if (row == ROW_STRANGE)
			return hand_over(at, registers);
		if (!step(at, row))
			return WALK_CUT;
		if (unlikely(at->sp >= walk->top)) {
			walk->has_met_top = true;
			return WALK_COMPLETE;
		}
		if (!at->frame.pc)
			return WALK_COMPLETE;
	}
}

enum walk_state walk_rows(struct walk *walk, struct registers *registers)
{
	enum walk_state state;
	struct cursor at;

	begin(&at, registers);
	walk->locator.memory = &at.memory;
	state = go_up(walk, &at, registers);
	walk->locator.memory = NULL;
	walk->lacks_memory = at.memory.has_failed;
	return state;
}
