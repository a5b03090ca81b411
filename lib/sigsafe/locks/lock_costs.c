/*
 * What locks cost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/locks/lock_costs.h"

void lock_costs_clear(struct lock_costs *costs)
{
	/* Which lock it is stays: its wait may be being added, below this. */
	for (size_t i = 0; i < LOCK_COSTS; i++)
		costs->list[i].ns = costs->list[i].error_ns = 0;
}

static bool is_same_lock(const struct held_lock *a, const struct held_lock *b)
{
	/* Memory may be used again for a lock of another kind. */
	return a->address == b->address && a->kind == b->kind;
}

static struct lock_cost *find(struct lock_costs *costs,
			      const struct held_lock *held)
{
	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];

		if (cost->ns && is_same_lock(&cost->held, held) &&
		    cost->held.holder == held->holder)
			return cost;
	}
	return NULL;
}

/* Who held it may be known only when the wait has ended. */
static struct lock_cost *adopt(struct lock_costs *costs,
			       const struct held_lock *held)
{
	struct held_lock unknown = *held;
	struct lock_cost *cost;

	unknown.holder = 0;
	cost = find(costs, &unknown);
	if (cost)
		cost->held.holder = held->holder;
	return cost;
}

/* Of those with the least, the one that is sure of least of it. */
static bool is_less(const struct lock_cost *a, const struct lock_cost *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->error_ns > b->error_ns);
}

static struct lock_cost *take_least(struct lock_costs *costs,
				    const struct held_lock *held)
{
	struct lock_cost *least = costs->list;

	for (size_t i = 1; i < LOCK_COSTS; i++)
		if (is_less(&costs->list[i], least))
			least = &costs->list[i];
	least->error_ns = least->ns;
	least->held = *held;
	return least;
}

struct lock_cost *lock_costs_add(struct lock_costs *costs,
				 struct held_lock held, uint64_t ns)
{
	struct lock_cost *cost = find(costs, &held);

	if (!cost)
		cost = adopt(costs, &held);
	if (!cost)
		cost = take_least(costs, &held);
	cost->ns += ns;
	return cost;
}

/* Of all its holders. */
static uint64_t lock_ns(const struct lock_costs *costs,
			const struct held_lock *held)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < LOCK_COSTS; i++)
		if (is_same_lock(&costs->list[i].held, held))
			sum_ns += lock_cost_sure_ns(&costs->list[i]);
	return sum_ns;
}

/* a, b: of one lock. A holder who is known tells more than one who is not. */
static bool is_heavier(const struct lock_cost *a, const struct lock_cost *b)
{
	if (!a->held.holder != !b->held.holder)
		return a->held.holder;
	return lock_cost_sure_ns(a) > lock_cost_sure_ns(b);
}

struct lock_cost *lock_costs_most(struct lock_costs *costs, enum cause cause)
{
	struct lock_cost *most = NULL;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < LOCK_COSTS; i++) {
		struct lock_cost *cost = &costs->list[i];
		uint64_t ns = lock_ns(costs, &cost->held);

		if (!cost->ns || cause_of_wait(cost->held.kind) != cause ||
		    ns < most_ns ||
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

		if (other->ns && is_same_lock(&other->held, &cost->held) &&
		    other->held.holder &&
		    other->held.holder != cost->held.holder)
			return true;
	}
	return false;
}
