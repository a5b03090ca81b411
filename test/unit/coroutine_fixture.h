/*
 * Coroutines for unit tests: functions that run on a stack of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COROUTINE_FIXTURE_H
#define COROUTINE_FIXTURE_H

#include <criterion/criterion.h>
#include <ucontext.h>

/*
 * Makes a context that begins function on the stack of so many bytes, and goes
 * to next (NULL: nowhere) when it returns.
 */
static inline void fixture_make_coroutine(ucontext_t *made, void *stack,
					  size_t bytes, void (*function)(void),
					  ucontext_t *next)
{
	cr_assert_eq(getcontext(made), 0);
	made->uc_stack.ss_sp = stack;
	made->uc_stack.ss_size = bytes;
	made->uc_link = next;
	makecontext(made, function, 0);
}

/* Runs function there, to its end or until it switches to home. */
static inline void fixture_run_coroutine(void *stack, size_t bytes,
					 void (*function)(void),
					 ucontext_t *home)
{
	ucontext_t coroutine;

	fixture_make_coroutine(&coroutine, stack, bytes, function, home);
	cr_assert_eq(swapcontext(home, &coroutine), 0);
}

#endif
