/*
 * What a thread leaves behind that goes on elsewhere, by a jump or in another
 * context.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_JUMP_H
#define SHIM_HOOK_JUMP_H

#include "sigsafe/signals/hold.h"

/*
 * It may leave a handler of a crash, in which ticks were held: from there on
 * they come again. And it may go down the stack, to another coroutine on it
 * (lib/sigsafe/stacks/own_place.h).
 */
static inline void note_jump(void)
{
	thread_self.jumps = true;
	if (unlikely(thread_self.held))
		hold_end(&thread_self);
}

#endif
