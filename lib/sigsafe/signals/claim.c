/*
 * Claims.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/claim.h"

#include "sigsafe/live.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/send_again.h"
#include "sigsafe/signals/signal_entry.h"
#include "sigsafe/thread.h"

/*
 * After a move: no late tick may stay pending in this thread, which may be
 * about to block or to wait for that signal. Every signal is blocked here, and
 * what is pending comes with the unlock.
 */
static void follow_tick_signal(void)
{
	if (thread_self.recording == live_recording() && thread_self.timer &&
	    thread_self.timer_generation != tick_signal_generation()) {
		if (thread_self.armed)
			timer_arm_again(&thread_self);
		else
			timer_delete_own(&thread_self);
	}
	timer_stop_others(&thread_self);
}

void claim_signals(uint32_t memory, kernel_sigset claims)
{
	kernel_sigset hosts = host_mask();
	bool moved;

	disposition_lock(memory);
	moved = tick_signal_claim(claims);
	if (moved)
		follow_tick_signal();
	disposition_unlock();
	if (moved)
		host_mask_set(hosts);
}

void claim_sent(uint32_t memory, int sig)
{
	struct thread *self = &thread_self;

	disposition_lock(memory);
	tick_signal_was_sent(sig);
	disposition_unlock();
	/* Its ticks would stay pending here. The next run makes another. */
	if (self->recording == live_recording() && self->timer &&
	    self->timer_generation != tick_signal_generation())
		timer_delete_own(self);
}

/* The thread's own come before the process's. */
void claim_drop_late_tick(int sig)
{
	const kernel_sigset set = SIGNAL_BIT(sig);
	const struct timespec now = { .tv_sec = 0 };
	siginfo_t info;

	if (sys4(SYS_rt_sigtimedwait, &set, &info, &now, sizeof(set)) == sig &&
	    !signal_is_tick(&info))
		signal_send_to_pend(sig, &info);
}
