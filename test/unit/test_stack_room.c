/*
 * How much of the host's stack a capture takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>
#include <ucontext.h>

#include "coroutine_fixture.h"
#include "machine_fixture.h"
#include "recording_fixture.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/stacks/spare_stack.h"
#include "stack_fixture.h"

#define STACK_BYTES (64u << 10)
#define UNTOUCHED   0x5a

/* More where the called keeps the return address. */
#define MOST_BYTES (RETURN_IS_ON_STACK ? 600 : 896)

static char coroutine_stack[STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t home;

static void do_nothing(void)
{
}

static void capture(void)
{
	fixture_hook();
}

static size_t stack_of(void (*function)(void))
{
	size_t untouched = 0;

	memset(coroutine_stack, UNTOUCHED, STACK_BYTES);
	fixture_run_coroutine(coroutine_stack, STACK_BYTES, function, &home);
	while (coroutine_stack[untouched] == UNTOUCHED)
		untouched++;
	return STACK_BYTES - untouched;
}

/* So much on a spare stack leaves no room for other work there. */
#define MUCH_BYTES (9u << 10)

static char first_stack[STACK_BYTES] __attribute__((aligned(16)));
static size_t taken_bytes;

static void measure_without_spare(void *argument)
{
	volatile char *used = __builtin_alloca(MUCH_BYTES);

	used[0] = 1;
	if (!spare_stack_call(measure_without_spare, argument))
		taken_bytes = stack_of(capture) - stack_of(do_nothing);
}

Test(stack_room, a_capture_left_out_takes_little_of_the_stack,
     .disabled = IS_SANITIZED)
{
	NOT_EMULATED(NO_DISTANCE);
	fixture_start_unwinder();
	/* Not on the thread's own, which has room for it. */
	machine_call_on(first_stack + STACK_BYTES, measure_without_spare, NULL);
	cr_assert_eq(fixture_lost(LOST_WALK_BUSY), 1);
	cr_assert_leq(taken_bytes, MOST_BYTES, "%zu", taken_bytes);
}

/* The second one finds its rows and its stack. */
Test(stack_room, a_capture_takes_little_of_the_stack, .disabled = IS_SANITIZED)
{
	size_t nothing, first, second;

	NOT_EMULATED(NO_DISTANCE);
	fixture_start_unwinder();
	nothing = stack_of(do_nothing);
	first = stack_of(capture);
	second = stack_of(capture);
	cr_assert_leq(first - nothing, MOST_BYTES, "%zu", first - nothing);
	cr_assert_leq(second - nothing, MOST_BYTES, "%zu", second - nothing);
}
