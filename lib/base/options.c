/*
 * The options. Owns the one table of them: variable, default, how it is read,
 * what it means.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/options.h"

#include <string.h>

#include "base/likeness.h"
#include "base/option_value.h"
#include "base/sentence.h"

#define PREFIX	     "STALLSHIM_"
#define PREFIX_BYTES (sizeof(PREFIX) - 1)

static const struct option {
	const char *name;
	const char *usual; /* read like any other value */
	option_reader *read;
	const char *meaning;
} table[] = {
	{ PREFIX "OUTPUT", "stallshim.%e.%p", read_output,
	  "prefix of all files; %e program, %p pid, %h host, %t start time,\n"
	  "%n counter, %% a percent sign" },
	{ PREFIX "STALL", "10ms", read_stall,
	  "a loop that runs longer than this is stalled; off: find no stalls.\n"
	  "By thread name: 10ms,worker*=100ms,logger=off (the first that\n"
	  "matches; * and ? stand for others)" },
	{ PREFIX "MUTEX", "on", read_mutex,
	  "find the code that makes threads wait for locks; off" },
	{ PREFIX "WAITERS", "on", read_waiters,
	  "also record the stacks of the threads that wait; off" },
	{ PREFIX "MIN_WAIT", "0", read_min_wait,
	  "take no stack for an unlock that caused less waiting than this\n"
	  "(the time is counted all the same)" },
	{ PREFIX "RATE", "0", read_rate,
	  "take one stack for so much waited time, and let it stand for all\n"
	  "of that time; 0: take every stack. The totals stay exact" },
	{ PREFIX "CHARGE", "exact", read_charge,
	  "what an unlock is charged; go: the two-point estimate of Go's mutex\n"
	  "profile, for comparison" },
	{ PREFIX "SIGNAL", "auto", read_signal,
	  "the signal of the timers; auto: SIGUSR1 until the program uses it,\n"
	  "then a real-time one; or SIGUSR1, SIGPROF, SIGRTMIN+n, a number" },
	{ PREFIX "DEPTH", "64", read_depth,
	  "frames kept of each stack, at most 128" },
	{ PREFIX "UNWIND", "auto", read_unwind,
	  "how stacks are walked: auto, libunwind, or fp (frame pointers)" },
	{ PREFIX "LOG", "off", read_log,
	  "a line a stall while the program runs: stderr, or the path of a file\n"
	  "(with % as above); at most 60 a minute, or as in stderr,5/min; off" },
	{ PREFIX "MEMORY", "8M", read_memory, "size of the recording" },
	{ PREFIX "CHILDREN", "yes", read_children,
	  "no: programs started by this one are not watched" },
	{ PREFIX "ONLY", "", read_only,
	  "watch only programs of this name (the first 15 letters, as ps\n"
	  "shows it; * and ? stand for others)" },
	{ PREFIX "QUIET", "auto", read_quiet,
	  "the summary at exit; auto: said when stderr is a terminal; yes: not\n"
	  "said; no: said" },
	{ PREFIX "KEEP", "auto", read_keep,
	  "auto: a program without a loop and without contention leaves no\n"
	  "files; all: every program leaves files" },
	{ PREFIX "HELP", "0", read_help,
	  "1: each program that starts prints this text to stderr first" },
};

static bool is_flag(const char *name)
{
	return name[0] == '-';
}

/* The option's name as a flag: --min-wait. */
static void put_flag(struct sentence *line, const struct option *option)
{
	say_text(line, "--");
	for (const char *c = option->name + PREFIX_BYTES; *c; c++) {
		char small = *c == '_' ? '-' : (char)(*c | 0x20);

		say_bytes(line, &small, 1);
	}
}

/* The option's name in the form the user wrote. */
static struct sentence written_name(const struct option *option, bool as_flag)
{
	struct sentence name = { .length = 0 };

	if (as_flag)
		put_flag(&name, option);
	else
		say_text(&name, option->name);
	return name;
}

/* The most alike option, or NULL where nothing is alike. */
static const struct option *option_like(const char *name)
{
	size_t prefix = is_flag(name) ? strlen("--") : PREFIX_BYTES;
	size_t letters = strlen(name);
	unsigned least =
		like_distance(letters - (prefix < letters ? prefix : 0)) + 1;
	const struct option *best = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct sentence known = written_name(&table[i], is_flag(name));
		unsigned distance = word_distance(name, known.text);

		if (distance < least) {
			least = distance;
			best = &table[i];
		}
	}
	return best;
}

static void complain_of_name(const char *name, options_complain *complain,
			     void *ctx)
{
	const struct option *like = option_like(name);
	struct sentence line = { .length = 0 };

	say_text(&line, name);
	say_text(&line, " is not an option of stallshim");
	if (like) {
		struct sentence known = written_name(like, is_flag(name));

		say_text(&line, ": did you mean ");
		say_text(&line, known.text);
		say_text(&line, "?");
	}
	complain(ctx, line.text);
}

/* A value so long that it would push the advice out of the line is cut. */
#define SHOWN_BYTES 80

static void complain_of_value(const char *name, const char *value,
			      const char *wanted, options_complain *complain,
			      void *ctx)
{
	struct sentence line = { .length = 0 };
	size_t length = strnlen(value, SHOWN_BYTES);

	say_text(&line, name);
	say_text(&line, "=");
	say_bytes(&line, value, length);
	say_text(&line, value[length] ? "..." : "");
	say_text(&line, " is not understood: give ");
	say_text(&line, wanted);
	complain(ctx, line.text);
}

static const struct option *option_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct sentence known = written_name(&table[i], is_flag(name));

		if (!strcmp(name, known.text))
			return &table[i];
	}
	return NULL;
}

const char *option_set(struct options *out, const char *name, size_t length,
		       const char *value, options_complain *complain, void *ctx)
{
	struct sentence written = { .length = 0 };
	const struct option *option;
	const char *wanted;

	say_bytes(&written, name, length);
	option = option_named(written.text);
	if (!option) {
		complain_of_name(written.text, complain, ctx);
		return NULL;
	}
	wanted = option->read(out, *value ? value : option->usual);
	if (wanted) {
		complain_of_value(written.text, value, wanted, complain, ctx);
		return NULL;
	}
	return option->name;
}

int options_read(struct options *out, char *const *environment,
		 options_complain *complain, void *ctx)
{
	int complaints = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		table[i].read(out, table[i].usual);

	for (; *environment; environment++) {
		const char *name = *environment;
		const char *equals = strchr(name, '=');

		if (!equals || strncmp(name, PREFIX, PREFIX_BYTES))
			continue;
		if (!option_set(out, name, (size_t)(equals - name), equals + 1,
				complain, ctx))
			complaints++;
	}
	return complaints;
}

/* One line of a meaning, behind its indent. */
static const char *help_line(const char *meaning, struct sentence *line)
{
	const char *end = strchrnul(meaning, '\n');

	say_text(line, "        ");
	say_bytes(line, meaning, (size_t)(end - meaning));
	say_text(line, "\n");
	return *end ? end + 1 : NULL;
}

void options_help(void (*write)(void *ctx, const char *text), void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const char *meaning = table[i].meaning;
		struct sentence line = { .length = 0 };

		say_text(&line, table[i].name);
		say_text(&line, "=");
		say_text(&line, table[i].usual);
		say_text(&line, "\n");
		while (meaning)
			meaning = help_line(meaning, &line);
		write(ctx, line.text);
	}
}
