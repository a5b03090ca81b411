/*
 * The calling thread's one-shot timer: CLOCK_MONOTONIC, its signal sent to
 * this very thread. Each function is one system call. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_TIMER_H
#define SIGSAFE_TIMER_H

#include "sigsafe/thread.h"

/*
 * Arms the timer for at_ns of the clock, making it first where there is none,
 * or where the tick signal has moved. Where the kernel refuses one that is
 * counted, once a thread, and the thread goes without ticks.
 */
void timer_arm(struct thread *self, uint64_t at_ns);

/* No tick comes any more, unless one is on its way already. */
void timer_disarm(struct thread *self);

/* Gives the timer back to the kernel. */
void timer_delete_own(struct thread *self);

#endif
