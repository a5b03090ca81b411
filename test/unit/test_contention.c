/*
 * Contention under threads: whatever they do at once, on few locks or on more
 * than the table has room for, the recording's sums are the threads' own.
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
#include "sigsafe/locks/ledger.h"
#include "sigsafe/locks/lock_table.h"
#include "sigsafe/locks/owed.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/freeze.h"
#include "sigsafe/os/sys.h"
#include "sigsafe/walk/stack.h"

#define THREADS	  6
#define ROUNDS	  20000
#define MAX_LOCKS 3000

static struct recording *rec;
static char locks[MAX_LOCKS][40]; /* addresses only */

/* What one thread does, and its books. */
struct storm {
	pthread_t thread;
	unsigned locks; /* to do it to */
	bool is_wild;	/* waits fail and locks are destroyed, too */
	uint64_t random;
	uint64_t waits, charged_ns, charges;
};

static bool over; /* atomic */

static void start(void)
{
	rec = fixture_recording(MIN_RECORDING_BYTES);
	rec->watches_locks = 1;
	rec->watches_waiters = 1;
	live_begin(rec);
	stack_start(STACK_FIRST_FRAME, 1);
}

TestSuite(contention, .init = start, .timeout = 100);

static uint64_t draw(struct storm *storm, uint64_t below)
{
	storm->random = storm->random * UINT64_C(6364136223846793005) + 1;
	return (storm->random >> 33) % below;
}

/* As the hook of an unlock does it. */
static void unlock(struct storm *storm, const void *lock)
{
	struct contention caused;

	if (!contention_has_waiters(lock))
		return;
	caused = contention_settle(lock);
	if (!caused.recording)
		return;
	storm->charged_ns += caused.caused_ns;
	storm->charges++;
	contention_record(&caused, __builtin_return_address(0));
}

static void wait_and_unlock(struct storm *storm)
{
	static const enum wait_outcome outcomes[] = {
		WAIT_ACQUIRED, WAIT_ACQUIRED,  WAIT_ACQUIRED,
		WAIT_GAVE_UP,  WAIT_WITHDRAWN,
	};
	const void *address = locks[draw(storm, storm->locks)];
	struct lock lock = { address, LOCK_MUTEX, 0 };
	enum wait_outcome outcome =
		outcomes[draw(storm, storm->is_wild ? 5 : 4)];
	struct lock_wait wait;

	contention_wait_begin(&wait, lock, __builtin_return_address(0));
	for (uint64_t n = draw(storm, 3); n; n--)
		unlock(storm, address);
	if (!draw(storm, 4))
		contention_barged(address);
	if (!draw(storm, 100))
		sys0(SYS_sched_yield);
	contention_wait_end(&wait, outcome);
	storm->waits += wait.recording && outcome != WAIT_WITHDRAWN;
	unlock(storm, address);
	if (storm->is_wild && !draw(storm, 50))
		contention_forget(address);
}

static void *storm_rounds(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		wait_and_unlock(arg);
	return NULL;
}

static void *storm_until_over(void *arg)
{
	while (!load_relaxed(&over))
		wait_and_unlock(arg);
	return NULL;
}

static void begin(struct storm *storms, unsigned n_locks, bool is_wild,
		  void *(*what)(void *))
{
	for (unsigned i = 0; i < THREADS; i++) {
		storms[i] = (struct storm){
			.locks = n_locks,
			.is_wild = is_wild,
			.random = i + 1,
		};
		cr_assert_eq(pthread_create(&storms[i].thread, NULL, what,
					    &storms[i]),
			     0);
	}
}

/* Adds the others' books to the first thread's. */
static void end(struct storm *storms)
{
	for (int i = 0; i < THREADS; i++)
		pthread_join(storms[i].thread, NULL);
	for (int i = 1; i < THREADS; i++) {
		storms[0].waits += storms[i].waits;
		storms[0].charged_ns += storms[i].charged_ns;
		storms[0].charges += storms[i].charges;
	}
}

static uint64_t sum_of(enum sample_kind kind, bool count)
{
	const struct sample_record *s = section_records(rec, SECTION_SAMPLES);
	uint32_t n = rec->section[SECTION_SAMPLES].capacity;
	uint64_t sum = 0;

	for (; n; n--, s++) {
		if (s->key && SAMPLE_KIND(s->key) == kind)
			sum += count ? s->count : s->total_ns;
	}
	return sum + (count ? rec->discarded[kind] : rec->discarded_ns[kind]);
}

/* A second one would never be found, nor what is owed in it be paid. */
static void check_that_no_lock_has_two_records(void)
{
	const struct lock_record *table = section_records(rec, SECTION_LOCKS);
	uint32_t n = rec->section[SECTION_LOCKS].capacity;

	for (uint32_t i = LOCK_KIND_COUNT; i < n; i++) {
		const void *lock = (const void *)(uintptr_t)table[i].key;

		if (table[i].key > LOCK_MAKING)
			cr_assert_eq(lock_find(rec, lock), &table[i]);
	}
}

/* Storm over; the law, and the threads' own books. */
static void check(struct storm *storms, unsigned n_locks)
{
	struct law law;

	for (unsigned i = 0; i < n_locks; i++)
		unlock(&storms[0], locks[i]);
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert(law_closes(&law));
	cr_assert_eq(law.waits, storms[0].waits);
	cr_assert_eq(law.charged_ns, storms[0].charged_ns);
	cr_assert_eq(sum_of(SAMPLE_MUTEX, false), law.charged_ns);
	cr_assert_eq(sum_of(SAMPLE_MUTEX, true), storms[0].charges);
	/* What a failed wait was charged for is in no wait's sample. */
	if (storms[0].is_wild)
		cr_assert_leq(sum_of(SAMPLE_WAIT, false), law.waited_ns);
	else
		cr_assert_eq(sum_of(SAMPLE_WAIT, false), law.waited_ns);
	cr_assert_eq(sum_of(SAMPLE_WAIT, true), law.waits);
	cr_assert_eq(rec->in_flight, 0);
	check_that_no_lock_has_two_records();
	for (int i = 0; i < WAITER_BUCKETS; i++)
		cr_assert_eq(contention_waiters[i], 0);
}

Test(contention, sums_are_exact_on_one_lock)
{
	struct storm storms[THREADS];

	begin(storms, 1, false, storm_rounds);
	end(storms);
	check(storms, 1);
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, 0).open_ns, 0);
}

Test(contention, sums_are_exact_on_few_locks)
{
	struct storm storms[THREADS];

	begin(storms, 20, false, storm_rounds);
	end(storms);
	check(storms, 20);
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, 0).open_ns, 0);
}

Test(contention, sums_are_exact_on_more_locks_than_there_is_room_for)
{
	struct storm storms[THREADS];

	begin(storms, MAX_LOCKS, false, storm_rounds);
	end(storms);
	check(storms, MAX_LOCKS);
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, 0).open_ns, 0);
	cr_assert_gt(fixture_lost(LOST_LOCK_RECORD), MAX_LOCKS);
}

/* Records are given up and missed again all the time. */
Test(contention, sums_are_exact_on_a_few_more_locks_than_there_is_room_for)
{
	unsigned n_locks = rec->section[SECTION_LOCKS].capacity + 20;
	struct storm storms[THREADS];

	begin(storms, n_locks, false, storm_rounds);
	end(storms);
	check(storms, n_locks);
	cr_assert_eq(law_of(rec, SAMPLE_MUTEX, 0).open_ns, 0);
}

Test(contention, sums_are_exact_when_waits_fail_and_locks_are_destroyed)
{
	struct storm storms[THREADS];

	begin(storms, MAX_LOCKS, true, storm_rounds);
	end(storms);
	check(storms, MAX_LOCKS);
}

/* An unlock came between the two steps of a waiter that gave up. */
Test(contention, what_is_owed_late_is_paid_by_the_next_unlock)
{
	struct lock lock = { locks[0], LOCK_MUTEX, 0 };
	struct storm unlocker = { 0 };
	struct lock_wait wait;

	contention_wait_begin(&wait, lock, __builtin_return_address(0));
	ledger_gave_up(&wait.lock->ledger);
	unlock(&unlocker, locks[0]);
	owed_add(wait.lock, locks[0]);
	cr_assert(contention_has_waiters(locks[0]));
	unlock(&unlocker, locks[0]);
	cr_assert_not(contention_has_waiters(locks[0]));
	cr_assert_not(owed_any(wait.lock));
}

Test(contention, the_law_is_exact_when_frozen_in_the_middle)
{
	struct storm storms[THREADS];
	uint64_t until_ns = clock_now_ns() + 200 * NS_PER_MS;
	struct law law, later;

	begin(storms, MAX_LOCKS / 2, true, storm_until_over);
	while (clock_now_ns() < until_ns)
		;
	do
		freeze(rec);
	while (load_acquire(&rec->in_flight));
	law = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert(law_closes(&law));
	cr_assert_gt(law.waits, 1000);
	store_relaxed(&over, true);
	end(storms);
	later = law_of(rec, SAMPLE_MUTEX, clock_now_ns());
	cr_assert(law_closes(&later));
	cr_assert_eq(later.waits, law.waits);
	cr_assert_eq(later.charged_ns, law.charged_ns);
}
