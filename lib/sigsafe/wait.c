/*
 * A wait for events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/wait.h"

#include "base/atomic.h"
#include "sigsafe/clock.h"
#include "sigsafe/cold.h"
#include "sigsafe/live.h"
#include "sigsafe/nested.h"
#include "sigsafe/process.h"
#include "sigsafe/run.h"
#include "sigsafe/timer.h"

/* Does the thread wait in the same frame as in its seat? Then it is the same.*/
static bool is_same_frame(const struct thread *self,
			  const struct call_site *call,
			  const struct frame_shape *shape)
{
	uintptr_t end = frame_end(shape, call);
	const struct frame_shape *seat_shape = &self->loop->seat_shape;
	uintptr_t seat_end = frame_end(seat_shape, &self->seat.call);

	if (!end || !seat_end)
		return self->seat.call.pc == call->pc;
	return seat_shape->function == shape->function && seat_end == end;
}

static void note_left(struct thread *self)
{
	struct loop *loop = self->loop;

	loop->left = self->seat;
	loop->left_ns = clock_now_ns();
	loop->left_turns = run_turns(self);
	loop->seat_waits = self->record->waits;
}

/* Its shape while it is on the stack, for comparison with later ones. */
static void move_to(struct thread *self, const struct seat *seat)
{
	struct loop *loop = self->loop;
	const struct frame_shape *shape =
		frame_shape_of(loop->shapes, seat->call.pc);

	store_relaxed(&self->record->epoll, seat->epoll + 1);
	if (!is_same_frame(self, &seat->call, shape))
		note_left(self);
	loop->seat_shape = *shape;
	loop->cold_turn = NULL;
	self->seat = *seat;
}

static cold void find_way(struct thread *self, const struct seat *seat)
{
	struct wait_way *way = &self->loop->way;

	way_find(way, &seat->call);
	self->loop->seat_turn =
		way->depth ? turn_ways_note(way, seat->epoll) : NULL;
}

static cold void take_seat(struct thread *self, const struct seat *seat)
{
	bool is_other = seat_differs(&self->seat, seat);

	/* Others are to see where it waits, for however long the first time. */
	if (self->recording != live_recording()) {
		self->seat = *seat;
		thread_enrol(self);
	}
	if (!is_enrolled(self)) {
		self->seat = *seat;
		return;
	}
	move_to(self, seat);
	if (is_watched(self) && seat->epoll != SEAT_POLLS &&
	    (is_other || !self->loop->way.depth))
		find_way(self, seat);
}

/*
 * To what comes back to it a seat was not lost, whatever it was taken for: it
 * goes on there with the turns it had. What is away for longer has moved.
 */
static bool has_come_back(const struct thread *self, const struct seat *seat)
{
	return is_watched(self) && self->loop->left.call.pc &&
	       !seat_differs(&self->loop->left, seat) &&
	       self->loop->left.call.sp == seat->call.sp &&
	       clock_now_ns() - self->loop->left_ns < LOOP_MOVED_NS;
}

static void come_back(struct thread *self, const struct seat *seat)
{
	uint64_t turns = self->loop->left_turns;

	self->loop->away = max_u64(self->loop->away, run_turns(self));
	take_seat(self, seat);
	self->loop->seat_waits = self->record->waits - turns;
	self->loop->left.call.pc = 0;
}

/* Of a wait that may be none of the loop's, or is to be measured. */
static cold enum sitting_kind look_at(struct thread *self,
				      struct sitting *sitting)
{
	enum sitting_kind kind = SITTING_OF_LOOP;

	self->seat_is_old = false;
	/* To look takes system calls: by now seccomp may kill for them. */
	if (!live_recording())
		return kind;
	sitting_measure(sitting);
	if (has_come_back(self, &sitting->seat)) {
		come_back(self, &sitting->seat);
		return kind;
	}
	if (seat_differs(&self->seat, &sitting->seat) && nested_is_possible())
		kind = sitting_kind_of(sitting, &self->seat,
				       self->loop->shapes);
	if (is_watched(self) && cold_is(self))
		kind = cold_takes_seat(self, &sitting->seat, kind)
			       ? SITTING_OF_LOOP
			       : SITTING_NESTED;
	if (kind == SITTING_OF_LOOP)
		take_seat(self, &sitting->seat);
	return kind;
}

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
		kind = look_at(self, sitting);
	if (unlikely(kind == SITTING_NESTED)) {
		if (nested_begin(call, (const void *)sitting->seat.call.pc,
				 &begun_ns)) {
			open_wait(self, WAITS_NESTED);
			return begun_ns;
		}
		take_seat(self, &sitting->seat);
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
	timer_arm_for_call(self, end_ns);
}

void wait_end(int returned)
{
	struct thread *self = &thread_self;
	bool was_nested = self->waiting == WAITS_NESTED;

	self->waiting = WAITS_NOT;
	if (unlikely(self->mask_is_kept))
		give_mask_back(self);
	if (unlikely(was_nested))
		nested_end();
	else
		run_begin(returned > 0 ? (uint32_t)returned : 0);
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

	self->waiting = WAITS_NOT;
	self->wait_submits = false;
	if (self->mask_is_kept && all_is_blocked())
		give_mask_back(self);
	self->tick_broke_wait = false;
	self->mask_is_kept = false;
	if (was_nested)
		nested_end();
}

uint64_t wait_left_ns(uint64_t begun_ns, uint64_t timeout_ns)
{
	uint64_t broken_ns = thread_self.interrupted_ns;
	uint64_t passed_ns =
		(broken_ns ? broken_ns : clock_now_ns()) - begun_ns;

	return timeout_ns > passed_ns ? timeout_ns - passed_ns : 0;
}
