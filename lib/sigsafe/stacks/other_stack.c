/*
 * Calls on another stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/other_stack.h"

#include <signal.h>

#include "sigsafe/os/sys.h"
#include "sigsafe/stacks/guarded_stack.h"

struct call {
	void (*function)(void *);
	void *argument;
};

/* One that was never set would be set by that, for hosts_stack.h. */
static bool take_away(stack_t *had)
{
	static const stack_t none = { .ss_flags = SS_DISABLE };

	return !sys2(SYS_sigaltstack, NULL, had) && had->ss_size &&
	       !sys2(SYS_sigaltstack, &none, NULL);
}

static void call_without(void *argument)
{
	const struct call *call = argument;
	stack_t had;
	bool is_gone = take_away(&had);

	call->function(call->argument);
	if (is_gone)
		sys2(SYS_sigaltstack, &had, NULL);
}

void other_stack_call(void *top, void (*function)(void *), void *argument)
{
	struct call call = { function, argument };

	machine_call_on(top, call_without, &call);
}

bool other_stack_call_on_new(size_t bytes, void (*function)(void *),
			     void *argument)
{
	char *stack = guarded_stack_map(bytes);

	if (!stack)
		return false;
	other_stack_call(stack + bytes, function, argument);
	guarded_stack_unmap(stack, bytes);
	return true;
}
