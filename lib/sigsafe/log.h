/*
 * The log: a line a stall while the program runs, and of a long one also while
 * it lasts: after a second, and each time that has doubled. Owns the limit:
 * so many lines in each minute of the recording's life. Lines left out are
 * counted; the next line says how many.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOG_H
#define SIGSAFE_LOG_H

#include "sigsafe/thread.h"

/*
 * From now on, so many lines a minute (0: no log) go through the door
 * (sigsafe/log_door.h). A forked child starts its own. Signal-safe.
 */
void log_start(uint32_t per_minute);

/* The thread's stall, as self->event has it, goes on or has ended. */
void log_stall(struct thread *self);

/* The program ends: says what was left out since the last line. Signal-safe. */
void log_end(const struct recording *rec);

#endif
