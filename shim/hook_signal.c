/*
 * Dispositions: sigaction and what libc builds on it. libc's own signal() and
 * its like would go round our sigaction, so they are written out here as libc
 * documents them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include <errno.h>
#include <string.h>

#include "base/atomic.h"
#include "hook_sigset.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/stacks/alternate_stack.h"

/* What siginterrupt() has said of signals that signal() will be told of. */
static kernel_sigset interrupting;

static int set_action(int sig, const struct sigaction *act,
		      struct sigaction *old)
{
	return result_of(host_sigaction(sig, act, old));
}

static sighandler_t set_handler(int sig, sighandler_t handler, int flags,
				kernel_sigset mask)
{
	struct sigaction act = {
		.sa_handler = handler,
		.sa_flags = flags,
	};
	struct sigaction old;

	sigset_assign(&act.sa_mask, mask);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return set_action(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

HOOK int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigaction(sig, act, old);
	return set_action(sig, act, old);
}

HOOK_ALSO(sigaction, __sigaction);

/* As in BSD: the handler stays, is not interrupted, and calls go on. */
HOOK sighandler_t signal(int sig, sighandler_t handler)
{
	kernel_sigset set = sigset_of(sig);
	bool interrupts = load_relaxed(&interrupting) & set;

	if (unlikely(!host_signal_is_started()))
		return real.signal(sig, handler);
	return set_handler(sig, handler, interrupts ? 0 : SA_RESTART, set);
}

HOOK_ALSO(signal, bsd_signal);
HOOK_ALSO(signal, ssignal);

/* As in System V: the handler serves once, and everything is interrupted. */
HOOK sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	if (unlikely(!host_signal_is_started()))
		return real.sysv_signal(sig, handler);
	return set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER, 0);
}

HOOK_ALSO(sysv_signal, __sysv_signal);

HOOK int siginterrupt(int sig, int interrupt)
{
	struct sigaction act;

	if (unlikely(!host_signal_is_started()))
		return real.siginterrupt(sig, interrupt);
	if (set_action(sig, NULL, &act))
		return -1;
	/* Relaxed: one bit is one signal's, and nothing is read through it. */
	if (interrupt)
		__atomic_fetch_or(&interrupting, sigset_of(sig),
				  __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&interrupting, ~sigset_of(sig),
				   __ATOMIC_RELAXED);
	if (interrupt)
		act.sa_flags &= ~SA_RESTART;
	else
		act.sa_flags |= SA_RESTART;
	return set_action(sig, &act, NULL);
}

/* SIG_HOLD blocks sig; anything else unblocks it and handles it. */
HOOK sighandler_t sigset(int sig, sighandler_t handler)
{
	kernel_sigset set = sigset_of(sig), blocked = 0;
	struct sigaction old;
	sighandler_t had;

	if (unlikely(!host_signal_is_started()))
		return real.sigset(sig, handler);
	if (handler != SIG_HOLD)
		had = set_handler(sig, handler, 0, 0);
	else
		had = set_action(sig, NULL, &old) ? SIG_ERR : old.sa_handler;
	if (had == SIG_ERR)
		return SIG_ERR;
	host_sigmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set,
		     &blocked);
	return blocked & set ? SIG_HOLD : had;
}

HOOK int sigignore(int sig)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigignore(sig);
	return set_handler(sig, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

HOOK int sigaltstack(const stack_t *stack, stack_t *old)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigaltstack(stack, old);
	return result_of(alternate_stack_of_host(stack, old));
}
