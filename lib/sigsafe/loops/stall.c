/*
 * Stalls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/stall.h"

#include "base/atomic.h"
#include "sigsafe/loops/log.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/run_length.h"
#include "sigsafe/loops/run_samples.h"
#include "sigsafe/loops/share.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/record/events.h"
#include "sigsafe/stacks/spare_stack.h"

static void begin_stall(struct thread *self, uint64_t begun_ns,
			enum blocking_call call)
{
	if (!live_header.thresholds.count)
		thread_read_name(self);
	event_begin(self, begun_ns, self->loop->stack, call);
}

/* A stall has come back: it counts from now on. */
static void count_stall(struct thread *self, uint64_t duration_ns)
{
	struct thread_record *record = self->record;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		grow(record->cause_ns[i], self->loop->event.cause_ns[i]);
	grow(record->stalls, 1);
	grow(record->stalled_ns, duration_ns);
	run_samples_keep(self);
}

/* Gives the run time up to now_ns to the latest stack: taken now, or ended. */
static void share(struct thread *self, uint64_t begun_ns, uint64_t now_ns,
		  bool is_tick, enum run_state state)
{
	share_until(self, now_ns, is_tick);
	event_update(self, now_ns - begun_ns, state);
}

/* A run, as far as it has come. */
struct span {
	struct thread *thread;
	uint64_t begun_ns, now_ns;
	enum blocking_call call;
};

static void tick(void *argument)
{
	const struct span *run = argument;
	struct thread *self = run->thread;
	bool is_stall = !is_provisional(self);

	if (!freeze_enter(self->recording))
		return;
	self->ticks++;
	store_relaxed(&self->record->ticks, self->ticks);
	if (is_stall && self->ticks == 1)
		begin_stall(self, run->begun_ns, run->call);
	if (is_stall)
		share(self, run->begun_ns, run->now_ns, true, RUN_LASTS);
	else
		/* It may hang, and be killed: then it has for so long. */
		store_relaxed(&self->recording->latest_ns, run->now_ns);
	freeze_leave(self->recording);
	if (is_stall && run->call == CALL_NONE)
		log_stall(self);
}

void stall_tick(struct thread *self, uint64_t begun_ns, uint64_t now_ns,
		enum blocking_call call)
{
	struct span run = { self, begun_ns, now_ns, call };

	if (!spare_stack_call_by_hook(NULL, tick, &run))
		live_count_lost(LOST_WALK_BUSY);
}

/*
 * A run that became a stall without a tick, if its thread's name says so: true
 * if it did.
 */
static bool end_unseen(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	thread_look_at_name(self);
	if (now_ns - begun_ns < self->stall_ns)
		return false;
	self->loop->stack = 0;
	begin_stall(self, begun_ns, CALL_NONE);
	count_stall(self, now_ns - begun_ns);
	grow(self->record->unseen, 1);
	grow(self->record->unseen_ns, now_ns - begun_ns);
	event_update(self, now_ns - begun_ns, RUN_CAME_BACK);
	return true;
}

static void end_seen(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	if (is_provisional(self)) {
		begin_stall(self, begun_ns, CALL_NONE);
		share(self, begun_ns, now_ns, true, RUN_LASTS);
	}
	share(self, begun_ns, now_ns, false, RUN_CAME_BACK);
	count_stall(self, now_ns - begun_ns);
}

static void end(void *argument)
{
	const struct span *run = argument;
	struct thread *self = run->thread;
	struct recording *rec = self->recording;
	bool is_stall = true;

	if (!freeze_enter(rec))
		return;
	run_tell_end(self, run->begun_ns, run->now_ns);
	if (self->ticks)
		end_seen(self, run->begun_ns, run->now_ns);
	else
		is_stall = end_unseen(self, run->begun_ns, run->now_ns);
	self->ticks = 0;
	/* After the evidence was taken: it may be first to touch a page. */
	run_length_note(self, run->now_ns - run->begun_ns);
	freeze_leave(rec);
	/* A line may take long. */
	if (is_stall)
		log_stall(self);
}

cold void stall_end(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	struct span run = { self, begun_ns, now_ns, CALL_NONE };

	if (spare_stack_call_by_hook(NULL, end, &run))
		return;
	self->ticks = 0;
	live_count_lost(LOST_WALK_BUSY);
}

static void leave(struct thread *self, uint64_t duration_ns)
{
	event_update(self, duration_ns, RUN_LEFT);
	grow(self->record->left, 1);
	grow(self->record->left_ns, duration_ns);
}

/* True: it has been taken for a stall. */
static bool stop(struct thread *self, enum run_state state)
{
	uint64_t begun_ns = self->run_begun_ns, now_ns = clock_now_ns();

	if (state == RUN_LEFT)
		run_forget();
	if (!self->ticks || is_provisional(self))
		return false;
	if (state == RUN_LEFT)
		leave(self, now_ns - begun_ns);
	else
		share(self, begun_ns, now_ns, false, state);
	return true;
}

cold void stall_stops(struct thread *self, enum run_state state)
{
	struct recording *rec = self->recording;
	bool is_told;

	if (!freeze_enter(rec))
		return;
	is_told = stop(self, state);
	freeze_leave(rec);
	/* What lasts is told with that of other threads: log_end(). */
	if (is_told && state == RUN_LEFT)
		log_stall(self);
}
