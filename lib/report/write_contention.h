/*
 * The pieces of the locks' part of a report.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WRITE_CONTENTION_H
#define REPORT_WRITE_CONTENTION_H

#include "report/write.h"

/* The lock's name, or its address. lock may be NULL. */
const char *lock_text(const struct report *report, const struct lock *lock);

/* "worker (4712)", as far as the thread is known. */
const char *thread_text(const struct report *report, int tid);

/* The heaviest locks whose unlocks are in profile. */
void write_lock_table(const struct report *report, enum sample_kind profile);

/*
 * Who made others wait: profile is SAMPLE_MUTEX or SAMPLE_SEM, and verb what
 * ended the waits ("unlock").
 */
void write_unlockers(const struct report *report, enum sample_kind profile,
		     const char *verb);

/* Who waited, in short. */
void write_waiters(const struct report *report);

/* Who still waited at the end, and in which circles. */
void write_open_waits(const struct report *report);

#endif
