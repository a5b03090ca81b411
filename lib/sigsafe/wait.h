/*
 * A wait for events, and how a tick stays invisible in it.
 *
 * A tick may land in a wait (at most once per idle period) and break it with
 * EINTR. Calling the wait again would lose a wake-up that the host's own
 * signal meant to give in between. So:
 *
 * 1. The handler, finding that it broke the wait itself, leaves every signal
 * but libc's own blocked (through uc_sigmask) and remembers the mask there was.
 * 2. The hook continues the wait by a call that takes a mask and unblocks
 *    atomically: a host signal that came meanwhile breaks it as it should.
 * 3. Host handlers are counted: if one ran since the wait began, the EINTR is
 *    the host's and is handed on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WAIT_H
#define SIGSAFE_WAIT_H

#include <signal.h>
#include <ucontext.h>

#include "sigsafe/thread.h"

/* Ends the run and opens the wait. Returns the time. Signal-safe. */
uint64_t wait_begin(enum blocking_call call);

/*
 * The wait returned `returned` events, or -1 with errno. A run begins; the
 * signal mask is the host's again. Leaves errno alone. A wait that is left
 * otherwise (by longjmp, or a cancelled thread) needs no call: the next one
 * finds all in order. Signal-safe.
 */
void wait_end(int returned);

/*
 * Was it a tick, and nothing else, that broke the wait? Then it must be
 * continued with wait_mask(). Signal-safe.
 */
static inline bool wait_was_broken(int returned, int error)
{
	return unlikely(thread_self.tick_broke_wait) && returned < 0 &&
	       error == EINTR;
}

/*
 * The mask to continue the wait with: the host's argument, or what it had. The
 * system calls read the kernel's part of a sigset_t only.
 */
static inline const sigset_t *wait_mask(const sigset_t *hosts_argument)
{
	return hosts_argument ? hosts_argument
			      : (const void *)&thread_self.mask_before_tick;
}

/* Of a timeout of timeout_ns from begun_ns, what is left now. Signal-safe. */
uint64_t wait_left_ns(uint64_t begun_ns, uint64_t timeout_ns);

/*
 * A handler of the host comes in between: it may wait itself, and must see, and
 * may change, the mask there would be without us. Handler only.
 */
struct wait_state {
	bool waiting;
	bool tick_broke_wait;
	kernel_sigset mask; /* that blocks everything, if tick_broke_wait */
	uint64_t handlers_at_wait;
	int errno_at_wait;
};

struct wait_state wait_interrupt(ucontext_t *uc);
void wait_resume(const struct wait_state *state, ucontext_t *uc);

/* Handler only: the tick came in a wait. */
void wait_tick(struct thread *self, ucontext_t *uc);

#endif
