/*
 * Jumps. One may leave a handler of a crash, in which ticks were held: from
 * there on they come again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "sigsafe/timer.h"

static inline void let_go(void)
{
	if (unlikely(thread_self.held))
		timer_release(&thread_self);
}

HOOK void longjmp(struct __jmp_buf_tag to[1], int value)
{
	let_go();
	real.longjmp(to, value);
	__builtin_unreachable();
}

HOOK_ALSO(longjmp, _longjmp);
HOOK_ALSO(longjmp, siglongjmp);

HOOK void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	let_go();
	real.__longjmp_chk(to, value);
	__builtin_unreachable();
}
