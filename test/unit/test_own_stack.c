/*
 * The calling thread's own stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include <alloca.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/mman.h>

#include "sigsafe/os/memory.h"
#include "sigsafe/stacks/own_stack.h"

#define STACK_BYTES (1u << 20)

extern void *__libc_stack_end;

static void start(void)
{
	own_stack_note_first((uintptr_t)__libc_stack_end);
}

TestSuite(own_stack, .init = start);

/* What is far down takes some calls to be found, as each asks only so much. */
static uintptr_t end_in_the_end(uintptr_t sp)
{
	uintptr_t end = 0;

	for (unsigned i = 0; !end && i < STACK_BYTES / PAGE_BYTES; i++)
		end = own_stack_end(sp);
	return end;
}

static uintptr_t here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

Test(own_stack, the_first_threads_reaches_to_where_the_kernel_began)
{
	cr_assert_eq(own_stack_end(here()), (uintptr_t)__libc_stack_end);
}

/* Of the thread that looked last. */
static uintptr_t thread_pointer;

static void *find_end(void *end)
{
	thread_pointer = (uintptr_t)__builtin_thread_pointer();
	*(uintptr_t *)end = end_in_the_end(here());
	return NULL;
}

Test(own_stack, another_threads_reaches_to_its_control_block)
{
	pthread_t thread;
	uintptr_t end;

	pthread_create(&thread, NULL, find_end, &end);
	pthread_join(thread, NULL);
	cr_assert_eq(end, thread_pointer);
}

static char *map(size_t bytes)
{
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq((void *)pages, MAP_FAILED);
	return pages;
}

Test(own_stack, a_coroutines_is_not_the_threads)
{
	char *pages = map(STACK_BYTES);

	cr_assert_eq(own_stack_end((uintptr_t)pages), 0);
	cr_assert_eq(own_stack_end((uintptr_t)pages + STACK_BYTES - 8), 0);
}

static char *below;

static void *look_below(void *end)
{
	uintptr_t *ends = end;

	thread_pointer = (uintptr_t)__builtin_thread_pointer();
	ends[0] = end_in_the_end((uintptr_t)below);
	ends[1] = end_in_the_end((uintptr_t)below - 1);
	return NULL;
}

/* Its stack is the upper half of pages of ours. */
static void run_next_to_another(void *(*look)(void *), uintptr_t ends[2])
{
	char *pages = map((size_t)2 * STACK_BYTES);
	pthread_attr_t attributes;
	pthread_t thread;

	below = pages + STACK_BYTES;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, below, STACK_BYTES);
	cr_assert_eq(pthread_create(&thread, &attributes, look, ends), 0);
	pthread_join(thread, NULL);
}

/* Nothing between them tells where one ends. */
Test(own_stack, what_lies_next_to_it_is_another)
{
	uintptr_t ends[2];

	run_next_to_another(look_below, ends);
	cr_assert_eq(ends[0], thread_pointer);
	cr_assert_eq(ends[1], 0);
}

/* The words that libc keeps by them look like those about a stack. */
static void *look_below_with_value(void *end)
{
	pthread_key_t key;

	pthread_key_create(&key, NULL);
	pthread_setspecific(key, (void *)pthread_self());
	return look_below(end);
}

Test(own_stack, a_value_of_the_threads_is_not_taken_for_where_it_is)
{
	uintptr_t ends[2];

	run_next_to_another(look_below_with_value, ends);
	cr_assert_eq(ends[0], thread_pointer);
	cr_assert_eq(ends[1], 0);
}

static char *hole;

/* The thread's stack lies in pages of ours, one of them unreadable. */
static void *look_around_hole(void *end)
{
	uintptr_t *ends = end;

	thread_pointer = (uintptr_t)__builtin_thread_pointer();
	mprotect(hole, PAGE_BYTES, PROT_NONE);
	ends[0] = end_in_the_end((uintptr_t)hole + PAGE_BYTES);
	ends[1] = end_in_the_end((uintptr_t)hole + PAGE_BYTES - 8);
	ends[2] = end_in_the_end((uintptr_t)hole - 8);
	return NULL;
}

Test(own_stack, it_ends_at_the_first_page_that_cannot_be_read)
{
	char *pages = map(STACK_BYTES);
	pthread_attr_t attributes;
	uintptr_t ends[3];
	pthread_t thread;

	hole = pages + STACK_BYTES / 2;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, pages, STACK_BYTES);
	cr_assert_eq(
		pthread_create(&thread, &attributes, look_around_hole, ends),
		0);
	pthread_join(thread, NULL);
	cr_assert_eq(ends[0], thread_pointer);
	cr_assert_eq(ends[1], 0);
	cr_assert_eq(ends[2], 0);
}

Test(own_stack, what_is_far_down_is_found_in_the_end)
{
	volatile char *room = alloca(STACK_BYTES);

	room[0] = 0;
	cr_assert_eq(own_stack_end((uintptr_t)room), 0);
	cr_assert_eq(end_in_the_end((uintptr_t)room),
		     (uintptr_t)__libc_stack_end);
}
