/*
 * Majorities, by weighted votes: the callee that is left when each nanosecond
 * has cancelled one of another callee's is the only one that can have more than
 * half (Boyer and Moore, "MJRTY", 1981). A second round counts what it has.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/majority.h"

#include <stdlib.h>

#include "report/familiar.h"

struct function {
	const struct call *call;
	const struct call *callee; /* NULL: none was voted for */
	uint64_t balance_ns;	   /* of the vote */
	uint64_t callee_ns;
	uint64_t total_ns;
	size_t seen; /* number of the latest sample + 1 */
};

typedef void voter(struct function *function, const struct call *callee,
		   uint64_t ns);

static int by_call(const void *a, const void *b)
{
	const struct function *left = a;
	const struct function *right = b;

	return compare_calls(left->call, right->call);
}

static struct function *find(const struct majorities *majorities,
			     const struct call *call)
{
	const struct function key = { .call = call };

	if (!majorities->count)
		return NULL;
	return bsearch(&key, majorities->list, majorities->count, sizeof(key),
		       by_call);
}

static size_t count_calls(const struct samples *samples)
{
	size_t count = 0;

	for (size_t i = 0; i < samples->count; i++)
		count += samples->list[i].stack->calls_count;
	return count;
}

static struct majorities functions_of(struct process *process,
				      const struct samples *samples)
{
	size_t count = count_calls(samples), kept = 0;
	struct function *list =
		arena_alloc(&process->arena, count, sizeof(struct function));

	count = 0;
	for (size_t i = 0; i < samples->count; i++) {
		const struct stack *stack = samples->list[i].stack;

		for (uint32_t k = 0; k < stack->calls_count; k++)
			list[count++].call = &stack->calls[k];
	}
	if (count)
		qsort(list, count, sizeof(*list), by_call);
	for (size_t i = 0; i < count; i++) {
		if (!kept || by_call(&list[kept - 1], &list[i]))
			list[kept++] = list[i];
	}
	return (struct majorities){ .list = list, .count = kept };
}

/* The next call of the program's own that the one at place made, or itself. */
static const struct call *own_callee(const struct stack *stack, uint32_t place)
{
	uint32_t callee = place;

	while (callee && is_familiar(&stack->calls[callee - 1]))
		callee--;
	return &stack->calls[callee ? callee - 1 : place];
}

static void vote(struct function *function, const struct call *callee,
		 uint64_t ns)
{
	if (function->callee && !compare_calls(function->callee, callee)) {
		function->balance_ns += ns;
	} else if (function->balance_ns >= ns) {
		function->balance_ns -= ns;
	} else {
		function->callee = callee;
		function->balance_ns = ns - function->balance_ns;
	}
}

static void count(struct function *function, const struct call *callee,
		  uint64_t ns)
{
	function->total_ns += ns;
	if (function->callee && !compare_calls(function->callee, callee))
		function->callee_ns += ns;
}

/* When the machine did not let a thread run says nothing of where it works. */
static uint64_t weight_of(const struct sample *sample)
{
	return sample->why.cause == CAUSE_UNSCHEDULED ? 0 : sample->total_ns;
}

/* Of a function that is in a stack several times, the innermost call votes. */
static void for_each_call(const struct majorities *majorities,
			  const struct samples *samples, voter *each)
{
	for (size_t i = 0; i < majorities->count; i++)
		majorities->list[i].seen = 0;
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->list[i];
		const struct stack *stack = sample->stack;

		for (uint32_t k = 0; k < stack->calls_count; k++) {
			struct function *function =
				find(majorities, &stack->calls[k]);

			if (function->seen != i + 1)
				each(function, own_callee(stack, k),
				     weight_of(sample));
			function->seen = i + 1;
		}
	}
}

struct majorities majorities_of(struct process *process)
{
	const struct samples *samples = &process->samples[SAMPLE_STALL];
	struct majorities majorities = functions_of(process, samples);

	for_each_call(&majorities, samples, vote);
	for_each_call(&majorities, samples, count);
	return majorities;
}

const struct call *majority_callee(const struct majorities *majorities,
				   const struct call *call)
{
	const struct function *function = find(majorities, call);

	if (!function || !function->callee ||
	    function->callee_ns <= function->total_ns / 3 * 2 ||
	    !compare_calls(function->callee, call))
		return NULL;
	return function->callee;
}
