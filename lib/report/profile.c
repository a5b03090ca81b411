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
	uint32_t place; /* in its stack, of the function to blame */
};

static const struct call *blamed(const struct entry *entry)
{
	return &entry->sample->stack->calls[entry->place];
}

static int compare_blame(const struct entry *a, const struct entry *b)
{
	int order = compare_calls(blamed(a), blamed(b));
	uintptr_t left = (uintptr_t)a->sample->lock;
	uintptr_t right = (uintptr_t)b->sample->lock;

	return order ? order : (left > right) - (left < right);
}

/* Stacks are alike if they are of the same functions. */
static int compare_stacks(const struct stack *a, const struct stack *b)
{
	for (uint32_t i = 0; i < a->calls_count && i < b->calls_count; i++) {
		int order = compare_calls(&a->calls[i], &b->calls[i]);

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
	}
	blame->total_ns = add(blame->total_ns, total_ns);
	blame->stacks++;
	if (!blame->stack || total_ns > blame->stack_ns) {
		blame->stack = stack;
		blame->stack_ns = total_ns;
		blame->place = entry->place;
		blame->call = blamed(entry);
	}
	return i;
}

/* libc's code that the kernel has a signal handler return to. */
#define HANDLERS_CALLER "__restore_rt"

/*
 * What the blamed call called; itself, where that is a mere helper. A signal
 * handler counts as called by what it has interrupted.
 */
static const struct call *callee_of(const struct entry *entry)
{
	const struct call *call = blamed(entry);

	if (!entry->place || call[-1].is_helper)
		return call;
	return entry->place > 1 && !strcmp(call[-1].function, HANDLERS_CALLER)
		       ? call - 2
		       : call - 1;
}

static int compare_whys(const void *a, const void *b)
{
	const struct why *left = &((const struct entry *)a)->sample->why;
	const struct why *right = &((const struct entry *)b)->sample->why;
	int order = (left->cause > right->cause) - (left->cause < right->cause);

	if (!order)
		order = strcmp(left->call, right->call);
	if (!order)
		order = ((uintptr_t)left->lock > (uintptr_t)right->lock) -
			((uintptr_t)left->lock < (uintptr_t)right->lock);
	return order;
}

/* Of each cause the call, or the lock, that has most of its time is told. */
static void add_causes(struct blame *blame, struct entry *entries, size_t count)
{
	size_t i = 0;

	qsort(entries, count, sizeof(*entries), compare_whys);
	while (i < count) {
		const struct entry *first = &entries[i];
		const struct why *why = &first->sample->why;
		uint64_t *sum_ns = &blame->cause_ns[why->cause];
		uint64_t ns = 0;

		for (; i < count && !compare_whys(first, &entries[i]); i++)
			ns = add(ns, entries[i].sample->total_ns);
		*sum_ns = add(*sum_ns, ns);
		if (ns >= blame->most_ns[why->cause]) {
			blame->most_ns[why->cause] = ns;
			blame->why[why->cause] = *why;
		}
	}
}

static size_t add_blame(struct blame *blame, struct entry *entry, size_t left)
{
	struct parts parts = { .count = 0 };
	size_t i = 0;

	blame->lock = entry->sample->lock;
	while (i < left && !compare_blame(entry, &entry[i]))
		i += add_stack(blame, &entry[i], left - i);
	for (size_t k = 0; k < i; k++)
		parts_add(&parts, callee_of(&entry[k]),
			  entry[k].sample->total_ns);
	parts_heaviest(&parts, blame->parts);
	add_causes(blame, entry, i);
	return i;
}

static struct blame *blame_of(const struct profile *profile,
			      const struct culprit *culprit)
{
	for (size_t i = 0; i < profile->count; i++) {
		if (!compare_calls(profile->blames[i].call, culprit->call))
			return &profile->blames[i];
	}
	return NULL;
}

/* A culprit without a sample: there was no room for one. */
static struct blame *add_unsampled(struct profile *profile,
				   const struct culprit *culprit)
{
	struct blame *blame = &profile->blames[profile->count++];

	*blame = (struct blame){
		.call = culprit->call,
		.total_ns = culprit->duration_ns,
		.stack = culprit->stack,
		.place = culprit->place,
		.stacks = 1,
	};
	return blame;
}

static void add_stalls(struct profile *profile, const struct culprits *culprits)
{
	for (size_t i = 0; i < culprits->count; i++) {
		const struct culprit *culprit = &culprits->list[i];
		struct blame *blame = blame_of(profile, culprit);

		if (!blame)
			blame = add_unsampled(profile, culprit);
		blame->stalls += culprit->stalls;
		blame->stalls_ns = add(blame->stalls_ns, culprit->duration_ns);
		blame->held = culprit->held;
	}
}

static struct entry *sorted_entries(struct process *process,
				    const struct samples *samples,
				    const struct culprits *culprits)
{
	struct entry *entries =
		arena_alloc(&process->arena, samples->count, sizeof(*entries));

	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->list[i];

		entries[i].sample = sample;
		entries[i].place = culprits ? culprits->place[i]
					    : stack_headline(sample->stack);
	}
	if (samples->count)
		qsort(entries, samples->count, sizeof(*entries),
		      compare_entries);
	return entries;
}

static void sum_up(struct profile *profile)
{
	for (size_t i = 0; i < profile->count; i++)
		profile->total_ns =
			add(profile->total_ns, profile->blames[i].total_ns);
	if (profile->count)
		qsort(profile->blames, profile->count, sizeof(struct blame),
		      heaviest_first);
}

struct profile profile_of(struct process *process, enum sample_kind kind,
			  const struct culprits *culprits)
{
	const struct samples *samples = &process->samples[kind];
	struct entry *entries = sorted_entries(process, samples, culprits);
	size_t most = samples->count + (culprits ? culprits->count : 0);
	struct profile profile = { .count = 0 };
	size_t done = 0;

	profile.blames =
		arena_alloc(&process->arena, most, sizeof(struct blame));
	while (done < samples->count)
		done += add_blame(&profile.blames[profile.count++],
				  &entries[done], samples->count - done);
	if (culprits)
		add_stalls(&profile, culprits);
	sum_up(&profile);
	return profile;
}

#define ALWAYS_SHOWN 3

size_t profile_shown(const struct profile *profile, size_t most,
		     bool with_small)
{
	size_t shown = 0;

	while (shown < profile->count && shown < most &&
	       (with_small || shown < ALWAYS_SHOWN ||
		profile->blames[shown].total_ns > profile->total_ns / 100))
		shown++;
	return shown;
}
