/*
 * Seccomp, and the dispatch of system calls to a handler of the program's: from
 * then on a call of ours may kill it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_SECCOMP_H
#define SHIM_HOOK_SECCOMP_H

#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "setup/seccomp_try.h"
#include "setup/session.h"

/*
 * Before the system call by which that is asked for, with its first three
 * arguments. Without a filter it fails: many ask in this way whether there is
 * seccomp. Otherwise it may fail.
 */
static inline void leave_before_seccomp(bool is_strict, bool has_filter,
					long number, const long *a)
{
	if ((is_strict || has_filter) && session_is_on() &&
	    !seccomp_is_refused(number, a))
		session_leave();
}

/* The same before prctl(2), with its option and its arguments. */
static inline void leave_before_prctl(const long *a)
{
	if (a[0] == PR_SET_SECCOMP)
		leave_before_seccomp(a[1] == SECCOMP_MODE_STRICT,
				     a[1] == SECCOMP_MODE_FILTER && a[2],
				     SYS_prctl, a);
	else if (a[0] == PR_SET_SYSCALL_USER_DISPATCH &&
		 a[1] == PR_SYS_DISPATCH_ON && session_is_on())
		session_leave();
}

#endif
