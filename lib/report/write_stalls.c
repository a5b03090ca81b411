/*
 * The stalls of a report: loops, and the code that kept them from turning.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/table.h"
#include "report/words.h"
#include "report/write.h"

struct sums {
	uint64_t loops;
	uint64_t stalls;
	uint64_t stalled_ns;
	uint64_t unseen;
	uint64_t longest_ns;
};

static struct sums sums_of(const struct process *process)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < process->loops_count; i++) {
		const struct loop *loop = &process->loops[i];

		sums.loops += loop->is_loop;
		sums.stalls += loop->stalls;
		sums.stalled_ns += loop->stalled_ns;
		sums.unseen += loop->unseen;
		sums.longest_ns = max_u64(sums.longest_ns, loop->longest_ns);
	}
	return sums;
}

static void write_sums(const struct report *report, const struct sums *sums)
{
	struct arena *arena = &report->process->arena;
	const char *limit =
		words_duration_exact(arena, report->process->stall_ns);

	if (!sums->loops && !sums->stalls) {
		fputs("Stalls: no thread was an event loop.\n", report->out);
		return;
	}
	fprintf(report->out, "Stalls: %s of %s or more on %s",
		sums->stalls ? words_count(arena, sums->stalls, "stall")
			     : "no stall",
		limit, words_count(arena, sums->loops, "event loop"));
	if (sums->stalls)
		fprintf(report->out, ", %s in all",
			words_duration(arena, sums->stalled_ns));
	fprintf(report->out, "; the longest run took %s.\n",
		words_duration(arena, sums->longest_ns));
	if (sums->unseen)
		fprintf(report->out, "        %s without a stack.\n",
			words_count(arena, sums->unseen, "stall"));
}

/* A loop that is left in the end is none that hangs. */
static bool was_left(const struct process *process, const struct loop *loop)
{
	return loop->is_loop &&
	       (process->end == END_EXIT || process->end == END_AT_ONCE);
}

static void write_unfinished(const struct report *report,
			     const struct loop *loop)
{
	struct arena *arena = &report->process->arena;
	const char *ran;

	if (!loop->unfinished_ns)
		return;
	ran = words_duration(arena, loop->unfinished_ns);
	if (was_left(report->process, loop))
		fprintf(report->out,
			"\n  Thread %s (%d) did not wait in the last %s "
			"before the exit",
			loop->name, loop->tid, ran);
	else
		fprintf(report->out,
			"\n  Thread %s (%d) has not come back to its wait for "
			"%s",
			loop->name, loop->tid, ran);
	if (*loop->stuck_in)
		fprintf(report->out, ", stuck in %s for %s", loop->stuck_in,
			words_duration(arena, loop->stuck_ns));
	fputs(".\n", report->out);
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

static void write_loops(const struct report *report)
{
	struct process *process = report->process;
	struct table table = {
		.columns = loop_columns,
		.columns_count = ARRAY_SIZE(loop_columns),
	};

	table.rows = arena_alloc(&process->arena, process->loops_count,
				 sizeof(*table.rows));
	for (size_t i = 0; i < process->loops_count; i++) {
		if (table.rows_count == report->top)
			break;
		if (process->loops[i].is_loop)
			fill_row(report, &process->loops[i],
				 table.rows[table.rows_count++]);
	}
	if (!table.rows_count)
		return;
	fputc('\n', report->out);
	table_print(&table, report->out);
}

/* "1. 60.2ms (83.1%) in 1 stall: parse_config (server.c:88), in nanosleep" */
static void write_blame(const struct report *report, size_t place,
			const struct blame *blame, uint64_t whole_ns)
{
	struct arena *arena = &report->process->arena;
	const char *often =
		blame->stalls ? words_count(arena, blame->stalls, "stall")
			      : words_count(arena, blame->count, "sample");

	fprintf(report->out, "\n  %zu. %s (%s) in %s: %s", place,
		words_duration(arena, blame->total_ns),
		words_share(arena, blame->total_ns, whole_ns), often,
		headline_text(report, blame->call));
	if (blame->leaf)
		fprintf(report->out, ", in %s", blame->leaf->function);
	else if (*blame->blocked_in)
		fprintf(report->out, ", in %s", blame->blocked_in);
	fputc('\n', report->out);
	if (blame->stacks > 1)
		fprintf(report->out, "     heaviest of %zu stacks, %s:\n",
			blame->stacks, words_duration(arena, blame->stack_ns));
	write_stack(report, blame->stack);
}

static void write_profile(const struct report *report, uint64_t whole_ns)
{
	struct profile profile = profile_of(report->process, SAMPLE_STALL);

	if (!profile.count)
		return;
	fputs("\nWhat kept the loops from turning, heaviest first:\n",
	      report->out);
	for (size_t i = 0; i < profile.count && i < report->top; i++)
		write_blame(report, i + 1, &profile.blames[i],
			    max_u64(whole_ns, profile.total_ns));
	write_rest(report, &profile);
}

void write_stalls(const struct report *report)
{
	const struct process *process = report->process;
	struct sums sums = sums_of(process);

	if (!process->samples[SAMPLE_STALL].is_known) {
		fputs(process->stall_ns ? "Stalls: not in this file.\n"
					: "Stalls: not watched.\n",
		      report->out);
		return;
	}
	write_sums(report, &sums);
	write_loops(report);
	for (size_t i = 0; i < process->loops_count; i++)
		write_unfinished(report, &process->loops[i]);
	write_profile(report, sums.stalled_ns);
	write_timeline(report);
}
