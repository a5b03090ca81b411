/*
 * What locks cost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/lock_costs.h"

static struct lock_cost *find(struct lock_costs *costs, uint64_t address,
			      int32_t holder)
{
	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];

		if (cost->ns && cost->address == address &&
		    cost->holder == holder)
			return cost;
	}
	return NULL;
}

/* Who held it may be known only when the wait has ended. */
static struct lock_cost *adopt(struct lock_costs *costs, uint64_t address,
			       int32_t holder)
{
	struct lock_cost *cost = find(costs, address, 0);

	if (cost)
		cost->holder = holder;
	return cost;
}

static struct lock_cost *take_least(struct lock_costs *costs, uint64_t address,
				    int32_t holder)
{
	struct lock_cost *least = costs->list;

	for (size_t i = 1; i < LOCK_COSTS; i++)
		if (costs->list[i].ns < least->ns)
			least = &costs->list[i];
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
	struct lock_cost *cost = find(costs, address, holder);

	if (!cost)
		cost = adopt(costs, address, holder);
	if (!cost)
		cost = take_least(costs, address, holder);
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

/* a, b: of one lock. A holder who is known tells more than one who is not. */
static bool is_heavier(const struct lock_cost *a, const struct lock_cost *b)
{
	if (!a->holder != !b->holder)
		return a->holder;
	return a->ns > b->ns;
}

struct lock_cost *lock_costs_most(struct lock_costs *costs)
{
	struct lock_cost *most = NULL;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];
		uint64_t ns = lock_ns(costs, cost->address);

		if (!cost->ns || ns < most_ns ||
		    (ns == most_ns && most && !is_heavier(cost, most)))
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
