/*
 * A profile: samples sorted by what they have in common, then added up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "report/familiar.h"

/* A sample and its place in the order: equal ones lie side by side. */
struct entry {
	const struct sample *sample;
	const struct call *call; /* its headline */
};

static const struct call *headline_of(const struct stack *stack)
{
	return &stack->calls[stack_headline(stack)];
}

static int compare_functions(const struct call *a, const struct call *b)
{
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->object, b->object);
}

static int compare_blame(const struct entry *a, const struct entry *b)
{
	int order = compare_functions(a->call, b->call);
	uintptr_t left = (uintptr_t)a->sample->lock;
	uintptr_t right = (uintptr_t)b->sample->lock;

	return order ? order : (left > right) - (left < right);
}

/* Stacks are alike if they are of the same functions. */
static int compare_stacks(const struct stack *a, const struct stack *b)
{
	for (uint32_t i = 0; i < a->calls_count && i < b->calls_count; i++) {
		int order = compare_functions(&a->calls[i], &b->calls[i]);

		if (order)
			return order;
	}
	return (a->calls_count > b->calls_count) -
	       (a->calls_count < b->calls_count);
}

/* By blame, then by stack, then by weight. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a;
	const struct entry *right = b;
	int order = compare_blame(left, right);

	if (!order)
		order = compare_stacks(left->sample->stack,
				       right->sample->stack);
	if (!order)
		order = (left->sample->total_ns < right->sample->total_ns) -
			(left->sample->total_ns > right->sample->total_ns);
	return order;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct blame *left = a;
	const struct blame *right = b;

	return (left->total_ns < right->total_ns) -
	       (left->total_ns > right->total_ns);
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Adds the like stacks that start at entry. Returns how many they are. */
static size_t add_stack(struct blame *blame, const struct entry *entry,
			size_t left)
{
	const struct stack *stack = entry->sample->stack;
	uint64_t total_ns = 0;
	size_t i;

	for (i = 0; i < left && !compare_blame(entry, &entry[i]) &&
		    !compare_stacks(stack, entry[i].sample->stack);
	     i++) {
		total_ns = add(total_ns, entry[i].sample->total_ns);
		blame->count = add(blame->count, entry[i].sample->count);
		blame->max_ns = max_u64(blame->max_ns, entry[i].sample->max_ns);
	}
	blame->total_ns = add(blame->total_ns, total_ns);
	blame->stacks++;
	if (!blame->stack || total_ns > blame->stack_ns) {
		blame->stack = stack;
		blame->stack_ns = total_ns;
		blame->call = entry->call;
	}
	return i;
}

static size_t add_blame(struct blame *blame, const struct entry *entry,
			size_t left)
{
	size_t i = 0;

	blame->lock = entry->sample->lock;
	blame->blocked_in = "";
	while (i < left && !compare_blame(entry, &entry[i]))
		i += add_stack(blame, &entry[i], left - i);
	if (blame->call != &blame->stack->calls[0])
		blame->leaf = &blame->stack->calls[0];
	return i;
}

/* Counts the stalls of the timeline where they were first found. */
static void add_stalls(struct profile *profile, const struct process *process)
{
	for (size_t i = 0; i < process->stalls_count; i++) {
		const struct stall *stall = &process->stalls[i];

		for (size_t k = 0; stall->stack && k < profile->count; k++) {
			struct blame *blame = &profile->blames[k];

			if (compare_functions(headline_of(stall->stack),
					      blame->call))
				continue;
			blame->stalls++;
			if (*stall->call)
				blame->blocked_in = stall->call;
		}
	}
}

static struct entry *sorted_entries(struct process *process,
				    const struct samples *samples)
{
	struct entry *entries =
		arena_alloc(&process->arena, samples->count, sizeof(*entries));

	for (size_t i = 0; i < samples->count; i++) {
		entries[i].sample = &samples->list[i];
		entries[i].call = headline_of(samples->list[i].stack);
	}
	if (samples->count)
		qsort(entries, samples->count, sizeof(*entries),
		      compare_entries);
	return entries;
}

struct profile profile_of(struct process *process, enum sample_kind kind)
{
	const struct samples *samples = &process->samples[kind];
	struct entry *entries = sorted_entries(process, samples);
	struct profile profile = { .count = 0 };
	size_t done = 0;

	profile.blames = arena_alloc(&process->arena, samples->count,
				     sizeof(struct blame));
	while (done < samples->count) {
		struct blame *blame = &profile.blames[profile.count++];

		done += add_blame(blame, &entries[done], samples->count - done);
		profile.total_ns = add(profile.total_ns, blame->total_ns);
	}
	if (profile.count)
		qsort(profile.blames, profile.count, sizeof(struct blame),
		      heaviest_first);
	if (kind == SAMPLE_STALL)
		add_stalls(&profile, process);
	return profile;
}
