/*
 * The timer: timer_create(2) with SIGEV_THREAD_ID, by raw system calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/timer.h"

#include <signal.h>
#include <time.h>

#include "sigsafe/clock.h"
#include "sigsafe/host_signal.h"
#include "sigsafe/live.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void refuse(struct thread *self)
{
	self->timer_refused = true;
	live_count_lost(LOST_TIMER);
}

static cold void make(struct thread *self)
{
	/* The cookie: signal_entry() knows our ticks by it. */
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_value.sival_ptr = (void *)self,
	};
	int id;

	/* First the generation: if it moves meanwhile, this timer is stale. */
	self->timer_generation = tick_signal_generation();
	event.sigev_signo = tick_signal();
	event.sigev_notify_thread_id = sys_gettid();
	if (!event.sigev_signo ||
	    sys3(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) < 0)
		refuse(self);
	else
		self->timer = id + 1;
}

static void set(struct thread *self, int flags, uint64_t at_ns)
{
	struct itimerspec when = {
		.it_value.tv_sec = (time_t)(at_ns / NS_PER_S),
		.it_value.tv_nsec = (long)(at_ns % NS_PER_S),
	};

	sys4(SYS_timer_settime, self->timer - 1, flags, &when, NULL);
}

void timer_arm(struct thread *self, uint64_t at_ns)
{
	if (unlikely(self->timer &&
		     self->timer_generation != tick_signal_generation()))
		timer_delete_own(self);
	if (unlikely(!self->timer))
		make(self);
	if (unlikely(self->timer_refused))
		return;
	/* Before the call: the tick may come before it returns. */
	self->armed_until_ns = at_ns;
	self->armed = true;
	set(self, TIMER_ABSTIME, at_ns);
}

void timer_disarm(struct thread *self)
{
	set(self, 0, 0);
	self->armed = false;
}

void timer_delete_own(struct thread *self)
{
	if (self->timer)
		sys1(SYS_timer_delete, self->timer - 1);
	self->timer = 0;
	self->armed = false;
}
