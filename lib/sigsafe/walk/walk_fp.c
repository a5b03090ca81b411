/*
 * Frame pointers: each points at the caller's, the return address behind it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/walk_fp.h"

#include "sigsafe/walk/object.h"
#include "sigsafe/walk/stack_reach.h"

/* A frame larger than this is no frame. */
#define MAX_FRAME_BYTES (UINT64_C(16) << 20)

struct cursor {
	struct memory memory;
	struct stack_reach reach;
	const struct walk *walk;
	uint64_t pc;
	uint64_t fp; /* 0: the caller is outermost */
	uint64_t sp; /* lowest address the caller's frame can have */
};

/* The words in front of `to` are read next. */
static inline void reach(struct cursor *at, uintptr_t to)
{
	stack_reach_to(&at->reach, at->pc, at->sp, to, at->walk->seen);
}

/* reg: a row_register, or behind the last one the program counter. */
static bool read_register(struct cursor *at, uint64_t context, unsigned reg,
			  uint64_t *value)
{
	return memory_read(&at->memory, context + row_register_in_context[reg],
			   value);
}

/* Behind a signal handler's frame lies what it interrupted. */
static bool step_over_signal(struct cursor *at)
{
	uint64_t context = at->sp + SIGRETURN_CONTEXT;
	uintptr_t pc = at->pc, sp = at->sp;

	reach(at, context + row_register_in_context[ROW_REGISTERS] +
			  sizeof(uint64_t));
	/* A frame's record is at its far end only next to a return address. */
	if (!RETURN_IS_ON_STACK ||
	    !read_register(at, context, ROW_REGISTERS, &at->pc) ||
	    !read_register(at, context, ROW_FP, &at->fp) ||
	    !read_register(at, context, ROW_SP, &at->sp))
		return false;
	/* What it interrupted may have been on any stack. */
	stack_reach_over_signal(&at->reach, pc, sp, at->sp, at->walk->seen);
	return true;
}

/* Frames lie one above the other: so no chain is endless. */
static bool is_frame(const struct cursor *at)
{
	return at->fp % sizeof(uint64_t) == 0 && at->fp >= at->sp &&
	       at->fp - at->sp < MAX_FRAME_BYTES;
}

static bool step(struct cursor *at)
{
	uint64_t frame = at->fp;

	if (!is_frame(at))
		return false;
	reach(at, frame + 2 * sizeof(uint64_t));
	if (!stack_reach_read(&at->memory, frame, &at->fp) ||
	    !stack_reach_read(&at->memory, frame + sizeof(uint64_t), &at->pc))
		return false;
	at->pc = machine_code_address(at->pc);
	at->sp = frame + 2 * sizeof(uint64_t);
	return true;
}

static enum walk_state go_up(struct walk *walk, struct cursor *at,
			     enum walk_state state)
{
	while (state == WALK_GOES_ON) {
		if (!walk->behind_signal && !at->fp)
			return WALK_COMPLETE;
		if (walk->behind_signal ? !step_over_signal(at) : !step(at)) {
			walk->lacks_memory = at->memory.has_failed;
			return WALK_CUT;
		}
		if (!at->pc)
			return WALK_COMPLETE;
		state = walk_add(walk, at->pc, false);
	}
	return state;
}

/*
 * Ways that are new to the thread are shown to be right by the frames that
 * follow, wanted or not: so that the next walk need not copy.
 */
static cold void keep_ways(struct cursor *at, enum walk_state state)
{
	unsigned seen = at->walk->seen;
	struct object object;

	if (state == WALK_COMPLETE && !at->walk->behind_signal) {
		at->reach.end = 0;
		for (unsigned i = 0; i < STACK_REACH_FRAMES && at->fp; i++)
			seen += step(at) && object_find(at->pc - 1, &object);
	}
	stack_reach_keep(&at->reach, seen, at->pc && !at->fp);
}

enum walk_state walk_fp(struct walk *walk, const struct registers *from)
{
	struct cursor at = {
		.walk = walk,
		.pc = from->value[REGISTER_PC],
		.fp = from->value[REGISTER_FP],
		.sp = from->value[REGISTER_SP],
	};
	enum walk_state state;

	memory_begin(&at.memory, from);
	stack_reach_begin(&at.reach, &at.memory, at.sp);
	walk->locator.memory = &at.memory;
	state = go_up(walk, &at, walk_add(walk, at.pc, true));
	if (unlikely(stack_reach_is_new(&at.reach)))
		keep_ways(&at, state);
	if (unlikely(stack_reach_has_lost(&at.reach))) {
		walk->lacks_memory = true;
		state = WALK_CUT;
	}
	walk->locator.memory = NULL;
	return state;
}
