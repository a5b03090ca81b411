/*
 * The summary: the first line a newcomer reads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "text_fixture.h"

static struct recording *rec;
static char line[512];

static void make(void)
{
	rec = text_fixture();
}

TestSuite(summary, .init = make);

static void check_is(const char *expected)
{
	size_t length = text_summary(rec, rec->end_ns, line, sizeof(line));

	cr_assert_str_eq(line, expected, "%s\n%s", line, expected);
	cr_assert_eq(length, strlen(expected));
}

static struct thread_record *add_stalling_loop(void)
{
	struct thread_record *loop = add_loop(rec, 4712, "worker");

	loop->stalls = 3;
	loop->stalled_ns = 180400 * NS_PER_US;
	loop->longest_run_ns = 120200 * NS_PER_US;
	return loop;
}

static struct lock_record *add_busy_lock(uint64_t address)
{
	struct lock_record *lock = add_lock(rec, address);

	lock->waits = 20;
	lock->waited_sum = 400 * NS_PER_MS;
	lock->longest_wait_ns = 50 * NS_PER_MS;
	return lock;
}

Test(summary, of_a_program_that_did_nothing_of_interest)
{
	check_is("no event loop seen in 61s; no lock made a thread wait");
}

Test(summary, of_loops_that_never_stalled)
{
	for (int tid = 1; tid <= 4; tid++)
		add_loop(rec, tid, "io");
	check_is("no stall >= 10ms in 61s on 4 loops, longest run 7.9ms; "
		 "no lock made a thread wait");
}

Test(summary, never_rounds_a_run_up_to_the_threshold)
{
	add_loop(rec, 1, "io")->longest_run_ns = 9996000;
	check_is("no stall >= 10ms in 61s on 1 loop, longest run 9.996ms; "
		 "no lock made a thread wait");
}

Test(summary, of_stalls)
{
	add_stalling_loop();
	check_is("3 stalls >= 10ms in 61s on 1 loop, 180ms in all, longest "
		 "120ms; no lock made a thread wait");
}

Test(summary, of_contention)
{
	add_loop(rec, 4712, "io");
	add_busy_lock(0x1000);
	add_busy_lock(0x2000);
	add_busy_lock(0x3000);
	add_lock(rec, 0x4000);
	check_is("no stall >= 10ms in 61s on 1 loop, longest run 7.9ms; "
		 "3 locks made threads wait 1.2s in 60 waits, longest 50ms");
}

Test(summary, takes_no_join_for_a_lock)
{
	add_loop(rec, 4712, "io");
	add_busy_lock(0x1000)->kind = LOCK_JOIN;
	check_is("no stall >= 10ms in 61s on 1 loop, longest run 7.9ms; "
		 "no lock made a thread wait");
}

Test(summary, counts_locks_that_gave_their_records_up)
{
	struct lock_record *others = add_lock(rec, 0);

	others->key = LOCK_OTHERS;
	others->waits = 1000;
	others->waited_sum = SECONDS(1);
	others->charged_ns = SECONDS(1);
	others->longest_wait_ns = SECONDS(1);
	rec->lost[LOST_LOCK_RECORD] = 900;
	add_lock(rec, 0x1000)->waits = 1;
	check_is("no event loop seen in 61s; 901 locks made threads wait 1s in "
		 "1001 waits, longest 1s; lost 900 (locks that gave their "
		 "record up: sums kept)");
}

Test(summary, of_one_wait_that_still_lasts)
{
	struct lock_record *lock = add_lock(rec, 0x1000);

	lock->waits = 1;
	lock->waited_sum = -(rec->end_ns - SECONDS(2));
	lock->ledger.sum = rec->end_ns - SECONDS(2);
	lock->ledger.base_n = 1;
	check_is("no event loop seen in 61s; 1 lock made threads wait 2s in 1 "
		 "wait");
}

Test(summary, names_the_thread_that_is_stuck)
{
	struct thread_record *loop = add_stalling_loop();

	loop->run_begun_ns = rec->end_ns - 2300 * NS_PER_MS;
	loop->blocked_call = CALL_CONNECT;
	check_is("4 stalls >= 10ms in 61s on 1 loop, 2.48s in all, longest "
		 "2.3s; thread worker (4712) had not come back to its wait "
		 "for 2.3s, stuck in connect; no lock made a thread wait");
	add_loop(rec, 4713, "other")->run_begun_ns = rec->end_ns - SECONDS(1);
	loop->blocked_call = CALL_NONE;
	check_is("5 stalls >= 10ms in 61s on 2 loops, 3.48s in all, longest "
		 "2.3s; thread worker (4712) had not come back to its wait "
		 "for 2.3s, nor had 1 more; no lock made a thread wait");
}

Test(summary, names_a_thread_that_hung_in_its_first_run)
{
	struct thread_record *thread = add_loop(rec, 4712, "main");

	thread->waits = 1;
	thread->run_begun_ns = rec->end_ns - SECONDS(60);
	rec->end = END_SIGNAL;
	check_is(
		"no event loop seen in 61s; thread main (4712) had not come back "
		"to its wait for 60s; no lock made a thread wait");
}

Test(summary, says_which_threads_have_thresholds_of_their_own)
{
	add_loop(rec, 4712, "main");
	rec->thresholds.count = 1;
	rec->thresholds.named[0].stall_ns = NS_PER_S;
	strcpy(rec->thresholds.named[0].pattern, "io *");
	check_is("no stall by 10ms,io\\040*=1s in 61s on 1 loop, longest run "
		 "7.9ms; no lock made a thread wait");
	rec->thresholds.others_ns = 0;
	check_is("no stall by off,io\\040*=1s in 61s on 1 loop, longest run "
		 "7.9ms; no lock made a thread wait");
}

Test(summary, says_what_is_not_watched)
{
	rec->thresholds.others_ns = 0;
	check_is("stalls not watched; no lock made a thread wait");
	rec->watches_locks = 0;
	rec->thresholds.others_ns = NS_PER_MS;
	check_is("no event loop seen in 61s; locks not watched");
}

Test(summary, says_what_was_lost)
{
	rec->lost[LOST_STACK] = 12;
	check_is(
		"no event loop seen in 61s; no lock made a thread wait; lost 12 "
		"(stack table full)");
	rec->lost[LOST_TIMER] = 2;
	check_is(
		"no event loop seen in 61s; no lock made a thread wait; lost 12 "
		"(stack table full) and 2 for other reasons");
}

Test(summary, is_cut_where_there_is_no_room)
{
	char room[16];

	memset(room, 'x', sizeof(room));
	cr_assert_eq(text_summary(rec, rec->end_ns, room, 9), 8);
	cr_assert_str_eq(room, "no event");
	cr_assert_eq(room[9], 'x');
	cr_assert_eq(text_summary(rec, rec->end_ns, room, 0), 0);
}
