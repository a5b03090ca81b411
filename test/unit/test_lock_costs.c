/*
 * What locks cost a stall: by lock, and of a lock by holder.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "sigsafe/lock_costs.h"

#define DOOR  0x1000
#define TABLE 0x2000

Test(lock_costs, no_wait_has_no_lock)
{
	struct lock_costs costs = { 0 };

	cr_assert_null(lock_costs_most(&costs));
}

Test(lock_costs, a_later_lock_that_cost_more_is_told)
{
	struct lock_costs costs = { 0 };

	lock_costs_add(&costs, DOOR, 1, 15);
	lock_costs_add(&costs, TABLE, 2, 14);
	cr_assert_eq(lock_costs_most(&costs)->address, DOOR);
	lock_costs_add(&costs, TABLE, 2, 2);
	cr_assert_eq(lock_costs_most(&costs)->address, TABLE);
}

Test(lock_costs, a_lock_is_weighed_with_all_of_its_holders)
{
	struct lock_costs costs = { 0 };

	lock_costs_add(&costs, TABLE, 9, 40);
	lock_costs_add(&costs, DOOR, 1, 20);
	lock_costs_add(&costs, DOOR, 2, 25);
	cr_assert_eq(lock_costs_most(&costs)->address, DOOR);
	cr_assert_eq(lock_costs_most(&costs)->holder, 2);
	lock_costs_add(&costs, DOOR, 1, 20);
	cr_assert_eq(lock_costs_most(&costs)->holder, 1);
}

Test(lock_costs, the_heaviest_is_found_among_more_than_there_is_room_for)
{
	struct lock_costs costs = { 0 };

	for (int32_t i = 0; i < 1000; i++) {
		lock_costs_add(&costs, TABLE + (uint64_t)i * 64, i + 1, 10);
		lock_costs_add(&costs, DOOR, 7, 5);
	}
	cr_assert_eq(lock_costs_most(&costs)->address, DOOR);
	cr_assert_eq(lock_costs_most(&costs)->holder, 7);
}

Test(lock_costs, who_takes_a_place_over_takes_nothing_but_its_time)
{
	struct lock_costs costs = { 0 };
	struct lock_cost *cost = NULL;

	for (int32_t i = 0; i < LOCK_COSTS; i++) {
		cost = lock_costs_add(&costs, DOOR, i + 1, 10);
		cost->release = 99;
		cost->index = 99;
	}
	cost = lock_costs_add(&costs, TABLE, 1, 1);
	cr_assert_eq(cost->ns, 11);
	cr_assert_eq(cost->release, 0);
	cr_assert_eq(cost->index, 0);
}

Test(lock_costs, a_holder_that_is_known_late_is_told)
{
	struct lock_costs costs = { 0 };
	struct lock_cost *cost = lock_costs_add(&costs, DOOR, 0, 70);

	cost->release = 99;
	lock_costs_add(&costs, DOOR, 5, 1);
	cr_assert_eq(lock_costs_most(&costs)->holder, 5);
	cr_assert_eq(lock_costs_most(&costs)->ns, 71);
	cr_assert_eq(lock_costs_most(&costs)->release, 99);
	/* And stays told. */
	lock_costs_add(&costs, DOOR, 0, 1000);
	cr_assert_eq(lock_costs_most(&costs)->holder, 5);
}

Test(lock_costs, another_holder_of_the_same_lock_is_known)
{
	struct lock_costs costs = { 0 };
	struct lock_cost *first = lock_costs_add(&costs, DOOR, 1, 10);

	lock_costs_add(&costs, TABLE, 2, 10);
	lock_costs_add(&costs, DOOR, 0, 10);
	cr_assert_not(lock_costs_has_other(&costs, first));
	lock_costs_add(&costs, DOOR, 2, 10);
	cr_assert(lock_costs_has_other(&costs, first));
}
