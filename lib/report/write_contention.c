/*
 * The stacks of contention: those that made others wait, and those that had
 * to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/write_contention.h"

#include "report/familiar.h"
#include "report/words.h"

/* Callers shown in the short form of a stack. */
#define SHORT_CALLERS 3

/* "1. 48.2ms (98.0%) in 5 unlocks of cache_lock: flush_cache (cache.c:88)" */
static void write_unlocker(const struct report *report, size_t place,
			   const struct blame *blame, uint64_t whole_ns)
{
	struct arena *arena = &report->process->arena;

	fprintf(report->out, "\n  %zu. %s (%s) by %s of %s: %s\n", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns),
		words_count(arena, blame->count, "unlock"),
		lock_text(report, blame->lock),
		headline_text(report, blame->call));
	if (blame->stacks > 1)
		fprintf(report->out, "     heaviest of %zu stacks, %s:\n",
			blame->stacks, words_duration(arena, blame->stack_ns));
	write_stack(report, blame->stack);
}

void write_unlockers(const struct report *report)
{
	struct process *process = report->process;
	struct profile profile = profile_of(process, SAMPLE_MUTEX);
	uint64_t whole_ns = max_u64(process->law.charged_ns, profile.total_ns);

	if (!profile.count)
		return;
	fputs("\nWhat made others wait, by the unlock that ended it, heaviest "
	      "first:\n",
	      report->out);
	for (size_t i = 0; i < profile.count && i < report->top; i++)
		write_unlocker(report, i + 1, &profile.blames[i], whole_ns);
	write_rest(report, &profile);
}

static void write_callers(const struct report *report,
			  const struct stack *stack)
{
	uint32_t first = stack_headline(stack) + 1;
	uint32_t count = stack_shown(stack);

	for (uint32_t i = first; i < count && i < first + SHORT_CALLERS; i++)
		fprintf(report->out, " < %s", stack->calls[i].function);
	if (first + SHORT_CALLERS < count)
		fputs(" < ...", report->out);
}

static void write_waiter(const struct report *report, size_t place,
			 const struct blame *blame, uint64_t whole_ns)
{
	struct arena *arena = &report->process->arena;

	fprintf(report->out, "  %zu. %s (%s) in %s for %s: %s", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns),
		words_count(arena, blame->count, "wait"),
		lock_text(report, blame->lock),
		headline_text(report, blame->call));
	write_callers(report, blame->stack);
	fputc('\n', report->out);
}

void write_waiters(const struct report *report)
{
	struct process *process = report->process;
	struct profile profile = profile_of(process, SAMPLE_WAIT);
	uint64_t whole_ns = max_u64(process->law.waited_ns, profile.total_ns);

	if (!profile.count)
		return;
	fputs("\nWhat had to wait, heaviest first:\n\n", report->out);
	for (size_t i = 0; i < profile.count && i < report->top; i++)
		write_waiter(report, i + 1, &profile.blames[i], whole_ns);
	write_rest(report, &profile);
}
