/*
 * The stacks of contention: those that made others wait, and those that had
 * to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/write_contention.h"

#include <string.h>

#include "report/familiar.h"
#include "report/words.h"

#define LINE_BYTES   90
#define SHORT_INDENT 6

/* "1. 48.2ms (98.0%) by 5 unlocks of cache_lock: flush_cache (cache.c:88)" */
static void write_unlocker(const struct report *report, size_t place,
			   const struct blame *blame, uint64_t whole_ns,
			   const char *verb)
{
	struct arena *arena = &report->process->arena;

	fprintf(report->out, "\n  %zu. %s (%s) by %s of %s: %s\n", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns),
		words_count(arena, blame->count, verb),
		lock_text(report, blame->lock),
		headline_text(report, blame->stack, blame->place));
	write_blamed_stack(report, blame);
}

void write_unlockers(const struct report *report, enum sample_kind kind,
		     const char *verb)
{
	struct process *process = report->process;
	struct profile profile = profile_of(process, kind, NULL);
	uint64_t whole_ns =
		max_u64(process->law[kind].charged_ns, profile.total_ns);
	size_t shown;

	if (!profile.count)
		return;
	fprintf(report->out,
		"\nWhat made others wait, by the %s that ended it, heaviest "
		"first:\n",
		verb);
	shown = profile_shown(&profile, report->top, report->shows_small);
	for (size_t i = 0; i < shown; i++)
		write_unlocker(report, i + 1, &profile.blames[i], whole_ns,
			       verb);
	write_rest(report, &profile, shown);
}

/* A line of the next callers of the program's own, as far as they fit in it. */
static void write_callers(const struct report *report,
			  const struct blame *blame)
{
	const struct stack *stack = blame->stack;
	uint32_t count = stack_shown(stack);
	size_t room = LINE_BYTES - SHORT_INDENT;
	const char *indent = "      ";

	for (uint32_t i = blame->place + 1; i < count; i++) {
		const char *function = stack->calls[i].function;

		if (is_familiar(&stack->calls[i]))
			continue;
		if (strlen(function) + 2 * strlen(" < ") > room) {
			fprintf(report->out, "%s < ...\n", indent);
			return;
		}
		room -= strlen(function) + strlen(" < ");
		fprintf(report->out, "%s < %s", indent, function);
		indent = "";
	}
	if (!*indent)
		fputc('\n', report->out);
}

static void write_waiter(const struct report *report, size_t place,
			 const struct blame *blame, uint64_t whole_ns)
{
	struct arena *arena = &report->process->arena;

	fprintf(report->out, "\n  %zu. %s (%s) in %s for %s: %s\n", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns),
		words_count(arena, blame->count, "wait"),
		lock_text(report, blame->lock),
		headline_text(report, blame->stack, blame->place));
	write_callers(report, blame);
}

void write_waiters(const struct report *report)
{
	struct process *process = report->process;
	struct profile profile = profile_of(process, SAMPLE_WAIT, NULL);
	uint64_t whole_ns =
		profile.total_ns + process->samples[SAMPLE_WAIT].discarded_ns;
	size_t shown;

	if (!profile.count)
		return;
	fputs("\nWhat had to wait, heaviest first:\n", report->out);
	shown = profile_shown(&profile, report->top, report->shows_small);
	for (size_t i = 0; i < shown; i++)
		write_waiter(report, i + 1, &profile.blames[i], whole_ns);
	write_rest(report, &profile, shown);
}
