/*
 * Sampling: whatever is left out, the sums come out right on average. Random
 * numbers begin at a fixed place here, so a test passes always or never.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <math.h>

#include "sigsafe/record/sampling.h"
#include "sigsafe/thread.h"

#define RATE_NS 1000

static void start(void)
{
	thread_self.random = 42;
}

TestSuite(sampling, .init = start);

struct totals {
	uint64_t ns, events, taken;
};

static void add(struct totals *totals, uint64_t ns, uint64_t rate_ns)
{
	struct weight weight = sampling_weigh(ns, rate_ns);

	totals->ns += weight.ns;
	totals->events += weight.events;
	totals->taken += weight.events != 0;
}

/* The mean of n draws is this far off at most, in all but 1 of a million. */
static double slack(double variance, double n)
{
	return 5 * sqrt(variance / n);
}

static void check_mean(uint64_t ns)
{
	const double n = 200000, p = (double)ns / RATE_NS;
	struct totals totals = { 0 };

	for (int i = 0; i < (int)n; i++)
		add(&totals, ns, RATE_NS);
	cr_assert_float_eq((double)totals.taken / n, p, slack(p * (1 - p), n));
	cr_assert_float_eq((double)totals.ns / n, (double)ns,
			   slack(RATE_NS * RATE_NS * p * (1 - p), n));
	/* A quarter at most comes from rounding up or down by chance. */
	cr_assert_float_eq((double)totals.events / n, 1,
			   slack(1 / p - 1 + p / 4, n));
}

Test(sampling, means_are_right_for_events_of_any_length)
{
	static const uint64_t lengths[] = { 1, 2, 10, 333, 500, 750, 999 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		check_mean(lengths[i]);
}

Test(sampling, without_a_rate_every_event_is_taken_as_it_is)
{
	for (uint64_t ns = 0; ns < 100; ns++) {
		struct weight weight = sampling_weigh(ns, 0);

		cr_assert_eq(weight.ns, ns);
		cr_assert_eq(weight.events, 1);
	}
}

Test(sampling, long_events_are_taken_as_they_are)
{
	for (uint64_t ns = RATE_NS; ns < 2 * RATE_NS; ns++) {
		struct weight weight = sampling_weigh(ns, RATE_NS);

		cr_assert_eq(weight.ns, ns);
		cr_assert_eq(weight.events, 1);
	}
}

Test(sampling, an_event_of_no_time_is_never_taken)
{
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(sampling_weigh(0, RATE_NS).events, 0);
}

#define RUNS   1000
#define EVENTS 300

/* Lengths from far below the rate to above it. */
static uint64_t length_of(int event)
{
	return 3 + (uint64_t)(event * event % 1500);
}

Test(sampling, a_thousand_runs_of_one_workload_have_its_sums_as_their_mean)
{
	double ns = 0, ns_variance = 0, events_variance = 0;
	struct totals totals = { 0 };

	for (int event = 0; event < EVENTS; event++) {
		double length = (double)length_of(event);

		ns += length;
		if (length >= RATE_NS)
			continue;
		ns_variance += length * (RATE_NS - length);
		events_variance += RATE_NS / length;
	}
	for (int run = 0; run < RUNS; run++)
		for (int event = 0; event < EVENTS; event++)
			add(&totals, length_of(event), RATE_NS);
	cr_assert_float_eq((double)totals.ns / RUNS, ns,
			   slack(ns_variance, RUNS));
	cr_assert_float_eq((double)totals.events / RUNS, EVENTS,
			   slack(events_variance, RUNS));
	cr_assert_lt(totals.taken, RUNS * EVENTS * 9 / 10);
}

static void *first_draw(void *taken)
{
	for (int i = 0; i < 64; i++)
		*(uint64_t *)taken =
			*(uint64_t *)taken << 1 | sampling_weigh(1, 2).events;
	return NULL;
}

Test(sampling, threads_do_not_draw_the_same_numbers)
{
	uint64_t taken[2] = { 0 };
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, first_draw, &taken[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	cr_assert_neq(taken[0], taken[1]);
}
