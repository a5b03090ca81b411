/*
 * Signals of faults that were sent to the thread, by kill(2) and the like, and
 * have come in one of our own sections, where no handler of the host may run
 * (QUIET_MASK). They must not stay blocked until it ends: the kernel kills for
 * a fault whose signal is blocked, and a walk may meet one in that very moment.
 * So each is kept, and sent again by its thread at the section's end. Owns what
 * is kept. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_SENT_FAULT_H
#define SIGSAFE_SIGNALS_SENT_FAULT_H

#include "base/atomic.h"
#include "sigsafe/os/sys.h"

/* So many are kept at once, those of all threads together. */
#define SENT_FAULTS 64u

/* How many are. Relaxed: a thread looks for those that it has kept itself. */
extern uint32_t sent_faults_kept;

/*
 * Keeps it; one that the thread has kept already it stands for as well, as a
 * pending one does. False: there is no room.
 */
bool sent_fault_keep(const siginfo_t *info);

/* Sends the calling thread's again, as the section is over. */
void sent_faults_return(void);

/* The same: costs nothing if none is kept. */
static inline void sent_faults_settle(void)
{
	if (unlikely(load_relaxed(&sent_faults_kept)))
		sent_faults_return();
}

/* After a fork: they have come to the parent's threads. */
void sent_faults_reset(void);

#endif
