/*
 * The event loops of a process, summed up. Not signal-safe: of a process that
 * has been read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_LOOP_SUMS_H
#define REPORT_LOOP_SUMS_H

#include "report/process.h"

struct loop_sums {
	uint64_t loops;
	uint64_t stalls;
	uint64_t stalled_ns;
	uint64_t unseen;     /* stalls without a stack */
	uint64_t longest_ns; /* run */
};

struct loop_sums loop_sums_of(const struct process *process);

#endif
