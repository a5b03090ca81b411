/*
 * What a signal does that the host has left to its default. Owns the way a
 * default-fatal one ends the process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_DEFAULT_ACTION_H
#define SIGSAFE_SIGNALS_DEFAULT_ACTION_H

#include "sigsafe/os/sys.h"

/* Called before a signal kills by default. Set once, from the constructor. */
extern void (*signal_last_words)(int sig);

/*
 * Ends or stops the process, or where that is traced and goes on, returns.
 * Handler only.
 */
void act_by_default(int sig);

/*
 * The host has sent sig to another one of its threads, or to its process while
 * the sender itself blocks it. If it kills, the process would be dead by now:
 * so for a moment it does not end in another way, unless the others block it as
 * well. Signal-safe.
 */
void default_action_may_come(int sig);

/* Those a thread waits for, or reads: it may take them. Signal-safe. */
void default_action_is_awaited(kernel_sigset set);

/*
 * The calling thread is about to end the process in another way. If another
 * one's signal has come first, or is coming, that is to be what it dies of:
 * waits for it, but not for long. Not for the last words. Signal-safe.
 */
void default_action_await_death(void);

#endif
