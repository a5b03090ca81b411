/*
 * Go's rule: the numbers that Go's own runtime gives, by golang/go#73760.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "sigsafe/locks/go_rule.h"

/* All but the first wait from time 0; each holds for so long, in turn. */
static void charge(const uint64_t *holds, uint64_t *charges, size_t n)
{
	struct go_queue queue = { 0 };
	uint64_t now = 0;

	for (size_t i = 1; i < n; i++)
		go_rule_enter(&queue, 0);
	for (size_t i = 0; i < n; i++) {
		now += holds[i];
		charges[i] = go_rule_settle(&queue, now);
		go_rule_acquired(&queue);
	}
}

Test(go_rule, five_holders_are_charged_as_in_gos_issue)
{
	uint64_t holds[] = { 1, 5, 2, 3, 4 }, charges[5];

	charge(holds, charges, 5);
	cr_assert_eq(charges[0], 4);
	cr_assert_eq(charges[1], 15);
	cr_assert_eq(charges[2], 3);
	cr_assert_eq(charges[3], 6);
	cr_assert_eq(charges[4], 0);
}

Test(go_rule, of_two_waiters_half_a_wait_is_lost)
{
	uint64_t holds[] = { 10, 0, 0 }, charges[3];

	charge(holds, charges, 3);
	cr_assert_eq(charges[0], 15);
}

Test(go_rule, an_unlock_before_the_woken_one_has_the_lock_is_free)
{
	struct go_queue queue = { 0 };

	go_rule_enter(&queue, 0);
	go_rule_enter(&queue, 0);
	go_rule_settle(&queue, 10);
	cr_assert_eq(go_rule_settle(&queue, 20), 0);
	go_rule_acquired(&queue);
	cr_assert_neq(go_rule_settle(&queue, 30), 0);
}
