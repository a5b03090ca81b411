/*
 * The open waits of a report: threads that still wait for a lock, and the
 * circles of those that wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/familiar.h"
#include "report/words.h"
#include "report/write_contention.h"

/* The wait of the thread that holds what this one waits for, or NULL. */
static const struct open_wait *next_in_chain(const struct process *process,
					     const struct open_wait *wait)
{
	int holder = wait->lock ? wait->lock->holder : 0;

	if (!holder || wait->lock->profile != SAMPLE_MUTEX)
		return NULL;
	for (size_t i = 0; i < process->open_waits_count; i++) {
		if (process->open_waits[i].tid == holder)
			return &process->open_waits[i];
	}
	return NULL;
}

/* Does the chain from wait come back to it? Each circle is its least wait's. */
static bool begins_circle(const struct process *process,
			  const struct open_wait *wait)
{
	const struct open_wait *next = wait;

	for (size_t i = 0; i < process->open_waits_count; i++) {
		next = next_in_chain(process, next);
		if (!next || next < wait)
			return false;
		if (next == wait)
			return true;
	}
	return false;
}

static void write_circle(const struct report *report,
			 const struct open_wait *first)
{
	const struct open_wait *wait = first;

	fputs("\n  Deadlock:\n", report->out);
	do {
		const struct open_wait *next =
			next_in_chain(report->process, wait);

		fprintf(report->out,
			"     thread %s (%d) waits for %s, which thread %s "
			"(%d) holds\n",
			wait->thread, wait->tid, lock_text(report, wait->lock),
			next->thread, next->tid);
		wait = next;
	} while (wait != first);
}

const char *thread_text(const struct report *report, int tid)
{
	struct process *process = report->process;
	const char *name = NULL;

	for (size_t i = 0; i < process->open_waits_count; i++) {
		if (process->open_waits[i].tid == tid)
			name = process->open_waits[i].thread;
	}
	for (size_t i = 0; i < process->loops_count; i++) {
		if (process->loops[i].tid == tid)
			name = process->loops[i].name;
	}
	return name ? arena_print(&process->arena, "%s (%d)", name, tid)
		    : arena_print(&process->arena, "%d", tid);
}

static void write_wait(const struct report *report,
		       const struct open_wait *wait)
{
	fprintf(report->out, "\n  Thread %s (%d) has waited %s for %s",
		wait->thread, wait->tid,
		words_duration(&report->process->arena, wait->waited_ns),
		lock_text(report, wait->lock));
	if (wait->lock && wait->lock->holder &&
	    wait->lock->profile == SAMPLE_MUTEX)
		fprintf(report->out, ", held by thread %s",
			thread_text(report, wait->lock->holder));
	if (wait->stack) {
		fputs(", in\n", report->out);
		write_stack(report, wait->stack, stack_headline(wait->stack));
	} else {
		fputs(".\n", report->out);
	}
}

void write_open_waits(const struct report *report)
{
	const struct process *process = report->process;
	size_t count = process->open_waits_count;

	if (!count)
		return;
	fputs("\nWhat still waited at the end:\n", report->out);
	for (size_t i = 0; i < count; i++) {
		if (begins_circle(process, &process->open_waits[i]))
			write_circle(report, &process->open_waits[i]);
	}
	for (size_t i = 0; i < count && i < report->top; i++)
		write_wait(report, &process->open_waits[i]);
	if (count > report->top)
		fprintf(report->out, "\n  ... and %zu more\n",
			count - report->top);
}
