/*
 * The ways to waits. Owns the process's table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/loops/turn_ways.h"

#include <string.h>

#include "base/atomic.h"
#include "sigsafe/live.h"

#define TURN_WAYS 64u

enum turn_state {
	TURN_MAKING,
	TURN_OPEN,
	TURN_CLOSED /* as is every other of the same calls, from then on */
};

struct turn_way {
	uint32_t state; /* the rest is valid if it is not TURN_MAKING */
	int32_t epoll;
	uint32_t is_shown;
	uint32_t least_after; /* of those that park beside the wait */
	struct wait_way way;  /* found: not used */
};

static struct turn_way turns[TURN_WAYS];
static uint32_t used; /* taken one by one, and never given back */

static uint32_t count(void)
{
	return (uint32_t)min_u64(load_relaxed(&used), TURN_WAYS);
}

/* Acquire pairs with the release in enter(). */
static enum turn_state state_of(const struct turn_way *turn)
{
	return load_acquire(&turn->state);
}

bool turn_way_is(const struct turn_way *turn, const struct wait_way *way)
{
	return turn->way.depth == way->depth &&
	       !memcmp(turn->way.frame, way->frame,
		       way->depth * sizeof(way->frame[0]));
}

/* One of these calls in that state, at that descriptor or at any; or NULL. */
static struct turn_way *find(const struct wait_way *way, enum turn_state state,
			     int32_t epoll)
{
	for (uint32_t i = 0; i < count(); i++) {
		struct turn_way *turn = &turns[i];

		if (state_of(turn) == state && turn_way_is(turn, way) &&
		    (epoll < 0 || turn->epoll == epoll))
			return turn;
	}
	return NULL;
}

static struct turn_way *enter(const struct wait_way *way, int32_t epoll)
{
	uint32_t index = add_relaxed(&used, 1);
	struct turn_way *turn = &turns[index];

	if (index >= TURN_WAYS) {
		store_relaxed(&used, TURN_WAYS);
		live_count_lost(LOST_PLACE);
		return NULL;
	}
	turn->way = *way;
	turn->epoll = epoll;
	turn->is_shown = false;
	turn->least_after = UINT32_MAX;
	store_release(&turn->state, TURN_OPEN);
	return turn;
}

/* Two threads may enter one at once, and then there are two of it. */
cold struct turn_way *turn_ways_note(const struct wait_way *way, int32_t epoll)
{
	struct turn_way *turn = find(way, TURN_CLOSED, -1);

	if (!turn)
		turn = find(way, TURN_OPEN, epoll);
	return turn ? turn : enter(way, epoll);
}

cold struct turn_way *turn_ways_beside(const struct call_site *call,
				       uint32_t *after)
{
	for (uint32_t i = 0; i < count(); i++) {
		struct turn_way *turn = &turns[i];

		/* Of those that have the same calls the first is asked. */
		if (state_of(turn) == TURN_OPEN &&
		    find(&turn->way, TURN_OPEN, -1) == turn &&
		    (*after = way_beside(&turn->way, call))) {
			turn_way_note_place(turn, *after);
			return turn;
		}
	}
	return NULL;
}

bool turn_way_is_open(const struct turn_way *turn)
{
	return state_of(turn) == TURN_OPEN;
}

const struct wait_way *turn_way_calls(const struct turn_way *turn)
{
	return &turn->way;
}

int32_t turn_way_epoll(const struct turn_way *turn)
{
	return turn->epoll;
}

bool turn_ways_have(const struct wait_way *way, int32_t epoll)
{
	return find(way, TURN_OPEN, epoll);
}

bool turn_way_is_at(const struct turn_way *turn, int32_t epoll)
{
	return turn_ways_have(&turn->way, epoll);
}

/* All of the same calls: whichever of them is asked. */
cold void turn_way_note_place(const struct turn_way *noted, uint32_t after)
{
	for (uint32_t i = 0; i < count(); i++) {
		struct turn_way *turn = &turns[i];

		if (state_of(turn) == TURN_OPEN &&
		    turn_way_is(noted, &turn->way) &&
		    after < load_relaxed(&turn->least_after))
			store_relaxed(&turn->least_after, after);
	}
}

cold void turn_way_show(const struct turn_way *shown)
{
	for (uint32_t i = 0; i < count(); i++) {
		if (state_of(&turns[i]) == TURN_OPEN &&
		    turn_way_is(shown, &turns[i].way))
			store_relaxed(&turns[i].is_shown, true);
	}
}

bool turn_way_is_shown(const struct turn_way *turn, uint32_t after)
{
	/* Relaxed: nothing else is handed on by it. */
	return load_relaxed(&turn->is_shown) && after &&
	       after <= load_relaxed(&turn->least_after) &&
	       state_of(turn) == TURN_OPEN;
}

cold void turn_way_close(const struct turn_way *closed)
{
	for (uint32_t i = 0; i < count(); i++) {
		if (state_of(&turns[i]) == TURN_OPEN &&
		    turn_way_is(closed, &turns[i].way))
			store_relaxed(&turns[i].state, TURN_CLOSED);
	}
}

void turn_ways_reset(void)
{
	memset(turns, 0, count() * sizeof(turns[0]));
	used = 0;
}
