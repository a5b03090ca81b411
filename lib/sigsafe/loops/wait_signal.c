/*
 * A wait that a signal comes in: a tick, which is not to show, or one of the
 * host's, whose handler may wait itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/machine.h"

kernel_sigset *wait_mask_interrupted(ucontext_t *uc)
{
	struct thread *self = &thread_self;

	return unlikely(self->mask_is_kept) ? &self->mask_before_tick
					    : context_mask(uc);
}

void wait_keep_mask(struct thread *self, ucontext_t *uc)
{
	if (!self->mask_is_kept)
		self->mask_before_tick = *context_mask(uc);
	*context_mask(uc) = ~LIBC_SIGNALS;
	self->mask_is_kept = true;
}

/*
 * The kernel has woken the thread for a signal that another one took, or for
 * work of its own, and is about to begin the wait anew, by restart_syscall(2).
 * Behind a handler that returns EINTR.
 */
static void leave_call_begun_anew(ucontext_t *uc)
{
	if (unlikely(context_call_again(uc) == SYS_restart_syscall))
		context_leave_call(uc, -EINTR);
}

static bool is_broken(const struct thread *self, const ucontext_t *uc)
{
	return context_is_broken_call(uc) ||
	       unlikely(self->wait_submits && context_is_after_call(uc) &&
			context_result(uc) > 0);
}

/*
 * The EINTR is ours if it is still in the register, behind the system call, and
 * no handler of the host has run since the wait began. The mask is ours already
 * where an earlier tick broke this wait.
 */
void wait_tick(struct thread *self, ucontext_t *uc)
{
	leave_call_begun_anew(uc);
	if (!is_broken(self, uc) ||
	    self->host_handlers != self->handlers_at_wait)
		return;
	/* The system call has returned, and libc not looked at that yet. */
	if (!self->mask_is_kept)
		self->errno_at_wait = errno;
	wait_keep_mask(self, uc);
	self->tick_broke_wait = true;
}

/* The first: of two at once the other comes when that has returned. */
static uint64_t interruption_ns(const struct thread *self)
{
	return unlikely(self->mask_is_kept) && !self->interrupted_ns
		       ? clock_now_ns()
		       : self->interrupted_ns;
}

struct wait_state wait_interrupt(ucontext_t *uc)
{
	struct thread *self = &thread_self;
	struct wait_state state = {
		.waiting = self->waiting,
		.tick_broke_wait = self->tick_broke_wait,
		.mask_is_kept = self->mask_is_kept,
		.wait_submits = self->wait_submits,
		.mask = *context_mask(uc),
		.handlers_at_wait = self->handlers_at_wait,
		.errno_at_wait = self->errno_at_wait,
		.interrupted_ns = interruption_ns(self),
	};

	if (unlikely(state.mask_is_kept))
		*context_mask(uc) = self->mask_before_tick;
	self->waiting = WAITS_NOT;
	self->tick_broke_wait = false;
	self->mask_is_kept = false;
	self->wait_submits = false;
	return state;
}

void wait_resume(const struct wait_state *state, ucontext_t *uc)
{
	struct thread *self = &thread_self;

	/* A run that a wait in the handler began is none of the loop's. */
	if (state->waiting == WAITS_TO_TURN)
		run_forget();
	if (unlikely(state->mask_is_kept)) {
		self->mask_before_tick = *context_mask(uc);
		*context_mask(uc) = state->mask;
	}
	self->handlers_at_wait = state->handlers_at_wait;
	self->errno_at_wait = state->errno_at_wait;
	self->interrupted_ns = state->interrupted_ns;
	self->tick_broke_wait = state->tick_broke_wait;
	self->mask_is_kept = state->mask_is_kept;
	self->wait_submits = state->wait_submits;
	self->waiting = state->waiting;
}
