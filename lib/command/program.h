/*
 * A program about to be started: where it is, and whether a library can be
 * preloaded into it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_PROGRAM_H
#define COMMAND_PROGRAM_H

#include <limits.h>

struct program {
	char path[PATH_MAX];
	/* Where it can't be run or preloaded: one clause that says why. */
	char fault[PATH_MAX + 256];
};

/*
 * Finds name as execvp(3) would: in PATH unless it has a slash. 0, or the
 * shell's status 126 or 127 and a fault.
 */
int program_find(struct program *program, const char *name);

/*
 * Follows a script to its interpreter and looks at the file. 0, or 126 and a
 * fault where LD_PRELOAD would not reach the program.
 */
int program_check(struct program *program);

#endif
