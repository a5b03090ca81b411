/*
 * The host's alternate stack of a thread where the kernel has ours
 * (sigsafe/stacks/alternate_stack.h): kept, used and told as the kernel would,
 * by do_sigaltstack() of its kernel/signal.c. Owns self->hosts_stack.
 *
 * Signal frames show the flags that were given; sigaltstack(2) shows others.
 * The given ones decide over what a handler has set by the time it returns: the
 * frame's are given once more then, and what is refused changes nothing. So a
 * first stack, set in a handler of a thread that has never had any (flags 0,
 * size 0: too small), stays; in a thread born with SS_DISABLE it is undone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_HOSTS_STACK_H
#define SIGSAFE_STACKS_HOSTS_STACK_H

#include <signal.h>

#include "sigsafe/thread.h"

/* SS_AUTODISARM, which libc does not name. */
#define AUTODISARM (1u << 31)

/* What a thread is born with, and has after a signal that disarms. */
static const stack_t no_stack = { .ss_flags = SS_DISABLE };

/* Does sp lie in it? Signal-safe. */
bool stack_is_at(const stack_t *stack, uintptr_t sp);

/* Is the thread on it? The kernel's on_sig_stack(). Signal-safe. */
static inline bool stack_is_in_use(const stack_t *stack, uintptr_t sp)
{
	return !((unsigned int)stack->ss_flags & AUTODISARM) &&
	       stack_is_at(stack, sp);
}

/* What sigaltstack(2) would tell where the stack pointer is sp. Signal-safe. */
stack_t hosts_stack_told(const struct thread *self, uintptr_t sp);

/*
 * new is given, and taken or refused, as by the return of a handler: the
 * thread is not on the host's by then. Signal-safe.
 */
void hosts_stack_keep(struct thread *self, const stack_t *new);

/*
 * The kernel has now, as sigaltstack(2) told it: what is kept are the flags
 * that were given, where they are known. Signal-safe.
 */
void hosts_stack_note(struct thread *self, const stack_t *now);

/* Is new what is kept? Then the kernel has nothing to refuse. Signal-safe. */
bool hosts_stack_is(const struct thread *self, const stack_t *new);

#endif
