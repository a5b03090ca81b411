/*
 * stallshim run: starts a program under the shim, in place of itself, so that
 * signals and exit status are the program's own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "command/command.h"
#include "command/place.h"
#include "command/preload.h"
#include "command/program.h"

static void print_piece(void *ctx, const char *text)
{
	fputs(text, ctx);
}

static noreturn void print_help(void)
{
	fputs("Usage: stallshim run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
	      "Starts the program and watches its event loops and locks. When "
	      "it ends,\n`stallshim report PREFIX` shows what was found. The "
	      "exit status is the program's.\n\n"
	      "Each option is a variable, and a flag too: --stall=20ms is\n"
	      "STALLSHIM_STALL=20ms, --min-wait 1ms is STALLSHIM_MIN_WAIT=1ms."
	      "\n\n",
	      stdout);
	options_help(print_piece, stdout);
	exit(0);
}

static void print_complaint(void *ctx, const char *sentence)
{
	(void)ctx;
	complain("%s", sentence);
}

/*
 * Takes one flag over into the environment. Returns how many arguments it
 * took, 0 after a complaint.
 */
static int take_flag(char **argv)
{
	size_t length = strcspn(argv[0], "=");
	bool is_joined = argv[0][length] == '=';
	const char *value = is_joined ? argv[0] + length + 1 : argv[1];
	struct options unused;
	const char *variable;

	if (!value) {
		complain("%s needs a value: see stallshim run --help", argv[0]);
		return 0;
	}
	variable = option_set(&unused, argv[0], length, value, print_complaint,
			      NULL);
	if (!variable)
		return 0;
	setenv(variable, value, 1);
	return is_joined ? 1 : 2;
}

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

/* Where the program's name is in argv, or -1 after a complaint. */
static int take_flags(int argc, char **argv)
{
	int at = 1;

	while (at < argc && argv[at][0] == '-') {
		int taken;

		if (!strcmp(argv[at], "--"))
			return at + 1;
		if (is_help(argv[at]))
			print_help();
		taken = take_flag(argv + at);
		if (!taken)
			return -1;
		at += taken;
	}
	return at;
}

/* What is wrong in the environment is refused as well. */
static bool read_environment(struct options *options)
{
	return !options_read(options, environ, print_complaint, NULL);
}

/* A run that can leave nothing would be for nothing. */
static bool can_leave_files(const struct options *options)
{
	return place_is_usable("output", options->output) &&
	       (!options->log_per_minute || !strcmp(options->log, "stderr") ||
		place_is_usable("log", options->log));
}

/* Only returns where it failed. */
static int start(const struct program *program, char **argv)
{
	/* What is no program to the kernel is a script to execvp(3). */
	execv(program->path, argv);
	if (errno == ENOEXEC)
		execvp(program->path, argv);
	complain("%s: %s", program->path, strerror(errno));
	return errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUNNABLE;
}

static int find_and_start(const struct options *options, char **argv)
{
	struct program found;
	struct program last; /* what runs in the end: an interpreter */
	char fault[sizeof(found.fault)];
	int status;

	status = program_find(&found, argv[0]);
	if (status) {
		complain("%s", found.fault);
		return status;
	}
	last = found;
	status = program_check(&last);
	if (status) {
		complain("%s", last.fault);
		return status;
	}
	if (!can_leave_files(options))
		return STATUS_USAGE;
	if (!preload_set(fault, sizeof(fault))) {
		complain("%s", fault);
		return STATUS_NOT_RUNNABLE;
	}
	return start(&found, argv);
}

int command_run(int argc, char **argv)
{
	int at = take_flags(argc, argv);
	struct options options;

	if (at < 0 || !read_environment(&options))
		return STATUS_USAGE;
	if (at >= argc) {
		complain("run what? Usage: stallshim run [OPTIONS] [--] "
			 "PROGRAM [ARGUMENTS]");
		return STATUS_USAGE;
	}
	return find_and_start(&options, argv + at);
}
