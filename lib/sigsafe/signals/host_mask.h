/*
 * The calling thread's signal mask as the host means it, while the kernel's
 * leaves the tick signal open (sigsafe/signals/tick_signal.h says when).
 * Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_SIGNALS_HOST_MASK_H
#define SIGSAFE_SIGNALS_HOST_MASK_H

#include "sigsafe/os/sys.h"

/* What the host has blocked. */
kernel_sigset host_mask(void);

/* Does the kernel's leave open what the host has blocked? */
bool host_mask_is_open(void);

/* The host wants these blocked. Nothing is claimed by that. */
void host_mask_set(kernel_sigset hosts);

/* rt_sigprocmask(2) as the host means it. 0 or -errno. */
int host_sigmask(int how, const kernel_sigset *set, kernel_sigset *old);

/*
 * Before a call by which another program inherits the mask: the kernel's is
 * what the host's is. Returns what it was, for host_mask_take_back().
 */
kernel_sigset host_mask_hand_on(void);
void host_mask_take_back(kernel_sigset kernels);

/*
 * Opens the tick signal where the kernel blocks it with every other: after it
 * has moved. Not in a handler of ours, where all are blocked.
 */
void host_mask_open(void);

#endif
