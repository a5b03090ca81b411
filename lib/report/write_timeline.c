/*
 * The timeline of a report: the longest stalls in order of time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "report/culprit.h"
#include "report/table.h"
#include "report/words.h"
#include "report/write_why.h"

static const struct column columns[] = {
	{ "after", true },  { "lasted", true },	 { "loop", false },
	{ "events", true }, { "samples", true }, { "in", false },
	{ "why", false },
};

/* The longest first; of those that are equal, the latest. */
static int longest_first(const void *a, const void *b)
{
	const struct stall *left = *(const struct stall *const *)a;
	const struct stall *right = *(const struct stall *const *)b;

	if (left->duration_ns != right->duration_ns)
		return left->duration_ns < right->duration_ns ? 1 : -1;
	return left < right ? 1 : -1;
}

/* They lie in order of time. */
static int earliest_first(const void *a, const void *b)
{
	const struct stall *left = *(const struct stall *const *)a;
	const struct stall *right = *(const struct stall *const *)b;

	return (left > right) - (left < right);
}

/* The stalls to show; *count of them. */
static const struct stall **choose(const struct report *report, size_t *count)
{
	struct process *process = report->process;
	size_t n = process->stalls_count;
	const struct stall **chosen =
		arena_alloc(&process->arena, n, sizeof(*chosen));

	for (size_t i = 0; i < n; i++)
		chosen[i] = &process->stalls[i];
	qsort(chosen, n, sizeof(*chosen), longest_first);
	*count = n < report->top ? n : report->top;
	qsort(chosen, *count, sizeof(*chosen), earliest_first);
	return chosen;
}

static const char *culprit_text(const struct report *report,
				const struct culprit *culprit)
{
	if (!culprit)
		return "no stack";
	return headline_text(report, culprit->stack, culprit->place);
}

static void fill_row(const struct report *report,
		     const struct culprits *culprits, const struct stall *stall,
		     const char **cells)
{
	struct arena *arena = &report->process->arena;
	size_t number = (size_t)(stall - report->process->stalls);
	const char *blocked_in = stall_blocked_in(report->process, stall);

	cells[0] = words_duration(arena, stall->begun_ns);
	cells[1] = arena_print(arena, "%s%s",
			       words_duration(arena, stall->duration_ns),
			       stall->state == RUN_LASTS ? "+" : "");
	cells[2] = arena_print(arena, "%s (%d)", stall->thread, stall->tid);
	cells[3] = words_number(arena, stall->events);
	cells[4] = words_number(arena, stall->ticks);
	cells[5] = culprit_text(report, culprits->of_stall[number]);
	/* Why says it, too, where most of the whole stall was in it. */
	if (stall->stack && *blocked_in && strcmp(blocked_in, stall->call))
		cells[5] =
			arena_print(arena, "%s, in %s", cells[5], blocked_in);
	cells[6] = stall_why(report, stall);
}

/* Where each of them was for most of its time. */
static void write_stacks(const struct report *report,
			 const struct culprits *culprits,
			 const struct stall **chosen, size_t count)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;

	for (size_t i = 0; i < count; i++) {
		const struct stall *stall = chosen[i];
		const struct culprit *culprit;

		if (!stall->stack)
			continue;
		fprintf(report->out,
			"\n  After %s %s (%d) stalled for %s, mostly in\n",
			words_duration(arena, stall->begun_ns), stall->thread,
			stall->tid, words_duration(arena, stall->duration_ns));
		culprit = culprits->of_stall[stall - process->stalls];
		write_stack(report, stall->stack,
			    culprit_place(stall->stack, culprit->call));
	}
}

void write_timeline(const struct report *report,
		    const struct culprits *culprits)
{
	struct process *process = report->process;
	struct table table = {
		.columns = columns,
		.columns_count = ARRAY_SIZE(columns),
	};
	const struct stall **chosen;

	if (!process->stalls_count)
		return;
	chosen = choose(report, &table.rows_count);
	table.rows = arena_alloc(&process->arena, table.rows_count,
				 sizeof(*table.rows));
	for (size_t i = 0; i < table.rows_count; i++)
		fill_row(report, culprits, chosen[i], table.rows[i]);
	if (table.rows_count < process->stalls_count)
		fprintf(report->out,
			"\nThe %zu longest of %zu stalls, in order of time:\n\n",
			table.rows_count, process->stalls_count);
	else
		fputs("\nThe stalls in order of time:\n\n", report->out);
	table_print(&table, report->out);
	if (report->shows_stacks)
		write_stacks(report, culprits, chosen, table.rows_count);
}
