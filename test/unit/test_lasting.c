/*
 * Stalls that last: what a reader knows of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/lasting.h"
#include "base/loops.h"
#include "text_fixture.h"

static struct recording *rec;
static struct thread_record *thread;

static void make(void)
{
	rec = text_fixture();
	thread = add_loop(rec, 4712, "worker");
	thread->run_begun_ns = rec->end_ns - SECONDS(3);
}

TestSuite(lasting, .init = make);

static struct lasting now(void)
{
	return lasting_of(rec, thread, rec->end_ns);
}

Test(lasting, up_to_the_latest_tick_it_is_in_samples)
{
	thread->run_shared_ns = rec->end_ns - SECONDS(1);
	cr_assert_eq(now().ns, SECONDS(2));
	cr_assert_eq(now().rest_ns, 0);
	cr_assert_not(now().is_unseen);
}

Test(lasting, a_blocking_call_has_what_comes_after_the_tick)
{
	thread->run_shared_ns = rec->end_ns - SECONDS(1);
	thread->blocked_call = CALL_NANOSLEEP;
	thread->blocked_stack = 8;
	cr_assert_eq(now().ns, SECONDS(3));
	cr_assert_eq(now().rest_ns, SECONDS(1));
	cr_assert_eq(now().rest_key,
		     SAMPLE_KEY(SAMPLE_STALL,
				CAUSE_WORD(CAUSE_BLOCKED, CALL_NANOSLEEP), 8));
}

Test(lasting, without_a_tick_the_call_has_all_of_it)
{
	/* Of the stall before. */
	thread->run_shared_ns = thread->run_begun_ns - 5;
	thread->run_cause_ns[CAUSE_CPU] = 7;
	thread->blocked_call = CALL_NANOSLEEP;
	thread->blocked_stack = 8;
	cr_assert_eq(now().rest_ns, SECONDS(3));
	cr_assert_eq(
		thread_stalls(rec, thread, rec->end_ns).cause_ns[CAUSE_CPU], 0);
	cr_assert_eq(
		thread_stalls(rec, thread, rec->end_ns).cause_ns[CAUSE_BLOCKED],
		SECONDS(3));
}

Test(lasting, with_neither_it_is_unseen)
{
	cr_assert_eq(now().ns, SECONDS(3));
	cr_assert(now().is_unseen);
	cr_assert_eq(thread_stalls(rec, thread, rec->end_ns).unseen, 1);
}

Test(lasting, it_counts_among_the_loops_stalls)
{
	thread->stalls = 2;
	thread->stalled_ns = SECONDS(4);
	thread->run_shared_ns = rec->end_ns;
	thread->run_cause_ns[CAUSE_CPU] = SECONDS(3);
	cr_assert_eq(loops_of(rec, rec->end_ns).stalls, 3);
	cr_assert_eq(loops_of(rec, rec->end_ns).stalled_ns, SECONDS(7));
	cr_assert_eq(loops_of(rec, rec->end_ns).cause_ns[CAUSE_CPU],
		     SECONDS(3));
}

Test(lasting, what_is_no_loop_yet_has_no_stall)
{
	thread->waits = 1;
	rec->end = END_SIGNAL;
	cr_assert_eq(now().ns, 0);
}

Test(lasting, nor_has_a_run_below_the_threshold)
{
	thread->run_begun_ns = rec->end_ns - 1;
	thread->blocked_call = CALL_NANOSLEEP;
	thread->blocked_stack = 8;
	cr_assert_eq(now().ns, 0);
}
