/*
 * The touch: not inlined, as it is below the caller's frame.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/stacks/stack_touch.h"

__attribute__((noinline)) void stack_touch(size_t bytes)
{
	volatile char *below = __builtin_alloca(bytes);

	*below = 0;
}
