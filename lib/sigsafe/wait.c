/*
 * A wait for events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/wait.h"

#include "sigsafe/clock.h"
#include "sigsafe/watch.h"

uint64_t wait_begin(enum blocking_call call)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = watch_run_end(call);

	self->handlers_at_wait = self->host_handlers;
	self->tick_broke_wait = false;
	/* Last: from here on a tick counts as one in a wait. */
	self->waiting = true;
	return begun_ns;
}

void wait_end(int returned)
{
	struct thread *self = &thread_self;

	self->waiting = false;
	if (unlikely(self->tick_broke_wait)) {
		kernel_sigset mask = self->mask_before_tick;

		self->tick_broke_wait = false;
		/* What host signals are pending are delivered in here. */
		sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	}
	watch_run_begin(returned > 0 ? (uint32_t)returned : 0);
}

uint64_t wait_left_ns(uint64_t begun_ns, uint64_t timeout_ns)
{
	uint64_t passed_ns = clock_now_ns() - begun_ns;

	return timeout_ns > passed_ns ? timeout_ns - passed_ns : 0;
}

/* The kernel's part of the mask the thread returns to. */
static kernel_sigset *mask_of(ucontext_t *uc)
{
	return (kernel_sigset *)&uc->uc_sigmask;
}

/*
 * The EINTR is ours if it is still in the register, behind the system call, and
 * no handler of the host has run since the wait began.
 */
void wait_tick(struct thread *self, ucontext_t *uc)
{
	if (!context_is_broken_call(uc) ||
	    self->host_handlers != self->handlers_at_wait)
		return;
	self->mask_before_tick = *mask_of(uc);
	*mask_of(uc) = ~LIBC_SIGNALS;
	self->tick_broke_wait = true;
}

struct wait_state wait_interrupt(ucontext_t *uc)
{
	struct thread *self = &thread_self;
	struct wait_state state = {
		.waiting = self->waiting,
		.tick_broke_wait = self->tick_broke_wait,
		.mask = *mask_of(uc),
		.handlers_at_wait = self->handlers_at_wait,
		.errno_at_wait = self->errno_at_wait,
	};

	if (unlikely(state.tick_broke_wait))
		*mask_of(uc) = self->mask_before_tick;
	self->waiting = false;
	self->tick_broke_wait = false;
	return state;
}

void wait_resume(const struct wait_state *state, ucontext_t *uc)
{
	struct thread *self = &thread_self;

	if (unlikely(state->tick_broke_wait)) {
		self->mask_before_tick = *mask_of(uc);
		*mask_of(uc) = state->mask;
	}
	self->handlers_at_wait = state->handlers_at_wait;
	self->errno_at_wait = state->errno_at_wait;
	self->tick_broke_wait = state->tick_broke_wait;
	self->waiting = state->waiting;
}
