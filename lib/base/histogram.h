/*
 * A histogram of run lengths: log-linear buckets, the idea of HdrHistogram
 * (hdrhistogram.org). Each octave, from 2^9 ns to 2^40 ns (512 ns to 18
 * minutes), is cut into 64 buckets of equal width, so a bucket's middle is
 * within 1/128 of each length in it: two digits are right.
 *
 * One thread writes, by relaxed stores; others read at any time. Shorter runs
 * are not entered: a reader knows the number of runs there were. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include "base/units.h"

#define HISTOGRAM_LEAST_BITS  9
#define HISTOGRAM_LEAST_NS    (UINT64_C(1) << HISTOGRAM_LEAST_BITS)
#define HISTOGRAM_OCTAVES     31
#define HISTOGRAM_OCTAVE_BITS 6 /* 64 buckets an octave */
#define HISTOGRAM_BUCKETS     (HISTOGRAM_OCTAVES << HISTOGRAM_OCTAVE_BITS)

/* Counts stay at their largest value; longer runs are in the last bucket. */
struct histogram {
	uint32_t count[HISTOGRAM_BUCKETS];
};

/* Enters a run of at least HISTOGRAM_LEAST_NS. */
void histogram_add(struct histogram *histogram, uint64_t run_ns);

/*
 * The least length that `parts` of 1000 runs do not exceed, of `runs` in all,
 * within 1 %; 0 where it is below HISTOGRAM_LEAST_NS, or where there were none.
 */
uint64_t histogram_percentile(const struct histogram *histogram, uint64_t runs,
			      uint64_t parts);

#endif
