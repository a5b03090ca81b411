/*
 * The host's stack may end anywhere, or its pages be made as they are met: the
 * handler of the host's that has the fault may jump away from it. So what we
 * hold or block for longer than a call takes on that stack is preceded by a
 * touch of all that is below: the fault comes while nothing is held.
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_STACK_TOUCH_H
#define SIGSAFE_STACKS_STACK_TOUCH_H

#include <stddef.h>

/* What goes on on the host's stack while a hook changes to a spare one. */
#define TOUCH_CHANGE_BYTES 176u

/* The same where it changes to the thread's alternate one. */
#define TOUCH_ALTERNATE_BYTES 48u

/* What an operation on a lock takes of it, with its stack and all. */
#define TOUCH_LOCK_BYTES 480u

/* Writes to what is so far below the caller's frame. */
void stack_touch(size_t bytes);

#endif
