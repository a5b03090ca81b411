/*
 * Touching the stack that will be needed. Signal-safe.
 *
 * What is called while we hold a lock, or block signals, lies on the stack of
 * the host. That may end there, or its pages may be made as they are met: then
 * a handler of the host's has the fault, which may jump away. So it is to come
 * before anything is held.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACK_TOUCH_H
#define SIGSAFE_STACK_TOUCH_H

/* As deep as anything goes then, before it is on another stack. */
#define STACK_TOUCH_BYTES 288

static __attribute__((noinline)) void stack_touch(void)
{
	char below[STACK_TOUCH_BYTES];

	*(volatile char *)below = 0;
}

#endif
