/*
 * Coroutines of the victims: functions that run on a stack of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VICTIM_COROUTINE_H
#define VICTIM_COROUTINE_H

#include <stddef.h>
#include <ucontext.h>

/*
 * Makes a context that begins function on the stack of so many bytes, and goes
 * to next when it returns (NULL: the thread ends).
 */
static inline void make_coroutine(ucontext_t *made, void *stack, size_t bytes,
				  void (*function)(void), ucontext_t *next)
{
	getcontext(made);
	made->uc_stack.ss_sp = stack;
	made->uc_stack.ss_size = bytes;
	made->uc_link = next;
	makecontext(made, function, 0);
}

#endif
