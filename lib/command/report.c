/*
 * stallshim report: prints what recordings and texts hold, for people.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/find_files.h"
#include "report/load.h"
#include "report/write.h"
#include "report/write_overview.h"

#define USUAL_TOP 10

/* More processes than these have an overview. */
#define FEW_PROCESSES 4

/* What is asked for. */
struct wishes {
	size_t top; /* 0: as usual */
	bool stacks;
};

static size_t top_of(const struct wishes *wishes)
{
	return wishes->top ? wishes->top : USUAL_TOP;
}

static void print_help(FILE *out)
{
	fputs("Usage: stallshim report [OPTIONS] FILE...\n\n"
	      "Shows which code kept event loops from turning, and which code "
	      "made threads\nwait for locks. Each FILE is a recording "
	      "(PREFIX.rec), a text (PREFIX.mutex.txt,\nPREFIX.wait.txt, "
	      "PREFIX.stall.txt, PREFIX.sem.txt), or a PREFIX of such files."
	      "\nThe program may still be running. Of more than four processes "
	      "an overview comes\nfirst.\n\n"
	      "  --top=N   show N items of each list, however small (default "
	      "10, and behind\n            the third none of less than 1%)\n"
	      "  --stacks  show the stack of each stall of the timeline\n"
	      "  --help    show this text\n",
	      out);
}

/* The number in text, or 0. */
static size_t number_of(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	return *text < '0' || *text > '9' || *end ? 0 : number;
}

enum choice {
	CHOICE_REPORT,
	CHOICE_HELP,
	CHOICE_WRONG
};

static enum choice read_options(int argc, char **argv, struct wishes *wishes)
{
	static const struct option long_options[] = {
		{ "top", required_argument, NULL, 't' },
		{ "stacks", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) !=
	       -1) {
		if (option == 'h')
			return CHOICE_HELP;
		if (option == 's') {
			wishes->stacks = true;
			continue;
		}
		if (option != 't') {
			complain("%s is not understood: see stallshim report "
				 "--help",
				 argv[optind - 1]);
			return CHOICE_WRONG;
		}
		wishes->top = number_of(optarg);
		if (!wishes->top) {
			complain("--top=%s is not understood: give a number "
				 "from 1 on",
				 optarg);
			return CHOICE_WRONG;
		}
	}
	return CHOICE_REPORT;
}

/* Loads what name stands for. Returns the status. */
static int load(struct processes *processes, const char *name)
{
	struct found_files files = find_files(name);
	int status = 0;

	for (size_t i = 0; i < files.count; i++) {
		char fault[256];

		if (processes_load(processes, files.paths[i], fault,
				   sizeof(fault)))
			continue;
		complain("%s %s", files.paths[i], fault);
		status = STATUS_FAILED;
	}
	if (!files.count) {
		complain("%s: there is no such file, nor files that begin so "
			 "(a program without loop and contention leaves none)",
			 name);
		status = STATUS_FAILED;
	}
	found_files_free(&files);
	return status;
}

static void print_process(struct process *process, const struct wishes *wishes)
{
	struct symbols *symbols = symbols_open();
	struct report report = {
		.out = stdout,
		.process = process,
		.symbols = symbols,
		.top = top_of(wishes),
		.shows_small = wishes->top,
		.shows_stacks = wishes->stacks,
	};

	symbols_name_all(symbols, process);
	write_report(&report);
	symbols_close(symbols);
}

static int print_all(struct processes *processes, const struct wishes *wishes)
{
	bool has_overview = processes->count > FEW_PROCESSES;

	if (has_overview)
		write_overview(processes, top_of(wishes), stdout);
	for (size_t i = 0; i < processes->count; i++) {
		if (i || has_overview)
			fputs("\n----\n\n", stdout);
		print_process(processes->list[i], wishes);
	}
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	complain("the report can't be written: %s", strerror(errno));
	return STATUS_FAILED;
}

int command_report(int argc, char **argv)
{
	struct processes processes = { .count = 0 };
	struct wishes wishes = { .top = 0 };
	int status = 0;

	switch (read_options(argc, argv, &wishes)) {
	case CHOICE_HELP:
		print_help(stdout);
		return 0;
	case CHOICE_WRONG:
		return STATUS_USAGE;
	case CHOICE_REPORT:
		break;
	}
	if (optind == argc) {
		complain("report on what? Usage: stallshim report [OPTIONS] "
			 "FILE...");
		return STATUS_USAGE;
	}
	/* No name of ours is to be looked up in a network. */
	unsetenv("DEBUGINFOD_URLS");
	for (int i = optind; i < argc; i++)
		status |= load(&processes, argv[i]);
	status |= print_all(&processes, &wishes);
	processes_free(&processes);
	return status;
}
