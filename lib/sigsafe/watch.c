/*
 * The stall watch.
 *
 * The timer is armed lazily: the return of a wait arms it only if it is not
 * armed already, so a million short turns cost no system call. When it fires,
 *
 *   in a wait            nothing: it stays unarmed, the next run arms it
 *   in a nested wait     as in the run that this is part of
 *   in a young run       it is armed for the time the run becomes a stall
 *   in an old enough run the stack is taken, and it is armed for the next tick
 *
 * A thread's first run is provisional: whether the thread is a loop shows only
 * when it waits again. Its one stack is kept back until then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/watch.h"

#include "base/atomic.h"
#include "sigsafe/clock.h"
#include "sigsafe/events.h"
#include "sigsafe/live.h"
#include "sigsafe/log.h"
#include "sigsafe/nested.h"
#include "sigsafe/run_length.h"
#include "sigsafe/share.h"
#include "sigsafe/stack.h"
#include "sigsafe/tick_signal.h"
#include "sigsafe/timer.h"
#include "sigsafe/wait.h"

/* Ticks of a long stall come ever more slowly, but at least this often. */
#define MAX_TICK_INTERVAL_NS NS_PER_S
#define TICKS_PER_DURATION   16

/* A thread without a threshold is asked for its name this often. */
#define LOOK_INTERVAL_NS NS_PER_S

/*
 * Fields of the record are written by this thread alone, and read by others at
 * any time: relaxed stores, each number right by itself.
 */
#define grow(field, by) store_relaxed(&(field), (field) + (by))

static void begin_stall(struct thread *self, uint64_t begun_ns,
			enum blocking_call call)
{
	if (!self->recording->thresholds.count)
		thread_read_name(self);
	grow(self->record->stalls, 1);
	event_begin(self, begun_ns, self->stack, call);
}

/* Gives the run time up to now_ns to the latest stack: taken now, or ended. */
static void share(struct thread *self, uint64_t begun_ns, uint64_t now_ns,
		  bool is_tick, enum run_state state)
{
	share_until(self, now_ns, is_tick);
	event_update(self, now_ns - begun_ns, state);
	log_stall(self);
}

/*
 * Arms the timer for when the run becomes a stall, if ever. For the evidence
 * there must be a baseline.
 */
static void arm_for(struct thread *self, uint64_t begun_ns)
{
	if (self->stall_ns == FOR_EVER_NS)
		return;
	evidence_begin(self);
	timer_arm(self, begun_ns + self->stall_ns);
}

/* The timer is not armed, or not as it should be. */
static __attribute__((noinline)) void arm(struct thread *self, uint64_t now_ns)
{
	/* Without a threshold there are no ticks to look at the name at. */
	if (unlikely(self->stall_ns == FOR_EVER_NS &&
		     now_ns >= self->look_again_ns)) {
		self->look_again_ns = now_ns + LOOK_INTERVAL_NS;
		thread_look_at_name(self);
	}
	self->seat_is_old = true;
	arm_for(self, now_ns);
}

/* A stack was taken at now_ns in a run that is a stall. */
static void tick(struct thread *self, uint64_t begun_ns, uint64_t now_ns,
		 enum blocking_call call)
{
	self->ticks++;
	store_relaxed(&self->record->ticks, self->ticks);
	if (is_provisional(self))
		return;
	if (self->ticks == 1)
		begin_stall(self, begun_ns, call);
	share(self, begun_ns, now_ns, true, RUN_LASTS);
}

/* A run that became a stall without a tick, if its thread's name says so. */
static void end_unseen(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	thread_look_at_name(self);
	if (now_ns - begun_ns < self->stall_ns)
		return;
	self->stack = 0;
	begin_stall(self, begun_ns, CALL_NONE);
	grow(self->record->stalled_ns, now_ns - begun_ns);
	grow(self->record->unseen, 1);
	grow(self->record->unseen_ns, now_ns - begun_ns);
	event_update(self, now_ns - begun_ns, RUN_CAME_BACK);
	log_stall(self);
}

static cold void end_stall(struct thread *self, uint64_t begun_ns,
			   uint64_t now_ns)
{
	if (!self->ticks) {
		end_unseen(self, begun_ns, now_ns);
		return;
	}
	if (is_provisional(self)) {
		begin_stall(self, begun_ns, CALL_NONE);
		share(self, begun_ns, now_ns, true, RUN_LASTS);
	}
	share(self, begun_ns, now_ns, false, RUN_CAME_BACK);
}

/* A run ends that is not like most. */
static __attribute__((noinline)) void
end_long_run(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	run_length_note(self, now_ns - begun_ns);
	/* The thread proves to be a loop just now. */
	if (unlikely(is_provisional(self)) && !self->ticks)
		thread_read_name(self);
	if (unlikely(now_ns - begun_ns >= self->stall_ns))
		end_stall(self, begun_ns, now_ns);
	self->ticks = 0;
}

uint64_t watch_run_end(enum blocking_call call)
{
	struct thread *self = &thread_self;
	uint64_t now_ns = clock_now_ns();
	uint64_t begun_ns = self->run_begun_ns;
	struct thread_record *record = self->record;

	if (!begun_ns || unlikely(!is_watched(self)))
		return now_ns;
	/* First: from here on a tick finds no run. */
	self->run_begun_ns = 0;
	store_relaxed(&record->run_begun_ns, 0);
	store_relaxed(&record->latest_ns, now_ns);
	store_relaxed(&record->wait_call, call);
	grow(record->busy_ns, now_ns - begun_ns);
	if (now_ns - begun_ns >= self->plain_ns)
		end_long_run(self, begun_ns, now_ns);
	return now_ns;
}

void watch_run_begin(uint32_t events)
{
	struct thread *self = &thread_self;
	struct thread_record *record;
	uint64_t now_ns;

	if (unlikely(self->recording != live_recording()))
		thread_enrol(self);
	record = self->record;
	if (unlikely(!record))
		return;
	now_ns = clock_now_ns();
	self->shared_ns = now_ns;
	self->ticks = 0;
	self->nested = 0;
	self->events = events;
	if (unlikely(!record->waits))
		record->first_wait_ns = now_ns;
	grow(record->waits, 1);
	grow(record->events, events);
	store_relaxed(&record->latest_ns, now_ns);
	store_relaxed(&record->run_begun_ns, now_ns);
	/* Last: from here on a tick finds the run. */
	self->run_begun_ns = now_ns;
	if (unlikely(!self->armed ||
		     self->timer_generation != tick_signal_generation()))
		arm(self, now_ns);
}

cold void watch_run_forget(void)
{
	struct thread *self = &thread_self;

	self->run_begun_ns = 0;
	if (is_watched(self))
		store_relaxed(&self->record->run_begun_ns, 0);
}

cold void watch_run_stops(enum run_state state)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns, now_ns = clock_now_ns();

	if (!begun_ns || !is_watched(self))
		return;
	if (state == RUN_LEFT)
		watch_run_forget();
	if (!self->ticks || is_provisional(self))
		return;
	share(self, begun_ns, now_ns, false, state);
	if (state != RUN_LEFT)
		return;
	grow(self->record->left, 1);
	grow(self->record->left_ns, now_ns - begun_ns);
}

static uint64_t next_tick_ns(const struct thread *self, uint64_t begun_ns,
			     uint64_t now_ns)
{
	uint64_t interval_ns = max_u64(
		self->stall_ns, (now_ns - begun_ns) / TICKS_PER_DURATION);

	return now_ns + min_u64(interval_ns, MAX_TICK_INTERVAL_NS);
}

void watch_tick(ucontext_t *uc)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns, now_ns;
	uint64_t due_ns = self->armed_until_ns;

	self->armed = false;
	/* First: at the end, too, when nothing is watched any more. */
	if (self->waiting)
		wait_tick(self, uc);
	if (is_watched(self))
		thread_look_at_name(self);
	if (self->waiting == WAITS_TO_TURN || !is_watched(self) || !begun_ns)
		return;
	now_ns = clock_now_ns();
	if (now_ns - begun_ns < self->stall_ns) {
		arm_for(self, begun_ns);
		return;
	}
	evidence_tick(self, uc, now_ns - min_u64(due_ns, now_ns));
	self->stack = stack_capture(uc, NULL);
	if (self->waiting)
		nested_tick(self);
	tick(self, begun_ns, now_ns, CALL_NONE);
	if (!is_provisional(self))
		timer_arm(self, next_tick_ns(self, begun_ns, now_ns));
}

bool watch_block_begin(enum blocking_call call, const void *caller)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns;

	if (!self->armed || self->recording != live_recording())
		return false;
	timer_disarm(self);
	/* In no run, or at the end, a tick would still break the call. */
	if (!begun_ns || !is_watched(self))
		return false;
	/* What blocks is known now; afterwards it may be too late to say. */
	store_relaxed(&self->record->blocked_stack,
		      stack_capture(NULL, caller));
	store_relaxed(&self->record->blocked_ns, clock_now_ns());
	store_relaxed(&self->record->blocked_call, call);
	return true;
}

void watch_block_end(void)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns;
	uint64_t now_ns = clock_now_ns();
	enum blocking_call call;

	if (!begun_ns || !is_watched(self))
		return;
	call = self->record->blocked_call;
	evidence_blocked(self, call, self->record->blocked_ns, now_ns);
	store_relaxed(&self->record->blocked_call, CALL_NONE);
	thread_look_at_name(self);
	if (now_ns - begun_ns < self->stall_ns) {
		arm_for(self, begun_ns);
		return;
	}
	self->stack = self->record->blocked_stack;
	tick(self, begun_ns, now_ns, call);
	timer_arm(self, next_tick_ns(self, begun_ns, now_ns));
}
