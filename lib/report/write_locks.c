/*
 * The locks of a report: the heaviest ones, and the law of contention.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "report/table.h"
#include "report/words.h"
#include "report/write.h"
#include "report/write_contention.h"

static const struct column columns[] = {
	{ "lock", false },   { "in", false },	  { "waits", true },
	{ "waited", true },  { "longest", true }, { "most at once", true },
	{ "unlocks", true }, { "charged", true },
};

const char *lock_text(const struct report *report, const struct lock *lock)
{
	if (!lock)
		return "a lock that is not in the table";
	if (lock->name)
		return lock->name;
	return arena_print(&report->process->arena, "0x%jx",
			   (uintmax_t)lock->address);
}

static uint64_t weight(const struct lock *lock)
{
	return max_u64(lock->waited_ns, lock->charged_ns);
}

static int heaviest_first(const void *a, const void *b)
{
	const struct lock *left = *(const struct lock *const *)a;
	const struct lock *right = *(const struct lock *const *)b;

	return (weight(left) < weight(right)) - (weight(left) > weight(right));
}

static const char *duration_or_dash(struct arena *arena, uint64_t ns)
{
	return ns ? words_duration(arena, ns) : "-";
}

static void fill_row(const struct report *report, const struct lock *lock,
		     const char **cells)
{
	struct arena *arena = &report->process->arena;

	cells[0] = lock_text(report, lock);
	cells[1] = lock->object ? lock->object : "the heap or a stack";
	cells[2] = words_number(arena, lock->waits);
	cells[3] = duration_or_dash(arena, lock->waited_ns);
	cells[4] = duration_or_dash(arena, lock->longest_wait_ns);
	cells[5] = words_number(arena, lock->most_waiters);
	cells[6] = words_number(arena, lock->charges);
	cells[7] = duration_or_dash(arena, lock->charged_ns);
}

static void write_table(const struct report *report)
{
	struct process *process = report->process;
	struct table table = {
		.columns = columns,
		.columns_count = ARRAY_SIZE(columns),
		.rows_count = process->locks_count,
	};

	if (table.rows_count > report->top)
		table.rows_count = report->top;
	table.rows = arena_alloc(&process->arena, table.rows_count,
				 sizeof(*table.rows));
	qsort(process->locks, process->locks_count, sizeof(*process->locks),
	      heaviest_first);
	for (size_t i = 0; i < table.rows_count; i++)
		fill_row(report, process->locks[i], table.rows[i]);
	fputc('\n', report->out);
	table_print(&table, report->out);
	if (table.rows_count < process->locks_count)
		fprintf(report->out, "  ... and %zu more\n",
			process->locks_count - table.rows_count);
}

/* Locks that are still waited for when the recording ends. */
static void write_open_waits(const struct report *report)
{
	struct process *process = report->process;

	for (size_t i = 0; i < process->locks_count; i++) {
		const struct lock *lock = process->locks[i];

		if (!lock->waiting)
			continue;
		fprintf(report->out,
			"\n  %s still waiting for %s at the end.\n",
			words_count(&process->arena, lock->waiting, "thread"),
			lock_text(report, lock));
	}
}

static void write_law(const struct report *report)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	const struct law *law = &process->law;

	if (!process->has_law || !law->waited_ns)
		return;
	fprintf(report->out,
		"\nWhere the %s of waiting went: %s to the code that held the "
		"lock (above),\n%s between its release and the waiter's waking "
		"up",
		words_duration(arena, law->waited_ns),
		words_duration(arena, law->charged_ns),
		words_duration(arena, law->handoff_ns));
	if (law->open_ns)
		fprintf(report->out, ", %s to locks not released since",
			words_duration(arena, law->open_ns));
	if (law_closes(law))
		fputs(". The sum is exact.\n", report->out);
	else
		fprintf(report->out,
			". The sum is off by %jdns, with %s under "
			"way.\n",
			(intmax_t)(law->charged_ns + law->handoff_ns +
				   law->open_ns - law->waited_ns),
			words_count(arena, process->in_flight,
				    "lock operation"));
}

static bool write_sums(const struct report *report)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;
	uint64_t longest_ns = 0;

	if (!process->locks_count) {
		fputs("Locks: none made a thread wait.\n", report->out);
		return false;
	}
	for (size_t i = 0; i < process->locks_count; i++)
		longest_ns =
			max_u64(longest_ns, process->locks[i]->longest_wait_ns);
	fprintf(report->out, "Locks: %s made threads wait for %s in all",
		words_count(arena, process->locks_count, "lock"),
		words_duration(arena, process->law.waited_ns));
	if (longest_ns)
		fprintf(report->out, "; the longest wait took %s",
			words_duration(arena, longest_ns));
	fputs(".\n", report->out);
	return true;
}

void write_locks(const struct report *report)
{
	const struct process *process = report->process;

	if (!process->samples[SAMPLE_MUTEX].is_known &&
	    !process->samples[SAMPLE_WAIT].is_known) {
		fputs(process->has_text[SAMPLE_STALL]
			      ? "Locks: not in this file.\n"
			      : "Locks: not watched.\n",
		      report->out);
		return;
	}
	if (!write_sums(report))
		return;
	write_table(report);
	write_open_waits(report);
	write_unlockers(report);
	write_waiters(report);
	write_law(report);
}
