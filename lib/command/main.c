/*
 * The stallshim command. Owns the table of sub-commands.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/likeness.h"
#include "base/units.h"
#include "command/command.h"

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct command {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "run", command_run, "start a program and watch it" },
	{ "report", command_report, "read what was recorded" },
	{ "help", command_help, "explain a sub-command" },
	{ "version", command_version, "say which version this is" },
};

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

static int refuse_name(const char *name)
{
	unsigned least = like_distance(strlen(name)) + 1;
	const char *like = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		unsigned distance = word_distance(name, commands[i].name);

		if (distance < least) {
			least = distance;
			like = commands[i].name;
		}
	}
	if (like)
		complain("there is no sub-command '%s': did you mean '%s'?",
			 name, like);
	else
		complain("there is no sub-command '%s': see stallshim --help",
			 name);
	return STATUS_USAGE;
}

static void print_usage(FILE *out)
{
	fputs("stallshim finds event-loop stalls and lock contention in "
	      "unmodified programs.\n\n"
	      "Usage: stallshim COMMAND ...\n\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nstallshim help COMMAND tells more. A first example:\n\n"
	      "  stallshim run --output=/tmp/first redis-server\n"
	      "  stallshim report /tmp/first\n",
	      out);
}

static int command_help(int argc, char **argv)
{
	const struct command *command;
	char help[] = "--help";
	char *arguments[] = { argv[1], help, NULL };

	if (argc < 2 || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return 0;
	}
	command = command_named(argv[1]);
	return command ? command->function(2, arguments) : refuse_name(argv[1]);
}

static int command_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("stallshim " STALLSHIM_VERSION);
	return 0;
}

static bool is_any_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (is_any_of(argv[1], "--help", "-h")) {
		print_usage(stdout);
		return 0;
	}
	if (is_any_of(argv[1], "--version", "-V"))
		return command_version(argc - 1, argv + 1);
	command = command_named(argv[1]);
	return command ? command->function(argc - 1, argv + 1)
		       : refuse_name(argv[1]);
}
