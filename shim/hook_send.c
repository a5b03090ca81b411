/*
 * Signals that the host sends to a thread of its own. One that is sent while a
 * tick by the same signal is pending there would be merged with that: so the
 * host's sending it is a claim, too (lib/sigsafe/signals/tick_signal.h). What
 * is sent to a process is never merged with what is sent to one of its threads.
 *
 * And those it sends to itself, of which it dies. Natively no thread goes on
 * after that, whichever the kernel gave it to; here that one has to come to
 * run, and writes the results. So the sender, if it has it open, sends it to
 * itself, and otherwise goes on, but does not end the process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_sigset.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/sent_fault.h"

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

/*
 * Asked before it is sent: then it may have a handler, which restores the
 * default. To ask whom it was sent takes system calls that natively are none.
 */
static bool may_kill(int sig)
{
	return sigset_of(sig) && disposition_is_stood_in(sig);
}

/* To another thread, which may have killed. */
static int sent(int result, int sig)
{
	if (!result && host_signal_would_kill(sig))
		default_action_may_come(sig);
	return result;
}

HOOK int pthread_kill(pthread_t thread, int sig)
{
	bool may = thread != pthread_self() && may_kill(sig);
	int result;

	claim(sig);
	result = real.pthread_kill(thread, sig);
	return may ? sent(result, sig) : result;
}

HOOK int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	bool may = thread != pthread_self() && may_kill(sig);
	int result;

	claim(sig);
	if (sigset_of(sig) & FAULT_SIGNALS)
		sent_faults_are_queued();
	result = real.pthread_sigqueue(thread, sig, value);
	return may ? sent(result, sig) : result;
}

HOOK int tgkill(pid_t process, pid_t thread, int sig)
{
	bool may =
		may_kill(sig) && process == getpid() && thread != sys_gettid();
	int result;

	if (tick_signal_claims(sigset_of(sig)) && process == getpid())
		claim(sig);
	result = real.tgkill(process, thread, sig);
	return may ? sent(result, sig) : result;
}

static pid_t own_group(void)
{
	return (pid_t)sys1(SYS_getpgid, 0);
}

static void die(int sig)
{
	if (!host_signal_would_kill(sig))
		return;
	if (host_mask() & SIGNAL_BIT(sig))
		default_action_may_come(sig);
	else
		raise(sig);
}

HOOK int kill(pid_t process, int sig)
{
	bool may = may_kill(sig);
	int result = real.kill(process, sig);

	if (may && !result &&
	    (!process || process == getpid() || process == -own_group()))
		die(sig);
	return result;
}

HOOK int killpg(pid_t group, int sig)
{
	bool may = may_kill(sig);
	int result = real.killpg(group, sig);

	if (may && !result && (!group || group == own_group()))
		die(sig);
	return result;
}

HOOK int sigqueue(pid_t process, int sig, const union sigval value)
{
	bool may = may_kill(sig);
	int result = real.sigqueue(process, sig, value);

	if (may && !result && process == getpid())
		die(sig);
	return result;
}
