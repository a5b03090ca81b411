/*
 * Calls on another stack, where the thread's own may have too little room.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_OTHER_STACK_H
#define SIGSAFE_STACKS_OTHER_STACK_H

#include "base/units.h"

/*
 * Calls function(argument) on the stack that ends at top, while the caller's
 * may be the alternate one. A fault of ours, which is handled there, must not
 * be entered at its upper end, over the caller's frames: so the thread has none
 * meanwhile. All signals but those of faults are blocked.
 */
void other_stack_call(void *top, void (*function)(void *), void *argument);

/*
 * The same on a stack of so many bytes that is mapped for it. False: there is
 * no memory, and it was not called.
 */
bool other_stack_call_on_new(size_t bytes, void (*function)(void *),
			     void *argument);

#endif
