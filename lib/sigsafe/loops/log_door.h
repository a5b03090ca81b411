/*
 * Where the log's lines go: standard error, or a file. A line may be written
 * from a signal handler, on any thread, at any moment of the host's life, so a
 * line that can't be written at once, and harmlessly, is not written.
 *
 *   - A descriptor the host has closed or given another meaning is never
 *     written to: standard error must still be the file it was at the start,
 *     and a file is opened and closed for each line.
 *   - A pipe, socket or terminal that takes nothing does not block: it is
 *     opened anew without blocking, or sent to without waiting. Only where
 *     neither can be done is it asked first, and a thread that fills it in
 *     between makes us wait.
 *   - A signal that our write raises (SIGPIPE, SIGXFSZ) is taken away again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_LOG_DOOR_H
#define SIGSAFE_LOOPS_LOG_DOOR_H

#include "base/units.h"

#define LOG_PATH_BYTES 1200

/* Notes what standard error is. Constructor. */
void log_door_start(void);

/* Lines go to standard error; or are added to the file at path (absolute). */
void log_door_to_stderr(void);
void log_door_to_file(const char *path);

/*
 * Writes a line, ... if it is not whole, and its newline, by one system call.
 * All signals are blocked. 0 or -errno. Leaves errno alone. Signal-safe.
 */
int log_door_write(const char *line, size_t length, bool is_whole);

#endif
