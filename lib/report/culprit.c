/*
 * Culprits: found in the timeline, refined by the samples.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/culprit.h"

#include <stdlib.h>

#include "report/familiar.h"
#include "report/parts.h"

struct search {
	struct process *process;
	const struct samples *samples;
	struct culprits found;
	struct culprit **of_sample; /* NULL: no culprit is in its stack */
};

static void *allocate(struct search *search, size_t count, size_t size)
{
	return arena_alloc(&search->process->arena, count, size);
}

/*
 * The place in a of the innermost call that it shares with b; the number of
 * its calls: they share none.
 */
static uint32_t last_shared(const struct stack *a, const struct stack *b)
{
	uint32_t left = stack_shown(a);
	uint32_t right = stack_shown(b);
	uint32_t shared = a->calls_count;

	while (left && right &&
	       !compare_calls(&a->calls[--left], &b->calls[--right]))
		shared = left;
	return shared;
}

uint32_t place_not_left(const struct stall *stall)
{
	const struct stack *stack = stall->stack;
	uint32_t headline = stack_headline(stack);
	uint32_t place;

	if (!stall->apart)
		return headline;
	place = last_shared(stack, stall->apart);
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

static struct culprit *culprit_named(const struct culprits *culprits,
				     const struct call *call)
{
	const struct culprit key = { .call = call };

	if (!culprits->count)
		return NULL;
	return bsearch(&key, culprits->list, culprits->count, sizeof(key),
		       by_call);
}

static struct culprit culprit_of(const struct stall *stall)
{
	uint32_t place = place_not_left(stall);

	return (struct culprit){
		.call = &stall->stack->calls[place],
		.stack = stall->stack,
		.place = place,
		.blocked_in = "",
	};
}

/* One for each function, in the order of compare_calls(). */
static void list_functions(struct search *search)
{
	const struct process *process = search->process;
	struct culprits *found = &search->found;
	size_t kept = 0;

	found->list =
		allocate(search, process->stalls_count, sizeof(struct culprit));
	for (size_t i = 0; i < process->stalls_count; i++) {
		if (process->stalls[i].stack)
			found->list[found->count++] =
				culprit_of(&process->stalls[i]);
	}
	if (found->count)
		qsort(found->list, found->count, sizeof(struct culprit),
		      by_call);
	for (size_t i = 0; i < found->count; i++) {
		if (!kept || by_call(&found->list[kept - 1], &found->list[i]))
			found->list[kept++] = found->list[i];
	}
	found->count = kept;
}

static uint64_t lock_ns(const struct stall *stall)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum_ns += cause_has_lock(i) ? stall->cause_ns[i] : 0;
	return sum_ns;
}

static void keep_held(struct culprit *culprit, const struct stall *stall)
{
	if (stall->release &&
	    (!culprit->held || lock_ns(stall) > lock_ns(culprit->held)))
		culprit->held = stall;
}

static void add_stalls(struct search *search)
{
	const struct process *process = search->process;
	struct culprits *found = &search->found;

	found->of_stall = allocate(search, process->stalls_count,
				   sizeof(struct culprit *));
	for (size_t i = 0; i < process->stalls_count; i++) {
		const struct stall *stall = &process->stalls[i];
		struct culprit *culprit;

		if (!stall->stack)
			continue;
		culprit = culprit_named(
			found, &stall->stack->calls[place_not_left(stall)]);
		culprit->stalls++;
		culprit->duration_ns += stall->duration_ns;
		if (*stall->call)
			culprit->blocked_in = stall->call;
		keep_held(culprit, stall);
		found->of_stall[i] = culprit;
	}
}

/* Each sample is the innermost culprit's in its stack. */
static void share_samples(struct search *search)
{
	const struct samples *samples = search->samples;
	struct culprits *found = &search->found;

	found->place = allocate(search, samples->count, sizeof(uint32_t));
	search->of_sample =
		allocate(search, samples->count, sizeof(struct culprit *));
	for (size_t i = 0; i < samples->count; i++) {
		const struct stack *stack = samples->list[i].stack;
		struct culprit *culprit = NULL;
		uint32_t place = 0;

		while (place < stack->calls_count &&
		       !(culprit = culprit_named(found, &stack->calls[place])))
			place++;
		found->place[i] = culprit ? place : stack_headline(stack);
		search->of_sample[i] = culprit;
	}
}

/* The next call of the program's own that the one at place made, or itself. */
static uint32_t own_callee(const struct stack *stack, uint32_t place)
{
	uint32_t callee = place;

	while (callee && is_familiar(&stack->calls[callee - 1]))
		callee--;
	return callee ? callee - 1 : place;
}

static bool is_found_in(const struct search *search, size_t sample,
			const struct culprit *culprit)
{
	const struct culprit *owner = search->of_sample[sample];
	const struct stack *stack = search->samples->list[sample].stack;
	uint32_t place = search->found.place[sample];

	return owner && owner == culprit &&
	       !compare_calls(&stack->calls[place], owner->call);
}

/* The callee with most of the culprit's time, or NULL: there is none. */
static const struct call *main_callee(const struct search *search,
				      const struct culprit *culprit)
{
	struct part heaviest[MAX_PARTS];
	struct parts parts = { .count = 0 };
	uint64_t total_ns = 0;

	for (size_t i = 0; i < search->samples->count; i++) {
		const struct sample *sample = &search->samples->list[i];

		if (!is_found_in(search, i, culprit))
			continue;
		parts_add(&parts,
			  &sample->stack->calls[own_callee(
				  sample->stack, search->found.place[i])],
			  sample->total_ns);
		total_ns += sample->total_ns;
	}
	parts_heaviest(&parts, heaviest);
	/* Two thirds: the rest is what came before and after. */
	if (!heaviest[0].call || heaviest[0].total_ns < total_ns / 3 * 2 ||
	    !compare_calls(heaviest[0].call, culprit->call))
		return NULL;
	return heaviest[0].call;
}

static void blame_callee(struct search *search, struct culprit *culprit,
			 const struct call *callee)
{
	for (size_t i = 0; i < search->samples->count; i++) {
		const struct stack *stack = search->samples->list[i].stack;
		uint32_t place = search->found.place[i];
		uint32_t inner;

		if (!is_found_in(search, i, culprit))
			continue;
		inner = own_callee(stack, place);
		if (!compare_calls(&stack->calls[inner], callee))
			search->found.place[i] = inner;
	}
	culprit->call = callee;
}

static void choose_stack(struct search *search, struct culprit *culprit)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < search->samples->count; i++) {
		const struct sample *sample = &search->samples->list[i];

		if (!is_found_in(search, i, culprit) ||
		    sample->total_ns < most_ns)
			continue;
		most_ns = sample->total_ns;
		culprit->stack = sample->stack;
		culprit->place = search->found.place[i];
	}
}

struct culprits culprits_of(struct process *process)
{
	struct search search = {
		.process = process,
		.samples = &process->samples[SAMPLE_STALL],
	};

	list_functions(&search);
	add_stalls(&search);
	share_samples(&search);
	for (size_t i = 0; i < search.found.count; i++) {
		struct culprit *culprit = &search.found.list[i];
		const struct call *callee;

		/* Recursion can't go on for ever: each step is inwards. */
		while ((callee = main_callee(&search, culprit)))
			blame_callee(&search, culprit, callee);
		choose_stack(&search, culprit);
	}
	return search.found;
}
