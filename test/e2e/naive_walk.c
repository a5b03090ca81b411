/*
 * The walk one would write first: libunwind as it is, called in the handler. In
 * place of lib/sigsafe/stack.c in the library that naive.bats tests the tests
 * with, and in no other.
 *
 * SPDX-License-Identifier: MIT
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <string.h>

#include "sigsafe/live.h"
#include "sigsafe/modules.h"
#include "sigsafe/stack.h"
#include "sigsafe/stack_table.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk.h"

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
			    unsigned wanted, uint64_t *frame)
{
	(void)call;
	(void)top;
	(void)wanted;
	(void)frame;
	return (struct stack_id){ .depth = 0 };
}

static void walk_on(struct walk *walk, unw_cursor_t *cursor, bool exact)
{
	enum walk_state state = WALK_GOES_ON;

	do {
		unw_word_t pc = 0;

		unw_get_reg(cursor, UNW_REG_IP, &pc);
		if (!pc)
			return;
		state = walk_add(walk, pc, exact);
		exact = false;
	} while (state == WALK_GOES_ON && unw_step(cursor) > 0);
}

static uint32_t enter(struct recording *recording, const struct walk *walk)
{
	struct stack_id id = { walk->hash, walk->depth };
	uint32_t known = stack_table_find(recording, id);
	struct stack_record *record;

	if (known)
		return known;
	record = stack_table_take(recording, id);
	if (!record)
		return 0;
	memcpy(record->frame, walk->frame, id.depth * sizeof(*walk->frame));
	return stack_table_enter(recording, record);
}

static uint32_t capture(struct recording *recording,
			const ucontext_t *interrupted, const void *caller)
{
	uint64_t frame[MAX_DEPTH];
	unw_cursor_t cursor;
	unw_context_t here;
	struct walk walk;

	if (interrupted)
		memcpy(&here, interrupted, sizeof(here));
	else
		unw_getcontext(&here);
	if (unw_init_local2(&cursor, &here,
			    interrupted ? UNW_INIT_SIGNAL_FRAME : 0) < 0)
		return 0;
	walk_begin(&walk, recording, (uintptr_t)caller, stack_depth, frame);
	walk_on(&walk, &cursor, interrupted != NULL);
	return walk.depth ? enter(recording, &walk) : 0;
}

/* libunwind's own locks come through our hooks: not a walk for each of them. */
uint32_t stack_capture(const ucontext_t *interrupted, const void *caller)
{
	struct recording *recording = live_recording();
	uint32_t place;

	if (!recording || !stack_depth || thread_self.in_walk)
		return 0;
	thread_self.in_walk = true;
	place = capture(recording, interrupted, caller);
	thread_self.in_walk = false;
	return place;
}
