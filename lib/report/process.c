/*
 * A process: its beginning and its end in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/process.h"

#include <string.h>

struct process *process_new(const char *file)
{
	struct arena arena = { .blocks = NULL };
	struct process *process = arena_alloc(&arena, 1, sizeof(*process));

	process->arena = arena;
	process->file = arena_string(&process->arena, file, strlen(file));
	process->comm = "?";
	process->host = "?";
	process->tool = "?";
	return process;
}

/* The process lies in the arena that it owns. */
void process_free(struct process *process)
{
	struct arena arena = process->arena;

	arena_free(&arena);
}

void process_add_loss(struct process *process, const char *loss)
{
	if (process->losses_count < MAX_LOSSES)
		process->losses[process->losses_count++] = loss;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
