/*
 * System calls about signals that the host makes by syscall(2): it is answered
 * as by their functions of libc, as if the shim were not there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_RAW_SIGNAL_H
#define SHIM_HOOK_RAW_SIGNAL_H

#include <sys/syscall.h>

#include "base/units.h"

/* Is it one of them? */
static inline bool raw_is_signal(long number)
{
	return number == SYS_rt_sigaction || number == SYS_rt_sigprocmask ||
	       number == SYS_rt_sigpending || number == SYS_sigaltstack ||
	       number == SYS_kill;
}

/* Makes it. a: six arguments. */
long raw_signal(long number, const long *a);

#endif
