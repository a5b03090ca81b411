/*
 * Seccomp: from then on a system call of ours may kill the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_SECCOMP_H
#define SHIM_HOOK_SECCOMP_H

#include <linux/seccomp.h>

#include "setup/seccomp_try.h"
#include "setup/session.h"
#include "sigsafe/live.h"

/*
 * Before the system call by which that is asked for, with its first three
 * arguments. Without a filter it fails: many ask in this way whether there is
 * seccomp. Otherwise it may fail.
 */
static inline void leave_before_seccomp(bool is_strict, bool has_filter,
					long number, const long *a)
{
	if ((is_strict || has_filter) && live_recording() &&
	    !seccomp_is_refused(number, a))
		session_leave();
}

#endif
