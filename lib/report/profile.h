/*
 * A profile: samples put together by the function that is to blame, heaviest
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include "report/process.h"

/* The samples of one function of the program, and of one lock. */
struct blame {
	const struct call *call; /* the headline of the heaviest stack */
	const struct call *leaf; /* what it was in, or NULL: itself */
	const struct lock *lock; /* NULL: a stall, or unknown */
	uint64_t total_ns;
	uint64_t count;
	uint64_t max_ns;
	uint64_t stalls;	/* in the timeline that were first found here */
	const char *blocked_in; /* the call they were found blocked in, or "" */
	/* Of its stacks, told apart by their functions, the heaviest. */
	const struct stack *stack;
	uint64_t stack_ns;
	size_t stacks;
};

struct profile {
	struct blame *blames; /* heaviest first */
	size_t count;
	uint64_t total_ns; /* of all blames */
};

/* All stacks of the process have been named. Not signal-safe: allocates. */
struct profile profile_of(struct process *process, enum sample_kind kind);

#endif
