/*
 * The overview of many processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/write_overview.h"

#include <stdlib.h>

#include "report/loop_sums.h"
#include "report/table.h"
#include "report/words.h"

struct row {
	struct process *process;
	struct loop_sums loops;
	uint64_t waited_ns; /* for locks that somebody holds */
};

static struct row row_of(struct process *process)
{
	return (struct row){
		.process = process,
		.loops = loop_sums_of(process),
		.waited_ns = process->law[SAMPLE_MUTEX].waited_ns,
	};
}

static int heaviest_first(const void *a, const void *b)
{
	const struct row *left = a;
	const struct row *right = b;

	if (left->loops.stalled_ns != right->loops.stalled_ns)
		return left->loops.stalled_ns < right->loops.stalled_ns ? 1
									: -1;
	if (left->waited_ns != right->waited_ns)
		return left->waited_ns < right->waited_ns ? 1 : -1;
	/* In order of time. */
	return (left->process->start_realtime_ns >
		right->process->start_realtime_ns) -
	       (left->process->start_realtime_ns <
		right->process->start_realtime_ns);
}

static const char *time_or_dash(struct arena *arena, uint64_t ns)
{
	return ns ? words_duration(arena, ns) : "-";
}

static const struct column columns[] = {
	{ "process", false }, { "started", false },    { "for", true },
	{ "loops", true },    { "longest run", true }, { "stalls", true },
	{ "stalled", true },  { "lock waits", true },  { "file", false },
};

/* A text may hold the one kind or the other. */
static void fill(const struct row *row, const char **cells)
{
	struct process *process = row->process;
	struct arena *arena = &process->arena;
	bool has_stalls = process->samples[SAMPLE_STALL].is_known;
	bool has_locks = process->has_law[SAMPLE_MUTEX];

	cells[0] = arena_print(arena, "%s (%d)", process->comm, process->pid);
	cells[1] = words_moment(arena, process->start_realtime_ns);
	cells[2] = words_duration(arena, process->lived_ns);
	cells[3] = has_stalls ? words_number(arena, row->loops.loops) : "?";
	cells[4] =
		has_stalls ? time_or_dash(arena, row->loops.longest_ns) : "?";
	cells[5] = has_stalls ? words_number(arena, row->loops.stalls) : "?";
	cells[6] =
		has_stalls ? time_or_dash(arena, row->loops.stalled_ns) : "?";
	cells[7] = has_locks ? time_or_dash(arena, row->waited_ns) : "?";
	cells[8] = words_name(arena, process->file);
}

static void write_table(const struct row *row, size_t count, FILE *out)
{
	struct arena *arena = &row->process->arena;
	struct table table = {
		.columns = columns,
		.columns_count = ARRAY_SIZE(columns),
		.rows_count = count,
	};

	table.rows = arena_alloc(arena, count, sizeof(*table.rows));
	for (size_t i = 0; i < count; i++)
		fill(&row[i], table.rows[i]);
	table_print(&table, out);
}

static void write_others(const struct row *row, size_t count, FILE *out)
{
	struct arena *arena = &row->process->arena;
	uint64_t stalls = 0, stalled_ns = 0, waited_ns = 0;

	for (size_t i = 0; i < count; i++) {
		stalls += row[i].loops.stalls;
		stalled_ns += row[i].loops.stalled_ns;
		waited_ns += row[i].waited_ns;
	}
	fprintf(out, "  ... and %zu more: %s", count,
		stalls ? words_count(arena, stalls, "stall") : "no stall");
	if (stalled_ns)
		fprintf(out, ", %s in all", words_duration(arena, stalled_ns));
	if (waited_ns)
		fprintf(out, "; %s of waits for locks",
			words_duration(arena, waited_ns));
	fputc('\n', out);
}

void write_overview(const struct processes *processes, size_t rows, FILE *out)
{
	size_t count = processes->count;
	struct row *row = calloc(count, sizeof(*row));

	if (!row)
		abort();
	for (size_t i = 0; i < count; i++)
		row[i] = row_of(processes->list[i]);
	qsort(row, count, sizeof(*row), heaviest_first);
	fprintf(out, "%zu processes, those that stalled most first:\n\n",
		count);
	rows = min_u64(rows, count);
	write_table(row, rows, out);
	if (rows < count)
		write_others(row + rows, count - rows, out);
	free(row);
}
