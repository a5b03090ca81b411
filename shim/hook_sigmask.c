/*
 * Signal masks. Where the host blocks the tick signal, that moves on or is
 * left open (lib/sigsafe/signals/tick_signal.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "hook.h"

#include "hook_pointer.h"
#include "hook_sigset.h"
#include "sigsafe/signals/host_mask.h"
#include "sigsafe/signals/host_signal.h"
#include "sigsafe/signals/sent_fault.h"

static int change(int how, const sigset_t *set, sigset_t *old)
{
	kernel_sigset bits, had;
	int err;

	if (set)
		bits = sigset_bits(set) & ~LIBCS_OWN;
	err = host_sigmask(how, set ? &bits : NULL, &had);
	if (err || !old)
		return err;
	/* As the kernel's: the mask has been changed all the same. */
	if (!pointer_can_be_written(old, sizeof(had)))
		return -EFAULT;
	memcpy(old, &had, sizeof(had));
	return 0;
}

HOOK int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigprocmask(how, set, old);
	return result_of(change(how, set, old));
}

HOOK int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (unlikely(!host_signal_is_started()))
		return real.pthread_sigmask(how, set, old);
	return -change(how, set, old);
}

static int change_one(int how, int sig)
{
	kernel_sigset set = sigset_of(sig);

	return result_of(set ? host_sigmask(how, &set, NULL) : -EINVAL);
}

HOOK int sighold(int sig)
{
	if (unlikely(!host_signal_is_started()))
		return real.sighold(sig);
	return change_one(SIG_BLOCK, sig);
}

HOOK int sigrelse(int sig)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigrelse(sig);
	return change_one(SIG_UNBLOCK, sig);
}

/* BSD's masks are ints: the first 32 signals. */
static int change_some(int how, int mask)
{
	kernel_sigset set = (unsigned int)mask & ~LIBCS_OWN, old;

	return result_of(host_sigmask(how, &set, &old)) ? -1 : (int)old;
}

HOOK int sigblock(int mask)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigblock(mask);
	return change_some(SIG_BLOCK, mask);
}

HOOK int sigsetmask(int mask)
{
	if (unlikely(!host_signal_is_started()))
		return real.sigsetmask(mask);
	return change_some(SIG_SETMASK, mask);
}

/*
 * The mask a thread will be born with. A set has many words, of which the
 * kernel and libc's functions know the first, but this one keeps all: the last
 * one is where we note in which bits the first is not the host's. (It is given
 * back as the one before it: nobody has a use for either.)
 */
#define LAST_WORD (sizeof(sigset_t) / sizeof(kernel_sigset) - 1)

HOOK int pthread_attr_setsigmask_np(pthread_attr_t *attr, const sigset_t *set)
{
	kernel_sigset word[LAST_WORD + 1], hosts;
	sigset_t given;

	if (!set)
		return real.pthread_attr_setsigmask_np(attr, set);
	memcpy(word, set, sizeof(word));
	hosts = word[0];
	word[0] = host_sigset_claimed(hosts);
	word[LAST_WORD] = word[LAST_WORD - 1] ^ word[0] ^ hosts;
	memcpy(&given, word, sizeof(word));
	return real.pthread_attr_setsigmask_np(attr, &given);
}

HOOK int pthread_attr_getsigmask_np(const pthread_attr_t *attr, sigset_t *set)
{
	kernel_sigset word[LAST_WORD + 1];
	int err = real.pthread_attr_getsigmask_np(attr, set);

	if (err)
		return err;
	memcpy(word, set, sizeof(word));
	word[0] ^= word[LAST_WORD] ^ word[LAST_WORD - 1];
	word[LAST_WORD] = word[LAST_WORD - 1];
	memcpy(set, word, sizeof(word));
	return 0;
}

/* The kernel's part of *set is all that libc writes. */
HOOK int sigpending(sigset_t *set)
{
	kernel_sigset kept = sent_faults_pending(), bits;
	int err = real.sigpending(set);

	if (err || unlikely(!host_signal_is_started()))
		return err;
	bits = host_pending(sigset_bits(set), kept);
	memcpy(set, &bits, sizeof(bits));
	return 0;
}
