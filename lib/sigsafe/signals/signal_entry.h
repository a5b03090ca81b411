/*
 * The one handler the kernel enters: for every signal the host handles, for
 * the tick signals, and for SIGINT, SIGTERM, SIGHUP, SIGBUS and SIGSEGV while
 * the host leaves them to their default.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_SIGNAL_ENTRY_H
#define SIGSAFE_SIGNALS_SIGNAL_ENTRY_H

#include <signal.h>

#include "base/units.h"

/*
 * Handler only. signal_entry() is what the kernel enters, and a part of
 * sigsafe/signals/handler_place.c; it goes on at signal_enter().
 */
void signal_entry(int sig, siginfo_t *info, void *context);
void signal_enter(int sig, siginfo_t *info, void *context);

/* Is info that of a tick of the calling thread's timer? Signal-safe. */
bool signal_is_tick(const siginfo_t *info);

#endif
