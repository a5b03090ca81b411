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
	struct registers *registers;
	uintptr_t first; /* return address or program counter it begins with */
	bool interrupted;
	bool is_walked; /* at least one frame was found */
	uint32_t place; /* once it is walked; 0: the table is full */
};

void stack_start(enum stack_way way, unsigned depth)
{
	if (way != STACK_FIRST_FRAME)
		spare_stack_start();
	stack_way = way;
	stack_depth = depth;
}

static void begin(struct walk *walk, const struct capture *capture)
{
	walk_begin(walk, capture->recording,
		   capture->interrupted ? 0 : capture->first, stack_depth);
}

static void finish(struct capture *capture, struct walk *walk,
		   enum walk_state state)
{
	if (state == WALK_CUT && walk->depth < 2)
		live_count_lost(LOST_WALK_SHORT);
	if (!walk->depth)
		return;
	capture->is_walked = true;
	capture->place =
		stack_table_add(capture->recording, walk->frame, walk->depth);
}

/* A walk on its way, and the frame it has come to. */
struct handed_over {
	struct walk *walk;
	struct registers *registers;
	enum walk_state state;
};

static void go_on_by_libunwind(void *argument)
{
	struct handed_over *rest = argument;

	rest->state = walk_unwind_on(rest->walk, rest->registers);
}

/* What the walk has found is kept, whatever becomes of its rest. */
static enum walk_state hand_over(struct capture *capture, struct walk *walk)
{
	struct handed_over rest = { .walk = walk,
				    .registers = capture->registers,
				    .state = WALK_COMPLETE };
	enum lost_reason why;

	if (!walker_run(go_on_by_libunwind, &rest, capture->interrupted, &why))
		live_count_lost(why);
	return rest.state;
}

/* Not inlined: only the ways below shall take so much of a stack. */
__attribute__((noinline)) static void by_unwind_tables(void *argument)
{
	struct capture *capture = argument;
	enum walk_state state;
	struct walk walk;

	begin(&walk, capture);
	state = walk_rows(&walk, capture->registers);
	if (state == WALK_GOES_ON)
		state = hand_over(capture, &walk);
	finish(capture, &walk, state);
}

__attribute__((noinline)) static void by_frame_pointers(void *argument)
{
	struct capture *capture = argument;
	struct walk walk;

	begin(&walk, capture);
	finish(capture, &walk, walk_fp(&walk, capture->registers));
}

static void by_first_frame(struct capture *capture)
{
	uint64_t frame = walk_first_frame(capture->recording, capture->first,
					  capture->interrupted);

	capture->place = stack_table_add(capture->recording, &frame, 1);
}

/* A handler has what the interrupted code left of its stack. */
static void call(void (*way)(void *), struct capture *capture)
{
	if (capture->interrupted)
		spare_stack_call(way, capture);
	else
		way(capture);
}

static void walk_stack(struct capture *capture)
{
	switch (stack_way) {
	case STACK_UNWIND_TABLES:
		call(by_unwind_tables, capture);
		break;
	case STACK_FRAME_POINTERS:
		call(by_frame_pointers, capture);
		break;
	case STACK_FIRST_FRAME:
		break;
	}
}

__attribute__((noinline)) uint32_t stack_capture(const ucontext_t *interrupted,
						 const void *caller)
{
	struct registers registers;
	struct capture capture = {
		.recording = live_recording(),
		.registers = &registers,
		.interrupted = interrupted != NULL,
	};

	if (!capture.recording || !stack_depth)
		return 0;
	if (interrupted)
		registers_from(&registers, interrupted);
	else
		registers_here(&registers);
	capture.first =
		interrupted ? context_pc(interrupted) : (uintptr_t)caller;
	walk_stack(&capture);
	if (!capture.is_walked)
		by_first_frame(&capture);
	return capture.place;
}

void stack_reset(void)
{
	modules_reset();
	row_cache_reset();
	walker_after_fork_in_child();
	spare_stack_reset();
}
