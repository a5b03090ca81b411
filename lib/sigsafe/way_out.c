/*
 * The way out of a fault.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/way_out.h"

#include <signal.h>

#include "sigsafe/machine.h"
#include "sigsafe/walk.h"

#define FARTHEST (64u << 10) /* no deeper is a walk, from where it began */

/*
 * One that a handler of the host has jumped across is none any more: it lies
 * below the stack that is in use.
 */
static bool is_open(const struct way_out *way, const ucontext_t *uc)
{
	return way && (uintptr_t)way - context_sp(uc) < FARTHEST;
}

void way_out_take(const ucontext_t *uc)
{
	struct way_out *way = thread_self.way_out;
	const kernel_sigset *mask = (const kernel_sigset *)&uc->uc_sigmask;

	if (!is_open(way, uc) ||
	    !(thread_self.in_walk || walk_is_own(context_pc(uc))))
		return;
	sys_sigprocmask(SIG_SETMASK, mask, NULL);
	__builtin_longjmp(way->point, 1);
}
