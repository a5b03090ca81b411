/*
 * The reader of texts: which line is whose.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report/text_reader.h"

#include <stdio.h>
#include <string.h>

#include "report/alive.h"
#include "report/scan.h"
#include "report/text_facts.h"
#include "report/text_modules.h"
#include "report/text_samples.h"

static const char *const kind_names[SAMPLE_KINDS] = {
#define X(name, text) text,
	SAMPLE_KIND_NAMES(X)
#undef X
};

struct reader {
	struct process *process;
	enum sample_kind kind;
	struct text_facts facts;
	struct text_samples samples;
	struct text_modules modules;
	bool in_map;
};

/* The line "# KEY...", up to its end, in a text that is not changed. */
static const char *find_line(const char *text, const char *beginning,
			     size_t *length)
{
	const char *found = strstr(text, beginning);

	if (!found)
		return NULL;
	found++;
	*length = strcspn(found, "\n");
	return found;
}

/* SAMPLE_KINDS: none. */
static enum sample_kind kind_of(const char *text)
{
	size_t length;
	const char *line = find_line(text, "\n# kind=", &length);
	unsigned kind = 0;

	if (!line)
		return SAMPLE_KINDS;
	line += strlen("# kind=");
	length -= strlen("# kind=");
	for (; kind < SAMPLE_KINDS; kind++) {
		if (length == strlen(kind_names[kind]) &&
		    !memcmp(line, kind_names[kind], length))
			break;
	}
	return kind;
}

bool text_completes(const char *text, const struct process *process)
{
	size_t length;
	const char *identity = find_line(text, "\n# pid=", &length);
	enum sample_kind kind = kind_of(text);

	return kind != SAMPLE_KINDS && identity && process->identity &&
	       !process->has_text[kind] &&
	       strlen(process->identity) == length &&
	       !memcmp(process->identity, identity, length);
}

static void read_comment(struct reader *reader, char *line)
{
	if (line[0] == ' ')
		text_fact(&reader->facts, line + 1);
	else if (line[0] == '\t')
		text_sample_comment(&reader->samples, line + 1);
}

static bool read_line(struct reader *reader, char *line)
{
	struct process *process = reader->process;
	uint64_t ms;

	if (reader->in_map)
		text_modules_add(&reader->modules, process, line);
	else if (scan_text(&line, "#"))
		read_comment(reader, line);
	else if (scan_text(&line, "--- Memory map"))
		reader->in_map = true;
	else if (scan_text(&line, "ms since reset=") &&
		 scan_number(&line, 10, &ms))
		process->lived_ns = ms * NS_PER_MS;
	else if (scan_text(&line, "discarded samples="))
		scan_number(&line, 10,
			    &process->samples[reader->kind].discarded);
	else if (*line >= '0' && *line <= '9')
		return text_sample_add(&reader->samples, line);
	return true;
}

static void find_modules(struct reader *reader)
{
	const struct samples *samples = &reader->process->samples[reader->kind];

	for (size_t i = 0; i < samples->count; i++) {
		struct stack *stack = samples->list[i].stack;

		for (uint32_t k = 0; k < stack->depth; k++)
			stack->frames[k].module = text_modules_find(
				&reader->modules, stack->frames[k].address - 1);
	}
}

static size_t count_lines(const char *text)
{
	size_t count = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		count++;
	}
	return count;
}

/* Room for as many of everything as there are lines. */
static void make_room(struct reader *reader, size_t lines)
{
	struct process *process = reader->process;
	struct arena *arena = &process->arena;
	struct lock **locks = arena_alloc(arena, process->locks_count + lines,
					  sizeof(*locks));

	if (process->locks_count)
		memcpy(locks, process->locks,
		       process->locks_count * sizeof(*locks));
	process->locks = locks;
	process->samples[reader->kind].list =
		arena_alloc(arena, lines, sizeof(struct sample));
	reader->modules.list = arena_alloc(arena, lines, sizeof(struct module));
}

static bool begin(struct reader *reader, const char *text, char *fault,
		  size_t size)
{
	struct process *process = reader->process;
	size_t lines = count_lines(text);
	size_t length;
	const char *identity = find_line(text, "\n# pid=", &length);

	reader->kind = kind_of(text);
	if (reader->kind == SAMPLE_KINDS || !identity) {
		snprintf(fault, size,
			 "is a contention text, but not one of "
			 "stallshim's");
		return false;
	}
	process->identity = arena_string(&process->arena, identity, length);
	process->has_text[reader->kind] = true;
	process->samples[reader->kind].is_known = true;
	reader->facts = (struct text_facts){ process, reader->kind, lines };
	reader->samples = (struct text_samples){
		.process = process,
		.kind = reader->kind,
	};
	make_room(reader, lines);
	return true;
}

bool text_read(struct process *process, char *text, char *fault, size_t size)
{
	struct reader reader = { .process = process };
	unsigned number = 0;
	char *line;

	if (!begin(&reader, text, fault, size))
		return false;
	while ((line = strsep(&text, "\n"))) {
		number++;
		if (read_line(&reader, line))
			continue;
		snprintf(fault, size, "can't be understood at line %u", number);
		return false;
	}
	find_modules(&reader);
	process->is_running =
		process->end == END_RUNNING &&
		is_alive(process->pid, process->comm, process->host);
	return true;
}
