/*
 * A profile: samples put together by the function that is to blame, heaviest
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include "report/culprit.h"
#include "report/parts.h"
#include "report/process.h"

/* The stalls of one function of the program, or its samples of one lock. */
struct blame {
	const struct call *call; /* the function, in the heaviest stack */
	const struct lock *lock; /* NULL: a stall, or unknown */
	uint64_t total_ns;
	uint64_t count;	    /* unlocks, waits, ticks */
	uint64_t stalls;    /* of the timeline; 0: it does not tell */
	uint64_t stalls_ns; /* how long these lasted */
	/* Of stalls: time by cause; of each what has most of it. */
	uint64_t cause_ns[CAUSE_COUNT];
	struct why why[CAUSE_COUNT];
	uint64_t most_ns[CAUSE_COUNT]; /* and how much that has */
	const struct stall *held;      /* by a lock for longest; or NULL */
	/* Of its stacks, told apart by their functions, the heaviest. */
	const struct stack *stack;
	uint32_t place; /* of the function in that stack */
	uint64_t stack_ns;
	size_t stacks;
	struct part parts[MAX_PARTS]; /* the heaviest ones; calls may be NULL */
};

struct profile {
	struct blame *blames; /* heaviest first */
	size_t count;
	uint64_t total_ns; /* of all blames */
};

/*
 * Stalls by their culprits, locks by the function that locked or unlocked
 * (culprits: NULL). All stacks have been named. Not signal-safe: allocates.
 */
struct profile profile_of(struct process *process, enum sample_kind kind,
			  const struct culprits *culprits);

/*
 * How many of the blames are worth showing: at most `most`, and behind the
 * first few none that is less than a hundredth of the whole, unless those are
 * asked for.
 */
size_t profile_shown(const struct profile *profile, size_t most,
		     bool with_small);

#endif
