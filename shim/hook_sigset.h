/*
 * Signal sets between libc's form and the kernel's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SHIM_HOOK_SIGSET_H
#define SHIM_HOOK_SIGSET_H

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/units.h"
#include "sigsafe/os/sys.h"

/* libc keeps two signals for itself and lets nobody name them. */
#define LIBCS_OWN (SIGNAL_BIT(32) | SIGNAL_BIT(33))

static inline kernel_sigset sigset_bits(const sigset_t *set)
{
	kernel_sigset bits;

	memcpy(&bits, set, sizeof(bits));
	return bits;
}

static inline void sigset_assign(sigset_t *set, kernel_sigset bits)
{
	memset(set, 0, sizeof(*set));
	memcpy(set, &bits, sizeof(bits));
}

/* The set of sig alone; empty where there is no such signal. */
static inline kernel_sigset sigset_of(int sig)
{
	return sig >= 1 && sig <= 64 ? SIGNAL_BIT(sig) & ~LIBCS_OWN : 0;
}

/* 0 or -errno as libc's functions say it; errno stays where all is well. */
static inline int result_of(int err)
{
	if (likely(!err))
		return 0;
	errno = -err;
	return -1;
}

#endif
