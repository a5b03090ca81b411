/*
 * What locks cost a stall: by lock, and of a lock by holder.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/lock_kind.h"
#include "sigsafe/locks/lock_costs.h"

#define DOOR  0x1000
#define TABLE 0x2000

static struct lock_cost *wait_for(struct lock_costs *costs, uint64_t address,
				  int32_t holder, uint64_t ns)
{
	const struct held_lock held = { .address = address,
					.kind = LOCK_MUTEX,
					.holder = holder };

	return lock_costs_add(costs, held, ns);
}

static struct lock_cost *most(struct lock_costs *costs)
{
	return lock_costs_most(costs, CAUSE_LOCK);
}

Test(lock_costs, no_wait_has_no_lock)
{
	struct lock_costs costs = { 0 };

	cr_assert_null(most(&costs));
}

Test(lock_costs, a_later_lock_that_cost_more_is_told)
{
	struct lock_costs costs = { 0 };

	wait_for(&costs, DOOR, 1, 15);
	wait_for(&costs, TABLE, 2, 14);
	cr_assert_eq(most(&costs)->held.address, DOOR);
	wait_for(&costs, TABLE, 2, 2);
	cr_assert_eq(most(&costs)->held.address, TABLE);
}

Test(lock_costs, a_lock_is_weighed_with_all_of_its_holders)
{
	struct lock_costs costs = { 0 };

	wait_for(&costs, TABLE, 9, 40);
	wait_for(&costs, DOOR, 1, 20);
	wait_for(&costs, DOOR, 2, 25);
	cr_assert_eq(most(&costs)->held.address, DOOR);
	cr_assert_eq(most(&costs)->held.holder, 2);
	wait_for(&costs, DOOR, 1, 20);
	cr_assert_eq(most(&costs)->held.holder, 1);
}

Test(lock_costs, the_heaviest_is_found_among_more_than_there_is_room_for)
{
	struct lock_costs costs = { 0 };

	for (int32_t i = 0; i < 1000; i++) {
		wait_for(&costs, TABLE + (uint64_t)i * 64, i + 1, 10);
		wait_for(&costs, DOOR, 7, 5);
	}
	cr_assert_eq(most(&costs)->held.address, DOOR);
	cr_assert_eq(most(&costs)->held.holder, 7);
}

Test(lock_costs, a_place_that_is_taken_over_is_sure_of_the_new_time_only)
{
	struct lock_costs costs = { 0 };
	struct lock_cost *cost;

	for (int32_t i = 0; i < LOCK_COSTS; i++) {
		cost = wait_for(&costs, DOOR, i + 1, 10);
		cr_assert_eq(lock_cost_sure_ns(cost), 10);
	}
	cost = wait_for(&costs, TABLE, 1, 1);
	cr_assert_eq(cost->ns, 11);
	cr_assert_eq(lock_cost_sure_ns(cost), 1);
	cost = wait_for(&costs, TABLE, 1, 2);
	cr_assert_eq(lock_cost_sure_ns(cost), 3);
}

Test(lock_costs, who_inherits_time_is_not_taken_for_who_has_cost_most)
{
	struct lock_costs costs = { 0 };

	wait_for(&costs, DOOR, 1, 60);
	for (int32_t i = 1; i <= 12; i++)
		wait_for(&costs, TABLE + (uint64_t)i * 64, i + 1, 30);
	cr_assert_eq(most(&costs)->held.address, DOOR);
	cr_assert_eq(most(&costs)->held.holder, 1);
}

Test(lock_costs, the_most_of_a_cause_is_told_whatever_others_cost)
{
	struct lock_costs costs = { 0 };
	struct held_lock post = { .address = TABLE, .kind = LOCK_SEMAPHORE };

	lock_costs_add(&costs, post, 40);
	wait_for(&costs, DOOR, 1, 30);
	/* Its memory is used again. */
	wait_for(&costs, TABLE, 2, 20);
	cr_assert_eq(most(&costs)->held.address, DOOR);
	cr_assert_eq(lock_costs_most(&costs, CAUSE_SEMAPHORE)->ns, 40);
	cr_assert_null(lock_costs_most(&costs, CAUSE_JOIN));
}

Test(lock_costs, what_was_cleared_is_gone)
{
	struct lock_costs costs = { 0 };

	wait_for(&costs, DOOR, 1, 60);
	lock_costs_clear(&costs);
	cr_assert_null(most(&costs));
	cr_assert_eq(wait_for(&costs, DOOR, 1, 5)->ns, 5);
}

Test(lock_costs, a_holder_that_is_known_late_is_told)
{
	struct lock_costs costs = { 0 };

	wait_for(&costs, DOOR, 0, 70);
	wait_for(&costs, DOOR, 5, 1);
	cr_assert_eq(most(&costs)->held.holder, 5);
	cr_assert_eq(most(&costs)->ns, 71);
	/* And stays told. */
	wait_for(&costs, DOOR, 0, 1000);
	cr_assert_eq(most(&costs)->held.holder, 5);
}

Test(lock_costs, another_holder_of_the_same_lock_is_known)
{
	struct lock_costs costs = { 0 };
	struct lock_cost *first = wait_for(&costs, DOOR, 1, 10);

	wait_for(&costs, TABLE, 2, 10);
	wait_for(&costs, DOOR, 0, 10);
	cr_assert_not(lock_costs_has_other(&costs, first));
	wait_for(&costs, DOOR, 2, 10);
	cr_assert(lock_costs_has_other(&costs, first));
}
