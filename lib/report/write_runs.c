/*
 * The runs of a report: how long those of each loop took.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/table.h"
#include "report/words.h"
#include "report/write.h"

/* The last column is there where thresholds go by name. */
static const struct column columns[] = {
	{ "loop", false },
	{ "events", true },
#define X(name, title, key, parts) { title, true },
	PERCENTILES(X)
#undef X
		{ "longest run", true },
	{ "stall from", true },
};

static const char *length_text(struct arena *arena, uint64_t ns)
{
	if (ns)
		return words_duration(arena, ns);
	return arena_print(arena, "<%s",
			   words_duration(arena, HISTOGRAM_LEAST_NS));
}

static void fill_row(const struct report *report, const struct loop *loop,
		     const char **cells)
{
	struct arena *arena = &report->process->arena;

	*cells++ = arena_print(arena, "%s (%d)", loop->name, loop->tid);
	*cells++ = words_number(arena, loop->events);
	for (int i = 0; i < PERCENTILE_COUNT; i++)
		*cells++ = length_text(arena, loop->lengths.ns[i]);
	*cells++ = words_duration(arena, loop->longest_ns);
	*cells = loop->threshold_ns
			 ? words_duration_exact(arena, loop->threshold_ns)
			 : "off";
}

void write_runs(const struct report *report)
{
	struct process *process = report->process;
	struct table table = {
		.columns = columns,
		.columns_count =
			ARRAY_SIZE(columns) - !process->thresholds.count,
	};

	table.rows = arena_alloc(&process->arena, process->loops_count,
				 sizeof(*table.rows));
	for (size_t i = 0; i < process->loops_count; i++) {
		const struct loop *loop = &process->loops[i];

		if (loop->is_loop && loop->lengths.is_known &&
		    table.rows_count < report->top)
			fill_row(report, loop, table.rows[table.rows_count++]);
	}
	if (!table.rows_count)
		return;
	fputs("\n  How long runs took:\n\n", report->out);
	table_print(&table, report->out);
}
