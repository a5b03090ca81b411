/*
 * Places on the thread's own stack: what is shown to be one, and what is not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "coroutine_fixture.h"
#include "machine_fixture.h"
#include "sigsafe/stacks/own_place.h"
#include "sigsafe/stacks/own_stack.h"
#include "stack_fixture.h"

TestSuite(own_place, .init = fixture_start_unwinder, .timeout = 60);

/* What the hook has found: in the order of its calls. */
static bool was_known, is_known;
static uintptr_t called_at;

/* Stands for a hook, whose place is shown, if it can be. */
static __attribute__((noinline)) void hook(void)
{
	struct registers registers;
	const struct own_place place = FIXTURE_PLACE(&registers);

	registers_here(&registers);
	called_at = place.call.sp;
	was_known = own_place_is_known(&place);
	own_place_show(&place);
	is_known = own_place_is_known(&place);
}

/* Called through a pointer: each by a call that is the same for all. */
typedef void caller(void);

static __attribute__((noinline)) void call_hook(void)
{
	hook();
	__asm__ volatile("");
}

#define CALLER(name)                                                           \
	static __attribute__((noinline, noclone)) void name(void)              \
	{                                                                      \
		call_hook();                                                   \
		__asm__ volatile("# " #name);                                  \
	}
CALLER(one_caller)
CALLER(other_caller)
CALLER(third_caller)
CALLER(fourth_caller)
CALLER(fifth_caller)
CALLER(sixth_caller)

static __attribute__((noinline)) void call(caller *function)
{
	function();
	__asm__ volatile("");
}

Test(own_place, on_the_first_threads_stack_it_is_shown_once)
{
	for (unsigned i = 0; i < 3; i++) {
		call(one_caller);
		cr_assert_eq(was_known, i > 0);
		cr_assert(is_known);
	}
}

static void *in_thread(void *none)
{
	call(one_caller);
	cr_assert(is_known);
	return none;
}

Test(own_place, so_it_is_on_another_threads)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

Test(own_place, with_another_caller_above_it_is_another)
{
	uintptr_t before;

	NOT_EMULATED(NO_DISTANCE);
	call(one_caller);
	before = called_at;
	call(other_caller);
	cr_assert_eq(called_at, before);
	cr_assert(!was_known && is_known);
	call(other_caller);
	cr_assert(was_known);
}

/* More of them than a set has room for. */
Test(own_place, many_callers_in_turn_are_all_known)
{
	static caller *const callers[] = {
		one_caller,    other_caller, third_caller,
		fourth_caller, fifth_caller, sixth_caller,
	};
	uintptr_t first = 0;

	NOT_EMULATED(NO_DISTANCE);
	for (unsigned i = 0; i < 3 * ARRAY_SIZE(callers); i++) {
		call(callers[i % ARRAY_SIZE(callers)]);
		if (!first)
			first = called_at;
		cr_assert_eq(called_at, first);
		cr_assert_eq(was_known, i >= ARRAY_SIZE(callers));
		cr_assert(is_known);
	}
}

/* One in a frame of the thread's. */
#define STACK_BYTES (64u << 10)

static void in_coroutine(void)
{
	for (unsigned i = 0; i < 3; i++) {
		call(one_caller);
		cr_assert(own_stack_room(called_at) > 0);
		cr_assert(!was_known && !is_known);
	}
}

static void run_in_array(void)
{
	char array[STACK_BYTES] __attribute__((aligned(16)));
	ucontext_t home;

	fixture_run_coroutine(array, sizeof(array), in_coroutine, &home);
}

Test(own_place, a_coroutine_in_an_array_of_a_frame_is_not_the_threads_own)
{
	run_in_array();
}

/* Before any other has told where threads begin. */
static void *run_in_threads_array(void *none)
{
	run_in_array();
	call(one_caller);
	cr_assert(!was_known && is_known);
	run_in_array();
	return none;
}

Test(own_place, nor_is_one_in_another_threads_frame)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, run_in_threads_array, NULL),
		     0);
	pthread_join(thread, NULL);
}

static void on_signal(int sig)
{
	(void)sig;
	in_coroutine();
}

/* Its frames lead to the thread's own, which are further down. */
Test(own_place, nor_is_a_handlers_stack_there)
{
	char array[STACK_BYTES] __attribute__((aligned(16)));
	const stack_t stack = { .ss_sp = array, .ss_size = sizeof(array) };
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_ONSTACK };

	cr_assert_eq(sigaltstack(&stack, NULL), 0);
	cr_assert_eq(sigaction(SIGUSR2, &act, NULL), 0);
	raise(SIGUSR2);
}

/* What the program has made unreadable of a stack of its own making. */
#define SHUT_BYTES (192u << 10)

static char own_stack[4 * SHUT_BYTES] __attribute__((aligned(4096)));

static void *come_near(void *none)
{
	char *here = __builtin_frame_address(0);
	volatile char *near;

	call(one_caller);
	cr_assert(is_known);
	near = __builtin_alloca((size_t)(here - own_stack) - SHUT_BYTES - 4096);
	*near = 0;
	call(one_caller);
	cr_assert(own_stack_room(called_at) > SHUT_BYTES);
	cr_assert(!is_known);
	return none;
}

Test(own_place, above_what_the_program_has_shut_it_is_not_used,
     .disabled = IS_SANITIZED)
{
	pthread_attr_t attr;
	pthread_t thread;

	cr_assert_eq(mprotect(own_stack, SHUT_BYTES, PROT_NONE), 0);
	pthread_attr_init(&attr);
	cr_assert_eq(pthread_attr_setstack(&attr, own_stack, sizeof(own_stack)),
		     0);
	cr_assert_eq(pthread_create(&thread, &attr, come_near, NULL), 0);
	pthread_join(thread, NULL);
}

/* A thread's frames lead to libc's, also while it has clean-ups to be made. */
static void *with_clean_up(void *none)
{
	pthread_cleanup_push(free, NULL);
	pthread_cleanup_push(free, NULL);
	call(one_caller);
	cr_assert(!was_known && is_known);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return none;
}

Test(own_place, it_is_shown_where_a_clean_up_is_pushed)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, with_clean_up, NULL), 0);
	pthread_join(thread, NULL);
}

static void *ask_where_it_begins(void *none)
{
	uintptr_t end = (uintptr_t)__builtin_thread_pointer();
	char inside;

	/* A frame that libc does not know, whatever its size. */
	cr_assert(!own_stack_begins_at((uintptr_t)&inside + 1,
				       (uintptr_t)&inside));
	cr_assert_eq(own_stack_gap(), UINT32_MAX);
	call(one_caller);
	cr_assert(own_stack_begins_at(end - own_stack_gap(), 0));
	cr_assert(!own_stack_begins_at(end - own_stack_gap() - 16, 0));
	return none;
}

Test(own_place, all_other_threads_begin_as_far_from_their_end)
{
	pthread_t thread;

	cr_assert_eq(own_stack_gap(), UINT32_MAX);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t gap = own_stack_gap();

		cr_assert_eq(pthread_create(&thread, NULL,
					    i ? in_thread : ask_where_it_begins,
					    NULL),
			     0);
		pthread_join(thread, NULL);
		cr_assert(!i || own_stack_gap() == gap);
	}
}
