/*
 * What locks cost a slice or a stall: how long it waited for each, by who held
 * it. There is room for a few pairs of lock and holder; where all is taken, the
 * pair that has cost least gives its place up, and leaves its time to the next
 * one. So what has cost more than an eighth of all is there (Metwally and
 * others, "Space-Saving", 2005). What was left to a pair is kept beside its
 * time, as their error bound: a pair is judged by what it is sure to have cost.
 *
 * Written by their thread and its handlers alone: one that comes in between
 * may lose a wait here, but nothing is lost of others. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_LOCK_COSTS_H
#define SIGSAFE_LOCKS_LOCK_COSTS_H

#include <stddef.h>

#include "base/cause.h"

#define LOCK_COSTS 8

struct held_lock {
	uint64_t address;
	uint32_t kind;	/* enum lock_kind */
	int32_t holder; /* thread; of a join the one to end; 0: unknown */
};

/* The waits for one lock while one thread held it. */
struct lock_cost {
	struct held_lock held;
	uint64_t ns;	   /* 0: the place is empty */
	uint64_t error_ns; /* of ns: others' that had the place, at most */
};

struct lock_costs {
	struct lock_cost list[LOCK_COSTS];
};

static inline uint64_t lock_cost_sure_ns(const struct lock_cost *cost)
{
	return cost->ns - cost->error_ns;
}

/* All places are empty. */
void lock_costs_clear(struct lock_costs *costs);

/*
 * ns more of waiting for the lock. Returns their place: a new one if that is
 * sure of no more than ns.
 */
struct lock_cost *lock_costs_add(struct lock_costs *costs,
				 struct held_lock held, uint64_t ns);

/*
 * Of the lock that has cost most of those that are waited for with this cause:
 * the known holder that has, or if none is known what there is. NULL: there was
 * no such wait.
 */
struct lock_cost *lock_costs_most(struct lock_costs *costs, enum cause cause);

/* Was it held by another thread, too? */
bool lock_costs_has_other(const struct lock_costs *costs,
			  const struct lock_cost *cost);

#endif
