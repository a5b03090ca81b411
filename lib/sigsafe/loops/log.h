/*
 * The log: a line a stall while the program runs, and of a long one also while
 * it lasts: after a second, each time that has doubled, and as the program
 * ends. Owns the limit: so many lines in each minute of the recording's life.
 * Lines left out are counted; the next line says how many.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_LOG_H
#define SIGSAFE_LOOPS_LOG_H

#include "sigsafe/thread.h"

/*
 * From now on, so many lines a minute (0: no log) go through the door
 * (sigsafe/loops/log_door.h). A forked child starts its own. Signal-safe.
 */
void log_start(uint32_t per_minute);

/* Are there lines at all? Signal-safe. */
bool log_is_kept(void);

/* The thread's stall, as self->loop->event has it, goes on or has ended. */
void log_stall(struct thread *self);

/*
 * The program ends at rec->end_ns: a line for each stall that lasts, and what
 * was left out since the last line. is_exec: should that fail, what lasts has a
 * line at its end, of all its length, but none at the execs in between. By one
 * thread at a time. Signal-safe.
 */
void log_end(const struct recording *rec, bool is_exec);

/* The same of what lasts before an abort, from which the host may return. */
void log_abort(const struct recording *rec);

#endif
