/*
 * A wait for events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/wait.h"

#include <string.h>

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

/*
 * The EINTR is ours if it is still in the register, behind the system call, and
 * no handler of the host has run since the wait began.
 */
void wait_tick(struct thread *self, ucontext_t *uc)
{
	if (!context_is_broken_call(uc) ||
	    self->host_handlers != self->handlers_at_wait)
		return;
	memcpy(&self->mask_before_tick, &uc->uc_sigmask, sizeof(kernel_sigset));
	memset(&uc->uc_sigmask, 0xff, sizeof(kernel_sigset));
	self->tick_broke_wait = true;
}
