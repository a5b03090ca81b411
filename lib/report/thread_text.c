/*
 * Threads in words, by whatever told their names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "report/alive.h"
#include "report/words.h"
#include "report/write_contention.h"

static const char *name_in_waits(const struct process *process, int tid)
{
	for (size_t i = 0; i < process->open_waits_count; i++) {
		if (process->open_waits[i].tid == tid)
			return process->open_waits[i].thread;
	}
	return "";
}

static const char *name_in_loops(const struct process *process, int tid)
{
	for (size_t i = 0; i < process->loops_count; i++) {
		if (process->loops[i].tid == tid)
			return process->loops[i].name;
	}
	return "";
}

static const char *name_in_stalls(const struct process *process, int tid)
{
	for (size_t i = 0; i < process->stalls_count; i++) {
		if (process->stalls[i].holder == tid)
			return process->stalls[i].holder_name;
	}
	return "";
}

static const char *name_in_locks(const struct process *process, int tid)
{
	for (size_t i = 0; i < process->locks_count; i++) {
		if (process->locks[i]->taker == tid &&
		    process->locks[i]->taker_name)
			return process->locks[i]->taker_name;
	}
	return "";
}

static const char *name_now(struct process *process, int tid)
{
	char name[NAME_BYTES + 1] = "";

	if (process->is_running)
		alive_thread_name(process->pid, tid, name);
	return words_name(&process->arena, name);
}

const char *thread_text(const struct report *report, int tid)
{
	static const char *(*const sources[])(const struct process *, int) = {
		name_in_waits,
		name_in_loops,
		name_in_stalls,
		name_in_locks,
	};
	struct process *process = report->process;
	const char *name = "";

	for (size_t i = 0; !*name && i < ARRAY_SIZE(sources); i++)
		name = sources[i](process, tid);
	if (!*name)
		name = name_now(process, tid);
	if (!*name && tid == process->pid)
		name = process->comm;
	return *name ? arena_print(&process->arena, "%s (%d)", name, tid)
		     : arena_print(&process->arena, "%d", tid);
}
