/*
 * Runs: their beginnings and their ends.
 *
 * A thread's first run is provisional: whether the thread is a loop shows only
 * when it waits again. Its one stack is kept back until then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/run.h"

#include "base/atomic.h"
#include "sigsafe/loops/beside.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/run_length.h"
#include "sigsafe/loops/run_samples.h"
#include "sigsafe/loops/stall.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/loops/turns.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/hold.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/tick_signal.h"

/* A thread without a threshold is asked for its name this often. */
#define LOOK_INTERVAL_NS NS_PER_S

/* To be woken, and to get its lock back. */
#define SLEEPS_TO_PARK 2

/* Who parks so often, and does not wait where others do, is a loop no more. */
#define MAX_PARKS 64

/*
 * Arms the timer for when the run becomes a stall, if ever. For the evidence
 * there must be a baseline.
 */
void run_arm(struct thread *self, uint64_t begun_ns)
{
	if (self->stall_ns == FOR_EVER_NS || self->timer_refused)
		return;
	if (unlikely(self->held))
		hold_look(self);
	evidence_begin(self);
	timer_arm(self, begun_ns + self->stall_ns);
}

/* The timer is not armed, or not as it should be. */
static __attribute__((noinline)) void arm(struct thread *self, uint64_t now_ns)
{
	/* Without a threshold there are no ticks to look at the name at. */
	if (unlikely(self->stall_ns == FOR_EVER_NS &&
		     now_ns >= self->loop->look_again_ns)) {
		self->loop->look_again_ns = now_ns + LOOK_INTERVAL_NS;
		thread_look_at_name(self);
	}
	self->seat_is_old = true;
	/* It may be one that this thread has blocked, with every other. */
	if (unlikely(self->timer_generation != tick_signal_generation()))
		host_mask_open();
	run_arm(self, now_ns);
}

/* A run ends that is not like most. */
static __attribute__((noinline)) void
end_long_run(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	/* A job has come to a loop of its own: that was its start-up. */
	if (unlikely(self->parks) && !cold_may_turn(self)) {
		run_forget();
		return;
	}
	if (unlikely(self->is_doubted) && beside_was_own(self)) {
		run_forget();
		return;
	}
	/* The thread proves to be a loop just now. */
	if (unlikely(is_provisional(self)) && !self->ticks)
		thread_read_name(self);
	if (unlikely(now_ns - begun_ns >= self->stall_ns)) {
		stall_end(self, begun_ns, now_ns);
		return;
	}
	run_tell_end(self, begun_ns, now_ns);
	run_length_note(self, now_ns - begun_ns);
}

/*
 * Ends the run at now_ns; or, where a tick has come since that was read, with
 * it. Returns when.
 */
static inline uint64_t end_at(struct thread *self, uint64_t begun_ns,
			      uint64_t now_ns)
{
	/* First: from here on a tick finds no run. */
	self->run_begun_ns = 0;
	now_ns = max_u64(now_ns, self->shared_ns);
	if (now_ns - begun_ns >= self->plain_ns)
		end_long_run(self, begun_ns, now_ns);
	else
		run_tell_end(self, begun_ns, now_ns);
	return now_ns;
}

/* Others ask whether it takes turns with them: not before it waits again. */
static void leave_seat(struct thread *self)
{
	store_relaxed(&self->record->epoll, -(self->seat.epoll + 1));
}

/* From a run that began as it was woken: by who has just been there? */
static cold void return_to_seat(struct thread *self, uint64_t begun_ns)
{
	store_relaxed(&self->record->epoll, self->seat.epoll + 1);
	if (self->is_doubted)
		beside_was_own(self);
	if (!self->parks)
		return;
	self->takes_turns =
		turns_are_taken(self, begun_ns) && cold_may_turn(self);
	self->parks = 0;
	if (self->takes_turns && self->loop->seat_turn)
		turn_way_show(self->loop->seat_turn);
}

uint64_t run_end(enum blocking_call call)
{
	struct thread *self = &thread_self;
	uint64_t now_ns = clock_now_ns();
	uint64_t begun_ns = self->run_begun_ns;

	if (unlikely(!is_watched(self)))
		return now_ns;
	store_relaxed(&self->record->wait_call, call);
	if (!begun_ns)
		return now_ns;
	now_ns = end_at(self, begun_ns, now_ns);
	if (unlikely(self->parks || self->is_doubted))
		return_to_seat(self, begun_ns);
	return now_ns;
}

/* Begins a run at now_ns; the record is told where it is one for sure. */
static inline void begin_at(struct thread *self, uint64_t now_ns, bool is_sure)
{
	self->shared_ns = now_ns;
	self->ticks = 0;
	self->nested = 0;
	self->is_doubted = false;
	self->block.pc = 0;
	self->futex_call = CALL_NONE;
	if (is_sure)
		store_relaxed(&self->record->run_begun_ns, now_ns);
	/* Last: from here on a tick finds the run. */
	self->run_begun_ns = now_ns;
	if (unlikely(self->armed != ARMED ||
		     self->timer_generation != tick_signal_generation()))
		arm(self, now_ns);
}

/* Among the thread's first runs, or the very first. */
static cold void begin_early(struct thread *self, uint64_t now_ns)
{
	/* What was cold has begun before it waits. */
	if (!self->record->first_wait_ns)
		self->record->first_wait_ns = now_ns;
	turns_look(self);
}

void run_begin(uint32_t events)
{
	struct thread *self = &thread_self;
	struct thread_record *record;
	uint64_t now_ns;

	if (unlikely(self->recording != live_recording()))
		thread_enrol(self);
	record = self->record;
	/* Once frozen, what is added would be in some of the sums only. */
	if (unlikely(!record || load_relaxed(&self->recording->frozen)))
		return;
	now_ns = clock_now_ns();
	self->events = events;
	if (unlikely(record->waits < TURNS_LOOKS))
		begin_early(self, now_ns);
	grow(record->waits, 1);
	grow(record->events, events);
	store_relaxed(&record->latest_ns, now_ns);
	begin_at(self, now_ns, true);
}

cold void run_parks(uint64_t at_ns)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns;

	/* First: what neither runs nor has left its seat is waiting there. */
	leave_seat(self);
	self->loop->parking_sleeps += SLEEPS_TO_PARK;
	/* To park is to come back for who takes turns: no more doubt. */
	if (is_provisional(self) && !self->takes_turns && !cold_is_shown(self))
		run_forget();
	else
		end_at(self, begun_ns, max_u64(at_ns, begun_ns));
	self->parks++;
	if (self->parks > MAX_PARKS)
		self->takes_turns =
			self->takes_turns && turns_are_taken(self, at_ns);
}

cold void run_resumes(void)
{
	struct thread *self = &thread_self;

	if (!is_watched(self))
		return;
	self->events = 0;
	begin_at(self, clock_now_ns(), self->takes_turns);
}

cold void run_forget(void)
{
	struct thread *self = &thread_self;

	self->run_begun_ns = 0;
	if (!is_watched(self))
		return;
	store_relaxed(&self->record->run_begun_ns, 0);
	run_samples_drop(self);
}

cold void run_doubt(struct thread *self)
{
	if (self->ticks || self->is_doubted)
		return;
	self->is_doubted = true;
	leave_seat(self);
	store_relaxed(&self->record->run_begun_ns, 0);
}

cold void run_stops(enum run_state state)
{
	struct thread *self = &thread_self;

	if (self->run_begun_ns && is_watched(self))
		stall_stops(self, state);
}
