/*
 * What a report remarks on single threads, besides their rows in its tables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/culprit.h"
#include "report/familiar.h"
#include "report/words.h"
#include "report/write.h"

static void write_run(const struct report *report, const struct loop *loop)
{
	const char *ran =
		words_duration(&report->process->arena, loop->unfinished_ns);

	if (!loop->unfinished_ns)
		fputs(" was not waiting when it was last seen", report->out);
	else
		fprintf(report->out, " has not come back to its wait for %s",
			ran);
}

/* "Thread app (4711) made 30 waits inside its runs, at most 15 in one" */
static void write_nested(const struct report *report, const struct loop *loop)
{
	struct arena *arena = &report->process->arena;

	if (!loop->nested)
		return;
	fprintf(report->out,
		"\n  Thread %s (%d) made %s inside its runs, at most %s in "
		"one, in %s",
		loop->name, loop->tid, words_count(arena, loop->nested, "wait"),
		words_number(arena, loop->nested_most), loop->nested_call);
	if (loop->nested_stack)
		fprintf(report->out, " by %s",
			headline_text(report, loop->nested_stack,
				      stack_headline(loop->nested_stack)));
	fputs(": part of the run, no turn.\n", report->out);
}

/* "Thread app (4711) left its loop, and ran for 2h; that is no stall." */
static void write_left(const struct report *report, const struct loop *loop)
{
	struct arena *arena = &report->process->arena;

	if (!loop->left)
		return;
	fprintf(report->out, "\n  Thread %s (%d) left its loop", loop->name,
		loop->tid);
	if (loop->left > 1)
		fprintf(report->out, " %s times",
			words_number(arena, loop->left));
	fprintf(report->out,
		", and ran for %s without coming back: not a stall",
		words_duration(arena, loop->left_ns));
	if (loop->left_last)
		fprintf(report->out, ", in %s",
			headline_text(report, loop->left_last->stack,
				      place_not_left(loop->left_last)));
	fputs(".\n", report->out);
}

/* "Thread app (4711) has not come back to its wait for 5s, stuck in read" */
static void write_unfinished(const struct report *report,
			     const struct loop *loop)
{
	if (!loop->unfinished_ns && !*loop->stuck_in)
		return;
	fprintf(report->out, "\n  Thread %s (%d)", loop->name, loop->tid);
	write_run(report, loop);
	if (*loop->stuck_in)
		fprintf(report->out, "; it was in %s for %s", loop->stuck_in,
			loop->stuck_ns ? words_duration(&report->process->arena,
							loop->stuck_ns)
				       : "an unknown time");
	if (loop->stuck_stack) {
		fputs(", called by\n", report->out);
		write_stack(report, loop->stuck_stack,
			    stack_headline(loop->stuck_stack));
	} else {
		fputs(".\n", report->out);
	}
}

void write_remarks(const struct report *report)
{
	const struct process *process = report->process;

	for (size_t i = 0; i < process->loops_count; i++) {
		write_nested(report, &process->loops[i]);
		write_left(report, &process->loops[i]);
		write_unfinished(report, &process->loops[i]);
	}
}
