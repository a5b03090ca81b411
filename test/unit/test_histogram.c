/*
 * The histogram of run lengths: every percentile against the exact one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/histogram.h"

#define RUNS 20000

static struct histogram histogram;
static uint64_t run[RUNS];
static const uint64_t parts_of_1000[] = { 1, 500, 900, 990, 999, 1000 };

static int by_length(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* From 1 ns to 1000 s, every magnitude as likely. */
static uint64_t random_run(unsigned short state[3])
{
	return (uint64_t)pow(10, 12 * erand48(state));
}

static void enter(uint64_t run_ns)
{
	if (run_ns >= HISTOGRAM_LEAST_NS)
		histogram_add(&histogram, run_ns);
}

static double error_of(uint64_t told_ns, uint64_t true_ns)
{
	return fabs((double)told_ns - (double)true_ns) / (double)true_ns;
}

Test(histogram, percentiles_are_within_one_percent)
{
	unsigned short state[3] = { 1, 2, 3 };

	for (int i = 0; i < RUNS; i++) {
		run[i] = random_run(state);
		enter(run[i]);
	}
	qsort(run, RUNS, sizeof(run[0]), by_length);
	for (size_t i = 0; i < ARRAY_SIZE(parts_of_1000); i++) {
		uint64_t parts = parts_of_1000[i];
		uint64_t true_ns = run[(RUNS * parts + 999) / 1000 - 1];
		uint64_t told_ns =
			histogram_percentile(&histogram, RUNS, parts);

		if (true_ns < HISTOGRAM_LEAST_NS)
			cr_assert_eq(told_ns, 0);
		else
			cr_assert_leq(error_of(told_ns, true_ns), 0.01,
				      "%ju parts: %ju told, %ju true", parts,
				      told_ns, true_ns);
	}
}

Test(histogram, each_length_is_told_within_one_percent)
{
	for (uint64_t ns = HISTOGRAM_LEAST_NS; ns < 1000 * NS_PER_S;
	     ns += 1 + ns / 300) {
		histogram = (struct histogram){ { 0 } };
		enter(ns);
		cr_assert_leq(
			error_of(histogram_percentile(&histogram, 1, 500), ns),
			0.01, "%ju", ns);
	}
}

Test(histogram, runs_too_short_to_be_entered_count)
{
	enter(NS_PER_MS);
	cr_assert_eq(histogram_percentile(&histogram, 1000, 500), 0);
	cr_assert_eq(histogram_percentile(&histogram, 1000, 999), 0);
	cr_assert_neq(histogram_percentile(&histogram, 1000, 1000), 0);
}

Test(histogram, an_empty_one_tells_nothing)
{
	cr_assert_eq(histogram_percentile(&histogram, 0, 500), 0);
	cr_assert_eq(histogram_percentile(&histogram, 0, 1000), 0);
}

Test(histogram, the_longest_run_of_all_has_a_place)
{
	enter(UINT64_MAX);
	cr_assert_gt(histogram_percentile(&histogram, 1, 1000),
		     1000 * NS_PER_S);
}

Test(histogram, a_count_stays_at_its_largest_value)
{
	enter(NS_PER_MS);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (histogram.count[i])
			histogram.count[i] = UINT32_MAX;
	}
	enter(NS_PER_MS);
	cr_assert_leq(
		error_of(histogram_percentile(&histogram, 1, 500), NS_PER_MS),
		0.01);
}
