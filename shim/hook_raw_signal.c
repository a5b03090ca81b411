/*
 * System calls about signals, by syscall(2).
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook_raw_signal.h"

#include "hook.h"
#include "hook_pointer.h"
#include "hook_sigset.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"

/* *to = from, if there is a to; as the kernel, which writes last. */
static int give(void *to, const void *from, size_t bytes)
{
	if (!to)
		return 0;
	if (!pointer_can_be_written(to, bytes))
		return -EFAULT;
	memcpy(to, from, bytes);
	return 0;
}

static int set_disposition(int sig, const void *new, void *old)
{
	struct disposition wanted, had;
	int err;

	if (new && !pointer_can_be_read(new, sizeof(wanted)))
		return -EFAULT;
	if (new)
		memcpy(&wanted, new, sizeof(wanted));
	err = host_disposition(sig, new ? &wanted : NULL, &had);
	return err ? err : give(old, &had, sizeof(had));
}

static int change_mask(int how, const void *set, void *old)
{
	kernel_sigset bits, had;
	int err;

	if (set && !pointer_can_be_read(set, sizeof(bits)))
		return -EFAULT;
	if (set)
		memcpy(&bits, set, sizeof(bits));
	err = host_sigmask(how, set ? &bits : NULL, &had);
	return err ? err : give(old, &had, sizeof(had));
}

static int tell_pending(void *to)
{
	sigset_t pending;
	kernel_sigset bits;

	sigpending(&pending);
	bits = sigset_bits(&pending);
	return give(to, &bits, sizeof(bits));
}

/* What the kernel refuses it may refuse itself; and libc's own are not ours. */
static bool is_of_use(long number, const long *a)
{
	switch (number) {
	case SYS_rt_sigaction:
		return a[3] == sizeof(kernel_sigset) && sigset_of((int)a[0]);
	case SYS_rt_sigprocmask:
		return a[3] == sizeof(kernel_sigset);
	case SYS_rt_sigpending:
		return a[0] && a[1] == sizeof(kernel_sigset);
	default:
		return true;
	}
}

long raw_signal(long number, const long *a)
{
	if (unlikely(!host_signal_is_started() || !is_of_use(number, a)))
		return real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	switch (number) {
	case SYS_rt_sigaction:
		return result_of(set_disposition((int)a[0], (const void *)a[1],
						 (void *)a[2]));
	case SYS_rt_sigprocmask:
		return result_of(change_mask((int)a[0], (const void *)a[1],
					     (void *)a[2]));
	case SYS_rt_sigpending:
		return result_of(tell_pending((void *)a[0]));
	case SYS_kill:
		return kill((pid_t)a[0], (int)a[1]);
	default:
		return sigaltstack((const stack_t *)a[0], (stack_t *)a[1]);
	}
}
