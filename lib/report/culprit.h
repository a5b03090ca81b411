/*
 * Culprits: the function of the program each stall is blamed on.
 *
 * The function a stall is found in at one moment need not be the one to blame:
 * a loop over a million keys is found in whatever it calls. The timeline keeps
 * of each stall the stack that has most of its time, and one that leaves that
 * where a tenth of the time did: the last call they share is a function that
 * the stall hardly left. Where one of its callees has more than two thirds of
 * the time of all stalls in it, that is blamed instead, and so on, unless the
 * stall was mostly in others: so it does not matter whether a tick found the
 * handler or the work that it calls.
 *
 * Without a timeline the culprit is the headline of each stack. Not
 * signal-safe: allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CULPRIT_H
#define REPORT_CULPRIT_H

#include "report/process.h"

/* The stalls blamed on one function. */
struct culprit {
	const struct call *call;
	/* Its heaviest stack, and the function's place there. */
	const struct stack *stack;
	uint32_t place;
	uint64_t stalls;
	uint64_t duration_ns;
	/* That waited for longest for a lock whose release was seen; or NULL */
	const struct stall *held;
};

struct culprits {
	struct culprit *list; /* one for each function */
	size_t count;
	uint32_t *place; /* of the culprit's call, by sample: in its stack */
	struct culprit **of_stall; /* by stall: NULL for one without a stack */
};

/* The place, in the stall's stack, of the function it hardly left. */
uint32_t place_not_left(const struct stall *stall);

/* The place of a culprit's call in a stack; the headline's, if it has none. */
uint32_t culprit_place(const struct stack *stack, const struct call *call);

/*
 * The call in which the stall's stack was found blocked for most of its time;
 * "": in none.
 */
const char *stall_blocked_in(const struct process *process,
			     const struct stall *stall);

/* All stacks of the process have been named. */
struct culprits culprits_of(struct process *process);

#endif
