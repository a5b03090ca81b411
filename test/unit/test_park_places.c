/*
 * Places to park: who taught them, and what becomes of those without room.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "recording_fixture.h"
#include "sigsafe/loops/park_places.h"

#define MANY 100000

Test(park_places, a_place_is_known_by_its_teacher)
{
	fixture_recording(1 << 20);
	park_places_enter(1, 11);
	park_places_enter(2, 11);
	park_places_enter(2, 12);
	park_places_enter(1, 11);
	cr_assert_eq(park_places_teacher(1), 11);
	cr_assert_eq(park_places_teacher(2), TEACHER_SEVERAL);
	cr_assert_eq(park_places_teacher(3), TEACHER_NOBODY);
	cr_assert_eq(fixture_lost(LOST_PLACE), 0);
}

/* Ninety kinds of pools that wait twelve calls deep, each in two ways. */
Test(park_places, there_is_room_for_many_pools)
{
	fixture_recording(1 << 20);
	for (uint64_t place = 1; place <= 90 * 13 * 2; place++)
		park_places_enter(place * place, 11);
	cr_assert_eq(fixture_lost(LOST_PLACE), 0);
}

Test(park_places, one_that_there_was_no_room_for_may_be_anybodys)
{
	uint64_t unknown = 0;

	fixture_recording(1 << 20);
	for (uint64_t place = 1; place <= MANY; place++)
		park_places_enter(place, 11);
	for (uint64_t place = 1; place <= MANY; place++) {
		cr_assert_neq(park_places_teacher(place), TEACHER_NOBODY);
		unknown += park_places_teacher(place) == TEACHER_SEVERAL;
	}
	cr_assert_gt(unknown, 0);
	cr_assert_eq(fixture_lost(LOST_PLACE), unknown);
}
