/*
 * A process: its beginning and its end in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/words.h"

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

/*
 * Many programs are started by a link: redis-server is one to redis-check-rdb.
 * Where a link of the process's name leads to path, that name is meant.
 */
const char *process_module_name(struct process *process, const char *path)
{
	struct arena *arena = &process->arena;
	size_t folder = (size_t)(base_name(path) - path);
	const char *link =
		arena_print(arena, "%.*s%s", (int)folder, path, process->comm);
	char target[PATH_MAX];

	if (path[0] == '/' && realpath(link, target) && !strcmp(target, path))
		return process->comm;
	return words_name(arena, base_name(path));
}

int compare_calls(const struct call *a, const struct call *b)
{
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->object, b->object);
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
