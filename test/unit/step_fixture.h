/*
 * Steps: a thread is made to trap at each instruction it comes to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STEP_FIXTURE_H
#define STEP_FIXTURE_H

#include <stdbool.h>
#include <ucontext.h>

/* Takes SIGTRAP. at_each is called in its handler, all signals blocked. */
void fixture_begin_steps(void (*at_each)(const ucontext_t *context));

/* The last step is in here. */
void fixture_end_steps(void);

/* Is it at the system call that returns from a signal handler? */
bool fixture_is_returning(const ucontext_t *context);

/*
 * fixture_step(): from the next instruction on, or from the one behind it.
 * Again in a handler that is to be stepped through.
 */
#if defined(__x86_64__)

#define TRAP_FLAG 0x100

/* What lies below %rsp is not ours. */
static inline __attribute__((always_inline)) void fixture_step(void)
{
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq %0, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

#elif defined(__aarch64__)

/* brk #0xf0 */
#define FIRST_STEP 0xd4201e00

static inline __attribute__((always_inline)) void fixture_step(void)
{
	__asm__ volatile("brk #0xf0" ::: "memory");
}

#endif

#endif
