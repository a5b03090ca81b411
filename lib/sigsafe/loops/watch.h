/*
 * The stall watch: by its timer it decides when a run (lib/sigsafe/loops/run.h)
 * has become a stall, and takes its stacks. Calls that a tick would break are
 * made without.
 *
 * The first tick comes at the threshold, the next ones a threshold apart; once
 * the run has lasted for 16 thresholds, a sixteenth of its length apart, but
 * never more than 1 s. At 10 ms an endless callback costs 92 ticks in its first
 * 16 s, and one a second from then on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_WATCH_H
#define SIGSAFE_LOOPS_WATCH_H

#include <signal.h>
#include <ucontext.h>

#include "base/format.h"
#include "base/units.h"
#include "sigsafe/os/sys.h"

/*
 * The thread's own timer has fired. Handler only: called by signal_entry()
 * for SI_TIMER with our cookie, all signals blocked.
 */
void watch_tick(ucontext_t *uc);

/* A call that a signal would break, from begin to end. */
struct block {
	bool is_timed; /* it is part of a run that is watched */
	/* The kernel's mask, put by while the host's is in force; 0: it is. */
	kernel_sigset put_by;
};

/*
 * Around a call that a tick would break, other than a wait. begin() disarms the
 * timer, if it is armed. How long the call may take does not matter: even one
 * that is asked to end before the tick may be late. Where the host blocks every
 * signal the one that is kept open for ticks is blocked as well, as somebody
 * else might send it. Signal-safe.
 */
struct block watch_block_begin(enum blocking_call call, const void *caller);

/* Call watch_block_end() in its place. Signal-safe. */
void watch_block_over(const struct block *block);

static inline void watch_block_end(const struct block *block)
{
	if (unlikely(block->is_timed || block->put_by))
		watch_block_over(block);
}

/* What the thread is blocked in, as far as that is told. */
struct blocked {
	uint32_t call; /* CALL_NONE: in nothing */
	uint32_t stack;
};

/*
 * A handler of the host's comes in between, which is not blocked: it may take
 * its time, or jump out of the call. has_ticks: those come in the call, which
 * is a wait (lib/sigsafe/loops/wait.h). Handler only, before that is
 * interrupted and before it is resumed.
 */
struct blocked watch_interrupt(void);
void watch_resume(const struct blocked *in, bool has_ticks);

#endif
