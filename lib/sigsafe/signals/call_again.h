/*
 * Calls that the kernel makes once more after a tick, since our handler has
 * SA_RESTART: a plain read, waitpid, sem_wait. Where the host's own signal
 * comes while the tick is dealt with, it finds the call not yet made again, and
 * would not break it. So the call is left there with EINTR, as the host's
 * signal would have left the first one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_CALL_AGAIN_H
#define SIGSAFE_SIGNALS_CALL_AGAIN_H

#include <signal.h>
#include <ucontext.h>

struct thread;

/* Handler only: a tick has come. */
void call_again_tick(struct thread *self, const ucontext_t *uc);

/* Handler only: sig is the host's, whose handler will be called. */
void call_again_interrupt(struct thread *self, int sig, ucontext_t *uc);

#endif
