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

/*
 * Sends the calling thread's again, as the section is over: to itself what
 * hosts lets through, the mask of the host's code that goes on.
 */
void sent_faults_return(kernel_sigset hosts);

/* The same: costs nothing if none is kept. */
static inline void sent_faults_settle(kernel_sigset hosts)
{
	if (unlikely(load_relaxed(&sent_faults_kept)))
		sent_faults_return(hosts);
}

/*
 * The host ignores the signal from now on: what the calling thread keeps of it
 * is gone, as what pends in the kernel is.
 */
void sent_faults_drop(int sig);

/* Those that were sent to the process, and are kept by any thread. */
kernel_sigset sent_faults_of_process(void);

static inline kernel_sigset sent_faults_pending(void)
{
	return unlikely(load_relaxed(&sent_faults_kept))
		       ? sent_faults_of_process()
		       : 0;
}

/*
 * The host queues some for a thread of its own: pthread_sigqueue(3). From now
 * on every queued one is taken for a thread's; before that, for the process's.
 */
void sent_faults_are_queued(void);

/* After a fork: they have come to the parent's threads. */
void sent_faults_reset(void);

#endif
