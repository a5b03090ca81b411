/*
 * Signals as the host sees them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/host_signal.h"

#include "sigsafe/disposition.h"
#include "sigsafe/live.h"
#include "sigsafe/process.h"
#include "sigsafe/signal_entry.h"
#include "sigsafe/thread.h"
#include "sigsafe/timer.h"

/* These kill by default, and results are to be written first. */
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

static bool started; /* written by host_signal_start() */

/* The first process of a container: the kernel spares it what it ignores. */
static bool is_first_process(void)
{
	return sys_getpid() == 1;
}

void host_signal_start(int chosen, void (*last_words)(int sig))
{
	kernel_sigset blocked;

	signal_last_words = last_words;
	process_own_memory();
	sys_sigprocmask(SIG_BLOCK, NULL, &blocked);
	disposition_start(signal_entry);
	disposition_lock(process_id());
	for (size_t i = 0; i < ARRAY_SIZE(deadly) && !is_first_process(); i++)
		disposition_stand_in(deadly[i]);
	/* A private one: nobody sends it, so the kernel has none to spare. */
	if (!chosen && !is_first_process())
		chosen = SIGUSR1;
	tick_signal_start(chosen, blocked);
	disposition_unlock();
	started = true;
}

void host_signal_leave(void)
{
	disposition_lock(process_id());
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		disposition_stand_back(deadly[i]);
	disposition_unlock();
}

bool host_signal_is_started(void)
{
	return started;
}

/*
 * After a move: no late tick may stay pending in this thread, which may be
 * about to block or to wait for that signal. Every signal is blocked here, and
 * what is pending comes with the unlock.
 */
static void follow_tick_signal(void)
{
	if (thread_self.recording == live_recording() && thread_self.timer &&
	    thread_self.timer_generation != tick_signal_generation()) {
		if (thread_self.armed)
			timer_arm(&thread_self, thread_self.armed_until_ns);
		else
			timer_delete_own(&thread_self);
	}
	timer_stop_others(&thread_self);
}

/* Given up since the thread asked for them to be blocked: now they are. */
static void block_what_was_given_up(void)
{
	kernel_sigset due = thread_self.host_blocked & ~tick_signal_set();

	if (!due)
		return;
	sys_sigprocmask(SIG_BLOCK, &due, NULL);
	thread_self.host_blocked &= ~due;
}

static void claim(int pid, kernel_sigset claims)
{
	disposition_lock(pid);
	if (tick_signal_claim(claims))
		follow_tick_signal();
	disposition_unlock();
	block_what_was_given_up();
}

static int set_disposition(int sig, const struct disposition *new,
			   struct disposition *old)
{
	kernel_sigset claims = 0;
	int pid = process_id();
	int err;

	if (!pid)
		return disposition_set_of_guest(sig, new, old);
	if (new &&new->handler != DEFAULT)
		claims = tick_signal_claims(SIGNAL_BIT(sig));
	/* First the move: from here on no tick is sent by this signal. */
	if (unlikely(claims))
		claim(pid, claims);
	disposition_lock(pid);
	err = disposition_set(sig, new, old);
	disposition_unlock();
	return err;
}

/* libc keeps two for itself and says that there are none such. */
static bool exists(int sig)
{
	return sig >= 1 && sig <= SIGNALS && sig != 32 && sig != 33;
}

int host_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct disposition wanted, had;
	int err;

	if (!exists(sig))
		return -EINVAL;
	if (act)
		wanted = disposition_from(act);
	err = set_disposition(sig, act ? &wanted : NULL, &had);
	if (!err && old)
		disposition_to(&had, old);
	return err;
}

/* Does the set concern the tick signal, or claim what could become one? */
static bool concerns_ticks(kernel_sigset set)
{
	return set & tick_signal_set() || tick_signal_claims(set);
}

static kernel_sigset claim_set(int pid, kernel_sigset set)
{
	kernel_sigset claims = tick_signal_claims(set);

	if (claims)
		claim(pid, claims);
	return set & ~tick_signal_set();
}

kernel_sigset host_sigset_claimed(kernel_sigset set)
{
	int pid;

	if (likely(!concerns_ticks(set)))
		return set;
	pid = process_id();
	return pid ? claim_set(pid, set) : set;
}

/* What the host believes blocked changes with the mask; not so for a guest. */
static int change_mask(int how, kernel_sigset set, kernel_sigset *old)
{
	kernel_sigset given = set;
	int pid = process_id();
	long err;

	if (pid && (how == SIG_BLOCK || how == SIG_SETMASK))
		given = claim_set(pid, set);
	err = sys_sigprocmask(how, &given, old);
	if (err || !pid)
		return (int)err;
	if (how == SIG_SETMASK)
		thread_self.host_blocked = 0;
	if (how == SIG_UNBLOCK)
		thread_self.host_blocked &= ~set;
	else
		thread_self.host_blocked |= set & ~given;
	return 0;
}

int host_sigmask(int how, const kernel_sigset *set, kernel_sigset *old)
{
	kernel_sigset believed = thread_self.host_blocked;
	int err;

	if (likely(!set || (!believed && !concerns_ticks(*set))))
		err = (int)sys_sigprocmask(how, set, old);
	else
		err = change_mask(how, *set, old);
	if (!err && old)
		*old |= believed;
	return err;
}
