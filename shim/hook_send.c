/*
 * Signals that the host sends to a thread of its own. One that is sent while a
 * tick by the same signal is pending there would be merged with that: so the
 * host's sending it is a claim, too (lib/sigsafe/tick_signal.h). What is sent
 * to a process is never merged with what is sent to one of its threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_sigset.h"
#include "sigsafe/host_signal.h"

static void claim(int sig)
{
	kernel_sigset set = sigset_of(sig);

	if (set && likely(host_signal_is_started()))
		host_sigset_claimed(set);
}

HOOK int raise(int sig)
{
	claim(sig);
	return real.raise(sig);
}

HOOK_ALSO(raise, gsignal);

HOOK int pthread_kill(pthread_t thread, int sig)
{
	claim(sig);
	return real.pthread_kill(thread, sig);
}

HOOK int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	claim(sig);
	return real.pthread_sigqueue(thread, sig, value);
}

HOOK int tgkill(pid_t process, pid_t thread, int sig)
{
	/* To ask for the process takes a system call that natively is none. */
	if (tick_signal_claims(sigset_of(sig)) && process == getpid())
		claim(sig);
	return real.tgkill(process, thread, sig);
}
