/*
 * Stacks and calls in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "report/familiar.h"
#include "report/words.h"
#include "report/write.h"

/* Longer stacks are shown down to here, with the number of the others. */
#define MAX_SHOWN     16
#define BEHIND_MARK   4 /* at least so many callers of the marked call */
#define MAX_NAME      60
#define SOURCE_COLUMN 30 /* at least: so that stacks look alike */

static const char *source_text(const struct report *report,
			       const struct call *call)
{
	struct arena *arena = &report->process->arena;

	if (call->source && call->line)
		return arena_print(arena, "%s:%u", call->source, call->line);
	if (call->source)
		return call->source;
	return has_name(call) ? call->object : "";
}

static const char *call_text(const struct report *report,
			     const struct call *call)
{
	const char *source = source_text(report, call);

	if (!*source)
		return call->function;
	return arena_print(&report->process->arena, "%s (%s)", call->function,
			   source);
}

/* The first of the program's own callers that has a name, or NULL. */
static const struct call *named_caller(const struct stack *stack,
				       uint32_t place)
{
	while (++place < stack_shown(stack)) {
		const struct call *call = &stack->calls[place];

		if (has_name(call) && !is_familiar(call))
			return call;
	}
	return NULL;
}

const char *headline_text(const struct report *report,
			  const struct stack *stack, uint32_t place)
{
	const struct call *call = &stack->calls[place];
	const struct call *caller = named_caller(stack, place);

	if (has_name(call) || !caller)
		return call_text(report, call);
	return arena_print(&report->process->arena, "%s, under %s",
			   call_text(report, call), call_text(report, caller));
}

static int name_width(const struct stack *stack, uint32_t shown)
{
	size_t width = SOURCE_COLUMN;

	for (uint32_t i = 0; i < shown; i++)
		width = max_u64(width, strlen(stack->calls[i].function));
	return (int)min_u64(width, MAX_NAME);
}

static uint32_t shown_of(uint32_t count, uint32_t marked)
{
	uint32_t shown = marked + BEHIND_MARK;

	if (shown < MAX_SHOWN)
		shown = MAX_SHOWN;
	/* One line left out would only be replaced by one that says so. */
	return count <= shown + 1 ? count : shown;
}

void write_stack(const struct report *report, const struct stack *stack,
		 uint32_t marked)
{
	uint32_t count = stack_shown(stack);
	uint32_t shown = shown_of(count, marked);
	int width = name_width(stack, shown);

	for (uint32_t i = 0; i < shown; i++) {
		const struct call *call = &stack->calls[i];
		const char *source = source_text(report, call);

		fprintf(report->out, "     %c %-*s%s%s\n",
			i == marked ? '>' : ' ', *source ? width : 0,
			call->function, *source ? "  " : "", source);
	}
	if (shown < count)
		fprintf(report->out, "       ... and %u more callers\n",
			count - shown);
}

void write_blamed_stack(const struct report *report, const struct blame *blame)
{
	if (blame->stacks > 1)
		fprintf(report->out, "     the heaviest of %zu stacks, %s:\n",
			blame->stacks,
			words_duration(&report->process->arena,
				       blame->stack_ns));
	write_stack(report, blame->stack, blame->place);
}

void write_rest(const struct report *report, const struct profile *profile,
		size_t shown)
{
	uint64_t rest_ns = 0;

	if (shown == profile->count)
		return;
	for (size_t i = shown; i < profile->count; i++)
		rest_ns += profile->blames[i].total_ns;
	fprintf(report->out, "\n  ... and %zu more, %s in all\n",
		profile->count - shown,
		words_duration(&report->process->arena, rest_ns));
}
