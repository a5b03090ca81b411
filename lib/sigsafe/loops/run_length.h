/*
 * The lengths of a loop's runs: the longest, and their histogram. Owns who has
 * which histogram of SECTION_HISTOGRAMS. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_RUN_LENGTH_H
#define SIGSAFE_LOOPS_RUN_LENGTH_H

#include "sigsafe/thread.h"

/*
 * A run of the thread has ended that was not shorter than self->plain_ns. A
 * thread gets its histogram when it has proved to be a loop; where there is
 * none left that is counted, once a thread.
 */
void run_length_note(struct thread *self, uint64_t run_ns);

#endif
