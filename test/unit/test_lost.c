/*
 * What was lost.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/lost.h"
#include "text_fixture.h"

static struct recording *rec;

static void make(void)
{
	rec = text_fixture();
}

TestSuite(lost, .init = make);

Test(lost, every_reason_has_its_words)
{
	cr_assert_str_eq(lost_text(LOST_STACK), "stack table full");
	cr_assert_str_eq(lost_text(LOST_NO_SIGNAL),
			 "ticks left out: no signal can be had for them");
}

Test(lost, nothing_is_lost_at_first)
{
	cr_assert_eq(lost_total(rec), 0);
}

Test(lost, counts_are_kept_by_reason_and_in_all)
{
	rec->lost[LOST_MODULE] = 2;
	rec->lost[LOST_TIMER] = 5;
	rec->lost[LOST_NO_SIGNAL] = 3;
	cr_assert_eq(lost_count(rec, LOST_MODULE), 2);
	cr_assert_eq(lost_count(rec, LOST_STACK), 0);
	cr_assert_eq(lost_total(rec), 10);
	cr_assert_eq(lost_most(rec), LOST_TIMER);
}
