/*
 * The stall watch: by its timer it decides when a run (lib/sigsafe/run.h) has
 * become a stall, and takes its stacks. Calls that a tick would break are made
 * without.
 *
 * The first tick comes at the threshold, the next ones a threshold apart; once
 * the run has lasted for 16 thresholds, a sixteenth of its length apart, but
 * never more than 1 s. At 10 ms an endless callback costs 92 ticks in its first
 * 16 s, and one a second from then on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_WATCH_H
#define SIGSAFE_WATCH_H

#include <signal.h>
#include <ucontext.h>

#include "base/format.h"

/*
 * The thread's own timer has fired. Handler only: called by signal_entry()
 * for SI_TIMER with our cookie, all signals blocked.
 */
void watch_tick(ucontext_t *uc);

/*
 * Around a call that a tick would break, other than a wait. begin() disarms the
 * timer, if it is armed, and says whether end() must be called. How long the
 * call may take does not matter: even one that is asked to end before the tick
 * may be late. Signal-safe.
 */
bool watch_block_begin(enum blocking_call call, const void *caller);
void watch_block_end(void);

#endif
