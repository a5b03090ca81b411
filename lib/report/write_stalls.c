/*
 * The stalls of a report: loops, and the code that kept them from turning.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/pen.h"
#include "report/familiar.h"
#include "report/loop_sums.h"
#include "report/table.h"
#include "report/words.h"
#include "report/write_why.h"

static void write_sum_why(const struct report *report)
{
	const char *why = causes_text(report, report->process->cause_ns);

	if (*why)
		fprintf(report->out, "        Why: %s.\n", why);
}

/* A run just below the threshold must not be rounded up to it. */
static const char *longest_text(const struct report *report, uint64_t ns)
{
	struct arena *arena = &report->process->arena;
	uint64_t stall_ns = threshold_of(&report->process->thresholds, "");

	return duration_rounds_up_to(ns, stall_ns)
		       ? words_duration_exact(arena, ns)
		       : words_duration(arena, ns);
}

static void write_sums(const struct report *report,
		       const struct loop_sums *sums)
{
	struct arena *arena = &report->process->arena;
	const char *limit =
		words_thresholds(arena, &report->process->thresholds);

	if (!sums->loops && !sums->stalls) {
		fputs("Stalls: no thread was an event loop.\n", report->out);
		return;
	}
	fprintf(report->out,
		report->process->thresholds.count ? "Stalls: %s by %s on %s"
						  : "Stalls: %s of %s or more "
						    "on %s",
		sums->stalls ? words_count(arena, sums->stalls, "stall")
			     : "no stall",
		limit, words_count(arena, sums->loops, "event loop"));
	if (sums->stalls)
		fprintf(report->out, ", %s in all",
			words_duration(arena, sums->stalled_ns));
	fprintf(report->out, "; the longest run took %s.\n",
		longest_text(report, sums->longest_ns));
	write_sum_why(report);
	/* What was lost has its reasons at the report's end. */
	if (sums->unseen)
		fprintf(report->out, "        %s without a stack%s.\n",
			words_count(arena, sums->unseen, "stall"),
			report->process->losses_count
				? ""
				: ": over before a tick came");
}

static void fill_row(const struct report *report, const struct loop *loop,
		     const char **cells)
{
	struct arena *arena = &report->process->arena;

	cells[0] = arena_print(arena, "%s (%d)", loop->name, loop->tid);
	cells[1] = *loop->wait_call ? loop->wait_call : "-";
	cells[2] = words_number(arena, loop->turns);
	cells[3] = words_share(arena, loop->busy_ns, loop->watched_ns);
	cells[4] = words_duration(arena, loop->longest_ns);
	cells[5] = words_number(arena, loop->stalls);
	cells[6] = loop->stalls ? words_duration(arena, loop->stalled_ns) : "-";
}

static const struct column loop_columns[] = {
	{ "loop", false },   { "waits in", false },   { "turns", true },
	{ "busy", true },    { "longest run", true }, { "stalls", true },
	{ "stalled", true },
};

static int heaviest_first(const void *a, const void *b)
{
	const struct loop *left = a;
	const struct loop *right = b;

	if (left->stalled_ns != right->stalled_ns)
		return left->stalled_ns < right->stalled_ns ? 1 : -1;
	return (left->busy_ns < right->busy_ns) -
	       (left->busy_ns > right->busy_ns);
}

static void write_loops(const struct report *report)
{
	struct process *process = report->process;
	struct table table = {
		.columns = loop_columns,
		.columns_count = ARRAY_SIZE(loop_columns),
	};
	size_t count = 0;

	table.rows = arena_alloc(&process->arena, process->loops_count,
				 sizeof(*table.rows));
	if (process->loops_count)
		qsort(process->loops, process->loops_count, sizeof(struct loop),
		      heaviest_first);
	for (size_t i = 0; i < process->loops_count; i++) {
		if (process->loops[i].is_loop && count++ < report->top)
			fill_row(report, &process->loops[i],
				 table.rows[table.rows_count++]);
	}
	if (!count)
		return;
	fputc('\n', report->out);
	table_print(&table, report->out);
	if (table.rows_count < count)
		fprintf(report->out, "  ... and %zu more\n",
			count - table.rows_count);
}

/* ", in usleep" where that is all it was in. */
static void write_callee(const struct report *report, const struct blame *blame)
{
	const struct part *parts = blame->parts;
	const char *call = blame->why[CAUSE_BLOCKED].call;

	if (!parts[0].call || parts[1].call)
		return;
	if (causes_main(blame->cause_ns) == CAUSE_BLOCKED && call && *call)
		fprintf(report->out, ", in %s", call);
	else if (compare_calls(parts[0].call, blame->call))
		fprintf(report->out, ", in %s", parts[0].call->function);
}

/* "of it 62.0% in lookupKey, 26.4% itself." */
static void write_parts(const struct report *report, const struct blame *blame)
{
	struct arena *arena = &report->process->arena;

	if (!blame->parts[1].call)
		return;
	for (size_t i = 0; i < MAX_PARTS && blame->parts[i].call; i++) {
		const struct part *part = &blame->parts[i];
		bool is_itself = !compare_calls(part->call, blame->call);

		fprintf(report->out, "%s%s %s%s", i ? ", " : "     of it ",
			words_share(arena, part->total_ns, blame->total_ns),
			is_itself ? "itself" : "in ",
			is_itself ? "" : part->call->function);
	}
	fputc('\n', report->out);
}

/*
 * "in 3 stalls": those that are blamed on it. Where they did not last as long
 * as that, the rest is from others. Of a timeline that has lost some: "in 3 of
 * the 90 stalls kept".
 */
static const char *often_text(const struct report *report,
			      const struct blame *blame)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	uint64_t kept = process->stalls_count;

	if (!blame->stalls)
		return words_count(arena, blame->count, "sample");
	if (kept >= loop_sums_of(process).stalls)
		return arena_print(arena, "%s%s",
				   words_count(arena, blame->stalls, "stall"),
				   blame->total_ns > blame->stalls_ns
					   ? " and parts of others"
					   : "");
	return arena_print(arena, "%ju of the %ju stalls kept",
			   (uintmax_t)blame->stalls, (uintmax_t)kept);
}

/* "1. 60.2ms (83.1%) in 1 stall: parse_config (server.c:88), in nanosleep" */
static void write_blame(const struct report *report, size_t place,
			const struct blame *blame, uint64_t whole_ns)
{
	struct arena *arena = &report->process->arena;
	fprintf(report->out, "\n  %zu. %s (%s) in %s: %s", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns),
		often_text(report, blame),
		headline_text(report, blame->stack, blame->place));
	write_callee(report, blame);
	fputc('\n', report->out);
	write_parts(report, blame);
	write_blame_why(report, blame);
	write_blamed_stack(report, blame);
	write_blame_holder(report, blame);
}

static void write_profile(const struct report *report,
			  const struct culprits *culprits, uint64_t whole_ns)
{
	struct profile profile =
		profile_of(report->process, SAMPLE_STALL, culprits);
	size_t shown;

	if (!profile.count)
		return;
	fputs("\nWhat kept the loops from turning, heaviest first:\n",
	      report->out);
	whole_ns = max_u64(whole_ns, profile.total_ns);
	shown = profile_shown(&profile, report->top, report->shows_small);
	for (size_t i = 0; i < shown; i++)
		write_blame(report, i + 1, &profile.blames[i], whole_ns);
	write_rest(report, &profile, shown);
}

void write_stalls(const struct report *report)
{
	struct process *process = report->process;
	struct loop_sums sums = loop_sums_of(process);
	struct culprits culprits;

	if (!process->samples[SAMPLE_STALL].is_known) {
		fputs(threshold_is_any(&process->thresholds)
			      ? "Stalls: not in this file.\n"
			      : "Stalls: not watched.\n",
		      report->out);
		return;
	}
	write_sums(report, &sums);
	write_loops(report);
	write_runs(report);
	write_remarks(report);
	culprits = culprits_of(process);
	write_profile(report, &culprits, sums.stalled_ns);
	write_timeline(report, &culprits);
}
