/*
 * The host's signal mask.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sigsafe/signals/host_mask.h"

#include <signal.h>

#include "sigsafe/os/process.h"
#include "sigsafe/signals/claim.h"
#include "sigsafe/signals/fault_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/tick_signal.h"
#include "sigsafe/thread.h"

static kernel_sigset kernels_mask(void)
{
	kernel_sigset mask;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

static void change_from(kernel_sigset before, kernel_sigset mask)
{
	if (mask != before)
		sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

kernel_sigset host_mask(void)
{
	return mask_of_host(kernels_mask());
}

bool host_mask_is_open(void)
{
	/* Under seccomp it may be forbidden to ask. */
	return tick_signals_open() && host_mask() != kernels_mask();
}

void host_mask_set(kernel_sigset hosts)
{
	change_from(kernels_mask(), mask_of_kernel(hosts));
}

kernel_sigset host_mask_hand_on(void)
{
	kernel_sigset before;

	/* Under seccomp it may be forbidden to ask. */
	if (!tick_signals_open())
		return 0;
	before = kernels_mask();
	change_from(before, mask_of_host(before));
	return before;
}

void host_mask_take_back(kernel_sigset kernels)
{
	change_from(mask_of_host(kernels), kernels);
}

void host_mask_open(void)
{
	kernel_sigset before = kernels_mask();

	change_from(before, mask_of_kernel(mask_of_host(before)));
}

static kernel_sigset changed(int how, kernel_sigset mask, kernel_sigset set)
{
	return how == SIG_BLOCK	    ? mask | set
	       : how == SIG_UNBLOCK ? mask & ~set
				    : set;
}

/*
 * The kernel's mask is such that it would be taken for another than the host
 * asked for: one with every signal but the tick signal, say, or no longer with
 * every other. So it means the signals in which they differ, or it has opened
 * them by name. (A guest can't have that; but its mask is its own.)
 */
static cold void set_to_the_letter(kernel_sigset wanted, kernel_sigset meant)
{
	uint32_t memory = process_memory();

	if (memory)
		claim_signals(memory, meant);
	change_from(kernels_mask(), memory ? mask_of_kernel(wanted) : wanted);
}

/* What a guest opens is its own, and its parent's thread is not asked. */
static void note_opened(kernel_sigset wanted)
{
	kernel_sigset opened = mask_leaves_open(wanted);

	if (unlikely(opened != thread_self.opened) && tick_signals_open() &&
	    process_memory())
		thread_self.opened = opened;
}

int host_sigmask(int how, const kernel_sigset *set, kernel_sigset *old)
{
	kernel_sigset before, given, wanted, taken, meant;
	int err;

	if (set)
		given = how == SIG_UNBLOCK ? *set : host_sigset_claimed(*set);
	err = (int)sys_sigprocmask(how, set ? &given : NULL, &before);
	if (err)
		return err;
	if (old)
		*old = mask_of_host(before);
	if (!set)
		return 0;
	wanted = changed(how, mask_of_host(before), *set) & ~UNMASKABLE;
	taken = mask_of_host(changed(how, before, given) & ~UNMASKABLE);
	note_opened(wanted);
	fault_mask_note(before | wanted);
	meant = wanted ^ taken;
	if (how == SIG_UNBLOCK)
		meant |= tick_signal_claims(wanted);
	if (unlikely(meant))
		set_to_the_letter(wanted, meant);
	return 0;
}
