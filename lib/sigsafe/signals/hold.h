/*
 * Ticks that are held while a handler of a crash runs (fault_may_end_host()).
 * Owns what is known of handlers that do not come back.
 *
 * One that jumps is seen as it does (shim/hook_jump.h). One that throws an
 * exception is not, nor one that the program's own assembler leaves: nobody is
 * called. By the stack pointer it is seen later, where the run blocks, or at
 * the next one. Until then there are no ticks; but as such a handler is there
 * to recover, those of its signal hold none any more, in the whole process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_HOLD_H
#define SIGSAFE_SIGNALS_HOLD_H

#include <ucontext.h>

#include "sigsafe/thread.h"

/*
 * A handler of sig is about to be called with this context. False: there is
 * nothing to hold. Handler only.
 */
bool hold_begin(struct thread *self, int sig, const ucontext_t *uc);

/* It has returned, or jumps away: ticks come again. Signal-safe. */
void hold_end(struct thread *self);

/* Has it been left, unseen? Then the same. Signal-safe. */
void hold_look(struct thread *self);

#endif
