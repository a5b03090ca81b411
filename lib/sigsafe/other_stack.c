/*
 * Calls on another stack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/other_stack.h"

#include <signal.h>

#include "sigsafe/disposition.h"
#include "sigsafe/sys.h"

struct call {
	void (*function)(void *);
	void *argument;
};

static void call_without(void *argument)
{
	static const stack_t none = { .ss_flags = SS_DISABLE };
	const struct call *call = argument;
	stack_t had;
	bool is_gone = !sys2(SYS_sigaltstack, &none, &had);

	call->function(call->argument);
	if (is_gone)
		sys2(SYS_sigaltstack, &had, NULL);
}

void other_stack_call(void *top, void (*function)(void *), void *argument)
{
	struct call call = { function, argument };

	if (unlikely(disposition_enters_alternate_stack(SIGBUS)))
		machine_call_on(top, call_without, &call);
	else
		machine_call_on(top, function, argument);
}
