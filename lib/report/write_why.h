/*
 * Causes in words: why loops did not turn, and who held the lock they waited
 * for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WRITE_WHY_H
#define REPORT_WRITE_WHY_H

#include "report/write.h"

/* "waiting for cache_lock, held by worker1 (4712) (1ms on CPU, slept 3x)" */
const char *stall_why(const struct report *report, const struct stall *stall);

/* "81.0% not scheduled, 19.0% on CPU"; "" where nothing is known. */
const char *causes_text(const struct report *report,
			const uint64_t cause_ns[CAUSE_COUNT]);

/* A line with the causes, if they are known. */
void write_blame_why(const struct report *report, const struct blame *blame);

/* Where a lock is the cause: the code that let go of it. */
void write_blame_holder(const struct report *report, const struct blame *blame);

#endif
