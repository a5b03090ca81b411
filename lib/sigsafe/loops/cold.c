/*
 * Cold threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/cold.h"

#include "sigsafe/loops/park_lessons.h"
#include "sigsafe/loops/run.h"
#include "sigsafe/loops/turns.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/process.h"

/* One that polls in its jobs is asked so often whether it is cold. */
#define COLD_TRIES 64

/* Waits at another epoll descriptor that make that its loop's. */
#define OWN_WAITS 3

static bool has_waited(const struct thread *self)
{
	return is_enrolled(self) && self->record->waits;
}

/* What has waited for an answer in a job has no seat for that. */
static bool may_be_cold(struct thread *self)
{
	if (!live_recording())
		return false;
	return !has_waited(self) ||
	       (is_watched(self) && park_waits_for_answers(self) &&
		self->loop->cold_tries++ < COLD_TRIES);
}

/* In the live recording, and not as one that waits where the others do. */
static bool enrol(struct thread *self)
{
	if (self->recording != live_recording()) {
		self->seat = (struct seat){ .epoll = SEAT_POLLS };
		thread_enrol(self);
	}
	return is_watched(self);
}

/* Are others at that descriptor now, one at a time? */
static bool is_shared(struct thread *self, int32_t epoll)
{
	int32_t before = self->seat.epoll;
	bool is_shared;

	self->seat.epoll = epoll;
	is_shared =
		turns_are_taken(self, clock_now_ns()) && turns_have_seat(self);
	self->seat.epoll = before;
	return is_shared;
}

static void take_place(struct thread *self, const struct call_site *call,
		       struct turn_way *turn, uint32_t after)
{
	struct loop *loop = self->loop;

	loop->cold_turn = turn;
	loop->cold_elsewhere = 0;
	loop->parts_after = after;
	loop->seat_shape = *frame_shape_of(loop->shapes, call->pc);
	loop->seat_waits = self->record->waits;
	self->seat =
		(struct seat){ .call = *call, .epoll = turn_way_epoll(turn) };
	self->parks = 1;
	if (!self->record->first_wait_ns)
		self->record->first_wait_ns = clock_now_ns();
}

static cold void try_it(struct thread *self, const struct call_site *call)
{
	uint32_t after = 0;
	struct turn_way *turn =
		may_be_cold(self) ? turn_ways_beside(call, &after) : NULL;

	if (turn && enrol(self) && is_shared(self, turn_way_epoll(turn)))
		take_place(self, call, turn, after);
}

static bool is_shown(const struct thread *self, const struct turn_way *turn,
		     uint32_t after)
{
	return turn && turn_way_is_shown(turn, after) && turns_have_seat(self);
}

/* It has waited itself, but not come back to that from where it parks. */
static void warm_up(struct thread *self, const struct call_site *call)
{
	struct loop *loop = self->loop;

	if (!self->takes_turns && is_shown(self, loop->seat_turn, 1) &&
	    loop->cold_tries++ < COLD_TRIES)
		self->takes_turns = is_shown(self, loop->seat_turn,
					     way_beside(&loop->way, call));
}

bool cold_comes_back(struct thread *self, const struct call_site *call,
		     bool had_run)
{
	if (!had_run || (!cold_is(self) && park_waits_for_answers(self)))
		try_it(self, call);
	if (!is_watched(self))
		return had_run;
	if (!cold_is(self)) {
		warm_up(self, call);
		return had_run;
	}
	self->takes_turns =
		is_shown(self, self->loop->cold_turn, self->loop->parts_after);
	if (!turn_way_is_open(self->loop->cold_turn))
		self->loop->cold_turn = NULL;
	return cold_is(self);
}

/* By the calls by which others did? */
static bool is_at_turn(struct thread *self, const struct seat *seat)
{
	struct wait_way *way = &self->loop->way;

	if (seat->epoll == SEAT_POLLS)
		return false;
	/* Of each that it comes to. */
	way->found = 0;
	way_find(way, &seat->call);
	return turn_way_is(self->loop->cold_turn, way);
}

/* Has it been one of them all the time? Nobody else may be waiting now. */
static bool is_proven(struct thread *self, const struct seat *seat)
{
	const struct turn_way *turn = self->loop->cold_turn;

	if (!turn_way_is_at(turn, seat->epoll))
		return false;
	self->seat.epoll = seat->epoll;
	turns_look(self);
	if (!turns_have_seat(self))
		return false;
	if (self->lessons > 1)
		turn_way_show(turn);
	return turn_way_is_shown(turn, self->loop->parts_after);
}

/* By other calls, too, who waits where the others do has come to the loop. */
static bool is_of_loop(const struct thread *self, const struct seat *seat,
		       enum sitting_kind kind)
{
	return kind == SITTING_OF_LOOP ||
	       (kind == SITTING_SERVES && seat->epoll == self->seat.epoll);
}

/*
 * Is it at another descriptor than was thought: with others who have come to
 * that by the same calls, or again and again?
 */
static bool is_elsewhere(struct thread *self, const struct seat *seat)
{
	struct loop *loop = self->loop;

	return seat->epoll != SEAT_POLLS && seat->epoll != self->seat.epoll &&
	       !turn_way_is_shown(loop->cold_turn, loop->parts_after) &&
	       (turn_ways_have(&loop->way, seat->epoll) ||
		++loop->cold_elsewhere == OWN_WAITS);
}

cold bool cold_takes_seat(struct thread *self, const struct seat *seat,
			  enum sitting_kind kind)
{
	bool is_there = is_at_turn(self, seat);

	if (!is_there && !is_of_loop(self, seat, kind) &&
	    !is_elsewhere(self, seat))
		return false;
	if (!is_there || !is_proven(self, seat)) {
		run_forget();
		self->parks = 0;
	}
	return true;
}

cold void cold_closes_own(void)
{
	struct thread *self = &thread_self;

	if (is_enrolled(self) && self->loop->seat_turn && process_memory())
		turn_way_close(self->loop->seat_turn);
}
