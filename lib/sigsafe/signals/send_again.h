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
 * the process? Signal-safe.
 */
static inline bool signal_is_threads(const siginfo_t *info)
{
	return info->si_code == SI_TKILL || info->si_code > 0;
}

/*
 * With what was said of it: to the thread or to the process, which any of its
 * threads stands for. Signal-safe.
 */
static inline void signal_send_again(int sig, const siginfo_t *info)
{
	int tid = sys_gettid();

	if (signal_is_threads(info))
		sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), tid, sig, info);
	else
		sys3(SYS_rt_sigqueueinfo, tid, sig, info);
}

#endif
