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
	/* object+0x1234 has said it already. */
	return strncmp(call->function, call->object, strlen(call->object))
		       ? call->object
		       : "";
}

const char *headline_text(const struct report *report, const struct call *call)
{
	const char *source = source_text(report, call);

	if (!*source)
		return call->function;
	return arena_print(&report->process->arena, "%s (%s)", call->function,
			   source);
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

void write_stack(const struct report *report, const struct stack *stack)
{
	uint32_t marked = stack_headline(stack);
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

void write_rest(const struct report *report, const struct profile *profile)
{
	uint64_t rest_ns = 0;

	if (profile->count <= report->top)
		return;
	for (size_t i = report->top; i < profile->count; i++)
		rest_ns += profile->blames[i].total_ns;
	fprintf(report->out, "\n  ... and %zu more, %s in all\n",
		profile->count - report->top,
		words_duration(&report->process->arena, rest_ns));
}
