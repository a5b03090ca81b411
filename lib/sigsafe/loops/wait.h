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
 * A wait that is nested in a callback (lib/sigsafe/loops/seat.h) is part of the
 * run: there ticks go on, each of them may break the call that continues the
 * wait.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_WAIT_H
#define SIGSAFE_LOOPS_WAIT_H

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "sigsafe/thread.h"

/*
 * Opens the wait, which ends the run unless it is nested. Returns the time.
 * Signal-safe.
 */
uint64_t wait_begin(enum blocking_call call, struct sitting *sitting);

/*
 * Opens a sleep, in which ticks come as in a nested wait. False: no tick can
 * come, as the thread is in no run that is watched; wait_end() must not follow.
 * To be called where the thread's timer is armed. Signal-safe.
 */
bool wait_sleeps(enum blocking_call call);

/*
 * Opens a wait for what a tick has cut short; the mask has been kept since that
 * (wait_keep_mask()). wait_end() must follow. Signal-safe.
 */
void wait_goes_on(enum blocking_call call);

/*
 * The wait returned `returned` events, or -1 with errno. A run begins, or goes
 * on; the signal mask is the host's again. Leaves errno alone. Signal-safe.
 */
void wait_end(int returned);

/*
 * The wait, if there is one, is left by unwinding: no run begins. One that a
 * handler of the host's leaves by longjmp needs no call: wait_interrupt() has
 * closed it. Leaves errno alone. Signal-safe.
 */
void wait_abandon(void);

/*
 * Was it a tick, and nothing else, that broke the wait? Then it must be
 * continued with wait_mask(). Signal-safe.
 */
static inline bool wait_was_broken(int returned)
{
	return unlikely(thread_self.tick_broke_wait) && returned < 0 &&
	       errno == EINTR;
}

/*
 * A wait that succeeds leaves errno alone: the EINTR of the tick that broke it
 * is not to stay. To be called with what continued it; returns that.
 */
static inline int wait_forget_tick(int returned)
{
	if (returned >= 0)
		errno = thread_self.errno_at_wait;
	return returned;
}

/*
 * The mask to continue the wait with: the host's argument, or what it had. The
 * system calls read the kernel's part of a sigset_t only. From here on a tick
 * can break nothing but the call that continues.
 */
static inline const sigset_t *wait_mask(const sigset_t *hosts_argument)
{
	thread_self.tick_broke_wait = false;
	return hosts_argument ? hosts_argument
			      : (const void *)&thread_self.mask_before_tick;
}

/*
 * Of a timeout of timeout_ns from begun_ns, what is left now; or was left when
 * a handler of the host's broke the wait that a tick had broken before. (The
 * kernel tells it as of then, however long the handler takes.) Signal-safe.
 */
uint64_t wait_left_ns(uint64_t begun_ns, uint64_t timeout_ns);

/*
 * The wait, of timeout_ns from begun_ns, is about to be continued by ppoll(2).
 * poll(2) ends at its time even if the process has been stopped meanwhile;
 * ppoll(2) goes on with what was left when it was. So a tick is to break it,
 * a little after its end. Signal-safe.
 */
void wait_tick_at_end(uint64_t begun_ns, uint64_t timeout_ns);

/*
 * A handler of the host comes in between: it may wait itself, and must see, and
 * may change, the mask there would be without us. Handler only.
 */
struct wait_state {
	uint32_t waiting;
	bool tick_broke_wait;
	bool mask_is_kept;
	bool wait_submits;
	kernel_sigset mask; /* that blocks everything, if mask_is_kept */
	uint32_t handlers_at_wait;
	int errno_at_wait;
	uint64_t interrupted_ns;
};

struct wait_state wait_interrupt(ucontext_t *uc);
void wait_resume(const struct wait_state *state, ucontext_t *uc);

/* The kernel's mask that the host's code has run with. Handler only. */
kernel_sigset *wait_mask_interrupted(ucontext_t *uc);

/*
 * Handler only: from the return to uc on every signal but libc's own is
 * blocked, until wait_end().
 */
void wait_keep_mask(struct thread *self, ucontext_t *uc);

/* Handler only: the tick came in a wait. */
void wait_tick(struct thread *self, ucontext_t *uc);

#endif
