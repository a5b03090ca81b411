/*
 * Signals as the host sees them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/host_signal.h"

#include "sigsafe/live.h"
#include "sigsafe/os/process.h"
#include "sigsafe/signals/claim.h"
#include "sigsafe/signals/default_action.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/sent_fault.h"
#include "sigsafe/signals/signal_entry.h"

/*
 * These kill by default, and results are to be written first; or it is a fault,
 * which may be ours, and not the program's doing.
 */
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGBUS, SIGSEGV };

static bool started; /* written by host_signal_start() */

/*
 * The first process of a container: the kernel spares it what it ignores, but
 * for a fault. Written by the start, and in a forked child.
 */
static bool is_first_process;

static void stand_in_for_deadly(void)
{
	is_first_process = sys_getpid() == 1;
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (!is_first_process || is_fault_signal(deadly[i]))
			disposition_stand_in(deadly[i]);
}

void host_signal_start(int chosen, void (*last_words)(int sig),
		       sigaction_function *libcs)
{
	kernel_sigset blocked;

	signal_last_words = last_words;
	process_own_memory();
	sys_sigprocmask(SIG_BLOCK, NULL, &blocked);
	disposition_start(signal_entry, libcs);
	disposition_lock(process_memory());
	stand_in_for_deadly();
	/* A private one: nobody sends it, so the kernel has none to spare. */
	if (!chosen && !is_first_process)
		chosen = SIGUSR1;
	tick_signal_start(chosen, blocked);
	disposition_unlock();
	host_mask_open();
	started = true;
}

/* Its parent stood in for them. There is no timer yet, nor a late tick. */
static cold void stand_back_as_first_process(void)
{
	int sig = tick_signal();

	is_first_process = true;
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (!is_fault_signal(deadly[i]))
			disposition_stand_back(deadly[i]);
	if (sig == SIGUSR1 && tick_signal_claim(SIGNAL_BIT(sig)))
		disposition_stand_back(sig);
}

void host_signal_after_fork(void)
{
	bool was_first = is_first_process;

	/* By now seccomp may kill for a question. */
	if (live_is_left())
		return;
	if (!was_first && sys_getpid() != 1)
		return;
	disposition_lock(process_memory());
	if (was_first)
		stand_in_for_deadly();
	else
		stand_back_as_first_process();
	disposition_unlock();
	if (!was_first)
		host_mask_open();
}

void host_signal_leave(bool is_alone)
{
	host_mask_hand_on();
	disposition_lock(process_memory());
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		disposition_stand_back(deadly[i]);
	if (is_alone && tick_signal()) {
		claim_drop_late_tick(tick_signal());
		disposition_stand_back(tick_signal());
	}
	tick_signal_end();
	live_leave();
	disposition_stand_back_from_one_shots();
	disposition_unlock();
}

bool host_signal_is_started(void)
{
	return started;
}

int host_disposition(int sig, const struct disposition *new,
		     struct disposition *old)
{
	kernel_sigset claims = 0;
	uint32_t memory;
	int err;

	/* One system call, as natively; the others are over or do the same. */
	if (live_is_left())
		return disposition_set(sig, new, old);
	memory = process_memory();
	if (!memory)
		return disposition_set_of_guest(sig, new, old);
	if (new &&new->handler != DEFAULT)
		claims = tick_signal_claims(SIGNAL_BIT(sig));
	/* First the move: from here on no tick is sent by this signal. */
	if (unlikely(claims))
		claim_signals(memory, claims);
	disposition_lock(memory);
	err = disposition_set(sig, new, old);
	if (!err && new &&new->handler == IGNORE)
		sent_faults_drop(sig);
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
	err = host_disposition(sig, act ? &wanted : NULL, &had);
	if (!err && old)
		disposition_to(&had, old);
	return err;
}

/* The first process of a container is spared. */
bool host_signal_would_kill(int sig)
{
	uint32_t memory;
	bool kills;

	if (!started || live_is_left() || !exists(sig) ||
	    !disposition_is_stood_in(sig))
		return false;
	memory = process_memory();
	if (!memory || sys_getpid() == 1)
		return false;
	disposition_lock(memory);
	kills = disposition_is_default(sig);
	disposition_unlock();
	return kills;
}

kernel_sigset host_sigset_claimed(kernel_sigset set)
{
	kernel_sigset claims = tick_signal_claims(set);
	uint32_t memory;

	if (likely(!claims && !(set & tick_signal_set())) || live_is_left())
		return set;
	memory = process_memory();
	if (!memory)
		return set;
	if (claims)
		claim_signals(memory, claims);
	return mask_of_kernel(set);
}

static kernel_sigset kernels_pending(void)
{
	kernel_sigset pending = 0;

	sys2(SYS_rt_sigpending, &pending, sizeof(pending));
	return pending;
}

/* Of what is open the kernel says nothing. */
static kernel_sigset with_kept(kernel_sigset pending, kernel_sigset kept)
{
	kept |= sent_faults_pending();
	return kept ? pending | (kept & host_mask()) : pending;
}

/* Without the ticks. */
static kernel_sigset hosts_own(kernel_sigset pending)
{
	kernel_sigset ticks = pending & tick_signal_set();
	int sig = tick_signal();
	uint32_t memory;

	if (likely(!ticks) || live_is_left())
		return pending;
	/* A private one, of which nobody else sends any. */
	if (ticks & tick_signals_open())
		return pending & ~ticks;
	memory = process_memory();
	/* A guest has no timers. */
	if (!memory)
		return pending;
	claim_signals(memory, ticks);
	claim_drop_late_tick(sig);
	return kernels_pending() & ~tick_signal_set();
}

kernel_sigset host_pending(kernel_sigset pending, kernel_sigset kept)
{
	return with_kept(hosts_own(pending), kept);
}
