/*
 * What counts as a loop, and what its sums are.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/loops.h"
#include "text_fixture.h"

static struct recording *rec;
static struct thread_record *thread;

static void make(void)
{
	rec = text_fixture();
	thread = add_loop(rec, 4712, "worker");
}

TestSuite(loops, .init = make);

static struct loops now(void)
{
	return loops_of(rec, rec->end_ns);
}

Test(loops, a_thread_is_a_loop_from_its_second_wait_on)
{
	thread->waits = 1;
	cr_assert_not(thread_is_loop(thread));
	thread->waits = 2;
	cr_assert(thread_is_loop(thread));
	thread->state = THREAD_ENDED;
	cr_assert(thread_is_loop(thread));
}

Test(loops, a_record_that_is_being_written_is_none)
{
	thread->state = THREAD_CLAIMED;
	thread->stalls = 1;
	cr_assert_not(thread_is_loop(thread));
	cr_assert_eq(now().count, 0);
	cr_assert_eq(now().stalls, 0);
}

Test(loops, sums_run_over_all_threads)
{
	struct thread_record *other = add_loop(rec, 4713, "other");

	thread->stalls = 2;
	thread->stalled_ns = 30;
	thread->unseen = 1;
	thread->longest_run_ns = 20;
	other->stalls = 3;
	other->stalled_ns = 400;
	other->longest_run_ns = 300;
	other->state = THREAD_ENDED;
	cr_assert_eq(now().count, 2);
	cr_assert_eq(now().stalls, 5);
	cr_assert_eq(now().stalled_ns, 430);
	cr_assert_eq(now().unseen, 1);
	cr_assert_eq(now().longest_ns, 300);
}

Test(loops, a_thread_that_is_no_loop_has_no_longest_run)
{
	thread->waits = 1;
	thread->longest_run_ns = SECONDS(5);
	cr_assert_eq(now().longest_ns, 0);
}

Test(loops, a_run_is_unfinished_from_the_threshold_on)
{
	thread->run_begun_ns = rec->end_ns - rec->thresholds.others_ns + 1;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns), 0);
	thread->run_begun_ns--;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns),
		     rec->thresholds.others_ns);
	cr_assert_eq(now().unfinished, 1);
	cr_assert_eq(now().longest_ns, rec->thresholds.others_ns);
}

Test(loops, nothing_is_unfinished_in_a_wait_or_after_the_end)
{
	thread->run_begun_ns = 0;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns), 0);
	thread->run_begun_ns = rec->end_ns + 1;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns), 0);
	thread->run_begun_ns = rec->start_ns;
	thread->state = THREAD_ENDED;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns), 0);
}

Test(loops, nothing_is_unfinished_where_stalls_are_not_watched)
{
	thread->stall_ns = 0;
	thread->run_begun_ns = rec->start_ns;
	cr_assert_eq(thread_unfinished_ns(rec, thread, rec->end_ns), 0);
}

Test(loops, a_first_run_may_have_hung_unless_the_program_exited)
{
	thread->waits = 1;
	thread->run_begun_ns = rec->start_ns;
	rec->end = END_EXIT;
	cr_assert_eq(now().unfinished, 0);
	rec->end = END_AT_ONCE;
	cr_assert_eq(now().unfinished, 0);
	rec->end = END_RUNNING;
	cr_assert_eq(now().unfinished, 1);
	rec->end = END_SIGNAL;
	cr_assert_eq(now().unfinished, 1);
}

Test(loops, calls_have_their_names)
{
	cr_assert_str_eq(blocking_call_name(CALL_NONE), "");
	cr_assert_str_eq(blocking_call_name(CALL_EPOLL_WAIT), "epoll_wait");
	cr_assert_str_eq(blocking_call_name(CALL_CONNECT), "connect");
	cr_assert_str_eq(blocking_call_name(CALL_COUNT), "");
}

static struct histogram *give_histogram(void)
{
	struct histogram *histogram = section_records(rec, SECTION_HISTOGRAMS);

	thread->histogram = 1;
	return histogram;
}

Test(loops, tells_how_long_its_runs_took)
{
	struct histogram *histogram = give_histogram();
	struct run_lengths lengths;

	thread->waits = 1000;
	thread->longest_run_ns = 8 * NS_PER_MS;
	for (int i = 0; i < 400; i++)
		histogram_add(histogram, NS_PER_MS);
	for (int i = 0; i < 20; i++)
		histogram_add(histogram, 8 * NS_PER_MS);
	lengths = run_lengths_of(rec, thread);
	cr_assert(lengths.is_known);
	cr_assert_eq(lengths.ns[PERCENTILE_50], 0, "most were too short");
	cr_assert_float_eq((double)lengths.ns[PERCENTILE_90], 1e6, 1e4);
	cr_assert_float_eq((double)lengths.ns[PERCENTILE_99], 8e6, 8e4);
	cr_assert_leq(lengths.ns[PERCENTILE_999], thread->longest_run_ns);
}

Test(loops, a_run_that_has_not_ended_has_no_length_yet)
{
	struct histogram *histogram = give_histogram();

	thread->waits = 2;
	thread->run_begun_ns = rec->start_ns;
	histogram_add(histogram, NS_PER_MS);
	cr_assert_neq(run_lengths_of(rec, thread).ns[PERCENTILE_50], 0);
	/* Were it to count it would be a short one. */
	thread->run_begun_ns = 0;
	cr_assert_eq(run_lengths_of(rec, thread).ns[PERCENTILE_50], 0);
}

Test(loops, without_a_histogram_no_lengths_are_known)
{
	cr_assert_not(run_lengths_of(rec, thread).is_known);
}
