/*
 * Waits for events that the host makes by syscall(2): turns of a loop, as those
 * by libc's functions (shim/hook_wait.c). And those of io_uring, for which libc
 * has none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_RAW_WAIT_H
#define SHIM_HOOK_RAW_WAIT_H

#include "base/units.h"
#include "hook_lacking.h"
#include "sigsafe/walk/frame_shape.h"

/* Of io_uring_enter, as below: shim/hook_uring.c. */
bool uring_waits(const long *a);
long uring_wait(const long *a, struct call_site from);

/* Does the call wait for events? a: six arguments. */
static inline bool raw_waits(long number, const long *a)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_poll:
	case SYS_select:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_ppoll:
	case SYS_pselect6:
		return true;
	case SYS_io_uring_enter:
		return uring_waits(a);
	default:
		return false;
	}
}

/* Makes such a call, which comes from there. */
long raw_wait(long number, const long *a, struct call_site from);

#endif
