/*
 * A wait's hook that is unwound, as its thread is cancelled in it (or ends by
 * pthread_exit() in a handler of the host's). Its frame has a personality
 * routine, which closes the wait before any of the host's cleanup runs: that
 * costs nothing where nobody unwinds, and calls nothing of a run-time library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_UNWOUND_H
#define SHIM_HOOK_UNWOUND_H

#include <stdint.h>

/* _Unwind_Personality_Fn of the C++ ABI for Itanium, level I. Signal-safe. */
int hook_unwound(int version, int actions, uint64_t class, void *exception,
		 void *context);

/*
 * In each function that is on the stack while a wait's real call lasts, before
 * that. 0x1b: a signed offset of 32 bits from where it stands (DW_EH_PE_pcrel
 * with DW_EH_PE_sdata4). The compiler may put what is cold of a function apart,
 * without it: what continues a wait there has it too.
 */
#define CLOSES_WAIT_UNWOUND                                                    \
	asm volatile(".hidden hook_unwound\n\t"                                \
		     ".cfi_personality 0x1b, hook_unwound")

#endif
