/*
 * The head of a report: which process, when, and how it ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "report/words.h"
#include "report/write.h"

static const char *signal_text(struct arena *arena, int number)
{
	const char *name = sigabbrev_np(number);

	return name ? arena_print(arena, "SIG%s", name)
		    : arena_print(arena, "signal %d", number);
}

static const char *end_text(struct process *process)
{
	struct arena *arena = &process->arena;
	const char *lived = words_duration(arena, process->lived_ns);

	switch (process->end) {
	case END_EXIT:
		return arena_print(arena, "exited after %s", lived);
	case END_AT_ONCE:
		return arena_print(arena, "left by _exit(%d) after %s",
				   process->end_detail, lived);
	case END_EXEC:
		return arena_print(arena, "became another program after %s",
				   lived);
	case END_SIGNAL:
		return arena_print(arena, "ended by %s after %s",
				   signal_text(arena, process->end_detail),
				   lived);
	case END_SECCOMP:
		return arena_print(
			arena,
			"watched until it forbade system calls, after %s",
			lived);
	case END_RUNNING:
		break;
	}
	if (process->is_running)
		return arena_print(arena, "still running, for %s now", lived);
	return arena_print(arena,
			   "ended without a word (killed?) some time after %s",
			   lived);
}

void write_head(const struct report *report)
{
	struct process *process = report->process;

	fprintf(report->out, "%s, process %d on %s\n", process->comm,
		process->pid, process->host);
	fprintf(report->out, "started %s, %s (recorded by stallshim %s)\n",
		words_moment(&process->arena, process->start_realtime_ns),
		end_text(process), process->tool);
}
