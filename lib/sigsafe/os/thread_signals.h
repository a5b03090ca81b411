/*
 * The signals that wait for a thread, and those it has blocked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_THREAD_SIGNALS_H
#define SIGSAFE_OS_THREAD_SIGNALS_H

#include "sigsafe/os/sys.h"

struct thread_signals {
	kernel_sigset pending; /* sent to it, or to its process */
	kernel_sigset blocked;
};

/*
 * Of thread tid of this process, as they were at one instant. False: the kernel
 * does not tell: it has ended, or there is no /proc or no descriptor left.
 * Signal-safe.
 */
bool thread_signals_of(int32_t tid, struct thread_signals *signals);

#endif
