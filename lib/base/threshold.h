/*
 * Thresholds: from what length on a run of a thread is a stall.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_THRESHOLD_H
#define BASE_THRESHOLD_H

#include "base/units.h"

#define MAX_THRESHOLDS 16
#define PATTERN_BYTES  32

/* For threads of some names (base/wildcard.h). */
struct named_threshold {
	char pattern[PATTERN_BYTES];
	uint64_t stall_ns; /* 0: none of their runs is a stall */
};

/* The first whose pattern matches counts, else that of all others. */
struct thresholds {
	uint64_t others_ns; /* 0: none */
	uint32_t count;	    /* of named, at most MAX_THRESHOLDS */
	uint32_t reserved;
	struct named_threshold named[MAX_THRESHOLDS];
};

/* The threshold of a thread of this name; 0: none. Signal-safe. */
uint64_t threshold_of(const struct thresholds *thresholds, const char *name);

/* Is any run a stall? Signal-safe. */
bool threshold_is_any(const struct thresholds *thresholds);

/*
 * Reads 10ms,worker*=100ms,logger=off: without a first word for all others
 * theirs stays as it is. Times are 100us to 1 h. False: it is not understood,
 * and *out is left alone. Signal-safe.
 */
bool thresholds_read(struct thresholds *out, const char *value);

#endif
