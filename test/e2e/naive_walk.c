/*
 * The walk one would write first: what there is for it, called in the handler
 * as it is. In place of lib/sigsafe/walk/stack.c in the libraries that
 * naive.bats tests the tests with, and in no others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "naive_walk.h"

#include "sigsafe/live.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/record/stack_table.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/stack.h"

static unsigned stack_depth;

void stack_start(enum stack_way way, unsigned depth)
{
	(void)way;
	stack_depth = depth;
}

void stack_reset(void)
{
	modules_reset();
}

/* No place is known to park at. */
struct stack_id stack_calls(const struct call_site *call, uintptr_t top,
			    unsigned wanted, uint64_t *frame, uintptr_t *top_pc)
{
	(void)call;
	(void)top;
	(void)wanted;
	(void)frame;
	if (top_pc)
		*top_pc = 0;
	return (struct stack_id){ .depth = 0 };
}

static uint32_t capture(struct recording *recording,
			const ucontext_t *interrupted, const void *caller)
{
	uint64_t frame[MAX_DEPTH];
	struct walk walk;

	walk_begin(&walk, recording, (uintptr_t)caller, stack_depth, frame);
	naive_frames(&walk, interrupted);
	return walk.depth ? stack_table_add(recording, frame, walk.depth) : 0;
}

/* libunwind's own locks come through our hooks: not a walk for each of them. */
__attribute__((weak)) bool naive_enter(void)
{
	if (thread_self.in_walk)
		return false;
	thread_self.in_walk = true;
	return true;
}

__attribute__((weak)) void naive_leave(void)
{
	thread_self.in_walk = false;
}

uint32_t stack_capture(const ucontext_t *interrupted, const void *caller)
{
	struct recording *recording = live_recording();
	uint32_t place;

	if (!recording || !stack_depth || !naive_enter())
		return 0;
	place = capture(recording, interrupted, caller);
	naive_leave();
	return place;
}
