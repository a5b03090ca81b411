/*
 * The timer: timer_create(2) with SIGEV_THREAD_ID, by raw system calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/timer.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "sigsafe/live.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/stacks/alternate_stack.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* More timers than loops that a recording has room for. */
#define MAX_TIMERS 8192u

/*
 * The kernel's ids, plus 1, of all threads' timers; 0: none. Not kept in the
 * recording: a timer that somebody else wrote there might be the host's.
 */
static int32_t timers[MAX_TIMERS];

/* Enters the thread's timer. False: there are too many. */
static bool enter(struct thread *self)
{
	uint32_t slot = hash_slot((uint64_t)self->timer, MAX_TIMERS);

	for (uint32_t i = 0; i < MAX_TIMERS; i++) {
		int32_t *place = &timers[(slot + i) % MAX_TIMERS], none = 0;

		if (!load_relaxed(place) &&
		    cas_acq_rel(place, &none, self->timer)) {
			self->timer_place = place;
			/* Pairs with the load in timer_stop_others(). */
			store_seq_cst(place, self->timer);
			return true;
		}
	}
	return false;
}

static cold void give_up(struct thread *self, enum lost_reason why)
{
	timer_delete_own(self);
	if (!self->timer_refused)
		live_count_lost(why);
	self->timer_refused = true;
}

void timer_give_up(struct thread *self)
{
	give_up(self, LOST_TIMER);
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
	if (!event.sigev_signo || tick_signal_kills(event.sigev_signo)) {
		give_up(self, LOST_NO_SIGNAL);
		return;
	}
	if (sys3(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) < 0) {
		timer_give_up(self);
		return;
	}
	self->timer = id + 1;
	/* Before the first tick, which a coroutine may have no room for. */
	if (!alternate_stack_provide(self) || !enter(self))
		timer_give_up(self);
}

static bool set(int timer, int flags, uint64_t at_ns)
{
	struct itimerspec when = {
		.it_value.tv_sec = (time_t)(at_ns / NS_PER_S),
		.it_value.tv_nsec = (long)(at_ns % NS_PER_S),
	};

	return !sys4(SYS_timer_settime, timer - 1, flags, &when, NULL);
}

static bool is_stale(const struct thread *self)
{
	return self->timer &&
	       self->timer_generation != tick_signal_generation();
}

void timer_arm(struct thread *self, uint64_t at_ns)
{
	do {
		if (unlikely(is_stale(self)))
			timer_delete_own(self);
		if (unlikely(!self->timer))
			make(self);
		if (unlikely(self->timer_refused))
			return;
		/* Before the call: the tick may come before it returns. */
		self->armed_until_ns = at_ns;
		self->armed = ARMED;
		self->disarmed = false;
		set(self->timer, TIMER_ABSTIME, at_ns);
		/* It may have moved, and timer_stop_others() missed this. */
	} while (unlikely(is_stale(self)));
}

static void arm_as(struct thread *self, uint64_t at_ns, enum arming arming)
{
	timer_arm(self, at_ns);
	if (self->armed)
		self->armed = arming;
}

void timer_arm_for_later(struct thread *self, uint64_t at_ns)
{
	arm_as(self, at_ns, ARMED_FOR_LATER);
}

void timer_arm_again(struct thread *self)
{
	arm_as(self, self->armed_until_ns, self->armed);
}

bool timer_disarm(struct thread *self)
{
	/* First: older kernels deliver what has expired before the call. */
	self->disarmed = true;
	if (!set(self->timer, 0, 0)) {
		self->disarmed = false;
		return false;
	}
	self->armed = NOT_ARMED;
	return true;
}

bool timer_hold(struct thread *self)
{
	enum arming held = self->armed;

	if (!held || !timer_disarm(self))
		return false;
	self->held = held;
	return true;
}

void timer_release(struct thread *self)
{
	enum arming held = self->held;

	self->held = NOT_ARMED;
	if (!held || self->armed)
		return;
	arm_as(self, self->armed_until_ns, held);
}

void timer_delete_own(struct thread *self)
{
	if (self->timer) {
		/* Relaxed: the kernel tells an id that is no more. */
		if (self->timer_place)
			store_relaxed(self->timer_place, 0);
		sys1(SYS_timer_delete, self->timer - 1);
	}
	self->timer = 0;
	self->timer_place = NULL;
	self->armed = NOT_ARMED;
}

bool timer_delete_all(const struct thread *self)
{
	bool is_alone = true;

	for (uint32_t i = 0; i < MAX_TIMERS; i++) {
		int timer = load_seq_cst(&timers[i]);

		if (!timer)
			continue;
		sys1(SYS_timer_delete, timer - 1);
		is_alone = is_alone && timer == self->timer;
	}
	return is_alone;
}

void timer_stop_others(const struct thread *self)
{
	/* A forked child that has not started yet has no timers. */
	if (!live_recording())
		return;
	for (uint32_t i = 0; i < MAX_TIMERS; i++) {
		/* Pairs with enter(). */
		int timer = load_seq_cst(&timers[i]);

		if (timer && &timers[i] != self->timer_place)
			set(timer, 0, 0);
	}
}

void timer_reset(void)
{
	memset(timers, 0, sizeof(timers));
}
