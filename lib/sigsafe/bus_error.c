/*
 * Bus errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/bus_error.h"

#include "base/units.h"
#include "sigsafe/disposition.h"
#include "sigsafe/live.h"
#include "sigsafe/send_again.h"

bool bus_error_is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
}

cold void bus_error_kills(const siginfo_t *info)
{
	disposition_reset(SIGBUS);
	if (!bus_error_is_fault(info))
		signal_send_again(SIGBUS, info);
}

static void put_off(const siginfo_t *info, ucontext_t *uc)
{
	const kernel_sigset bus = SIGNAL_BIT(SIGBUS);

	/* Here, too: the handler may have SA_NODEFER. */
	sys_sigprocmask(SIG_BLOCK, &bus, NULL);
	*context_mask(uc) |= bus;
	signal_send_again(SIGBUS, info);
}

cold bool bus_error_is_ours(const siginfo_t *info, ucontext_t *uc)
{
	if (bus_error_is_fault(info) && live_replace(info->si_addr))
		return true;
	if (!is_quiet_mask(*context_mask(uc)))
		return false;
	if (bus_error_is_fault(info))
		bus_error_kills(info);
	else
		put_off(info, uc);
	return true;
}
