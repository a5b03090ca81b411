/*
 * Spare stacks, for what a signal handler or a hook does: it may have been
 * entered on a stack that has little left (a coroutine's of one page, an
 * alternate stack of two). Owns them. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_STACKS_SPARE_STACK_H
#define SIGSAFE_STACKS_SPARE_STACK_H

#include "sigsafe/stacks/own_place.h"

/* Makes the stacks, if there is memory. Called once, at the start. */
void spare_stack_start(void);

/*
 * Calls work(argument) where there is room: on this stack, if it is a spare one
 * or the thread's own or its alternate one of ours, and enough of it is left;
 * else on a spare one; or on this one, if none were made. False: it was not
 * called, as none came free in a tenth of a second, and what is left here may
 * be too little. Handler only: all signals are blocked.
 */
bool spare_stack_call(void (*work)(void *), void *argument);

/*
 * For a hook. On this stack, if it is one of ours, or if there is room and the
 * hook's place is known to be on the thread's own (sigsafe/stacks/own_place.h;
 * NULL: it is not asked): the usual case costs no system call. Otherwise on the
 * thread's alternate stack of ours, or as above, with all signals blocked
 * meanwhile but those of faults; these are opened, too, wherever the thread is
 * not known to leave them open (sigsafe/signals/fault_mask.h).
 */
bool spare_stack_call_by_hook(const struct own_place *place,
			      void (*work)(void *), void *argument);

/* After a fork: whoever used them is not in this process. */
void spare_stack_reset(void);

#endif
