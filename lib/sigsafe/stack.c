/*
 * Stack capture: how a stack is taken, and what is kept of one that can't be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stack.h"

#include "sigsafe/live.h"
#include "sigsafe/modules.h"
#include "sigsafe/row_cache.h"
#include "sigsafe/spare_stack.h"
#include "sigsafe/stack_table.h"
#include "sigsafe/walk.h"
#include "sigsafe/walk_fp.h"
#include "sigsafe/walk_rows.h"
#include "sigsafe/walk_unwind.h"
#include "sigsafe/walker.h"

/* Written by stack_start(), in the constructor. */
static enum stack_way stack_way;
static unsigned stack_depth;

/* A stack to be taken, and its place once it is. */
struct capture {
	struct recording *recording;
	const ucontext_t *interrupted; /* NULL: by a hook */
	uintptr_t first; /* return address or program counter it begins with */
	bool is_refused; /* by the walker, at least once, and why */
	enum lost_reason why;
	struct walk walk;
	uint32_t place; /* the result */
};

void stack_start(enum stack_way way, unsigned depth)
{
	if (way != STACK_FIRST_FRAME)
		spare_stack_start();
	stack_way = way;
	stack_depth = depth;
}

/* A walk on its way, and the frame it has come to. */
struct handed_over {
	struct walk *walk;
	const struct registers *registers;
	enum walk_state state;
};

static void go_on_by_libunwind(void *argument)
{
	struct handed_over *rest = argument;

	rest->state = walk_unwind_on(rest->walk, rest->registers);
}

/* What rows have found is kept, whatever becomes of the rest. */
static enum walk_state by_unwind_tables(struct capture *capture,
					struct registers *registers)
{
	struct handed_over rest = { &capture->walk, registers,
				    walk_rows(&capture->walk, registers) };

	if (rest.state == WALK_GOES_ON &&
	    !walker_run(go_on_by_libunwind, &rest, capture->interrupted,
			&capture->why))
		capture->is_refused = true;
	return rest.state;
}

/*
 * Once through the stack. frame: room for so many frames as wanted, or NULL.
 * Not inlined: a hook's stack is walked from here.
 */
__attribute__((noinline)) static enum walk_state
walk_once(struct capture *capture, unsigned wanted, uint64_t *frame)
{
	struct registers registers;

	if (capture->interrupted)
		registers_from(&registers, capture->interrupted);
	else
		registers_here(&registers);
	walk_begin(&capture->walk, capture->recording,
		   capture->interrupted ? 0 : capture->first, wanted, frame);
	/* In a handler there is room for it. */
	capture->walk.may_guess = capture->interrupted;
	switch (stack_way) {
	case STACK_UNWIND_TABLES:
		return by_unwind_tables(capture, &registers);
	case STACK_FRAME_POINTERS:
		return walk_fp(&capture->walk, &registers);
	case STACK_FIRST_FRAME:
		break;
	}
	return WALK_COMPLETE;
}

static uint32_t first_frame(const struct capture *capture)
{
	uint64_t frame = walk_first_frame(capture->recording, capture->first,
					  capture->interrupted);

	return stack_table_add(capture->recording, &frame, 1);
}

static struct stack_id stack_of(const struct walk *walk)
{
	return (struct stack_id){ walk->hash, walk->depth };
}

/* Walks it again, into its place. */
static cold uint32_t enter(struct capture *capture, struct stack_id stack)
{
	struct stack_record *record =
		stack_table_take(capture->recording, stack);
	struct stack_id again;

	if (!record)
		return 0;
	walk_once(capture, stack.depth, record->frame);
	again = stack_of(&capture->walk);
	if (again.hash == stack.hash && again.depth == stack.depth)
		return stack_table_enter(capture->recording, record, stack);
	/* The walker was refused in between. */
	stack_table_give_back(capture->recording, record);
	return first_frame(capture);
}

/* What was found is kept. */
static cold void count_cut(const struct walk *walk)
{
	live_count_lost(walk->lacks_memory ? LOST_WALK_MEMORY
					   : LOST_WALK_SHORT);
}

/*
 * Most stacks have been seen before: the first walk only tells which it is. So
 * no list of frames has to lie on a stack.
 */
static uint32_t take(struct capture *capture)
{
	enum walk_state state = walk_once(capture, stack_depth, NULL);
	struct stack_id stack = stack_of(&capture->walk);
	uint32_t known;

	if (state == WALK_CUT)
		count_cut(&capture->walk);
	if (unlikely(capture->walk.has_guessed))
		live_count_lost(LOST_WALK_GUESSED);
	if (!stack.depth)
		return first_frame(capture);
	known = stack_table_find(capture->recording, stack);
	return likely(known) ? known : enter(capture, stack);
}

static void take_in_handler(void *argument)
{
	struct capture *capture = argument;

	capture->place = take(capture);
}

__attribute__((noinline)) uint32_t stack_capture(const ucontext_t *interrupted,
						 const void *caller)
{
	struct capture capture = {
		.recording = live_recording(),
		.interrupted = interrupted,
		.first = interrupted ? context_pc(interrupted)
				     : (uintptr_t)caller,
	};

	if (!capture.recording || !stack_depth)
		return 0;
	/* A handler has what the interrupted code left of its stack. */
	if (interrupted)
		spare_stack_call(take_in_handler, &capture);
	else
		capture.place = take(&capture);
	if (unlikely(capture.is_refused))
		live_count_lost(capture.why);
	return capture.place;
}

struct stack_id stack_calls(const struct call_site *call, uintptr_t top,
			    unsigned wanted, uint64_t *frame, uintptr_t *top_pc)
{
	const struct stack_id none = { 0 };
	struct registers registers = { 0 };
	struct walk walk;

	if (stack_way != STACK_UNWIND_TABLES || !live_recording())
		return none;
	/* As if the function had been interrupted at the call. */
	registers.value[REGISTER_PC] = call->pc - 1;
	registers.value[REGISTER_SP] = call->sp;
	registers.value[REGISTER_FP] = call->fp;
	walk_begin(&walk, live_recording(), 0, wanted, frame);
	walk.top = top;
	walk_rows(&walk, &registers);
	if (top != UINTPTR_MAX && !walk.has_met_top)
		return none;
	if (top_pc)
		*top_pc = walk.top_pc;
	return stack_of(&walk);
}

void stack_reset(void)
{
	modules_reset();
	row_cache_reset();
	walker_after_fork_in_child();
	spare_stack_reset();
}
