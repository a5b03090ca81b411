/*
 * Jumps. One may leave a handler of a crash, in which ticks were held: from
 * there on they come again. And one may go down the stack, to another coroutine
 * on it (lib/sigsafe/own_place.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "sigsafe/timer.h"

static inline void note(void)
{
	thread_self.jumps = true;
	if (unlikely(thread_self.held))
		timer_release(&thread_self);
}

HOOK void longjmp(struct __jmp_buf_tag to[1], int value)
{
	note();
	real.longjmp(to, value);
	__builtin_unreachable();
}

HOOK_ALSO(longjmp, _longjmp);
HOOK_ALSO(longjmp, siglongjmp);

HOOK void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	note();
	real.__longjmp_chk(to, value);
	__builtin_unreachable();
}
