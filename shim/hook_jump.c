/*
 * Jumps.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_jump.h"

HOOK void longjmp(struct __jmp_buf_tag to[1], int value)
{
	note_jump();
	real.longjmp(to, value);
	__builtin_unreachable();
}

HOOK_ALSO(longjmp, _longjmp);
HOOK_ALSO(longjmp, siglongjmp);

HOOK void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	note_jump();
	real.__longjmp_chk(to, value);
	__builtin_unreachable();
}
