/*
 * The open waits of a report: threads that still wait for a lock, and the
 * circles of those that wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/familiar.h"
#include "report/words.h"
#include "report/write_contention.h"

static bool is_held(const struct lock *lock)
{
	return lock && lock->holder && lock->profile == SAMPLE_MUTEX;
}

/* The wait of the thread that holds what this one waits for, or NULL. */
static const struct open_wait *next_in_chain(const struct process *process,
					     const struct open_wait *wait)
{
	int holder;

	if (!is_held(wait->lock))
		return NULL;
	holder = wait->lock->holder;
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

/* The stall the thread was in when it was last seen, or NULL. */
static const struct stall *lasting_stall(const struct process *process, int tid)
{
	for (size_t i = process->stalls_count; i; i--) {
		const struct stall *stall = &process->stalls[i - 1];

		if (stall->tid == tid && stall->state == RUN_LASTS)
			return stall;
	}
	return NULL;
}

/* What is known of where the holder was, or where it got the lock. */
static void write_holder(const struct report *report, const struct lock *lock)
{
	const struct stall *stall =
		lasting_stall(report->process, lock->holder);
	const char *holder = thread_text(report, lock->holder);
	const struct stack *stack = stall ? stall->latest : NULL;

	if (stack)
		fprintf(report->out,
			"     %s is stalled itself, and was last seen in\n",
			holder);
	else if (lock->taker == lock->holder && (stack = lock->taker_stack))
		fprintf(report->out, "     %s got it in\n", holder);
	if (stack)
		write_stack(report, stack, stack_headline(stack));
}

/* "4.03s", or "from 102ms on, for an unknown time," */
static const char *length_text(const struct report *report,
			       const struct open_wait *wait)
{
	struct arena *arena = &report->process->arena;

	if (wait->waited_ns)
		return words_duration(arena, wait->waited_ns);
	return arena_print(arena, "from %s on, for an unknown time,",
			   words_duration(arena, wait->since_ns));
}

static void write_wait(const struct report *report,
		       const struct open_wait *wait)
{
	fprintf(report->out, "\n  Thread %s (%d) has waited %s for %s",
		wait->thread, wait->tid, length_text(report, wait),
		lock_text(report, wait->lock));
	if (is_held(wait->lock) && wait->lock->holder == wait->tid)
		fputs(", held by itself", report->out);
	else if (is_held(wait->lock))
		fprintf(report->out, ", held by thread %s",
			thread_text(report, wait->lock->holder));
	if (wait->stack) {
		fputs(". It waits in\n", report->out);
		write_stack(report, wait->stack, stack_headline(wait->stack));
	} else {
		fputs(".\n", report->out);
	}
	if (is_held(wait->lock))
		write_holder(report, wait->lock);
}

void write_open_waits(const struct report *report)
{
	const struct process *process = report->process;
	size_t count = process->open_waits_count;

	if (!count)
		return;
	fputs(process->is_running ? "\nWhat waits now:\n"
				  : "\nWhat still waited at the end:\n",
	      report->out);
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
