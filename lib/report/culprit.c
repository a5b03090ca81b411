/*
 * Culprits: the calls that two stacks of a stall share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/culprit.h"

#include <stdlib.h>

#include "report/familiar.h"

/* How many calls two stacks share, counted from the outermost. */
static uint32_t shared_calls(const struct stack *a, const struct stack *b)
{
	uint32_t n = 0;

	while (n < a->calls_count && n < b->calls_count &&
	       !compare_calls(&a->calls[a->calls_count - 1 - n],
			      &b->calls[b->calls_count - 1 - n]))
		n++;
	return n;
}

uint32_t culprit_of_stall(const struct stall *stall)
{
	const struct stack *stack = stall->stack;
	uint32_t headline = stack_headline(stack);
	uint32_t place;

	if (!stall->apart)
		return headline;
	place = stack->calls_count - shared_calls(stack, stall->apart);
	while (place < stack->calls_count && is_familiar(&stack->calls[place]))
		place++;
	/* What they share may be deeper than the program's own calls. */
	return place < stack->calls_count && place > headline ? place
							      : headline;
}

static int by_call(const void *a, const void *b)
{
	const struct culprit *left = a;
	const struct culprit *right = b;

	return compare_calls(left->call, right->call);
}

/* One for each stall that has a stack. */
static struct culprits list_all(struct process *process)
{
	struct culprits all = { .count = 0 };

	all.list = arena_alloc(&process->arena, process->stalls_count,
			       sizeof(struct culprit));
	for (size_t i = 0; i < process->stalls_count; i++) {
		const struct stall *stall = &process->stalls[i];

		if (!stall->stack)
			continue;
		all.list[all.count++] = (struct culprit){
			.call = &stall->stack->calls[culprit_of_stall(stall)],
			.longest = stall,
			.total_ns = stall->duration_ns,
			.ticks = stall->ticks,
			.stalls = 1,
			.blocked_in = stall->call,
		};
	}
	return all;
}

static void add(struct culprit *sum, const struct culprit *part)
{
	sum->total_ns += part->total_ns;
	sum->ticks += part->ticks;
	sum->stalls += part->stalls;
	if (!*sum->blocked_in)
		sum->blocked_in = part->blocked_in;
	if (part->longest->duration_ns > sum->longest->duration_ns)
		sum->longest = part->longest;
}

struct culprits culprits_of(struct process *process)
{
	struct culprits all = list_all(process);
	struct culprits sums = { .list = all.list };

	if (all.count)
		qsort(all.list, all.count, sizeof(struct culprit), by_call);
	for (size_t i = 0; i < all.count; i++) {
		struct culprit *last = &all.list[sums.count - 1];

		if (sums.count && !by_call(last, &all.list[i]))
			add(last, &all.list[i]);
		else
			sums.list[sums.count++] = all.list[i];
	}
	return sums;
}

const struct culprit *culprit_named(const struct culprits *culprits,
				    const struct call *call)
{
	const struct culprit key = { .call = call };

	if (!culprits->count)
		return NULL;
	return bsearch(&key, culprits->list, culprits->count, sizeof(key),
		       by_call);
}

uint32_t culprit_in(const struct culprits *culprits, const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->calls_count; i++) {
		if (culprit_named(culprits, &stack->calls[i]))
			return i;
	}
	return stack_headline(stack);
}
