/*
 * The host's claims to signals, and what follows for the calling thread where
 * they make the tick signal (sigsafe/signals/tick_signal.h) move on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_CLAIM_H
#define SIGSAFE_SIGNALS_CLAIM_H

#include "sigsafe/signals/tick_signal.h"

/*
 * The host claims these (tick_signal_claims()). No tick comes to the calling
 * thread any more by a signal that is given up, and that is blocked here if the
 * host has it blocked. memory: process_memory(), not 0. Signal-safe.
 */
void claim_signals(uint32_t memory, kernel_sigset claims);

/*
 * Somebody has sent sig to the calling thread, which has it blocked as far as
 * the host knows: the tick signal moves on, if it was that. memory: as above.
 * Handler only.
 */
void claim_sent(uint32_t memory, int sig);

/*
 * A tick of the calling thread by sig, which is given up and blocked here,
 * would stay pending: it is dropped. Signal-safe.
 */
void claim_drop_late_tick(int sig);

#endif
