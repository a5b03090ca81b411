/*
 * Ways to waits that threads take turns at: what is told of them, until one
 * turns out to be a job's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "recording_fixture.h"
#include "sigsafe/loops/turn_ways.h"

static struct wait_way way_of(uint64_t call)
{
	return (struct wait_way){ .depth = 2, .frame = { call, 7 } };
}

static struct turn_way *note(uint64_t call, int32_t epoll)
{
	struct wait_way way = way_of(call);

	return turn_ways_note(&way, epoll);
}

Test(turn_ways, one_way_to_one_descriptor_is_noted_once)
{
	fixture_recording(1 << 20);
	cr_assert_eq(note(1, 5), note(1, 5));
	cr_assert_neq(note(1, 5), note(1, 6));
	cr_assert_neq(note(1, 5), note(2, 5));
	cr_assert(turn_way_is_at(note(1, 5), 6));
	cr_assert_not(turn_way_is_at(note(1, 5), 4));
	cr_assert_not(turn_way_is_at(note(2, 5), 6));
}

Test(turn_ways, what_is_shown_of_one_holds_for_all_of_the_same_calls)
{
	fixture_recording(1 << 20);
	note(1, 5);
	cr_assert_not(turn_way_is_shown(note(1, 6), 1));
	turn_way_show(note(1, 5));
	cr_assert(turn_way_is_shown(note(1, 6), 1));
	cr_assert_not(turn_way_is_shown(note(2, 5), 1));
}

Test(turn_ways, who_parks_further_out_than_others_is_not_shown)
{
	fixture_recording(1 << 20);
	turn_way_note_place(note(1, 5), 3);
	turn_way_show(note(1, 5));
	cr_assert(turn_way_is_shown(note(1, 5), 3));
	cr_assert_not(turn_way_is_shown(note(1, 5), 4));
	turn_way_note_place(note(1, 5), 2);
	cr_assert_not(turn_way_is_shown(note(1, 5), 3));
	turn_way_note_place(note(1, 5), 4);
	cr_assert(turn_way_is_shown(note(1, 5), 2));
	cr_assert_not(turn_way_is_shown(note(1, 5), 3));
}

Test(turn_ways, none_of_the_calls_of_a_closed_one_counts_again)
{
	fixture_recording(1 << 20);
	turn_way_show(note(1, 5));
	note(1, 6);
	turn_way_close(note(1, 5));
	cr_assert_not(turn_way_is_open(note(1, 6)));
	cr_assert_not(turn_way_is_open(note(1, 8)));
	cr_assert_not(turn_way_is_shown(note(1, 6), 1));
	cr_assert_not(turn_way_is_at(note(1, 5), 6));
	cr_assert(turn_way_is_open(note(2, 5)));
}

Test(turn_ways, those_without_room_are_counted)
{
	fixture_recording(1 << 20);
	for (uint64_t call = 1; call <= 64; call++)
		cr_assert_not_null(note(call, 5));
	cr_assert_eq(fixture_lost(LOST_PLACE), 0);
	cr_assert_null(note(65, 5));
	cr_assert_null(note(66, 5));
	cr_assert_eq(fixture_lost(LOST_PLACE), 2);
	cr_assert_not_null(note(64, 5));
}
