/*
 * The sub-commands: what main() chooses from, and how they speak.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

/* Exit statuses; those of run are the shell's. */
#define STATUS_FAILED	    1
#define STATUS_USAGE	    2
#define STATUS_NOT_RUNNABLE 126
#define STATUS_NOT_FOUND    127

/* Each takes its own name in argv[0] and returns the exit status. */
int command_run(int argc, char **argv);
int command_report(int argc, char **argv);

/* Says one line on stderr, "stallshim: " in front. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
