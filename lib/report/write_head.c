/*
 * The head of a report: which process, when, and how it ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "report/words.h"
#include "report/write.h"

static bool is_this_host(const char *host)
{
	char name[HOST_BYTES] = "";

	gethostname(name, sizeof(name) - 1);
	return !strcmp(name, host);
}

/* Is it called comm, the process that bears the number now? */
static bool has_name(int pid, const char *comm)
{
	char path[64];
	char name[NAME_BYTES + 1] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, comm);
}

static bool is_running(const struct process *process)
{
	if (process->pid <= 0 || !is_this_host(process->host))
		return false;
	if (kill(process->pid, 0) && errno != EPERM)
		return false;
	return has_name(process->pid, process->comm);
}

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
	case END_RUNNING:
		break;
	}
	if (is_running(process))
		return arena_print(arena, "still running, for %s so far",
				   lived);
	return arena_print(arena, "killed after %s or later", lived);
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
