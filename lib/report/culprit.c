/*
 * Culprits: found in the timeline, refined by the samples.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/culprit.h"

#include <stdlib.h>

#include "report/familiar.h"
#include "report/majority.h"

struct search {
	struct process *process;
	const struct samples *samples;
	struct majorities majorities;
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

static bool has_call(const struct stack *stack, const struct call *call)
{
	for (uint32_t i = 0; i < stack->calls_count; i++) {
		if (!compare_calls(&stack->calls[i], call))
			return true;
	}
	return false;
}

/* Was the thread in call's own code, or what was inlined there? */
static bool is_at_work_in(const struct stack *stack, const struct call *call)
{
	uint32_t place = 0;

	while (place + 1 < stack->calls_count && stack->calls[place].is_helper)
		place++;
	return !compare_calls(&stack->calls[place], call);
}

/*
 * May the stall have been in a callee of call most of its time? Two stacks are
 * kept of it. If the heavier one is in another callee it was not. If that is in
 * call itself, the lighter one may show the callee; if that is in call itself,
 * too, what it calls in between was not looked for. A stall that was in one
 * place only was there.
 */
static bool may_have_been_in(const struct stall *stall, const struct call *call,
			     const struct call *callee)
{
	if (!stall->apart)
		return false;
	return has_call(stall->stack, callee) ||
	       (is_at_work_in(stall->stack, call) &&
		(has_call(stall->apart, callee) ||
		 is_at_work_in(stall->apart, call)));
}

/* The function to blame. */
static const struct call *blamed(const struct search *search,
				 const struct stall *stall)
{
	const struct call *call = &stall->stack->calls[place_not_left(stall)];

	/* Functions may call each other in turns. */
	for (int step = 0; step < MAX_DEPTH; step++) {
		const struct call *callee =
			majority_callee(&search->majorities, call);

		if (!callee || !may_have_been_in(stall, call, callee))
			break;
		call = callee;
	}
	return call;
}

const char *stall_blocked_in(const struct process *process,
			     const struct stall *stall)
{
	const struct samples *samples = &process->samples[SAMPLE_STALL];
	const struct sample *heaviest = NULL;

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->list[i];

		if (sample->stack == stall->stack &&
		    (!heaviest || sample->total_ns > heaviest->total_ns))
			heaviest = sample;
	}
	return heaviest && heaviest->why.cause == CAUSE_BLOCKED
		       ? heaviest->why.call
		       : "";
}

uint32_t culprit_place(const struct stack *stack, const struct call *call)
{
	uint32_t place = 0;

	while (place < stack->calls_count &&
	       compare_calls(&stack->calls[place], call))
		place++;
	return place < stack->calls_count ? place : stack_headline(stack);
}

/* Where no sample tells its heaviest stack, it is the stall's own. */
static struct culprit culprit_of(const struct search *search,
				 const struct stall *stall)
{
	const struct call *call = blamed(search, stall);

	return (struct culprit){
		.call = call,
		.stack = stall->stack,
		.place = culprit_place(stall->stack, call),
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
				culprit_of(search, &process->stalls[i]);
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
		culprit = culprit_named(found, blamed(search, stall));
		culprit->stalls++;
		culprit->duration_ns += stall->duration_ns;
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

static bool is_found_in(const struct search *search, size_t sample,
			const struct culprit *culprit)
{
	const struct culprit *owner = search->of_sample[sample];
	const struct stack *stack = search->samples->list[sample].stack;
	uint32_t place = search->found.place[sample];

	return owner && owner == culprit &&
	       !compare_calls(&stack->calls[place], owner->call);
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
		.majorities = majorities_of(process),
	};

	list_functions(&search);
	add_stalls(&search);
	share_samples(&search);
	for (size_t i = 0; i < search.found.count; i++)
		choose_stack(&search, &search.found.list[i]);
	return search.found;
}
