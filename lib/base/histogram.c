/*
 * The histogram.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/histogram.h"

#include "base/atomic.h"

#define PER_OCTAVE (1u << HISTOGRAM_OCTAVE_BITS)

static unsigned bucket_of(uint64_t run_ns)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(run_ns);
	unsigned octave = top - HISTOGRAM_LEAST_BITS;
	uint64_t place = run_ns >> (top - HISTOGRAM_OCTAVE_BITS);

	if (octave >= HISTOGRAM_OCTAVES)
		return HISTOGRAM_BUCKETS - 1;
	return octave * PER_OCTAVE + (unsigned)(place % PER_OCTAVE);
}

static uint64_t middle_of(unsigned bucket)
{
	unsigned octave = bucket / PER_OCTAVE;
	unsigned shift = octave + HISTOGRAM_LEAST_BITS - HISTOGRAM_OCTAVE_BITS;
	uint64_t place = PER_OCTAVE + bucket % PER_OCTAVE;

	return (2 * place + 1) << shift >> 1;
}

void histogram_add(struct histogram *histogram, uint64_t run_ns)
{
	uint32_t *count = &histogram->count[bucket_of(run_ns)];

	if (*count != UINT32_MAX)
		store_relaxed(count, *count + 1);
}

/* Relaxed: each count is right by itself. */
static uint64_t entered(const struct histogram *histogram)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += load_relaxed(&histogram->count[i]);
	return sum;
}

uint64_t histogram_percentile(const struct histogram *histogram, uint64_t runs,
			      uint64_t parts)
{
	uint64_t sum = entered(histogram), rank;

	/* Entered a moment ago, by a thread that goes on. */
	runs = max_u64(runs, sum);
	/* The nearest rank, from 1; written so that it can't overflow. */
	rank = runs / 1000 * parts + (runs % 1000 * parts + 999) / 1000;
	if (rank <= runs - sum)
		return 0;
	rank -= runs - sum;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t count = load_relaxed(&histogram->count[i]);

		if (rank <= count)
			return middle_of(i);
		rank -= count;
	}
	return middle_of(HISTOGRAM_BUCKETS - 1);
}
