/*
 * The calling thread's one-shot timer: CLOCK_MONOTONIC, its signal sent to
 * this very thread. Each function is one system call, except
 * for the last but one. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOOPS_TIMER_H
#define SIGSAFE_LOOPS_TIMER_H

#include "sigsafe/thread.h"

/*
 * Arms the timer for at_ns of the clock, making it first where there is none,
 * or where the tick signal has moved. Where the kernel refuses one that is
 * counted, once a thread, and the thread goes without ticks.
 */
void timer_arm(struct thread *self, uint64_t at_ns);

/*
 * Stops the timer for a while; false: there is nothing to stop. Later it is
 * armed for the same again, unless it has been meanwhile.
 */
bool timer_hold(struct thread *self);
void timer_release(struct thread *self);

/*
 * For what the present run or call alone may need so late: a run that begins
 * before arms it anew.
 */
void timer_arm_for_later(struct thread *self, uint64_t at_ns);

/* For what it is armed for, once more: the tick signal has moved. */
void timer_arm_again(struct thread *self);

/*
 * No tick comes any more, unless one is on its way already. False: it is not
 * the caller's, who is a guest in its parent's memory (sigsafe/os/process.h).
 */
bool timer_disarm(struct thread *self);

/*
 * After the tick signal moved: every other thread's timer is stopped, since
 * the host's new disposition of the old signal may let a late tick break calls
 * that a tick does not break. Those threads get a new one with their next run.
 */
void timer_stop_others(const struct thread *self);

/*
 * Gives every thread's timer back to the kernel: no tick comes any more. For
 * good: no thread will be watched from now on. Had no other thread one?
 */
bool timer_delete_all(const struct thread *self);

/*
 * The same for good: there can be none, or no stack for its ticks. Counted once
 * a thread.
 */
void timer_give_up(struct thread *self);

/* Gives the timer back to the kernel. */
void timer_delete_own(struct thread *self);

/* A forked child starts afresh: timers are not inherited. */
void timer_reset(void);

#endif
