/*
 * A recording with something of everything in it, for the tests of what reads
 * recordings and texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_REPORT_FIXTURE_H
#define TEST_REPORT_FIXTURE_H

#include "report/process.h"

/*
 * On top of text_fixture(): module 1 is /opt/test/app, 2 /opt/test/libc.so.6;
 * lock 1 with 3 waits of 30 ms in all and one of 5 ms that has not ended;
 * semaphore 2 with one wait of 7 ms; one loop with 2 stalls of 60 ms and 20 ms,
 * both in the timeline; a sample of each kind; one walk left out.
 */
struct recording *report_fixture(void);

/* A file, without a name, that holds so many bytes: its descriptor. */
int fixture_file(const void *bytes, size_t length);

/* Writes the whole report of a process that has been named, to nowhere. */
void fixture_report(struct process *process);

/* Numbers that look random and are the same in every run. */
uint64_t fixture_random(uint64_t *state);

#endif
