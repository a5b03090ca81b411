/*
 * The lock table: more locks than it has room for, and no nanosecond lost or
 * given to the wrong lock.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "base/law.h"
#include "recording_fixture.h"
#include "setup/layout.h"
#include "sigsafe/live.h"
#include "sigsafe/locks/contention.h"
#include "sigsafe/locks/lock_others.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/walk/stack.h"

#define MANY 100000

static struct recording *rec;
/* Addresses only: no lock is ever taken. */
static char locks[MANY][40];

static void start(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	rec->watches_locks = 1;
	rec->watches_waiters = 1;
	live_begin(rec);
	stack_start(STACK_FIRST_FRAME, 1);
}

TestSuite(lock_table, .init = start, .timeout = 60);

static void pass(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns() + ns;

	while (clock_now_ns() < end_ns)
		;
}

/* A wait of about ns, and the unlock that ends it. */
static void contend(const void *address, uint64_t ns)
{
	const void *here = __builtin_return_address(0);
	struct lock lock = { address, LOCK_MUTEX, 0 };
	struct contention caused;
	struct lock_wait wait;

	contention_wait_begin(&wait, lock, here);
	pass(ns);
	caused = contention_settle(address);
	if (caused.recording)
		contention_record(&caused, here);
	contention_wait_end(&wait, WAIT_ACQUIRED);
}

static struct lock_record *record_of(const void *address)
{
	return lock_find(rec, address);
}

/* Totals of the samples of one kind and, unless it is NULL, one lock. */
static uint64_t count_samples(enum sample_kind kind,
			      const struct lock_record *lock)
{
	const struct sample_record *s = section_records(rec, SECTION_SAMPLES);
	uint32_t n = rec->section[SECTION_SAMPLES].capacity;
	uint64_t count = 0;

	for (; n; n--, s++) {
		if (s->key && SAMPLE_KIND(s->key) == kind &&
		    (!lock || SAMPLE_LOCK(s->key) == lock_index(rec, lock)))
			count += s->count;
	}
	return count;
}

Test(lock_table, a_lock_that_was_never_waited_for_has_no_record)
{
	contend(locks[0], 0);
	cr_assert_not_null(record_of(locks[0]));
	cr_assert_null(record_of(locks[1]));
}

Test(lock_table, the_law_is_exact_over_more_locks_than_there_is_room_for)
{
	struct law law;

	for (int i = 0; i < MANY; i++)
		contend(locks[i], 0);
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert(law_closes(&law));
	cr_assert_eq(law.waits, MANY);
	cr_assert_eq(law.open_ns, 0);
	cr_assert_eq(fixture_lost(LOST_LOCK), 0);
	cr_assert_gt(fixture_lost(LOST_LOCK_RECORD), MANY / 2);
}

Test(lock_table, samples_add_up_to_the_law_over_more_locks_than_there_is_room)
{
	struct law law;

	for (int i = 0; i < MANY; i++)
		contend(locks[i], 0);
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert_eq(fixture_sampled_ns(SAMPLE_MUTEX), law.charged_ns);
	cr_assert_eq(fixture_sampled_ns(SAMPLE_WAIT), law.waited_ns);
	cr_assert_eq(count_samples(SAMPLE_WAIT, NULL), MANY);
	cr_assert_eq(fixture_lost(LOST_SAMPLE), 0);
}

Test(lock_table, no_lock_is_given_the_sums_or_samples_of_another)
{
	struct lock_record *others = lock_others(rec, LOCK_MUTEX);
	uint64_t with_record = 0;

	for (int i = 0; i < MANY; i++)
		contend(locks[i], 0);
	for (int i = 0; i < MANY; i++) {
		const struct lock_record *record = record_of(locks[i]);

		if (!record)
			continue;
		with_record++;
		cr_assert_eq(record->waits, 1);
		cr_assert_eq(record->address, (uintptr_t)locks[i]);
		cr_assert_leq(count_samples(SAMPLE_MUTEX, record), 1);
		cr_assert_leq(count_samples(SAMPLE_WAIT, record), 1);
	}
	cr_assert_eq(others->waits, MANY - with_record);
	cr_assert_geq(count_samples(SAMPLE_WAIT, others), others->waits);
}

Test(lock_table, the_lock_that_made_threads_wait_most_keeps_its_record)
{
	contend(locks[0], 200000000);
	for (int i = 1; i < MANY; i++)
		contend(locks[i], 0);
	cr_assert_not_null(record_of(locks[0]));
	cr_assert_geq(record_of(locks[0])->charged_ns, 200000000);
}

Test(lock_table, a_lock_that_comes_late_gets_a_record_and_keeps_it)
{
	for (int i = 0; i < MANY / 2; i++)
		contend(locks[i], 0);
	for (int round = 0; round < 100; round++) {
		contend(locks[MANY - 1], 100000);
		for (int i = 0; i < 200; i++)
			contend(locks[MANY / 2 + round * 200 + i], 0);
	}
	cr_assert_not_null(record_of(locks[MANY - 1]));
	cr_assert_geq(record_of(locks[MANY - 1])->waits, 90);
}

Test(lock_table, a_record_in_use_is_not_given_away)
{
	struct lock_record *held = lock_pin_or_make(rec, locks[0], LOCK_MUTEX);
	struct lock lock = { locks[1], LOCK_MUTEX, 0 };
	struct lock_wait wait;

	contention_wait_begin(&wait, lock, NULL);
	for (int i = 2; i < MANY; i++)
		contend(locks[i], 0);
	cr_assert_eq(record_of(locks[0]), held);
	cr_assert_eq(record_of(locks[1]), wait.lock);
	lock_unpin(held);
	contention_wait_end(&wait, WAIT_ACQUIRED);
	for (int i = 2; i < MANY; i++)
		contend(locks[i], 0);
	cr_assert_neq(record_of(locks[0]), held);
}

Test(lock_table, a_wait_that_is_owed_keeps_the_record)
{
	struct lock lock = { locks[0], LOCK_MUTEX, 0 };
	struct contention caused;
	struct lock_wait wait;
	uint64_t waited_ns;

	contention_wait_begin(&wait, lock, NULL);
	pass(1000);
	contention_wait_end(&wait, WAIT_GAVE_UP);
	waited_ns = wait.lock->waited_sum;
	for (int i = 1; i < MANY; i++)
		contend(locks[i], 0);
	caused = contention_settle(locks[0]);
	cr_assert_eq(caused.caused_ns, waited_ns);
	contention_record(&caused, NULL);
}

Test(lock_table, what_a_destroyed_lock_was_owed_stays_open)
{
	struct lock lock = { locks[0], LOCK_MUTEX, 0 };
	struct lock_wait wait;
	uint64_t waited_ns;
	struct law law;

	contention_wait_begin(&wait, lock, NULL);
	pass(1000);
	contention_wait_end(&wait, WAIT_GAVE_UP);
	waited_ns = wait.lock->waited_sum;
	contention_forget(locks[0]);
	for (int i = 1; i < MANY; i++)
		contend(locks[i], 0);
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert(law_closes(&law));
	cr_assert_eq(law.open_ns, waited_ns);
	cr_assert_not(contention_has_waiters(locks[0]));
}

Test(lock_table, who_gives_up_on_a_destroyed_lock_is_owed_nothing)
{
	struct lock lock = { locks[0], LOCK_MUTEX, 0 };
	struct lock_wait wait;
	struct law law;

	contention_wait_begin(&wait, lock, NULL);
	contention_forget(locks[0]);
	pass(1000);
	contention_wait_end(&wait, WAIT_GAVE_UP);
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert_eq(law.handoff_ns, law.waited_ns);
	cr_assert_geq(law.waited_ns, 1000);
	cr_assert_eq(law.open_ns, 0);
	cr_assert_not(contention_has_waiters(locks[0]));
}

Test(lock_table, a_lock_made_anew_starts_at_nothing)
{
	for (int i = 1; i <= 1000; i++) {
		contend(locks[0], 0);
		cr_assert_eq(record_of(locks[0])->waits, 1);
		contention_forget(locks[0]);
		cr_assert_null(record_of(locks[0]));
		cr_assert_eq(law_of(rec, SAMPLE_MUTEX, clock_now_ns()).waits,
			     (uint64_t)i);
	}
}

Test(lock_table, kinds_of_lock_do_not_mix)
{
	for (int i = 0; i < 2000; i++) {
		struct lock lock = { locks[i], LOCK_SEMAPHORE, 0 };
		struct lock_wait wait;

		contention_wait_begin(&wait, lock, NULL);
		contention_wait_end(&wait, WAIT_ACQUIRED);
		contend(locks[MANY - 1 - i], 0);
	}
	cr_assert_eq(law_of(rec, SAMPLE_SEM, clock_now_ns()).waits, 2000);
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, clock_now_ns()).waits, 2000);
	cr_assert_gt(lock_others(rec, LOCK_SEMAPHORE)->waits, 1000);
}

Test(lock_table, memory_used_again_for_another_kind_is_another_lock)
{
	struct lock lock = { locks[0], LOCK_SEMAPHORE, 0 };
	struct lock_wait wait;

	contend(locks[0], 1000);
	contention_wait_begin(&wait, lock, NULL);
	cr_assert_eq(wait.lock->kind, LOCK_SEMAPHORE);
	contention_wait_end(&wait, WAIT_GAVE_UP);
	/* What it still owes is nobody's any more. */
	contend(locks[0], 1000);
	cr_assert_eq(record_of(locks[0])->kind, LOCK_MUTEX);
	cr_assert_eq(record_of(locks[0])->waits, 1);
	cr_assert_not(contention_has_waiters(locks[0]));
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, clock_now_ns()).waits, 2);
	cr_assert_eq(law_of(rec, SAMPLE_SEM, clock_now_ns()).waits, 1);
}

Test(lock_table, what_somebody_waits_for_stays_the_lock_it_was)
{
	struct lock other = { locks[0], LOCK_RWLOCK, 0 };
	struct lock lock = { locks[0], LOCK_MUTEX, 0 };
	struct lock_wait first, second;

	contention_wait_begin(&first, lock, NULL);
	contention_wait_begin(&second, other, NULL);
	cr_assert_eq(second.lock, first.lock);
	contention_wait_end(&second, WAIT_ACQUIRED);
	contention_wait_end(&first, WAIT_ACQUIRED);
	cr_assert_null(lock_pin_of_kind(rec, (uintptr_t)locks[0], LOCK_RWLOCK));
	cr_assert_eq(record_of(locks[0])->pins, 0);
}

Test(lock_table, all_places_in_use_is_counted)
{
	uint32_t places = rec->section[SECTION_LOCKS].capacity;

	for (uint32_t i = 0; i < 2 * places; i++)
		lock_pin_or_make(rec, locks[i], LOCK_MUTEX);
	cr_assert_geq(fixture_lost(LOST_LOCK), places);
	cr_assert_eq(fixture_lost(LOST_LOCK_RECORD), 0);
}

Test(lock_table, only_the_locks_own_record_can_be_pinned)
{
	struct lock_record *record =
		lock_pin_or_make(rec, locks[0], LOCK_MUTEX);

	cr_assert(lock_pin(record, locks[0]));
	cr_assert_not(lock_pin(record, locks[1]));
	cr_assert_eq(record->pins, 2);
}

Test(lock_table, a_record_that_is_being_made_cannot_be_pinned)
{
	struct lock_record *record =
		lock_pin_or_make(rec, locks[0], LOCK_MUTEX);

	record->pins = UINT32_C(1) << 31;
	cr_assert_not(lock_pin(record, locks[0]));
	cr_assert_eq(record->pins, UINT32_C(1) << 31);
}
