/*
 * Culprits: for each stall the innermost function of the program that it did
 * not leave.
 *
 * The function a stall is found in at one moment need not be the one to blame:
 * a loop over a million keys is found in whatever it calls. The timeline keeps
 * of each stall the first stack and the one that has least in common with it:
 * the last call they share is the culprit. Where a stall was found in one stack
 * only, it is the headline of that stack. Not signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CULPRIT_H
#define REPORT_CULPRIT_H

#include "report/process.h"

/* The stalls of one function. */
struct culprit {
	const struct call *call;
	const struct stall *longest;
	uint64_t total_ns;
	uint64_t ticks;
	uint64_t stalls;
	const char *blocked_in; /* the call they were found blocked in, or "" */
};

struct culprits {
	struct culprit *list; /* in the order of compare_calls() */
	size_t count;
};

/* From the timeline of the process; all its stacks have been named. */
struct culprits culprits_of(struct process *process);

/* The place of the culprit in the first stack of a stall that has one. */
uint32_t culprit_of_stall(const struct stall *stall);

/* The culprit with this function, or NULL. */
const struct culprit *culprit_named(const struct culprits *culprits,
				    const struct call *call);

/* The place of the innermost culprit in a stack; of its headline: none. */
uint32_t culprit_in(const struct culprits *culprits, const struct stack *stack);

#endif
