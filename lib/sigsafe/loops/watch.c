/*
 * The stall watch.
 *
 * The timer is armed lazily: the return of a wait arms it only if it is not
 * armed already, so a million short turns cost no system call. When it fires,
 *
 *   in a wait            nothing: it stays unarmed, the next run arms it
 *   in a nested wait     as in the run that this is part of
 *   where it has parked  nothing: it stays unarmed, the next run arms it
 *   as it wakes there    nothing, or it comes once more:
 * lib/sigsafe/loops/park.c in a young run       it is armed for the time the
 * run becomes a stall in an old enough run the stack is taken, and it is armed
 * for the next tick
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/watch.h"

#include "base/atomic.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/nested.h"
#include "sigsafe/loops/park.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/stall.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/loops/wait.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/signals/hold.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/walk/stack.h"

/* A thread that has made more turns than these is a loop, and remains one. */
#define START_TURNS 3

/* Ticks of a long stall come ever more slowly, but at least this often. */
#define MAX_TICK_INTERVAL_NS NS_PER_S
#define TICKS_PER_DURATION   16

/* The run's next tick may be due when a run that follows is a stall already. */
static void arm_next_tick(struct thread *self, uint64_t begun_ns,
			  uint64_t now_ns)
{
	uint64_t interval_ns = max_u64(
		self->stall_ns, (now_ns - begun_ns) / TICKS_PER_DURATION);

	interval_ns = min_u64(interval_ns, MAX_TICK_INTERVAL_NS);
	if (interval_ns > self->stall_ns)
		timer_arm_for_later(self, now_ns + interval_ns);
	else
		timer_arm(self, now_ns + interval_ns);
}

/* What a thread waits for in these, if need be for ever, is no loop's. */
static bool is_endless(enum blocking_call call)
{
	switch (call) {
	case CALL_PAUSE:
	case CALL_SIGSUSPEND:
	case CALL_SIGWAITINFO:
	case CALL_SIGWAIT:
	case CALL_ACCEPT:
	case CALL_ACCEPT4:
	case CALL_WAIT4:
	case CALL_WAITID:
	case CALL_COND_WAIT:
	case CALL_CND_WAIT:
		return true;
	default:
		return false;
	}
}

static bool is_sem_or_join(const struct lock_record *lock)
{
	return lock &&
	       (lock->kind == LOCK_SEMAPHORE || lock->kind == LOCK_JOIN);
}

/*
 * A program whose start has polled, and whose main thread then waits for its
 * workers or for a signal to end by, is no loop that hangs.
 */
static void doubt(struct thread *self, enum blocking_call call)
{
	if (run_turns(self) <= START_TURNS && !self->takes_turns &&
	    !cold_is(self) && (is_endless(call) || is_sem_or_join(self->lock)))
		run_doubt(self);
}

/*
 * An exec is about to be tried, and what it ends has been told: a tick would
 * add to that. Should it fail the next one has all that came since.
 */
static bool awaits_exec(struct thread *self, uint64_t begun_ns, uint64_t now_ns)
{
	if (likely(!load_relaxed(&self->recording->end)))
		return false;
	arm_next_tick(self, begun_ns, now_ns);
	return true;
}

void watch_tick(ucontext_t *uc)
{
	struct thread *self = &thread_self;
	uint64_t begun_ns = self->run_begun_ns, now_ns;
	uint64_t due_ns = self->armed_until_ns;

	self->armed = NOT_ARMED;
	/* First: at the end, too, when nothing is watched any more. */
	if (self->waiting)
		wait_tick(self, uc);
	/* It would arm the timer for a call that no tick is to break. */
	if (unlikely(self->disarmed))
		return;
	if (is_watched(self))
		thread_look_at_name(self);
	if (self->waiting == WAITS_TO_TURN || !is_watched(self) || !begun_ns)
		return;
	if (self->waiting)
		nested_look(self, uc);
	now_ns = clock_now_ns();
	if (now_ns - begun_ns < self->stall_ns) {
		run_arm(self, begun_ns);
		return;
	}
	if (park_tick(self) || awaits_exec(self, begun_ns, now_ns))
		return;
	evidence_pause(self);
	evidence_tick(self, uc, now_ns - min_u64(due_ns, now_ns));
	if (self->waiting)
		nested_tick(self, now_ns);
	else
		self->loop->stack = stack_capture(uc, NULL);
	doubt(self, self->loop->slice.call);
	stall_tick(self, begun_ns, now_ns, CALL_NONE);
	if (!is_provisional(self))
		arm_next_tick(self, begun_ns, now_ns);
	evidence_resume(self);
}

static bool stop_ticks(struct thread *self, enum blocking_call call,
		       const void *caller)
{
	uint64_t begun_ns = self->run_begun_ns;
	uint32_t stack;

	if (unlikely(self->held) && is_enrolled(self))
		hold_look(self);
	if (!self->armed || self->recording != live_recording())
		return false;
	/* It is not the parent that blocks where its vfork child does. */
	if (unlikely(!timer_disarm(self)))
		return false;
	/* In no run, or at the end, a tick would still break the call. */
	if (!begun_ns || !is_watched(self))
		return false;
	/* What blocks is known now; afterwards it may be too late to say. */
	stack = stack_capture(NULL, caller);
	thread_blocks(self, call, stack, clock_now_ns());
	doubt(self, call);
	return true;
}

/* 0: it need not be put back. */
static kernel_sigset put_mask_by(void)
{
	kernel_sigset mask = host_mask_hand_on();

	return mask_of_host(mask) == mask ? 0 : mask;
}

struct block watch_block_begin(enum blocking_call call, const void *caller)
{
	return (struct block){
		.is_timed = stop_ticks(&thread_self, call, caller),
		.put_by = put_mask_by(),
	};
}

/* The run goes on, and may by now be a stall. */
static void start_ticks(struct thread *self)
{
	uint64_t begun_ns = self->run_begun_ns;
	uint64_t now_ns = clock_now_ns();
	enum blocking_call call;

	if (!begun_ns || !is_watched(self))
		return;
	call = self->blocked_call;
	thread_blocks_no_more(self);
	/* It had parked, which ended that run. */
	if (self->loop->blocked_ns < begun_ns)
		return;
	evidence_blocked(self, call, self->loop->blocked_ns, now_ns);
	thread_look_at_name(self);
	if (now_ns - begun_ns < self->stall_ns) {
		run_arm(self, begun_ns);
		return;
	}
	if (awaits_exec(self, begun_ns, now_ns))
		return;
	evidence_pause(self);
	self->loop->stack = self->loop->blocked_stack;
	self->loop->slice.own_call = call;
	stall_tick(self, begun_ns, now_ns, call);
	arm_next_tick(self, begun_ns, now_ns);
	evidence_resume(self);
}

void watch_block_over(const struct block *block)
{
	if (block->put_by)
		host_mask_take_back(block->put_by);
	if (block->is_timed)
		start_ticks(&thread_self);
}

struct blocked watch_interrupt(void)
{
	struct thread *self = &thread_self;
	struct blocked in = { .call = CALL_NONE };

	if (likely(!self->blocked_call) || !self->run_begun_ns ||
	    !is_watched(self))
		return in;
	in.call = self->blocked_call;
	in.stack = self->loop->blocked_stack;
	if (self->waiting)
		nested_end();
	else
		start_ticks(self);
	return in;
}

void watch_resume(const struct blocked *in, bool has_ticks)
{
	struct thread *self = &thread_self;

	if (likely(!in->call) || !self->run_begun_ns || !is_watched(self))
		return;
	/* A tick would break what the kernel may make again. */
	if (!has_ticks && self->armed)
		timer_disarm(self);
	thread_blocks(self, in->call, in->stack, clock_now_ns());
}
