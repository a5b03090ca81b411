/*
 * A wait for events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/wait.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/beside.h"
#include "sigsafe/loops/nested.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/seating.h"
#include "sigsafe/loops/timer.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/process.h"

/*
 * In the same call as before. Word by word: two that were written one by one
 * and are read as one have to leave the processor's store buffer first.
 */
static inline void sit_again(struct thread *self, const struct seat *seat)
{
	store_relaxed(&self->seat.call.sp, seat->call.sp);
	store_relaxed(&self->seat.call.fp, seat->call.fp);
	self->seat.size = seat->size;
}

static inline void open_wait(struct thread *self, uint32_t purpose)
{
	self->handlers_at_wait = self->host_handlers;
	self->tick_broke_wait = false;
	self->mask_is_kept = false;
	self->interrupted_ns = 0;
	/* Last: from here on a tick counts as one in a wait. */
	self->waiting = purpose;
}

uint64_t wait_begin(enum blocking_call call, struct sitting *sitting)
{
	struct thread *self = &thread_self;
	enum sitting_kind kind = SITTING_OF_LOOP;
	uint64_t begun_ns;

	if (likely(!seat_differs(&self->seat, &sitting->seat) &&
		   !self->seat_is_old))
		sit_again(self, &sitting->seat);
	else
		kind = seating_look_at(self, sitting);
	if (unlikely(kind == SITTING_NESTED)) {
		if (nested_begin(call, (const void *)sitting->seat.call.pc,
				 &begun_ns)) {
			open_wait(self, WAITS_NESTED);
			return begun_ns;
		}
		seating_take(self, &sitting->seat);
	}
	begun_ns = run_end(call);
	self->looks = sitting->looks;
	open_wait(self, WAITS_TO_TURN);
	return begun_ns;
}

bool wait_sleeps(enum blocking_call call)
{
	struct thread *self = &thread_self;

	/* It is not the parent that sleeps where its vfork child does. */
	if (self->recording != live_recording() || !process_memory())
		return false;
	/* In no run, or at the end, it is none of ours, and yet broken. */
	if (!self->run_begun_ns || !is_watched(self)) {
		timer_disarm(self);
		return false;
	}
	thread_blocks(self, call, 0, clock_now_ns());
	open_wait(self, WAITS_NESTED);
	return true;
}

void wait_goes_on(enum blocking_call call)
{
	struct thread *self = &thread_self;

	if (self->run_begun_ns && is_watched(self))
		thread_blocks(self, call, 0, clock_now_ns());
	open_wait(self, WAITS_NESTED);
	self->mask_is_kept = true;
}

/* What host signals are pending are delivered in here. */
static cold void give_mask_back(struct thread *self)
{
	kernel_sigset mask = self->mask_before_tick;

	self->tick_broke_wait = false;
	self->mask_is_kept = false;
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

cold void wait_tick_at_end(uint64_t begun_ns, uint64_t timeout_ns)
{
	struct thread *self = &thread_self;
	/* ppoll() itself may be late by 0.5 %: fs/select.c of Linux. */
	uint64_t end_ns = begun_ns + timeout_ns + timeout_ns / 200 + NS_PER_MS;

	if (timeout_ns == FOR_EVER_NS || !is_watched(self) ||
	    !wait_left_ns(begun_ns, timeout_ns) ||
	    (self->armed && self->armed_until_ns <= end_ns))
		return;
	timer_arm_for_later(self, end_ns);
}

static cold void end_nested(struct thread *self, uint32_t events)
{
	struct seat own;
	bool is_turn = beside_ends(self, &own);

	nested_end();
	if (is_turn)
		seating_turns_beside(self, &own, events);
}

void wait_end(int returned)
{
	struct thread *self = &thread_self;
	bool was_nested = self->waiting == WAITS_NESTED;
	uint32_t events = returned > 0 ? (uint32_t)returned : 0;

	self->waiting = WAITS_NOT;
	if (unlikely(self->mask_is_kept))
		give_mask_back(self);
	if (unlikely(was_nested))
		end_nested(self, events);
	else
		run_begin(events);
}

/*
 * In a call that continues a wait the host's mask is in force, and libc's
 * signal, which then broke it, stays blocked. Is it between two calls instead?
 */
static bool all_is_blocked(void)
{
	kernel_sigset open =
		LIBC_SIGNALS | SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP);
	kernel_sigset now = 0;

	sys_sigprocmask(SIG_BLOCK, NULL, &now);
	return !~(now | open);
}

cold void wait_abandon(void)
{
	struct thread *self = &thread_self;
	bool was_nested = self->waiting == WAITS_NESTED;
	struct seat unused;

	self->waiting = WAITS_NOT;
	self->wait_submits = false;
	if (self->mask_is_kept && all_is_blocked())
		give_mask_back(self);
	self->tick_broke_wait = false;
	self->mask_is_kept = false;
	if (!was_nested)
		return;
	beside_ends(self, &unused);
	nested_end();
}

uint64_t wait_left_ns(uint64_t begun_ns, uint64_t timeout_ns)
{
	uint64_t broken_ns = thread_self.interrupted_ns;
	uint64_t passed_ns =
		(broken_ns ? broken_ns : clock_now_ns()) - begun_ns;

	return timeout_ns > passed_ns ? timeout_ns - passed_ns : 0;
}
