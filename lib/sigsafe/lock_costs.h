/*
 * What locks cost a stall: how long it waited for each, by who held it. There
 * is room for a few pairs of lock and holder; where all is taken, the pair that
 * has cost least gives its place up, and leaves its time to the next one. So
 * what has cost more than an eighth of all is there (Metwally and others,
 * "Space-Saving", 2005).
 *
 * Written by their thread alone. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCK_COSTS_H
#define SIGSAFE_LOCK_COSTS_H

#include "base/records.h"

#define LOCK_COSTS 8

/* The waits for one lock while one thread held it. */
struct lock_cost {
	uint64_t ns;	   /* 0: the place is empty */
	uint64_t address;  /* of the lock */
	uint32_t index;	   /* in SECTION_LOCKS; 0: unknown */
	int32_t holder;	   /* thread; 0: unknown */
	uint32_t release;  /* stack of an unlock that ended a wait; 0: none */
	int32_t releaser;  /* who did that */
	bool is_of_thread; /* a join: holder is the thread to end */
	char holder_name[NAME_BYTES]; /* "": unknown */
	char releaser_name[NAME_BYTES];
};

struct lock_costs {
	struct lock_cost list[LOCK_COSTS];
};

/*
 * ns more of waiting for the lock at address, held by holder. Returns their
 * place, with all that is unknown 0.
 */
struct lock_cost *lock_costs_add(struct lock_costs *costs, uint64_t address,
				 int32_t holder, uint64_t ns);

/*
 * Of the lock that has cost most: the known holder that has, or if none is
 * known what there is. NULL: there was no wait.
 */
struct lock_cost *lock_costs_most(struct lock_costs *costs);

/* Was it held by another thread, too? */
bool lock_costs_has_other(const struct lock_costs *costs,
			  const struct lock_cost *cost);

#endif
