/*
 * The table of locks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/lock_kind.h"
#include "report/familiar.h"
#include "report/table.h"
#include "report/words.h"
#include "report/write_contention.h"

static const struct column columns[] = {
	{ "lock", false },	  { "kind", false },   { "where", false },
	{ "waits", true },	  { "waited", true },  { "longest", true },
	{ "at once", true },	  { "unlocks", true }, { "charged", true },
	{ "longest hold", true },
};

/* Barriers and joins have no unlocks: the columns up to here. */
#define UNHELD_COLUMNS 7

/* Nobody holds a semaphore. */
static const struct column semaphore_columns[] = {
	{ "lock", false },   { "kind", false },	 { "where", false },
	{ "waits", true },   { "waited", true }, { "longest", true },
	{ "at once", true }, { "posts", true },	 { "charged", true },
};

const char *lock_text(const struct report *report, const struct lock *lock)
{
	if (!lock)
		return "a lock that is not in the table";
	/* All of them are one lock, whichever thread was to be joined. */
	if (lock->kind == LOCK_JOIN)
		return "a thread to end";
	if (lock->name)
		return lock->name;
	return arena_print(&report->process->arena, "0x%jx",
			   (uintmax_t)lock->address);
}

/* As in the log; without a variable it is known by who first waited for it. */
static const char *place_text(const struct report *report,
			      const struct lock *lock)
{
	struct arena *arena = &report->process->arena;
	const struct stack *first = lock->first;
	/* Of other threads' stacks it is not known what they are. */
	const char *where = lock->is_on_stack ? "stack" : "heap";

	if (lock->kind == LOCK_JOIN)
		return "-";
	if (lock->module)
		return arena_print(arena, "%s+0x%jx", lock->object,
				   (uintmax_t)lock->offset);
	if (lock->object)
		return lock->object;
	if (!first)
		return where;
	return arena_print(arena, "%s, met in %s", where,
			   first->calls[stack_headline(first)].function);
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
	cells[1] = lock_kind_text(lock->kind);
	cells[2] = place_text(report, lock);
	cells[3] = words_number(arena, lock->waits);
	cells[4] = duration_or_dash(arena, lock->waited_ns);
	cells[5] = duration_or_dash(arena, lock->longest_wait_ns);
	cells[6] = words_number(arena, lock->most_waiters);
	cells[7] = words_number(arena, lock->charges);
	cells[8] = duration_or_dash(arena, lock->charged_ns);
	cells[9] = duration_or_dash(arena, lock->longest_hold_ns);
}

void write_lock_table(const struct report *report, enum sample_kind profile)
{
	struct process *process = report->process;
	struct table table = {
		.columns = columns,
		.columns_count = ARRAY_SIZE(columns),
	};
	size_t count = 0;

	if (profile == SAMPLE_SEM) {
		table.columns = semaphore_columns;
		table.columns_count = ARRAY_SIZE(semaphore_columns);
	} else if (profile == SAMPLE_WAIT) {
		table.columns_count = UNHELD_COLUMNS;
	}
	table.rows = arena_alloc(&process->arena, process->locks_count,
				 sizeof(*table.rows));
	qsort(process->locks, process->locks_count, sizeof(*process->locks),
	      heaviest_first);
	for (size_t i = 0; i < process->locks_count; i++) {
		if (process->locks[i]->profile != profile)
			continue;
		if (count++ < report->top)
			fill_row(report, process->locks[i],
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
