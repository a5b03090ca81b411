/*
 * The host's alternate stack, kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/hosts_stack.h"

#include "sigsafe/os/sys.h"

bool stack_is_at(const stack_t *stack, uintptr_t sp)
{
	uintptr_t above = sp - (uintptr_t)stack->ss_sp;

	return above && above <= stack->ss_size;
}

stack_t hosts_stack_told(const struct thread *self, uintptr_t sp)
{
	stack_t stack = self->hosts_stack;

	stack.ss_flags &= (int)AUTODISARM;
	if (!stack.ss_size)
		stack.ss_flags |= SS_DISABLE;
	else if (stack_is_in_use(&stack, sp))
		stack.ss_flags |= SS_ONSTACK;
	return stack;
}

void hosts_stack_keep(struct thread *self, const stack_t *new)
{
	unsigned int mode = (unsigned int)new->ss_flags & ~AUTODISARM;

	if (mode == SS_DISABLE)
		self->hosts_stack = (stack_t){ .ss_flags = new->ss_flags };
	else if (mode <= SS_ONSTACK && new->ss_size >= LEAST_STACK_BYTES)
		self->hosts_stack = *new;
}

/*
 * Asked for what it has the kernel does nothing (from Linux 5.17 on): so flags
 * of 0 are told from SS_DISABLE. An older one refuses, and it is taken for
 * that.
 */
static bool has_never_been_set(void)
{
	static const stack_t never;

	return !sys2(SYS_sigaltstack, &never, NULL);
}

static bool is_same(const stack_t *a, const stack_t *b)
{
	return a->ss_sp == b->ss_sp && a->ss_size == b->ss_size &&
	       a->ss_flags == b->ss_flags;
}

void hosts_stack_note(struct thread *self, const stack_t *now)
{
	static const stack_t never;
	stack_t told = hosts_stack_told(self, 0);

	if (!now->ss_size && has_never_been_set())
		self->hosts_stack = never;
	else if (!now->ss_size || !is_same(&told, now))
		self->hosts_stack = *now;
}

bool hosts_stack_is(const struct thread *self, const stack_t *new)
{
	return is_same(&self->hosts_stack, new);
}
