/*
 * Majorities: of each function in the samples of stalls, the callee of the
 * program's own that has more than two thirds of its time. Not signal-safe:
 * allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_MAJORITY_H
#define REPORT_MAJORITY_H

#include "report/process.h"

struct majorities {
	struct function *list; /* in the order of compare_calls() */
	size_t count;
};

/* All stacks of the process have been named. */
struct majorities majorities_of(struct process *process);

/* The callee that has more than two thirds of call's time, or NULL. */
const struct call *majority_callee(const struct majorities *majorities,
				   const struct call *call);

#endif
