/*
 * System calls by name, raw: they leave errno alone and no preloaded library
 * sees them. Result or -errno. Signal-safe.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIGSAFE_OS_SYS_H
#define SIGSAFE_OS_SYS_H

#include <sys/syscall.h>

#include "sigsafe/os/machine.h"

#define sys0(n)		 sys6(n, 0, 0, 0, 0, 0, 0)
#define sys1(n, a)	 sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)	 sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(n, a, b, c) sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(n, a, b, c, d)                                                    \
	sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* Is it -errno? An address never is: the kernel gives none up there. */
static inline bool sys_failed(long result)
{
	return result < 0 && result > -4096;
}

static inline int sys_gettid(void)
{
	return (int)sys0(SYS_gettid);
}

static inline int sys_getpid(void)
{
	return (int)sys0(SYS_getpid);
}

/* The kernel's signal set: bit n - 1 is signal n. */
typedef uint64_t kernel_sigset;

#define SIGNAL_BIT(sig) (UINT64_C(1) << ((sig)-1))

/* glibc's own: cancellation and setuid. A thread that blocks them hangs. */
#define LIBC_SIGNALS (SIGNAL_BIT(32) | SIGNAL_BIT(33))

/* The kernel's part of the mask that the thread returns to. */
static inline kernel_sigset *context_mask(ucontext_t *uc)
{
	return (kernel_sigset *)&uc->uc_sigmask;
}

/* SIGBUS and SIGSEGV, by which the kernel tells of faults. */
#define FAULT_SIGNALS (SIGNAL_BIT(7) | SIGNAL_BIT(11))

static inline bool is_fault_signal(int sig)
{
	return FAULT_SIGNALS & SIGNAL_BIT(sig);
}

/*
 * What our own sections block, and our handler: every signal but those, which
 * are survived where they are ours (sigsafe/signals/fault.h); blocked they
 * kill. One that was sent is kept by signal_entry()
 * (sigsafe/signals/sent_fault.h), which knows our mask by glibc's signals: a
 * host's handler that blocks those blocks both faults, too, or is kept from it.
 */
#define QUIET_MASK (~FAULT_SIGNALS)

/* No mask has these: SIGKILL and SIGSTOP. */
#define UNMASKABLE (SIGNAL_BIT(9) | SIGNAL_BIT(19))

static inline bool leaves_faults_open(kernel_sigset mask)
{
	return ~mask & FAULT_SIGNALS;
}

/* Or with one of them put off already. */
static inline bool is_quiet_mask(kernel_sigset mask)
{
	return !~(mask | UNMASKABLE | FAULT_SIGNALS) &&
	       leaves_faults_open(mask);
}

/*
 * For a handler of the host. One that fills its mask by hand, but leaves one of
 * these open, has a fault of its own to handle there: it must not be taken for
 * one of our sections. So libc's signals stay open, as sigfillset(3) leaves
 * them.
 */
static inline kernel_sigset mask_unlike_quiet(kernel_sigset mask)
{
	return leaves_faults_open(mask) ? mask & ~LIBC_SIGNALS : mask;
}

static inline long sys_sigprocmask(int how, const kernel_sigset *set,
				   kernel_sigset *old)
{
	return sys4(SYS_rt_sigprocmask, how, set, old, sizeof(kernel_sigset));
}

#endif
