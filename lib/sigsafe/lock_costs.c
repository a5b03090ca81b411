/*
 * What locks cost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/lock_costs.h"

/* The place of the pair, or the one that it is to have. */
static struct lock_cost *place_for(struct lock_costs *costs, uint64_t address,
				   int32_t holder)
{
	struct lock_cost *least = costs->list;

	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];

		if (cost->ns && cost->address == address &&
		    cost->holder == holder)
			return cost;
		if (cost->ns < least->ns)
			least = cost;
	}
	*least = (struct lock_cost){
		.ns = least->ns,
		.address = address,
		.holder = holder,
	};
	return least;
}

struct lock_cost *lock_costs_add(struct lock_costs *costs, uint64_t address,
				 int32_t holder, uint64_t ns)
{
	struct lock_cost *cost = place_for(costs, address, holder);

	cost->ns += ns;
	return cost;
}

/* Of all its holders. */
static uint64_t lock_ns(const struct lock_costs *costs, uint64_t address)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < LOCK_COSTS; i++)
		if (costs->list[i].address == address)
			sum_ns += costs->list[i].ns;
	return sum_ns;
}

struct lock_cost *lock_costs_most(struct lock_costs *costs)
{
	struct lock_cost *most = NULL;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];
		uint64_t ns = lock_ns(costs, cost->address);

		if (!cost->ns || ns < most_ns ||
		    (ns == most_ns && most && cost->ns <= most->ns))
			continue;
		most = cost;
		most_ns = ns;
	}
	return most;
}

bool lock_costs_has_other(const struct lock_costs *costs,
			  const struct lock_cost *cost)
{
	for (size_t i = 0; i < LOCK_COSTS; i++) {
		const struct lock_cost *other = &costs->list[i];

		if (other->ns && other->address == cost->address &&
		    other->holder && other->holder != cost->holder)
			return true;
	}
	return false;
}
