/*
 * Stack capture: which frames a stack has, by unwind tables and by frame
 * pointers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_fixture.h"
#include "recording_fixture.h"
#include "setup/unwinder.h"
#include "sigsafe/live.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/record/modules.h"
#include "sigsafe/walk/object.h"
#include "sigsafe/walk/stack.h"
#include "sigsafe/walk/walk.h"
#include "stack_fixture.h"

/* Sanitizers stand in for backtrace(), and ThreadSanitizer for handlers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BACKTRACE_OWN 1
#else
#define BACKTRACE_OWN 0
#endif
#ifdef __SANITIZE_THREAD__
#define HANDLERS_ARE_WRAPPED true
#else
#define HANDLERS_ARE_WRAPPED false
#endif

/* Taken by a handler, or by a function it is called from. */
static uint32_t captured;

/* The return addresses of the functions that led there, leaf first. */
static const void *caller[8];

#define NOTE_CALLER(n)	    caller[n] = __builtin_return_address(0)
#define NOT_THE_LAST_CALL() __asm__ volatile("")

__attribute__((noinline)) static void capture_here(void)
{
	NOTE_CALLER(0);
	captured = fixture_hook();
	NOT_THE_LAST_CALL();
}

__attribute__((noinline)) static void middle(void)
{
	NOTE_CALLER(1);
	capture_here();
	NOT_THE_LAST_CALL();
}

__attribute__((noinline)) static void outer(void)
{
	NOTE_CALLER(2);
	middle();
	NOT_THE_LAST_CALL();
}

/* Frame 0 is in capture_here(), the ones behind it are its callers'. */
static void assert_frames_are_the_callers(void)
{
	const struct stack_record *stack;

	outer();
	stack = fixture_stack(captured);
	cr_assert_gt(stack->depth, 4);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(stack->frame[1 + i], fixture_frame(caller[i]));
}

Test(walk, frames_are_the_callers)
{
	fixture_start_unwinder();
	assert_frames_are_the_callers();
	cr_assert_eq(fixture_lost(LOST_WALK_SHORT), 0);
}

static void start_frame_pointers(void)
{
	fixture_recording(1 << 20);
	unwinder_prepare(environ, MAX_DEPTH);
	cr_assert_null(unwinder_start(UNWIND_FP, MAX_DEPTH));
}

Test(walk, frames_are_the_callers_by_frame_pointers)
{
	start_frame_pointers();
	assert_frames_are_the_callers();
}

/* By libc's qsort, which keeps no frame pointer. */
static int compare_by_capturing(const void *a, const void *b)
{
	void *frames[MAX_DEPTH];
	const struct stack_record *stack;
	int depth = backtrace(frames, MAX_DEPTH);
	char **texts = backtrace_symbols(frames, depth);

	(void)a;
	(void)b;
	stack = fixture_stack(fixture_hook());
	cr_assert_eq(stack->depth, (uint32_t)depth - BACKTRACE_OWN);
	/* Not the first: the two were not called from the same place. */
	for (int i = 1 + BACKTRACE_OWN; i < depth; i++) {
		char text[PATH_BYTES + 32];
		char *module = strchr(texts[i], '(');
		uint64_t frame = stack->frame[i - BACKTRACE_OWN];

		cr_assert_eq(frame, fixture_frame(frames[i]));
		fixture_frame_text(frame, text, sizeof(text));
		cr_assert_not_null(module);
		/* Names of functions, where it has some, we do not have. */
		if (strncmp(module, "(+0x", 4) == 0)
			cr_assert(strstr(texts[i], strrchr(text, '(')),
				  "%s, %s", text, texts[i]);
	}
	free(texts);
	return 0;
}

Test(walk, a_stack_is_what_backtrace_says)
{
	int numbers[2] = { 1, 2 };

	fixture_start_unwinder();
	qsort(numbers, 2, sizeof(numbers[0]), compare_by_capturing);
}

Test(walk, no_more_frames_are_kept_than_wanted)
{
	fixture_recording(1 << 20);
	unwinder_prepare(environ, 3);
	cr_assert_null(unwinder_start(UNWIND_AUTO, 3));
	outer();
	cr_assert_eq(fixture_stack(captured)->depth, 3);
	cr_assert_eq(fixture_lost(LOST_WALK_SHORT), 0);
}

static int compare_in_the_middle(const void *a, const void *b)
{
	(void)a;
	(void)b;
	capture_here();
	return 0;
}

Test(walk, frames_of_the_shim_are_left_out_anywhere)
{
	int numbers[2] = { 1, 2 };
	const struct stack_record *stack;
	struct object libc;
	uint32_t whole;

	fixture_start_unwinder();
	qsort(numbers, 2, sizeof(numbers[0]), compare_in_the_middle);
	whole = fixture_stack(captured)->depth;
	/* As if libc were the shim. */
	cr_assert(object_find((uintptr_t)free, &libc));
	walk_leave_out(libc.start, libc.end);
	qsort(numbers, 2, sizeof(numbers[0]), compare_in_the_middle);
	stack = fixture_stack(captured);
	cr_assert_lt(stack->depth, whole);
	for (uint32_t i = 0; i < stack->depth; i++)
		cr_assert_neq(FRAME_MODULE(stack->frame[i]),
			      FRAME_MODULE(module_place(free)));
}

/* As if libc continued a call of the host's. */
Test(walk, what_continues_a_call_is_left_out_with_what_it_calls)
{
	int numbers[2] = { 1, 2 };
	const struct stack_record *stack;
	struct object libc;

	fixture_start_unwinder();
	cr_assert(object_find((uintptr_t)free, &libc));
	walk_leave_out(libc.start, libc.end);
	qsort(numbers, 2, sizeof(numbers[0]), compare_in_the_middle);
	stack = fixture_stack(captured);
	cr_assert_eq(stack->frame[1], fixture_frame(caller[0]));
	walk_leave_out_called(libc.start, libc.end);
	qsort(numbers, 2, sizeof(numbers[0]), compare_in_the_middle);
	stack = fixture_stack(captured);
	cr_assert_neq(stack->frame[0], fixture_frame(caller[0]));
	for (uint32_t i = 0; i < stack->depth; i++)
		cr_assert_neq(stack->frame[i], fixture_frame(caller[0]));
}

extern const char interrupted_at[];

/* Where a debugger's breakpoint would be. */
__attribute__((noinline)) static void interrupt_here(void)
{
	NOTE_CALLER(0);
	__asm__ volatile(
		".globl interrupted_at\n"
		".hidden interrupted_at\n" BREAKPOINT("interrupted_at"));
}

static uint64_t interrupted_frame(void)
{
	return (module_place(interrupted_at) + 1) | FRAME_EXACT;
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = handler;
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	captured = stack_capture(context, NULL);
	fixture_resume(context);
}

static void assert_a_tick_begins_where_it_interrupted(void)
{
	const struct stack_record *stack;

	handle(on_tick);
	interrupt_here();
	stack = fixture_stack(captured);
	cr_assert_eq(stack->frame[0], interrupted_frame());
	cr_assert_eq(stack->frame[1], fixture_frame(caller[0]));
}

Test(walk, a_tick_begins_where_it_interrupted)
{
	fixture_start_unwinder();
	assert_a_tick_begins_where_it_interrupted();
}

Test(walk, a_tick_begins_where_it_interrupted_by_frame_pointers)
{
	start_frame_pointers();
	assert_a_tick_begins_where_it_interrupted();
}

static void on_host_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	captured = fixture_hook();
	fixture_resume(context);
}

/* The handler, what it returns to, and what it interrupted. */
static void assert_a_stack_goes_on_behind_a_handler(void)
{
	const struct stack_record *stack;

	handle(on_host_signal);
	interrupt_here();
	stack = fixture_stack(captured);
	cr_assert_gt(stack->depth, 4);
	cr_assert(!(stack->frame[0] & FRAME_EXACT));
	cr_assert(stack->frame[1] & FRAME_EXACT);
	cr_assert_eq(stack->frame[2], interrupted_frame());
	cr_assert_eq(stack->frame[3], fixture_frame(caller[0]));
}

Test(walk, a_stack_goes_on_behind_a_handler, .disabled = HANDLERS_ARE_WRAPPED)
{
	fixture_start_unwinder();
	assert_a_stack_goes_on_behind_a_handler();
}

/* Without it on the stack a handler's record does not tell where it began. */
Test(walk, a_stack_goes_on_behind_a_handler_by_frame_pointers,
     .disabled = HANDLERS_ARE_WRAPPED || !RETURN_IS_ON_STACK)
{
	start_frame_pointers();
	assert_a_stack_goes_on_behind_a_handler();
}

Test(walk, the_same_place_gives_the_same_stack)
{
	uint32_t first = 0;

	fixture_start_unwinder();
	/* Volatile, or there would be two places to call from. */
	for (volatile int i = 0; i < 2; i++) {
		first = captured;
		outer();
	}
	cr_assert_eq(captured, first);
}

Test(walk, without_a_recording_there_is_no_stack)
{
	fixture_start_unwinder();
	store_release(&live_page->recording, NULL);
	cr_assert_eq(fixture_hook(), 0);
}

Test(walk, before_the_start_there_is_no_stack)
{
	fixture_recording(1 << 20);
	cr_assert_eq(fixture_hook(), 0);
}

Test(walk, errno_and_the_signal_mask_stay_as_they_are)
{
	sigset_t mask, before = { 0 }, after = { 0 };

	fixture_start_unwinder();
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	errno = 77;
	outer();
	cr_assert_eq(errno, 77);
	sigprocmask(SIG_BLOCK, NULL, &after);
	cr_assert_arr_eq(&after, &before, sizeof(before));
}
