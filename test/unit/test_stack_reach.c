/*
 * How far up its stack a walk reads where it lies.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "sigsafe/stacks/own_stack.h"
#include "sigsafe/walk/stack_reach.h"

#define PC    0x1000
#define PAGES 4

extern void *__libc_stack_end;

static void start(void)
{
	own_stack_note_first((uintptr_t)__libc_stack_end);
}

TestSuite(stack_reach, .init = start);

/* What a walk knows at a frame that ends in the page above its own. */
struct trial {
	struct memory memory;
	struct stack_reach reach;
	uintptr_t sp, to;
};

/* The pages' first one has the stack pointer, their second the frame's end. */
static bool is_reached(struct trial *trial, char *pages)
{
	trial->sp = (uintptr_t)pages + 64;
	trial->to = (uintptr_t)pages + PAGE_BYTES + 64;
	memory_begin(&trial->memory, trial);
	stack_reach_begin(&trial->reach, &trial->memory, trial->sp);
	cr_assert(memory_is_in(trial->memory.segment, trial->sp));
	cr_assert(!memory_is_in(trial->memory.segment, trial->to));
	stack_reach_to(&trial->reach, PC, trial->sp, trial->to, 1);
	return memory_is_in(trial->memory.segment, trial->to);
}

/* On the stack of whoever is inlined. */
#define STACK_PAGES(name)                                                      \
	char name##_room[(PAGES + 1) * PAGE_BYTES];                            \
	char *name = name##_room + (-(uintptr_t)name##_room & (PAGE_BYTES - 1))

Test(stack_reach, a_frame_is_followed_where_others_have_followed_it)
{
	STACK_PAGES(pages);
	struct trial trial;

	cr_assert(!is_reached(&trial, pages));
	cr_assert(stack_reach_is_new(&trial.reach));
	stack_reach_keep(&trial.reach, 1 + STACK_REACH_FRAMES, false);
	cr_assert(is_reached(&trial, pages));
	cr_assert(!stack_reach_is_new(&trial.reach));
	/* No further than the page it leads to. */
	cr_assert(!memory_is_in(trial.memory.segment,
				(uintptr_t)pages + 2 * PAGE_BYTES));
}

Test(stack_reach, what_a_thread_knew_another_in_its_place_does_not)
{
	STACK_PAGES(pages);
	struct trial trial;

	cr_assert(!is_reached(&trial, pages));
	stack_reach_keep(&trial.reach, 1, true);
	cr_assert(is_reached(&trial, pages));
	thread_self = (struct thread){ 0 };
	cr_assert(!is_reached(&trial, pages));
}

Test(stack_reach, it_is_not_where_too_few_have)
{
	STACK_PAGES(pages);
	struct trial trial;

	cr_assert(!is_reached(&trial, pages));
	stack_reach_keep(&trial.reach, STACK_REACH_FRAMES, false);
	cr_assert(!is_reached(&trial, pages));
}

Test(stack_reach, few_are_enough_if_they_are_all)
{
	STACK_PAGES(pages);
	struct trial trial;

	cr_assert(!is_reached(&trial, pages));
	stack_reach_keep(&trial.reach, 2, true);
	cr_assert(is_reached(&trial, pages));
}

Test(stack_reach, other_code_or_another_end_is_another_way)
{
	STACK_PAGES(pages);
	struct trial trial;

	cr_assert(!is_reached(&trial, pages));
	stack_reach_keep(&trial.reach, 2, true);
	stack_reach_begin(&trial.reach, &trial.memory, trial.sp);
	stack_reach_to(&trial.reach, PC + 1, trial.sp, trial.to, 1);
	stack_reach_to(&trial.reach, PC, trial.sp - 8, trial.to, 1);
	stack_reach_to(&trial.reach, PC, trial.sp, trial.to + 8, 1);
	cr_assert(!memory_is_in(trial.memory.segment, trial.to));
	stack_reach_to(&trial.reach, PC, trial.sp, trial.to, 1);
	cr_assert(memory_is_in(trial.memory.segment, trial.to));
}

Test(stack_reach, a_dozen_ways_are_known_at_once)
{
	STACK_PAGES(pages);
	struct trial trial;

	for (int round = 0; round < 2; round++) {
		for (uintptr_t i = 1; i <= 12; i++) {
			bool is_new = !is_reached(&trial, pages);

			stack_reach_begin(&trial.reach, &trial.memory,
					  trial.sp);
			stack_reach_to(&trial.reach, PC + i, trial.sp, trial.to,
				       1);
			cr_assert(is_new);
			cr_assert_eq(stack_reach_is_new(&trial.reach), !round);
			stack_reach_keep(&trial.reach, 2, true);
		}
	}
}

Test(stack_reach, of_a_large_frame_the_middle_is_left_alone)
{
	STACK_PAGES(pages);
	uintptr_t sp = (uintptr_t)pages + 64;
	uintptr_t to = sp + 3 * PAGE_BYTES;
	struct stack_reach reach = { .end = 0 };
	struct memory memory;

	memory_begin(&memory, &reach);
	for (int i = 0; i < 2; i++) {
		stack_reach_begin(&reach, &memory, sp);
		stack_reach_to(&reach, PC, sp, to, 1);
		stack_reach_keep(&reach, 2, true);
	}
	cr_assert(memory_is_in(memory.segment, to - 8));
	cr_assert(!memory_is_in(memory.segment, sp + PAGE_BYTES));
}

Test(stack_reach, what_a_signal_interrupted_is_led_to_like_a_frame)
{
	STACK_PAGES(pages);
	uintptr_t sp = (uintptr_t)pages + 64, to = sp + 2 * PAGE_BYTES;
	struct stack_reach reach = { .end = 0 };
	struct memory memory;

	memory_begin(&memory, &reach);
	stack_reach_begin(&reach, &memory, sp);
	stack_reach_over_signal(&reach, PC, sp, to, 1);
	cr_assert(!memory_is_in(memory.segment, to));
	stack_reach_keep(&reach, 2, true);
	stack_reach_begin(&reach, &memory, sp);
	stack_reach_over_signal(&reach, PC, sp, to, 1);
	cr_assert(memory_is_in(memory.segment, to));
}

Test(stack_reach, elsewhere_nothing_is_known)
{
	static char pages[PAGES * PAGE_BYTES]
		__attribute__((aligned(PAGE_BYTES)));
	uintptr_t sp = (uintptr_t)pages + 64;
	struct stack_reach reach = { .end = 0 };
	struct memory memory;

	memory_begin(&memory, &reach);
	stack_reach_begin(&reach, &memory, sp);
	stack_reach_to(&reach, PC, sp, sp + PAGE_BYTES, 1);
	cr_assert(!memory_is_in(memory.segment, sp));
	cr_assert(!stack_reach_is_new(&reach));
}
