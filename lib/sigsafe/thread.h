/*
 * What the shim knows of the calling thread. Owns the thread-local state and
 * the thread's record in the recording.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_THREAD_H
#define SIGSAFE_THREAD_H

#include "base/format.h"
#include "sigsafe/sys.h"

/*
 * Written only by its own thread and by signal handlers on that thread, so the
 * fields are volatile (a handler may come between any two instructions) and
 * need no atomics.
 */
struct thread {
	/* The recording this thread enrolled in; another one: enrol again. */
	struct recording *recording;
	struct thread_record *record; /* NULL: not a loop, or table full */

	/* The run (lib/sigsafe/watch.h). */
	volatile uint64_t run_begun_ns; /* 0: between runs */
	volatile uint64_t shared_ns;	/* run time shared out up to here */
	volatile uint32_t stack;	/* of the latest tick in this run */
	volatile uint32_t event;	/* of this run's stall, if ticks > 0 */
	volatile uint32_t ticks;	/* stacks taken in this run */
	volatile uint32_t events;	/* returned by the wait before it */

	/* The timer. */
	volatile int32_t timer; /* kernel id + 1; 0: none */
	volatile uint32_t timer_generation; /* tick_signal_generation it uses */
	volatile bool armed;
	volatile bool timer_refused; /* do not try again */

	/* The present wait (lib/sigsafe/wait.h). */
	volatile bool waiting;
	volatile bool tick_broke_wait; /* all signals are blocked since then */
	kernel_sigset mask_before_tick;
	volatile uint64_t handlers_at_wait;

	/* Host handlers entered on this thread (lib/sigsafe/host_signal.h). */
	volatile uint64_t host_handlers;
	/* The host believes it blocks the tick signal on this thread. */
	volatile bool host_blocks_tick;

	volatile bool in_walk; /* lib/sigsafe/walk.h */
};

extern __thread struct thread thread_self
	__attribute__((tls_model("initial-exec")));

#endif
