/*
 * A wait's hook that is unwound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_unwound.h"

#include <unwind.h>

#include "sigsafe/loops/wait.h"

int hook_unwound(int version, int actions, uint64_t class, void *exception,
		 void *context)
{
	(void)version, (void)class, (void)exception, (void)context;
	/* Before it, a frame that catches is only looked for. */
	if (actions & _UA_CLEANUP_PHASE)
		wait_abandon();
	return _URC_CONTINUE_UNWIND;
}
