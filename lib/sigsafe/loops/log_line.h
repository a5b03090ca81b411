/*
 * A line of the log: what it says of a stall, without names of functions, which
 * are in files that may not be read where a line is written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_LOG_LINE_H
#define SIGSAFE_LOOPS_LOG_LINE_H

#include "base/format.h"
#include "base/pen.h"

/* When, and of which process. Signal-safe. */
void log_line_begin(struct pen *pen);

/*
 * The same, and the stall, as it is or was. The name of a lock's holder that
 * never waited is asked of the kernel, which opens and closes a file, as the
 * log does for a line. Signal-safe.
 */
void log_line_stall(struct pen *pen, const struct recording *rec,
		    const struct event_record *event);

#endif
