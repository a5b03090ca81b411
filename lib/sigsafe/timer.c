/*
 * The timer: timer_create(2) with SIGEV_THREAD_ID, by raw system calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/timer.h"

#include <signal.h>
#include <time.h>

#include "sigsafe/alternate_stack.h"
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
	    sys3(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) < 0) {
		refuse(self);
		return;
	}
	self->timer = id + 1;
	/* Before the first tick. */
	alternate_stack_provide(self);
	/* Pairs with the load in timer_stop_others(). */
	store_seq_cst(&self->record->timer, self->timer);
}

static void set(int timer, int flags, uint64_t at_ns)
{
	struct itimerspec when = {
		.it_value.tv_sec = (time_t)(at_ns / NS_PER_S),
		.it_value.tv_nsec = (long)(at_ns % NS_PER_S),
	};

	sys4(SYS_timer_settime, timer - 1, flags, &when, NULL);
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
		self->armed = true;
		set(self->timer, TIMER_ABSTIME, at_ns);
		/* It may have moved, and timer_stop_others() missed this. */
	} while (unlikely(is_stale(self)));
}

void timer_disarm(struct thread *self)
{
	set(self->timer, 0, 0);
	self->armed = false;
}

void timer_delete_own(struct thread *self)
{
	if (self->timer) {
		/* Relaxed: the kernel tells an id that is no more. */
		store_relaxed(&self->record->timer, 0);
		sys1(SYS_timer_delete, self->timer - 1);
	}
	self->timer = 0;
	self->armed = false;
}

void timer_delete_all(struct recording *rec)
{
	struct thread_record *record = section_records(rec, SECTION_THREADS);

	for (uint32_t i = 0; i < rec->section[SECTION_THREADS].capacity; i++) {
		int timer = load_seq_cst(&record[i].timer);

		if (timer)
			sys1(SYS_timer_delete, timer - 1);
	}
}

void timer_stop_others(const struct thread *self)
{
	struct recording *rec = live_recording();
	struct thread_record *record;

	if (!rec)
		return;
	record = section_records(rec, SECTION_THREADS);
	for (uint32_t i = 0; i < rec->section[SECTION_THREADS].capacity; i++) {
		/* Pairs with the store in make(). */
		int timer = load_seq_cst(&record[i].timer);

		if (timer && &record[i] != self->record)
			set(timer, 0, 0);
	}
}
