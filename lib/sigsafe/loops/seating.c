/*
 * Seating.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/seating.h"

#include "base/atomic.h"
#include "sigsafe/live.h"
#include "sigsafe/loops/beside.h"
#include "sigsafe/loops/cold.h"
#include "sigsafe/loops/nested.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/os/clock.h"

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

/*
 * At the same epoll it goes on with the turns it had: an interpreter's frames
 * lie elsewhere once it has specialised what waits.
 */
static bool is_same_epoll(const struct seat *seat, const struct seat *other)
{
	return seat->epoll != SEAT_POLLS && seat->epoll == other->epoll;
}

static void note_left(struct thread *self, const struct seat *seat)
{
	struct loop *loop = self->loop;

	loop->left = self->seat;
	loop->left_ns = clock_now_ns();
	loop->left_turns = run_turns(self);
	if (!is_same_epoll(&self->seat, seat))
		loop->seat_waits = self->record->waits;
}

/* Its shape while it is on the stack, for comparison with later ones. */
static void move_to(struct thread *self, const struct seat *seat)
{
	struct loop *loop = self->loop;
	const struct frame_shape *shape =
		frame_shape_of(loop->shapes, seat->call.pc);

	store_relaxed(&self->record->epoll, seat->epoll + 1);
	beside_leaves(self, seat);
	if (!is_same_frame(self, &seat->call, shape))
		note_left(self, seat);
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

cold void seating_take(struct thread *self, const struct seat *seat)
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
 * goes on there with the turns it had. What is away for longer has moved, and
 * what was left for the thread's own poll is a callback's.
 */
static bool has_come_back(const struct thread *self, const struct seat *seat)
{
	return is_watched(self) && self->loop->left.call.pc &&
	       !beside_is_own(self->loop, &self->seat.call) &&
	       !seat_differs(&self->loop->left, seat) &&
	       self->loop->left.call.sp == seat->call.sp &&
	       clock_now_ns() - self->loop->left_ns < LOOP_MOVED_NS;
}

static void come_back(struct thread *self, const struct seat *seat)
{
	bool was_away = !is_same_epoll(&self->seat, seat);
	uint64_t turns = was_away ? self->loop->left_turns : run_turns(self);

	if (was_away)
		self->loop->away = max_u64(self->loop->away, run_turns(self));
	seating_take(self, seat);
	self->loop->seat_waits = self->record->waits - turns;
	self->loop->left.call.pc = 0;
}

static cold bool is_beside(struct thread *self, const struct seat *seat)
{
	const struct frame_shape *shape =
		frame_shape_of(self->loop->shapes, seat->call.pc);

	return !is_same_frame(self, &seat->call, shape) &&
	       beside_begins(self, seat);
}

cold void seating_turns_beside(struct thread *self, const struct seat *own,
			       uint32_t events)
{
	run_forget();
	seating_take(self, own);
	run_begin(events);
	beside_starts_anew(self);
}

/* A loop's wait, and not that of the run: a poll beside that was a turn, too.
 */
static cold void turn_beside_before(struct thread *self)
{
	const struct seat own = self->loop->beside;

	seating_turns_beside(self, &own, 0);
}

static cold enum sitting_kind kind_of(struct thread *self,
				      const struct sitting *sitting)
{
	enum sitting_kind kind =
		sitting_kind_of(sitting, &self->seat, self->loop->shapes);

	if (kind != SITTING_OF_LOOP)
		return kind;
	if (is_beside(self, &sitting->seat))
		return SITTING_NESTED;
	if (!beside_was(self))
		return kind;
	turn_beside_before(self);
	return sitting_kind_of(sitting, &self->seat, self->loop->shapes);
}

cold enum sitting_kind seating_look_at(struct thread *self,
				       struct sitting *sitting)
{
	enum sitting_kind kind = SITTING_OF_LOOP;

	self->seat_is_old = false;
	/* To look takes system calls: by now seccomp may kill for them. */
	if (!live_recording())
		return kind;
	sitting_measure(sitting);
	if (has_come_back(self, &sitting->seat)) {
		if (!beside_was(self)) {
			come_back(self, &sitting->seat);
			return kind;
		}
		turn_beside_before(self);
	}
	if (seat_differs(&self->seat, &sitting->seat) && nested_is_possible())
		kind = kind_of(self, sitting);
	if (is_watched(self) && cold_is(self))
		kind = cold_takes_seat(self, &sitting->seat, kind)
			       ? SITTING_OF_LOOP
			       : SITTING_NESTED;
	if (kind == SITTING_OF_LOOP)
		seating_take(self, &sitting->seat);
	return kind;
}
