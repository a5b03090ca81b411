/*
 * A signal that has come to the handler and is to come once more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_SEND_AGAIN_H
#define SIGSAFE_SIGNALS_SEND_AGAIN_H

#include <signal.h>

#include "sigsafe/os/sys.h"

/*
 * Was it sent to the thread, as the kernel's own are (of faults), and not to
 * the process? That of pthread_sigqueue(3) was, but looks like sigqueue(3)'s.
 * Signal-safe.
 */
static inline bool signal_is_threads(const siginfo_t *info)
{
	return info->si_code == SI_TKILL || info->si_code > 0;
}

/*
 * With what was said of it, to this thread: natively its handler would have run
 * here, as the kernel has chosen this thread, if it was sent to the process.
 * Signal-safe.
 */
static inline void signal_send_here(int sig, const siginfo_t *info)
{
	sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), sig, info);
}

/* The same, to the process: any thread of it may have it. Signal-safe. */
static inline void signal_send_to_process(int sig, const siginfo_t *info)
{
	sys3(SYS_rt_sigqueueinfo, sys_gettid(), sig, info);
}

/*
 * Where the host has it blocked, so that natively it would pend for whom it was
 * sent to. Signal-safe.
 */
static inline void signal_send_to_pend(int sig, const siginfo_t *info)
{
	if (signal_is_threads(info))
		signal_send_here(sig, info);
	else
		signal_send_to_process(sig, info);
}

#endif
