/*
 * Stack capture: how a stack is taken, and what is kept of one that can't be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/walk/stack.h"

#include "sigsafe/live.h"
#include "sigsafe/loops/turn_ways.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/record/stack_table.h"
#include "sigsafe/signals/sent_fault.h"
#include "sigsafe/stacks/spare_stack.h"
#include "sigsafe/walk/row_cache.h"
#include "sigsafe/walk/walk.h"
#include "sigsafe/walk/walk_fp.h"
#include "sigsafe/walk/walk_rows.h"
#include "sigsafe/walk/walk_unwind.h"
#include "sigsafe/walk/walker.h"

/* Written by stack_start(), in the constructor. */
static enum stack_way stack_way;
static unsigned stack_depth;

/* What is asked for. This much of a capture is on the stack of a hook. */
struct request {
	struct recording *recording;
	const ucontext_t *interrupted; /* NULL: by a hook */
	uintptr_t first; /* return address or program counter it begins with */
	struct registers *registers; /* it begins at, and then the walk's */
	uint32_t place;		     /* the result */
};

/* A stack to be taken: this much is on the stack that the walk is made on. */
struct capture {
	struct request *request;
	struct registers begin;
	bool is_refused; /* by the walker, at least once, and why */
	enum lost_reason why;
	bool is_cut; /* which has been counted */
	struct walk walk;
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
	    !walker_run(go_on_by_libunwind, &rest,
			capture->request->interrupted, &capture->why))
		capture->is_refused = true;
	return rest.state;
}

/*
 * Once through the stack. frame: room for so many frames as wanted, or NULL.
 * The registers stay where they are: a walk reads what is near them as it lies.
 */
static enum walk_state walk_once(struct capture *capture, unsigned wanted,
				 uint64_t *frame)
{
	const struct request *request = capture->request;
	struct registers *registers = request->registers;

	*registers = capture->begin;
	walk_begin(&capture->walk, request->recording,
		   request->interrupted ? 0 : request->first, wanted, frame);
	capture->walk.may_guess = true;
	switch (stack_way) {
	case STACK_UNWIND_TABLES:
		return by_unwind_tables(capture, registers);
	case STACK_FRAME_POINTERS:
		return walk_fp(&capture->walk, registers);
	case STACK_FIRST_FRAME:
		break;
	}
	return WALK_COMPLETE;
}

static uint32_t first_frame(const struct request *request)
{
	uint64_t frame = walk_first_frame(request->recording, request->first,
					  request->interrupted);

	return stack_table_add(request->recording, &frame, 1);
}

static struct stack_id stack_of(const struct walk *walk)
{
	return (struct stack_id){ walk->hash, walk->depth };
}

/* Walks it again, into its place. */
static cold uint32_t enter(struct capture *capture, struct stack_id stack)
{
	struct recording *recording = capture->request->recording;
	struct stack_record *record = stack_table_take(recording, stack);
	struct stack_id again;

	if (!record)
		return 0;
	walk_once(capture, stack.depth, record->frame);
	again = stack_of(&capture->walk);
	if (again.hash == stack.hash && again.depth == stack.depth)
		return stack_table_enter(recording, record, stack);
	/* The walker was refused in between, or what it reads has changed. */
	if (!capture->is_refused && !capture->is_cut)
		live_count_lost(LOST_WALK_MEMORY);
	stack_table_give_back(recording, record);
	return first_frame(capture->request);
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

	capture->is_cut = state == WALK_CUT;
	if (capture->is_cut)
		count_cut(&capture->walk);
	if (unlikely(capture->walk.has_guessed))
		live_count_lost(LOST_WALK_GUESSED);
	if (!stack.depth)
		return first_frame(capture->request);
	known = stack_table_find(capture->request->recording, stack);
	return likely(known) ? known : enter(capture, stack);
}

static void answer(void *argument)
{
	struct request *request = argument;
	struct capture capture = {
		.request = request,
		.begin = *request->registers,
	};

	request->place = take(&capture);
	if (unlikely(capture.is_refused))
		live_count_lost(capture.why);
}

/*
 * Where there is no room for a walk there is none to look for its first frame's
 * module either. Not inlined: it is rare.
 */
static cold uint32_t leave_out(const struct request *request)
{
	struct place place = { .word = frame_pack(0, request->first) };
	uint64_t frame = walk_word(place, request->interrupted);

	live_count_lost(LOST_WALK_BUSY);
	return stack_table_add(request->recording, &frame, 1);
}

/* Not inlined: a hook's stack is walked from here. */
__attribute__((noinline)) uint32_t stack_capture(const ucontext_t *interrupted,
						 const void *caller)
{
	struct registers registers;
	struct request request = {
		.recording = live_recording(),
		.interrupted = interrupted,
		.first = interrupted ? context_pc(interrupted)
				     : (uintptr_t)caller,
		.registers = &registers,
	};
	bool is_done;

	if (!request.recording || !stack_depth)
		return 0;
	/* What the host has left of its stack may be little. */
	if (interrupted) {
		registers_from(&registers, interrupted);
		is_done = spare_stack_call(answer, &request);
	} else {
		const struct own_place place = {
			{ (uintptr_t)caller,
			  (uintptr_t)__builtin_frame_address(0), 0 },
			&registers
		};

		registers_here(&registers);
		is_done = spare_stack_call_by_hook(&place, answer, &request);
	}
	return likely(is_done) ? request.place : leave_out(&request);
}

/* The calls asked for, and what comes of it. */
struct calls {
	const struct call_site *from;
	uintptr_t top;
	unsigned wanted;
	uint64_t *frame;
	uintptr_t *top_pc;
	struct stack_id found;
};

static void follow(void *argument)
{
	struct calls *calls = argument;
	struct registers registers;
	struct walk walk;

	call_site_registers(calls->from, &registers);
	walk_begin(&walk, live_recording(), 0, calls->wanted, calls->frame);
	walk.top = calls->top;
	walk_rows(&walk, &registers);
	if (calls->top != UINTPTR_MAX && !walk.has_met_top)
		return;
	if (calls->top_pc)
		*calls->top_pc = walk.top_pc;
	calls->found = stack_of(&walk);
}

struct stack_id stack_calls(const struct call_site *call, uintptr_t top,
			    unsigned wanted, uint64_t *frame, uintptr_t *top_pc)
{
	struct calls calls = { call, top, wanted, frame, top_pc, { 0 } };

	const struct own_place place = { *call, NULL };

	if (stack_way == STACK_UNWIND_TABLES && live_recording())
		spare_stack_call_by_hook(&place, follow, &calls);
	return calls.found;
}

void stack_reset(void)
{
	turn_ways_reset();
	modules_reset();
	row_cache_reset();
	walker_after_fork_in_child();
	spare_stack_reset();
	sent_faults_reset();
}
