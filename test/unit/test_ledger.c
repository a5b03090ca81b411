/*
 * The ledger: charges, hand-off and the law, in any order of events.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/atomic.h"
#include "sigsafe/locks/ledger.h"
#include "sigsafe/os/clock.h"

/* What a lock's record would have added up. */
struct sums {
	uint64_t charged_ns, handoff_ns, waited_ns;
};

static void pass(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns() + ns;

	while (clock_now_ns() < end_ns)
		;
}

static void acquire(struct ledger *ledger, uint64_t start_ns, struct sums *sums)
{
	struct ledger_leave left = ledger_acquired(ledger, start_ns);

	add_relaxed(&sums->waited_ns, left.until_ns - start_ns);
	add_relaxed(&sums->handoff_ns, left.handoff_ns);
}

static void join(struct ledger *ledger, uint64_t start_ns, struct sums *sums)
{
	struct ledger_leave left = ledger_joined(ledger, start_ns);

	add_relaxed(&sums->waited_ns, left.until_ns - start_ns);
	add_relaxed(&sums->handoff_ns, left.handoff_ns);
}

static void give_up(struct ledger *ledger, uint64_t start_ns, struct sums *sums)
{
	struct ledger_leave left = ledger_gave_up(ledger);

	add_relaxed(&sums->waited_ns, left.until_ns - start_ns);
}

static uint64_t unlock(struct ledger *ledger, struct sums *sums)
{
	struct ledger_charge charge = ledger_settle(ledger);

	add_relaxed(&sums->charged_ns, charge.ns);
	return charge.ns;
}

static bool holds_the_law(const struct sums *sums)
{
	return sums->charged_ns + sums->handoff_ns == sums->waited_ns;
}

Test(ledger, an_unlock_nobody_waits_for_is_charged_nothing)
{
	struct ledger ledger = { 0, 0 };
	struct ledger_charge charge = ledger_settle(&ledger);

	cr_assert_eq(charge.ns, 0);
	cr_assert_eq(charge.waiters, 0);
}

Test(ledger, two_waiters_cost_the_holder_both_waits)
{
	struct ledger ledger = { 0, 0 };
	struct ledger_charge charge;
	uint64_t n, first, second, now_ns;

	first = ledger_enter(&ledger, &n);
	pass(100000);
	second = ledger_enter(&ledger, &n);
	cr_assert_eq(n, 2);
	pass(1000000);
	charge = ledger_settle(&ledger);
	now_ns = clock_now_ns();
	cr_assert_eq(charge.waiters, 2);
	cr_assert_leq(charge.ns, 2 * now_ns - first - second);
	cr_assert_geq(charge.ns, 2 * 1000000 + 100000);
}

Test(ledger, no_nanosecond_is_charged_twice)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, start = ledger_enter(&ledger, &n);

	for (int barging = 0; barging < 100; barging++) {
		pass(1000);
		unlock(&ledger, &sums);
	}
	acquire(&ledger, start, &sums);
	cr_assert(holds_the_law(&sums));
	cr_assert_eq(ledger_settle(&ledger).ns, 0);
}

Test(ledger, a_timed_out_wait_is_owed_by_the_next_unlock)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, start = ledger_enter(&ledger, &n);

	pass(1000000);
	give_up(&ledger, start, &sums);
	pass(5000000);
	cr_assert_eq(unlock(&ledger, &sums), sums.waited_ns);
	cr_assert_eq(unlock(&ledger, &sums), 0);
}

Test(ledger, time_after_the_unlock_is_handoff_for_all_who_wait)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, first, second, charged_ns, acquired_ns;

	first = ledger_enter(&ledger, &n);
	second = ledger_enter(&ledger, &n);
	unlock(&ledger, &sums);
	pass(2000000);
	acquired_ns = clock_now_ns();
	acquire(&ledger, first, &sums);
	/* The second's wait for the first to wake is nobody's hold. */
	cr_assert_geq(sums.handoff_ns, 2 * 2000000);
	charged_ns = unlock(&ledger, &sums);
	cr_assert_leq(charged_ns, clock_now_ns() - acquired_ns);
	acquire(&ledger, second, &sums);
	cr_assert(holds_the_law(&sums));
}

Test(ledger, who_barges_in_is_not_charged_for_the_time_the_lock_was_free)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, first, second, handoff_ns, barged_ns, charged_ns;

	first = ledger_enter(&ledger, &n);
	second = ledger_enter(&ledger, &n);
	unlock(&ledger, &sums);
	pass(2000000);
	barged_ns = clock_now_ns();
	handoff_ns = ledger_barged(&ledger);
	cr_assert_geq(handoff_ns, 2 * 2000000);
	sums.handoff_ns += handoff_ns;
	charged_ns = unlock(&ledger, &sums);
	cr_assert_leq(charged_ns, 2 * (clock_now_ns() - barged_ns));
	acquire(&ledger, first, &sums);
	acquire(&ledger, second, &sums);
	cr_assert(holds_the_law(&sums));
}

Test(ledger, a_reader_that_wakes_late_takes_nothing_off_what_readers_cost)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, early, late, writer, unlock_ns, early_ns, late_ns;

	early = ledger_enter(&ledger, &n);
	late = ledger_enter(&ledger, &n);
	writer = ledger_enter(&ledger, &n);
	unlock_ns = clock_now_ns();
	unlock(&ledger, &sums);
	join(&ledger, early, &sums);
	early_ns = clock_now_ns() - unlock_ns;
	pass(2000000);
	join(&ledger, late, &sums);
	late_ns = clock_now_ns() - unlock_ns;
	/* The late one's waking up is nobody's; the writer waits for both. */
	cr_assert_geq(sums.handoff_ns, 2000000);
	cr_assert_leq(sums.handoff_ns, 2 * early_ns + late_ns);
	cr_assert_geq(unlock(&ledger, &sums), 2000000);
	acquire(&ledger, writer, &sums);
	cr_assert(holds_the_law(&sums));
}

Test(ledger, who_is_let_in_beside_readers_had_to_wait_for_them)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, impatient, reader, writer, charged_ns;

	/* Readers hold the lock; for a writer's sake one more may not. */
	impatient = ledger_enter_shared(&ledger, &n);
	reader = ledger_enter_shared(&ledger, &n);
	writer = ledger_enter_shared(&ledger, &n);
	pass(2000000);
	give_up(&ledger, impatient, &sums);
	join(&ledger, reader, &sums);
	cr_assert_eq(sums.handoff_ns, 0);
	charged_ns = unlock(&ledger, &sums);
	cr_assert_geq(charged_ns, 3 * 2000000);
	acquire(&ledger, writer, &sums);
	cr_assert(holds_the_law(&sums));
}

Test(ledger, the_first_reader_after_a_writer_ends_the_handoff_of_all)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, reader, writer, joined_ns, charged_ns;

	reader = ledger_enter(&ledger, &n);
	writer = ledger_enter(&ledger, &n);
	unlock(&ledger, &sums);
	pass(2000000);
	joined_ns = clock_now_ns();
	join(&ledger, reader, &sums);
	cr_assert_geq(sums.handoff_ns, 2 * 2000000);
	charged_ns = unlock(&ledger, &sums);
	cr_assert_leq(charged_ns, clock_now_ns() - joined_ns);
	acquire(&ledger, writer, &sums);
	cr_assert(holds_the_law(&sums));
}

Test(ledger, a_wait_withdrawn_counts_only_what_was_charged_for_it)
{
	struct ledger ledger = { 0, 0 };
	struct sums sums = { 0 };
	uint64_t n, start = ledger_enter(&ledger, &n);
	struct ledger_leave left;

	pass(1000);
	unlock(&ledger, &sums);
	pass(1000);
	left = ledger_withdraw(&ledger, start);
	cr_assert_eq(left.until_ns - start, sums.charged_ns);
	cr_assert_eq(ledger_settle(&ledger).ns, 0);
}

Test(ledger, refuses_one_waiter_more_than_it_can_count)
{
	struct ledger ledger = { 0, 0 };
	uint64_t n;

	for (uint64_t i = 1; i <= LEDGER_MAX_WAITERS; i++)
		cr_assert_neq(ledger_enter(&ledger, &n), 0);
	cr_assert_eq(n, LEDGER_MAX_WAITERS);
	cr_assert_eq(ledger_enter(&ledger, &n), 0);
	cr_assert_eq(LEDGER_N(ledger.base_n), LEDGER_MAX_WAITERS);
}

Test(ledger, the_law_is_exact_in_a_thousand_random_orders)
{
	srandom(42);
	for (int round = 0; round < 1000; round++) {
		struct ledger ledger = { 0, 0 };
		struct sums sums = { 0 };
		uint64_t start[16], n;
		unsigned waiting = 0;

		for (int step = 0; step < 50; step++) {
			unsigned who =
				waiting ? (unsigned)random() % waiting : 0;

			switch (random() % 8) {
			case 0:
				if (waiting < 16)
					start[waiting++] =
						ledger_enter(&ledger, &n);
				break;
			case 1:
				unlock(&ledger, &sums);
				break;
			case 2:
				if (!waiting)
					break;
				acquire(&ledger, start[who], &sums);
				start[who] = start[--waiting];
				break;
			case 4:
				sums.handoff_ns += ledger_barged(&ledger);
				break;
			case 3:
				if (!waiting)
					break;
				give_up(&ledger, start[who], &sums);
				start[who] = start[--waiting];
				break;
			case 5:
				if (waiting < 16)
					start[waiting++] = ledger_enter_shared(
						&ledger, &n);
				break;
			case 6:
				if (!waiting)
					break;
				join(&ledger, start[who], &sums);
				start[who] = start[--waiting];
				break;
			case 7:
				sums.handoff_ns +=
					ledger_barged_shared(&ledger);
				break;
			}
		}
		while (waiting)
			give_up(&ledger, start[--waiting], &sums);
		unlock(&ledger, &sums);
		cr_assert(holds_the_law(&sums), "round %d", round);
	}
}

#define THREADS 8

struct storm {
	struct ledger ledger;
	struct sums sums;
};

static void *wait_and_unlock(void *arg)
{
	struct storm *storm = arg;

	for (int i = 0; i < 20000; i++) {
		uint64_t n, start = ledger_enter(&storm->ledger, &n);

		if (i % 3)
			unlock(&storm->ledger, &storm->sums);
		if (i % 7 < 2)
			join(&storm->ledger, start, &storm->sums);
		else if (i % 5)
			acquire(&storm->ledger, start, &storm->sums);
		else
			give_up(&storm->ledger, start, &storm->sums);
	}
	return NULL;
}

Test(ledger, the_law_is_exact_under_threads)
{
	static struct storm storm;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, wait_and_unlock, &storm);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unlock(&storm.ledger, &storm.sums);
	cr_assert_eq(LEDGER_N(storm.ledger.base_n), 0);
	cr_assert(holds_the_law(&storm.sums));
}
