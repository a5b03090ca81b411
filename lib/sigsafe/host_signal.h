/*
 * Signals as the host sees them. Owns the shadow of the host's dispositions,
 * the number of the tick signal, and the one handler the kernel enters.
 *
 * The kernel's handler is signal_entry() for every signal the host handles,
 * for the tick signal, and for SIGINT, SIGTERM and SIGHUP while the host leaves
 * them to their default. The host asks for and gets its own dispositions back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_HOST_SIGNAL_H
#define SIGSAFE_HOST_SIGNAL_H

#include <signal.h>
#include <ucontext.h>

#include "base/units.h"
#include "sigsafe/sys.h"

/*
 * Takes the signals over. chosen: the tick signal, or 0 for SIGUSR1; where
 * the host has it ignored or blocked already, a private real-time signal is
 * used instead. Called once, from the constructor. Leaves errno alone.
 */
void host_signal_start(int chosen);

/* The tick signal now, or 0: the host uses every one. Signal-safe. */
int tick_signal(void);

/*
 * Grows each time the tick signal moves: a timer made under another generation
 * is dead and must be made anew. Signal-safe.
 */
uint32_t tick_signal_generation(void);

/* sigaction(2) as the host means it. 0 or -errno. Signal-safe. */
int host_sigaction(int sig, const struct sigaction *act,
		   struct sigaction *old);

/*
 * The set to give to the kernel in place of one by which the host blocks,
 * waits for or reads signals. Where it names the tick signal, SIGUSR1 is given
 * up to the host, while a private signal stays ours and is taken out.
 * Signal-safe.
 */
kernel_sigset host_sigset_claimed(kernel_sigset set);

#endif
