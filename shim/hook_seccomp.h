/*
 * Seccomp: from then on a system call of ours may kill the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_SECCOMP_H
#define SHIM_HOOK_SECCOMP_H

#include <linux/seccomp.h>

#include "base/units.h"
#include "setup/session.h"

/* Without a filter it fails: many ask in this way whether there is seccomp. */
static inline void leave_before_seccomp(bool is_strict, bool has_filter)
{
	if (is_strict || has_filter)
		session_leave();
}

#endif
