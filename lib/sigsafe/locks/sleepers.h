/*
 * Who sleeps on which condition variable. To sleep is not contention; to get
 * the mutex back after the wake-up is. libc takes it inside of
 * pthread_cond_wait, where no hook sees it: so whoever signals enters the
 * sleeper as a waiter for its mutex, and the sleeper leaves when it returns.
 *
 * Which of several sleepers a signal wakes is not known. One is chosen, the
 * longest asleep; where another one comes back, or the chosen one times out,
 * the wake-up is handed on, so that sums are right in any order.
 *
 * A list for each bucket of condition variables, under a lock that guards it
 * for a few instructions. It is only ever tried for: where it can't be had, the
 * sleep or the wake-up goes untracked (counted), and nobody ever hangs on it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_LOCKS_SLEEPERS_H
#define SIGSAFE_LOCKS_SLEEPERS_H

#include "base/atomic.h"
#include "base/hash.h"
#include "sigsafe/locks/contention.h"

#define SLEEPER_BUCKETS 1024

extern uint32_t sleepers_count[SLEEPER_BUCKETS];

/*
 * May anybody sleep on cond? Relaxed is enough: a sleeper that is not seen yet
 * has not been entered while its mutex was held, as POSIX asks of who wants to
 * be sure to be woken.
 */
static inline bool sleepers_any(const void *cond)
{
	return load_relaxed(&sleepers_count[hash_slot((uintptr_t)cond,
						      SLEEPER_BUCKETS)]) != 0;
}

/*
 * The calling thread is about to sleep on cond, and will want lock back.
 * Signal-safe. Pairs with sleeper_end().
 */
void sleeper_begin(const void *cond, struct lock lock, const void *caller);

/* It is awake, and has the lock; was_woken: not by a time-out. Signal-safe. */
void sleeper_end(bool was_woken);

/* Up to so many sleepers on cond are about to be woken. Signal-safe. */
void sleepers_wake(const void *cond, unsigned most);

/* The thread ends: it may have been cancelled in its sleep. Signal-safe. */
void sleeper_forget(void);

/* A forked child starts afresh: the parent's sleepers are not here. */
void sleepers_reset(void);

#endif
