/*
 * Faults.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/fault.h"

#include "base/units.h"
#include "sigsafe/live.h"
#include "sigsafe/os/machine.h"
#include "sigsafe/signals/disposition.h"
#include "sigsafe/signals/send_again.h"
#include "sigsafe/signals/sent_fault.h"
#include "sigsafe/thread.h"
#include "sigsafe/walk/walk.h"

bool fault_is_made(int sig, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       !(sig == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

cold bool fault_may_end_host(int sig, const siginfo_t *info)
{
	const kernel_sigset made =
		FAULT_SIGNALS | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL);

	return sig == SIGABRT ||
	       (made & SIGNAL_BIT(sig) && fault_is_made(sig, info));
}

/*
 * The kernel says no address: some of these are made by what is not done once
 * more, such as a return from a handler.
 */
static bool is_made_again(int sig, const siginfo_t *info)
{
	return fault_is_made(sig, info) && info->si_code != SI_KERNEL;
}

/* In the handler, too, which may have SA_NODEFER. */
static void block(int sig)
{
	const kernel_sigset fault = SIGNAL_BIT(sig);

	sys_sigprocmask(SIG_BLOCK, &fault, NULL);
}

cold void fault_kills(int sig, const siginfo_t *info, ucontext_t *uc)
{
	disposition_reset(sig);
	if (is_made_again(sig, info))
		return;
	/* It comes where it came, and finds the registers. */
	block(sig);
	signal_send_here(sig, info);
	/* In a wait that has opened it, it would pend once more. */
	*context_mask(uc) &= ~SIGNAL_BIT(sig);
}

/* Without a place to keep it, it is blocked: sigsafe/signals/sent_fault.h says
 * why not.
 */
static void put_off(int sig, const siginfo_t *info, ucontext_t *uc)
{
	if (likely(sent_fault_keep(info)))
		return;
	block(sig);
	*context_mask(uc) |= SIGNAL_BIT(sig);
	signal_send_here(sig, info);
}

/* The walk looks at the count when it has ended. */
static bool is_of_walk(ucontext_t *uc)
{
	if (!machine_skip_read(uc))
		return false;
	thread_self.lost_reads++;
	return true;
}

static bool is_survived(int sig, const siginfo_t *info, ucontext_t *uc)
{
	return fault_is_made(sig, info) &&
	       (is_of_walk(uc) ||
		(sig == SIGBUS && live_replace(info->si_addr)));
}

/*
 * The host may have such a mask as well. In libc, too, which may be called from
 * here; and a handler that is just entered is one by what it is.
 */
static bool is_inside(ucontext_t *uc)
{
	return is_quiet_mask(*context_mask(uc)) &&
	       (thread_self.is_quiet || walk_is_own(context_pc(uc)));
}

cold bool fault_is_ours(int sig, const siginfo_t *info, ucontext_t *uc)
{
	if (is_survived(sig, info, uc))
		return true;
	if (fault_is_made(sig, info) || !is_inside(uc))
		return false;
	put_off(sig, info, uc);
	return true;
}
