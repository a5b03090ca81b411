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

/* To ask whom it was sent takes system calls that natively are none. */
static bool may_have_killed(int result, int sig)
{
	return !result && sigset_of(sig) && disposition_is_stood_in(sig);
}

static int sent_to(bool is_other, int result, int sig)
{
	if (is_other && may_have_killed(result, sig) &&
	    host_signal_would_kill(sig))
		default_action_may_come(sig);
	return result;
}

HOOK int pthread_kill(pthread_t thread, int sig)
{
	claim(sig);
	return sent_to(thread != pthread_self(), real.pthread_kill(thread, sig),
		       sig);
}

HOOK int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	claim(sig);
	if (sigset_of(sig) & FAULT_SIGNALS)
		sent_faults_are_queued();
	return sent_to(thread != pthread_self(),
		       real.pthread_sigqueue(thread, sig, value), sig);
}

HOOK int tgkill(pid_t process, pid_t thread, int sig)
{
	int result;

	if (tick_signal_claims(sigset_of(sig)) && process == getpid())
		claim(sig);
	result = real.tgkill(process, thread, sig);
	return may_have_killed(result, sig) && process == getpid()
		       ? sent_to(thread != sys_gettid(), result, sig)
		       : result;
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
	int result = real.kill(process, sig);

	if (may_have_killed(result, sig) &&
	    (!process || process == getpid() || process == -own_group()))
		die(sig);
	return result;
}

HOOK int killpg(pid_t group, int sig)
{
	int result = real.killpg(group, sig);

	if (may_have_killed(result, sig) && (!group || group == own_group()))
		die(sig);
	return result;
}

HOOK int sigqueue(pid_t process, int sig, const union sigval value)
{
	int result = real.sigqueue(process, sig, value);

	if (may_have_killed(result, sig) && process == getpid())
		die(sig);
	return result;
}
