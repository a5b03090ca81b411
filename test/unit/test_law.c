/*
 * The law of contention and the time a recording speaks of.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/law.h"
#include "sigsafe/locks/ledger.h"
#include "text_fixture.h"

static struct recording *rec;

static void make(void)
{
	rec = text_fixture();
}

TestSuite(law, .init = make);

/* A waiter since start_ns, as the ledger has it. */
static void enter(struct lock_record *lock, uint64_t start_ns)
{
	lock->waits++;
	lock->waited_sum -= start_ns;
	lock->ledger.sum += start_ns;
	lock->ledger.base_n++;
}

Test(law, a_lock_without_waits_owes_nothing)
{
	struct law law = law_of_lock(add_lock(rec, 0x1000), SECONDS(1001));

	cr_assert_eq(law.waits, 0);
	cr_assert_eq(law.waited_ns, 0);
	cr_assert_eq(law.open_ns, 0);
	cr_assert(law_closes(&law));
}

Test(law, waiters_of_a_lock_that_is_not_released_are_open)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	enter(lock, SECONDS(1003));
	law = law_of_lock(lock, SECONDS(1010));
	cr_assert_eq(law.waits, 2);
	cr_assert_eq(law.waited_ns, SECONDS(9 + 7));
	cr_assert_eq(law.open_ns, SECONDS(9 + 7));
	cr_assert_eq(law.charged_ns, 0);
	cr_assert(law_closes(&law));
}

Test(law, what_was_charged_is_no_longer_open)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	enter(lock, SECONDS(1003));
	/* An unlock at 1005 s: every start becomes 1005 s. */
	lock->charged_ns = SECONDS(4 + 2);
	lock->ledger.sum = 2 * SECONDS(1005);
	law = law_of_lock(lock, SECONDS(1010));
	cr_assert_eq(law.waited_ns, SECONDS(16));
	cr_assert_eq(law.open_ns, SECONDS(10));
	cr_assert(law_closes(&law));
}

/* It was killed after the unlock, and wrote no later time down. */
Test(law, what_was_charged_after_the_last_stamp_is_not_open)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	enter(lock, SECONDS(1003));
	lock->charged_ns = SECONDS(9 + 7);
	lock->ledger.sum = 2 * SECONDS(1010);
	law = law_of_lock(lock, SECONDS(1009));
	cr_assert_eq(law.open_ns, 0);
	cr_assert_eq(law.waited_ns, SECONDS(9 + 7));
	cr_assert(law_closes(&law));
}

Test(law, a_wait_that_timed_out_stays_open_when_nobody_waits)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	/* It gave up at 1004 s: that leaves the sum, and n. */
	lock->waited_sum += SECONDS(1004);
	lock->ledger.sum -= SECONDS(1004);
	lock->ledger.base_n--;
	law = law_of_lock(lock, SECONDS(1010));
	cr_assert_eq(law.waited_ns, SECONDS(3));
	cr_assert_eq(law.open_ns, SECONDS(3));
	cr_assert(law_closes(&law));
}

Test(law, sums_run_over_every_lock_also_retired_ones)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	lock->key = LOCK_RETIRED;
	enter(add_lock(rec, 0x2000), SECONDS(1005));
	/* Not in the table yet: no key. */
	enter(add_lock(rec, 0), SECONDS(1001));
	law = law_of(rec, SAMPLE_MUTEX, SECONDS(1006));
	cr_assert_eq(law.waits, 2);
	cr_assert_eq(law.waited_ns, SECONDS(5 + 1));
	cr_assert(law_closes(&law));
}

Test(law, a_nanosecond_charged_twice_shows)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct law law;

	enter(lock, SECONDS(1001));
	lock->charged_ns = 1;
	law = law_of(rec, SAMPLE_MUTEX, SECONDS(1006));
	cr_assert_not(law_closes(&law));
}

Test(law, the_ledger_that_records_keeps_it)
{
	struct lock_record *lock = add_lock(rec, 0x1000);
	struct ledger_leave left;
	struct law law;
	uint64_t waiters, start_ns;

	start_ns = ledger_enter(&lock->ledger, &waiters);
	lock->waited_sum -= start_ns;
	lock->charged_ns += ledger_settle(&lock->ledger).ns;
	left = ledger_acquired(&lock->ledger, start_ns);
	lock->waited_sum += left.until_ns;
	lock->handoff_ns += left.handoff_ns;
	law = law_of(rec, SAMPLE_MUTEX, left.until_ns + SECONDS(1));
	cr_assert_gt(law.waited_ns, 0);
	cr_assert_eq(law.open_ns, 0);
	cr_assert(law_closes(&law));
}

Test(law, an_ended_recording_speaks_of_its_end)
{
	rec->latest_ns = rec->end_ns + 1;
	cr_assert_eq(recording_now_ns(rec), rec->end_ns);
}

Test(law, an_empty_recording_that_runs_speaks_of_its_start)
{
	rec->end_ns = 0;
	cr_assert_eq(recording_now_ns(rec), rec->start_ns);
}

Test(law, a_recording_that_runs_speaks_of_its_latest_stamp)
{
	struct thread_record *thread = add_loop(rec, 4712, "worker");
	struct event_record *event = section_records(rec, SECTION_EVENTS);

	rec->end_ns = 0;
	rec->latest_ns = SECONDS(1001);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1001));
	thread->latest_ns = SECONDS(1002);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1002));
	thread->run_begun_ns = SECONDS(1003);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1003));
	thread->blocked_ns = SECONDS(1004);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1004));
	event->begun_ns = SECONDS(1003);
	event->duration_ns = SECONDS(2);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1005));
}

Test(law, a_killed_deadlock_speaks_of_the_last_to_come)
{
	struct waiter_record *waiter = section_records(rec, SECTION_WAITERS);

	rec->end_ns = 0;
	waiter->start_ns = SECONDS(1007);
	cr_assert_eq(recording_now_ns(rec), SECONDS(1007));
}
