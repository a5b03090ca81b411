/*
 * The gaps of a report: what was lost, skipped, or could not be named.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "report/familiar.h"
#include "report/words.h"
#include "report/write.h"

static void write_discarded(const struct report *report, enum sample_kind kind,
			    const char *noun)
{
	struct arena *arena = &report->process->arena;
	const struct samples *samples = &report->process->samples[kind];

	if (!samples->discarded)
		return;
	fprintf(report->out, "  %s (%s) without a stack: in the sums only\n",
		words_count(arena, samples->discarded, noun),
		words_duration(arena, samples->discarded_ns));
}

static bool has_losses(const struct process *process)
{
	return process->losses_count || process->damaged ||
	       process->samples[SAMPLE_STALL].discarded ||
	       process->samples[SAMPLE_MUTEX].discarded ||
	       process->samples[SAMPLE_WAIT].discarded ||
	       process->samples[SAMPLE_SEM].discarded;
}

static void write_losses(const struct report *report)
{
	const struct process *process = report->process;

	if (!has_losses(process))
		return;
	fputs("\nMissing from the above:\n", report->out);
	for (size_t i = 0; i < process->losses_count; i++)
		fprintf(report->out, "  %s\n", process->losses[i]);
	write_discarded(report, SAMPLE_STALL, "tick");
	write_discarded(report, SAMPLE_MUTEX, "unlock");
	write_discarded(report, SAMPLE_WAIT, "wait");
	write_discarded(report, SAMPLE_SEM, "post");
	if (process->damaged)
		fprintf(report->out,
			"  %ju records of the file, which were damaged\n",
			(uintmax_t)process->damaged);
}

/* Nobody misses the inner functions of libc and its like. */
static bool is_well_named(const struct object *object)
{
	return is_familiar_object(base_name(object->path)) ||
	       (object->state == OBJECT_GOOD &&
		object->named == object->addresses);
}

static const char *object_text(const struct report *report,
			       const struct object *object)
{
	struct arena *arena = &report->process->arena;
	const char *path = words_name(arena, object->path);

	if (!strcmp(object->name, base_name(path)))
		return path;
	return arena_print(arena, "%s (%s)", path, object->name);
}

static void write_object(const struct report *report,
			 const struct object *object)
{
	const char *name = object_text(report, object);

	switch (object->state) {
	case OBJECT_GOOD:
		fprintf(report->out,
			"  %s: %ju of %ju addresses have names, %ju have "
			"lines\n",
			name, (uintmax_t)object->named,
			(uintmax_t)object->addresses,
			(uintmax_t)object->with_lines);
		break;
	case OBJECT_MISSING:
		fprintf(report->out, "  %s: not to be read here\n", name);
		break;
	case OBJECT_OTHER:
		fprintf(report->out,
			"  %s: another file than the one that was recorded "
			"(its build-id differs)\n",
			name);
		break;
	case OBJECT_CHANGED:
		fprintf(report->out,
			"  %s: changed since the program began, or the file is "
			"another (it has no build-id)\n",
			name);
		break;
	}
}

static void write_nameless(const struct report *report)
{
	const struct object *object;
	bool has_begun = false;

	for (size_t i = 0; (object = symbols_object(report->symbols, i)); i++) {
		if (is_well_named(object))
			continue;
		if (!has_begun)
			fputs("\nWithout debug symbols, so without lines or without names:\n",
			      report->out);
		has_begun = true;
		write_object(report, object);
	}
}

/* What was left out because it was asked for. */
static void write_thinning(const struct report *report)
{
	struct process *process = report->process;
	struct arena *arena = &process->arena;

	if (process->min_wait_ns)
		fprintf(report->out,
			"\nUnlocks that caused less than %s of waiting have no "
			"stack (STALLSHIM_MIN_WAIT).\n",
			words_duration_exact(arena, process->min_wait_ns));
	if (process->charges_like_go)
		fputs("\nThe stacks of unlocks are charged as Go would "
		      "(STALLSHIM_CHARGE=go);\nthe tables are exact.\n",
		      report->out);
	if (process->rate_ns)
		fprintf(report->out,
			"\nThe stacks of locks are a sample, one for %s of "
			"waiting (STALLSHIM_RATE);\nthe tables are exact.\n",
			words_duration_exact(arena, process->rate_ns));
}

void write_gaps(const struct report *report)
{
	write_thinning(report);
	write_losses(report);
	write_nameless(report);
}
