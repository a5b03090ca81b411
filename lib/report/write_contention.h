/*
 * The stacks of the locks' part of a report.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_WRITE_CONTENTION_H
#define REPORT_WRITE_CONTENTION_H

#include "report/write.h"

/* The lock's name, or its address. lock may be NULL. */
const char *lock_text(const struct report *report, const struct lock *lock);

/* Who made others wait. */
void write_unlockers(const struct report *report);

/* Who waited, in short. */
void write_waiters(const struct report *report);

#endif
