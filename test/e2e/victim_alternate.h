/*
 * What the victims that have alternate stacks share: one of their own, what
 * sigaltstack(2) tells of it, and a handler that says where it runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef E2E_VICTIM_ALTERNATE_H
#define E2E_VICTIM_ALTERNATE_H

#include <ucontext.h>

#include "victim_signal.h"

#define PAGE_BYTES 4096
#define AUTODISARM (1u << 31) /* SS_AUTODISARM, which libc does not name */

static char memory[65536] __attribute__((aligned(16)));
static const stack_t mine = { .ss_sp = memory, .ss_size = sizeof(memory) };
static const stack_t none = { .ss_flags = SS_DISABLE };

static inline void say_stack(const char *what, const stack_t *stack)
{
	printf("%s: %s flags %x size %zu\n", what,
	       stack->ss_sp == memory ? "mine"
	       : stack->ss_sp	      ? "another"
				      : "null",
	       (unsigned int)stack->ss_flags, stack->ss_size);
}

static inline void change(const char *what, const stack_t *new)
{
	stack_t old = { .ss_flags = 99 };
	int result = sigaltstack(new, &old);

	printf("%s: %d %s\n", what, result, result ? strerror(errno) : "");
	if (!result)
		say_stack("  it was", &old);
}

/* Where a handler runs, and what it is told. */
static inline void on_signal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];

	printf("signal %d %d code %d\n", sig, info->si_signo, info->si_code);
	printf("on mine %d, below what was interrupted %d, aligned %d\n",
	       here - (uintptr_t)memory < sizeof(memory),
	       sp - here < 3 * PAGE_BYTES, (int)(here % 16));
	printf("context has %s\n", uc->uc_stack.ss_sp == memory ? "mine"
				   : uc->uc_stack.ss_size	? "another"
								: "none");
	change("in it, asked", NULL);
	change("in it, mine", &mine);
	change("in it, none", &none);
}

static inline void handle(int sig, void (*handler)(int, siginfo_t *, void *),
			  int flags)
{
	struct sigaction act = { .sa_sigaction = handler,
				 .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &act, NULL);
}

#endif
